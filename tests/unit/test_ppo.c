#include "policy_scene.h"

#include "base/memory.h"
#include "ppo/gae.h"
#include "ppo/loss.h"
#include "ppo/moments.h"

// the parts of PPO that are formulas: advantages, distributions of actions, the loss and its gradient

enum
{
    STEPS = 7,
    WORLDS = 3
};

// --- advantages ---

// the definition: a sum over all later steps of the episode, each difference discounted
static double advantage_of(const sac_gae_def *d, int t, int world)
{
    double sum = 0, factor = 1;
    for (; t < d->steps; t++)
    {
        int at = t * d->worlds + world;
        double next = (double)d->values[at + d->worlds];
        if (d->ends[at] == SAC_TERMINATED) next = 0;
        if (d->ends[at] == SAC_TRUNCATED) next = (double)d->last[at];
        sum += factor * ((double)d->rewards[at] + d->gamma * next - (double)d->values[at]);
        if (d->ends[at] != SAC_GOES_ON) break;
        factor *= d->gamma * d->lambda;
    }
    return sum;
}

TEST(advantages_are_the_discounted_sum_of_differences)
{
    float rewards[STEPS * WORLDS], values[(STEPS + 1) * WORLDS], last[STEPS * WORLDS];
    float advantages[STEPS * WORLDS], targets[STEPS * WORLDS];
    uint8_t ends[STEPS * WORLDS] = {0};
    fill_uniform(rewards, STEPS * WORLDS, 1);
    fill_uniform(values, (STEPS + 1) * WORLDS, 2);
    fill_uniform(last, STEPS * WORLDS, 3);
    ends[2 * WORLDS + 0] = SAC_TERMINATED;
    ends[4 * WORLDS + 0] = SAC_TRUNCATED;
    ends[1 * WORLDS + 1] = SAC_TRUNCATED;
    ends[(STEPS - 1) * WORLDS + 1] = SAC_TERMINATED;
    const sac_gae_def def = {STEPS, WORLDS, 0.97, 0.9, rewards, values, last, ends};
    sac_gae(&def, advantages, targets);
    for (int t = 0; t < STEPS; t++)
        for (int w = 0; w < WORLDS; w++)
        {
            int at = t * WORLDS + w;
            double expected = advantage_of(&def, t, w);
            // sums in double, of some ten terms below 4, rounded once
            assert_near((double)advantages[at], expected, 4 * 0x1p-24 + 1e-13);
            assert_near((double)targets[at], expected + (double)values[at], 8 * 0x1p-24);
        }
}

TEST(advantages_by_hand)
{
    // gamma 1/2, lambda 1: what is left of the episode, discounted, less the value
    const float rewards[] = {1, 2, 4}, values[] = {8, 16, 32, 64}, last[] = {0, 100, 0};
    float advantages[3], targets[3];
    sac_gae_def def = {3, 1, 0.5, 1, rewards, values, last, (uint8_t[]){0, 0, 0}};
    sac_gae(&def, advantages, targets);
    assert_float_equal(targets[0], 1 + 2 / 2.0f + 4 / 4.0f + 64 / 8.0f, 0);
    assert_float_equal(targets[2], 4 + 32, 0);
    assert_float_equal(advantages[2], 4 + 32 - 32, 0);
    def.ends = (uint8_t[]){0, SAC_TERMINATED, 0}; // nothing follows the second step
    sac_gae(&def, advantages, targets);
    assert_float_equal(targets[0], 1 + 2 / 2.0f, 0);
    assert_float_equal(targets[1], 2, 0);
    assert_float_equal(targets[2], 4 + 32, 0);
    def.ends = (uint8_t[]){0, SAC_TRUNCATED, 0}; // 100 would have followed it
    sac_gae(&def, advantages, targets);
    assert_float_equal(targets[0], 1 + 2 / 2.0f + 100 / 4.0f, 0);
    assert_float_equal(targets[1], 2 + 100 / 2.0f, 0);
    // lambda 0: one step ahead
    def.lambda = 0;
    sac_gae(&def, advantages, targets);
    assert_float_equal(targets[0], 1 + 16 / 2.0f, 0);
}

// --- distributions ---

static const float low[] = {-2, 0, -1}, high[] = {2, 1, 3};

static sac_action_head head_of(sac_action_head_kind kind, int outputs)
{
    sac_action_head head = {.kind = kind,
                            .outputs = outputs,
                            .size = kind == SAC_HEAD_CHOICE ? 1 : outputs,
                            .logs = kind == SAC_HEAD_CHOICE ? 0 : outputs,
                            .actions = kind == SAC_HEAD_BOX ? outputs : 1,
                            .choices = kind == SAC_HEAD_BOX ? 0 : 3,
                            .low = low,
                            .high = high,
                            .units = sac_alloc((size_t)outputs * sizeof(float))};
    for (int o = 0; o < outputs; o++) head.units[o] = kind == SAC_HEAD_BOX ? (high[o] - low[o]) / 2 : 1;
    return head;
}

TEST(a_head_follows_from_the_policy)
{
    sac_policy *policy = scene_any_policy("controller=linear,hidden=3");
    sac_action_head head;
    assert_ok(sac_action_head_plan(&head, policy, 3, 1));
    assert_int_equal(head.kind, SAC_HEAD_BOX);
    assert_int_equal(head.logs, 3);
    for (int i = 0; i < 3; i++)
        assert_float_equal(head.units[i],
                           (sac_policy_get_def(policy)->action_high[i] - sac_policy_get_def(policy)->action_low[i]) / 2,
                           0);
    sac_action_head_clear(&head);
    sac_policy_destroy(policy);
}

TEST(what_is_drawn_has_the_mean_and_the_deviation)
{
    enum
    {
        DRAWS = 20000
    };
    sac_action_head head = head_of(SAC_HEAD_BOX, 3);
    const float outputs[] = {0.25f, -0.5f, 1}, logs[] = {-1, 0, 0.5f};
    double *noise = malloc(sizeof(double) * 3 * DRAWS), sums[3] = {0}, squares[3] = {0};
    assert_non_null(noise);
    sac_normals(noise, (size_t)3 * DRAWS, 4, 0, 0);
    for (int i = 0; i < DRAWS; i++)
    {
        float drawn[3];
        sac_action_head_draw(&head, drawn, outputs, logs, noise + (ptrdiff_t)3 * i);
        for (int o = 0; o < 3; o++) sums[o] += (double)drawn[o], squares[o] += (double)drawn[o] * (double)drawn[o];
    }
    for (int o = 0; o < 3; o++)
    {
        double mean = sums[o] / DRAWS, deviation = sqrt(squares[o] / DRAWS - mean * mean), sigma = exp((double)logs[o]);
        // five standard errors
        assert_near(mean, (double)outputs[o], 5 * sigma / sqrt(DRAWS));
        assert_near(deviation, sigma, 5 * sigma / sqrt(2.0 * DRAWS));
    }
    free(noise);
    sac_action_head_clear(&head);
}

TEST(choices_come_as_often_as_they_shall)
{
    enum
    {
        DRAWS = 20000
    };
    sac_action_head head = head_of(SAC_HEAD_CHOICE, 3);
    const float logits[] = {0, 1, -1};
    double total = 1 + exp(1) + exp(-1), counts[3] = {0};
    sac_stream stream = sac_stream_create(1, 2, 3);
    for (int i = 0; i < DRAWS; i++)
    {
        float drawn;
        double u = sac_stream_uniform(&stream, 0, 1);
        sac_action_head_draw(&head, &drawn, logits, NULL, &u);
        counts[(int)drawn]++;
    }
    for (int i = 0; i < 3; i++)
    {
        double share = exp((double)logits[i]) / total;
        assert_near(counts[i] / DRAWS, share, 5 * sqrt(share * (1 - share) / DRAWS));
    }
    sac_action_head_clear(&head);
}

TEST(actions_stay_within_bounds)
{
    sac_action_head box = head_of(SAC_HEAD_BOX, 3), threshold = head_of(SAC_HEAD_THRESHOLD, 1);
    float action[3];
    sac_action_head_act(&box, action, (float[]){0.5f, 4, -7});
    assert_float_equal(action[0], 1, 0);  // half of 4 / 2
    assert_float_equal(action[1], 1, 0);  // cut
    assert_float_equal(action[2], -1, 0); // cut
    sac_action_head_act(&box, action, (float[]){NAN, INFINITY, -INFINITY});
    for (int i = 0; i < 3; i++) assert_true(action[i] >= low[i] && action[i] <= high[i]);
    const float drawn[] = {-0.5f, 0, 0.5f}, choices[] = {1, 0, 2};
    for (int i = 0; i < 3; i++)
    {
        sac_action_head_act(&threshold, action, &drawn[i]);
        assert_float_equal(action[0], choices[i], 0);
    }
    sac_action_head_clear(&box);
    sac_action_head_clear(&threshold);
}

// --- the loss ---

enum
{
    ROWS = 24,
    MOST = 3 // outputs
};

/// The rows of a loss, in doubles: outputs, logs and values are what it is differentiated by.
typedef struct scene
{
    sac_action_head head;
    sac_ppo_rows rows;
    float drawn[ROWS * MOST], outputs[ROWS * MOST], logs[MOST], old[ROWS], advantages[ROWS], values[ROWS];
    float old_values[ROWS], targets[ROWS];
    uint8_t counts[ROWS];
    double x[ROWS * MOST + MOST + ROWS];
} scene;

static double likelihood_of(const scene *s, int row)
{
    const int o = s->head.outputs;
    const double *outputs = s->x + (ptrdiff_t)row * o, *logs = s->x + (ptrdiff_t)ROWS * o;
    double sum = 0;
    if (s->head.kind == SAC_HEAD_CHOICE)
    {
        for (int i = 0; i < o; i++) sum += exp(outputs[i]);
        return outputs[(int)s->drawn[row]] - log(sum);
    }
    for (int i = 0; i < o; i++)
    {
        double z = ((double)s->drawn[row * o + i] - outputs[i]) / exp(logs[i]);
        sum -= z * z / 2 + logs[i] + log(2 * acos(-1)) / 2;
    }
    return sum;
}

static double entropy_of(const scene *s, int row)
{
    const int o = s->head.outputs;
    const double *outputs = s->x + (ptrdiff_t)row * o, *logs = s->x + (ptrdiff_t)ROWS * o;
    double sum = 0, entropy = 0;
    if (s->head.kind != SAC_HEAD_CHOICE)
    {
        for (int i = 0; i < o; i++) entropy += logs[i] + log(2 * acos(-1) * exp(1)) / 2;
        return entropy;
    }
    for (int i = 0; i < o; i++) sum += exp(outputs[i]);
    for (int i = 0; i < o; i++) entropy -= exp(outputs[i]) / sum * (outputs[i] - log(sum));
    return entropy;
}

static double clamp(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

// the definition
static double loss_of(const scene *s)
{
    const sac_ppo_rows *r = &s->rows;
    const double *values = s->x + (ptrdiff_t)ROWS * s->head.outputs + s->head.logs;
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
    {
        if (!s->counts[i]) continue;
        double ratio = exp(likelihood_of(s, i) - (double)s->old[i]), a = (double)s->advantages[i];
        double cut = clamp(ratio, 1 - r->clip, 1 + r->clip), target = (double)s->targets[i];
        double moved = (double)s->old_values[i] + clamp(values[i] - (double)s->old_values[i], -r->clip, r->clip);
        double plain = (values[i] - target) * (values[i] - target), clipped = (moved - target) * (moved - target);
        sum += fmax(-a * ratio, -a * cut) - r->entropy * entropy_of(s, i);
        sum += r->value * (r->clip_value ? fmax(plain, clipped) : plain) / 2;
    }
    return sum * r->share;
}

// rows on both sides of the clip, for advantages of both signs, and some that do not count
static scene *make_scene(sac_action_head_kind kind, int outputs, bool clip_value)
{
    scene *s = sac_alloc(sizeof *s);
    const int numbers = kind == SAC_HEAD_CHOICE ? 1 : outputs;
    int counted = 0;
    s->head = head_of(kind, outputs);
    fill_uniform(s->outputs, (size_t)(ROWS * outputs), 11);
    fill_uniform(s->logs, MOST, 12);
    fill_uniform(s->drawn, (size_t)(ROWS * numbers), 13);
    fill_uniform(s->advantages, ROWS, 14);
    fill_uniform(s->values, ROWS, 15);
    fill_uniform(s->old_values, ROWS, 16);
    fill_uniform(s->targets, ROWS, 17);
    for (int i = 0; kind == SAC_HEAD_CHOICE && i < ROWS; i++) s->drawn[i] = (float)(i % outputs);
    for (int i = 0; i < ROWS; i++) counted += s->counts[i] = i % 5 != 4;
    for (int i = 0; i < ROWS; i++) s->old_values[i] = s->values[i] + 0.5f * s->old_values[i];
    s->rows = (sac_ppo_rows){.head = &s->head,
                             .count = ROWS,
                             .drawn = s->drawn,
                             .outputs = s->outputs,
                             .logs = s->logs,
                             .old = s->old,
                             .advantages = s->advantages,
                             .values = s->values,
                             .old_values = s->old_values,
                             .targets = s->targets,
                             .counts = s->counts,
                             .share = 1.0 / counted,
                             .clip = 0.2,
                             .value = 0.5,
                             .entropy = 0.07,
                             .clip_value = clip_value};
    double *x = s->x;
    for (int i = 0; i < ROWS * outputs; i++) *x++ = (double)s->outputs[i];
    for (int i = 0; i < s->head.logs; i++) *x++ = (double)s->logs[i];
    for (int i = 0; i < ROWS; i++) *x++ = (double)s->values[i];
    for (int i = 0; i < ROWS; i++) s->old[i] = (float)(likelihood_of(s, i) + 0.12 * (i % 7 - 3));
    return s;
}

static void destroy_scene(scene *s)
{
    sac_action_head_clear(&s->head);
    sac_free(s);
}

static void check_loss(sac_action_head_kind kind, int outputs, bool clip_value)
{
    scene *s = make_scene(kind, outputs, clip_value);
    const int n = ROWS * outputs, logs = s->head.logs, all = n + logs + ROWS;
    float gradient[ROWS * MOST + MOST + ROWS] = {0};
    float *workspace = sac_alloc(sac_ppo_loss_workspace(&s->head, ROWS) * sizeof(float));
    void *scratch = sac_alloc(SAC_LEARN_SCRATCH);
    sac_learn l = sac_learn_create(scratch);
    sac_ppo_sums sums = {0};
    sac_ppo_loss(&s->rows, &l, &sums, gradient, gradient + n + logs, gradient + n, workspace);
    double loss = s->rows.share * (sums.policy + s->rows.value * sums.value - s->rows.entropy * sums.entropy);
    assert_near(loss, loss_of(s), 1e-5 * (1 + fabs(loss)));
    // both sides of the clip are there
    assert_true(sums.clipped > 3 && sums.clipped < ROWS - 8);
    double largest = 0, off = 0;
    for (int i = 0; i < all; i++)
    {
        const double kept = s->x[i], h = 1e-6;
        s->x[i] = kept + h;
        double above = loss_of(s);
        s->x[i] = kept - h;
        double slope = (above - loss_of(s)) / (2 * h);
        s->x[i] = kept;
        largest = fmax(largest, fabs(slope));
        off = fmax(off, fabs(slope - (double)gradient[i]));
    }
    // floats: likelihoods of a few units are off by some 2^-22, and ratios with them
    if (!(off <= 1e-5 * largest)) fail_msg("kind %d: off by %g of %g", (int)kind, off, largest);
    sac_free(scratch);
    sac_free(workspace);
    destroy_scene(s);
}

TEST(the_gradient_of_the_loss_is_its_slope)
{
    for (int clip_value = 0; clip_value < 2; clip_value++)
    {
        check_loss(SAC_HEAD_BOX, 3, clip_value);
        check_loss(SAC_HEAD_THRESHOLD, 1, clip_value);
        check_loss(SAC_HEAD_CHOICE, 3, clip_value);
    }
}

TEST(every_level_gives_the_same_loss)
{
    const sac_cpu_level best = sac_get_cpu_level();
    float first[ROWS * MOST + MOST + ROWS] = {0};
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() != level) continue;
        scene *s = make_scene(SAC_HEAD_BOX, 3, true);
        float gradient[ROWS * MOST + MOST + ROWS] = {0};
        float *workspace = sac_alloc(sac_ppo_loss_workspace(&s->head, ROWS) * sizeof(float));
        void *scratch = sac_alloc(SAC_LEARN_SCRATCH);
        sac_learn l = sac_learn_create(scratch);
        sac_ppo_sums sums = {0};
        sac_ppo_loss(&s->rows, &l, &sums, gradient, gradient + ROWS * 3 + 3, gradient + ROWS * 3, workspace);
        if (level == SAC_CPU_SCALAR) memcpy(first, gradient, sizeof first);
        assert_memory_equal(first, gradient, sizeof first);
        sac_free(scratch);
        sac_free(workspace);
        destroy_scene(s);
    }
    sac_set_cpu_level(best);
}

TEST(moments_of_parts_are_those_of_the_whole)
{
    float x[100];
    fill_uniform(x, 100, 5);
    sac_moments moments = {0};
    double sum = 0, squares = 0;
    assert_near(sac_moments_deviation(&moments), 1, 0);
    for (int part = 0; part < 4; part++)
    {
        double s = 0, q = 0;
        for (int i = 25 * part; i < 25 * part + 25; i++) s += (double)x[i], q += (double)x[i] * (double)x[i];
        sac_moments_add(&moments, 25, s, q);
        sum += s;
    }
    for (int i = 0; i < 100; i++) squares += ((double)x[i] - sum / 100) * ((double)x[i] - sum / 100);
    assert_near(moments.mean, sum / 100, 1e-13);
    assert_near(sac_moments_deviation(&moments), sqrt(squares / 99), 1e-12);
}

TESTS(advantages_are_the_discounted_sum_of_differences, advantages_by_hand, a_head_follows_from_the_policy,
      what_is_drawn_has_the_mean_and_the_deviation, choices_come_as_often_as_they_shall, actions_stay_within_bounds,
      the_gradient_of_the_loss_is_its_slope, every_level_gives_the_same_loss, moments_of_parts_are_those_of_the_whole)

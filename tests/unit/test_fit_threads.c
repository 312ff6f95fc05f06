#include <inttypes.h>

#include "failing_memory.h"
#include "gradient_scene.h"

// training on examples: every kind overfits a batch, the order of examples and the bits are those promised

enum
{
    COUNT = 12, // examples
    MOST = 1 << 15
};

// examples of a policy's world: pictures of a wandering square, and actions that follow it
typedef struct lesson
{
    sac_examples examples;
    uint8_t *observations, starts[COUNT];
    float actions[COUNT * 3];
} lesson;

// blocks of random colours: no two pictures have much in common
static void paint_blocks(uint8_t *image, const sac_policy_def *def, uint64_t seed)
{
    uint8_t colours[16 * 16 * 3];
    sac_stream stream = sac_stream_create(seed, 2, 0);
    for (size_t i = 0; i < sizeof colours; i++) colours[i] = (uint8_t)sac_stream_below(&stream, 256);
    for (int i = 0; i < def->height * def->width * 3; i++)
    {
        int row = i / 3 / def->width * 16 / def->height, column = i / 3 % def->width * 16 / def->width;
        image[i] = colours[(row * 16 + column) * 3 + i % 3];
    }
}

static lesson lesson_create(const sac_policy *policy)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    const size_t image = (size_t)(def->height * def->width * def->channels);
    lesson l = {.observations = malloc(image * COUNT)};
    assert_non_null(l.observations);
    for (int i = 0; i < COUNT; i++) paint_blocks(l.observations + (size_t)i * image, def, (uint64_t)i);
    fill_uniform(l.actions, COUNT * 3, 4);
    for (int i = 0; i < COUNT * 3; i++) l.actions[i] = i % 3 == 0 ? 0.8f * l.actions[i] : 0.5f + 0.4f * l.actions[i];
    l.starts[0] = l.starts[6] = 1;
    l.examples = (sac_examples){.count = COUNT, .observations = l.observations, .actions = l.actions};
    return l;
}

// after the struct has come to rest
static const sac_examples *examples_of(lesson *l)
{
    l->examples.actions = l->actions;
    l->examples.starts = l->starts;
    return &l->examples;
}

static const char *const students[] = {
    "controller=mlp,patch_features=values+positions,image_size=34",
    "controller=mlp,attention=relu,patch_features=values,value_size=6,image_size=34",
    "kind=iap-rank,controller=lstm,hidden=12,image_size=34,value_size=6",
    "kind=iap-trans,controller=mlp,hidden=32,attention=relu,image_size=48,patch=6,stride=0,motion=true",
    "kind=iap-trans,controller=lstm,hidden=12,attention=positive,normalise_tokens=true,image_size=48,patch=6,stride=0",
    "kind=iap-trans,controller=linear,attention=relu,attention_features=0,image_size=48,patch=6,stride=0",
    "kind=cnn,controller=mlp,hidden=32,image_size=72",
    "kind=cnn,controller=lstm,hidden=12,image_size=72",
};

static sac_fit_def small_def(void)
{
    sac_fit_def def = sac_fit_default_def();
    def.rate = 0.003;
    def.batch = COUNT;
    def.slices = 3;
    return def;
}

// the loss of what a constant can say is the variance of the targets
static double variance_of(const lesson *l)
{
    double sum = 0;
    for (int a = 0; a < 3; a++)
    {
        double mean = 0, square = 0, unit = a == 0 ? 1 : 0.5;
        for (int i = 0; i < COUNT; i++) mean += (double)l->actions[i * 3 + a] / unit / COUNT;
        for (int i = 0; i < COUNT; i++) square += pow((double)l->actions[i * 3 + a] / unit - mean, 2) / COUNT;
        sum += square / 3;
    }
    return sum;
}

TEST(every_kind_overfits_a_batch)
{
    for (size_t i = 0; i < sizeof students / sizeof *students; i++)
    {
        sac_policy *policy = scene_policy(students[i], 3);
        lesson l = lesson_create(policy);
        sac_fit *fit;
        sac_fit_def def = small_def();
        double loss[2];
        bool memory = strstr(students[i], "lstm") != NULL;
        def.steps = memory ? 6 : 1;
        def.lead = memory ? 0 : -1;
        assert_ok(sac_fit_create(&fit, policy, &def));
        assert_ok(sac_fit_run(fit, examples_of(&l), 600, loss));
        if (!(loss[1] < variance_of(&l) / 50))
            fail_msg("%s: from %g to %g, where a constant has %g", students[i], loss[0], loss[1], variance_of(&l));
        sac_fit_destroy(fit);
        free(l.observations);
        sac_policy_destroy(policy);
    }
}

static const char small[] =
    "kind=iap-trans,controller=lstm,hidden=5,attention=relu,image_size=24,patch=6,stride=0,motion=true";

// a falling rate and temperature, an average, and a minibatch that slices do not divide
static sac_fit_def any_def(int threads)
{
    sac_fit_def def = small_def();
    def.optimiser = "adamw";
    def.decay = 0.01;
    def.average = 0.9;
    def.total_steps = 9;
    def.last_rate = 0.1;
    def.last_temperature = 0.1;
    def.batch = 5;
    def.steps = 2;
    def.lead = 1;
    def.threads = threads;
    return def;
}

static void same_state(sac_fit *a, sac_fit *b, size_t parameters)
{
    sac_fit_array one, other;
    int i = 0;
    for (; sac_fit_array_at(a, i, &one); i++)
    {
        assert_true(sac_fit_array_at(b, i, &other));
        assert_string_equal(one.name, other.name);
        assert_memory_equal(one.numbers, other.numbers, parameters * sizeof(float));
    }
    assert_int_equal(i, 4);
    assert_false(sac_fit_array_at(b, i, &other));
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    sac_policy *policy = scene_policy(small, 3);
    lesson l = lesson_create(policy);
    const size_t parameters = (size_t)sac_policy_parameter_count(policy);
    sac_fit *fits[4] = {NULL};
    double losses[4][2];
    for (int t = 0; t < 4; t++)
    {
        sac_fit_def def = any_def(t + 1);
        assert_ok(sac_fit_create(&fits[t], policy, &def));
        assert_ok(sac_fit_run(fits[t], examples_of(&l), 7, losses[t]));
        same_state(fits[0], fits[t], parameters);
        assert_memory_equal(losses[0], losses[t], sizeof losses[0]);
    }
    assert_memory_not_equal(sac_fit_parameters(fits[0]), sac_policy_parameters(policy), parameters * sizeof(float));
    for (int t = 0; t < 4; t++) sac_fit_destroy(fits[t]);
    free(l.observations);
    sac_policy_destroy(policy);
}

// Attention that does not learn looks at each example once, unless decay could change it; a decay that is lost in
// rounding gives the same bits.
TEST(looking_once_is_looking_every_time)
{
    sac_policy *policy = scene_policy("controller=lstm,hidden=5,image_size=34", 3);
    lesson l = lesson_create(policy);
    const size_t parameters = (size_t)sac_policy_parameter_count(policy);
    sac_fit *fits[3];
    for (int i = 0; i < 3; i++)
    {
        sac_fit_def def = any_def(i == 2 ? 2 : 1);
        def.choosing = SAC_CHOOSE_FIXED;
        def.decay = i == 0 ? 1e-30 : 0;
        assert_ok(sac_fit_create(&fits[i], policy, &def));
        assert_ok(sac_fit_run(fits[i], examples_of(&l), 7, NULL));
        same_state(fits[0], fits[i], parameters);
    }
    for (int i = 0; i < 3; i++) sac_fit_destroy(fits[i]);
    free(l.observations);
    sac_policy_destroy(policy);
}

// what is listed, saved after one call and put into a new fit, goes on to the bit
TEST(the_listed_state_is_all_of_it)
{
    sac_policy *policy = scene_policy(small, 3);
    lesson l = lesson_create(policy);
    const size_t parameters = (size_t)sac_policy_parameter_count(policy);
    sac_fit *whole, *part;
    sac_fit_def def = any_def(1);
    sac_fit_array from, to;
    uint64_t steps, calls;
    assert_ok(sac_fit_create(&whole, policy, &def));
    assert_ok(sac_fit_create(&part, policy, &def));
    assert_ok(sac_fit_run(whole, examples_of(&l), 4, NULL));
    for (int i = 0; sac_fit_array_at(whole, i, &from); i++)
    {
        assert_true(sac_fit_array_at(part, i, &to));
        memcpy(to.numbers, from.numbers, parameters * sizeof(float));
    }
    sac_fit_counters(whole, &steps, &calls);
    assert_int_equal(steps, 4);
    assert_int_equal(calls, 1);
    sac_fit_set_counters(part, steps, calls);
    assert_ok(sac_fit_run(whole, examples_of(&l), 0, NULL));
    assert_ok(sac_fit_run(part, examples_of(&l), 0, NULL));
    same_state(whole, part, parameters);
    sac_fit_counters(part, &steps, &calls);
    assert_int_equal(steps, 4 + 2); // 12 examples are 6 sequences of 2, in minibatches of 5
    sac_fit_destroy(whole);
    sac_fit_destroy(part);
    free(l.observations);
    sac_policy_destroy(policy);
}

// frames that lead do not count, nor do those that weigh nothing
TEST(only_what_counts_is_learned)
{
    sac_policy *policy = scene_policy(small, 3);
    lesson l = lesson_create(policy), other;
    const size_t parameters = (size_t)sac_policy_parameter_count(policy);
    float weights[COUNT] = {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1};
    sac_fit *one, *two;
    sac_fit_def def = any_def(1);
    assert_ok(sac_fit_create(&one, policy, &def));
    assert_ok(sac_fit_create(&two, policy, &def));
    l.examples.weights = weights;
    other = l;
    other.actions[5 * 3] = -1, other.actions[5 * 3 + 1] = 0;
    assert_ok(sac_fit_run(one, examples_of(&l), 3, NULL));
    assert_ok(sac_fit_run(two, examples_of(&other), 3, NULL));
    same_state(one, two, parameters);
    sac_fit_destroy(one);
    sac_fit_destroy(two);
    free(l.observations);
    sac_policy_destroy(policy);
}

// --- normalisers ---

// mean and deviation of what acting tells the normaliser of all examples, [2, F]
static void see_all(double *moments, const sac_policy *policy, const lesson *l)
{
    const size_t image = SCENE_SIZE;
    const int size = sac_policy_normaliser_size(policy);
    sac_policy_state *state = scene_state(policy);
    float action[3];
    for (int i = 0; i < COUNT; i++)
    {
        if (l->starts[i]) sac_policy_state_reset(state);
        sac_policy_act(state, l->observations + (size_t)i * image, action);
        const float *told = sac_policy_normaliser_input(state);
        for (int k = 0; k < size; k++)
        {
            moments[k] += (double)told[k] / COUNT;
            moments[size + k] += (double)told[k] * (double)told[k] / COUNT;
        }
    }
    for (int k = 0; k < size; k++) moments[size + k] = sqrt(fmax(0, moments[size + k] - moments[k] * moments[k]));
    sac_policy_state_destroy(state);
}

// The normaliser becomes the mean and the deviation of what it is told, whatever the number of threads. The forward
// pass and acting differ by the order of sums of some 50 terms that are layer-normed: 50 units in the last place of
// numbers up to 10, far below the bound.
TEST(a_normaliser_is_measured)
{
    sac_policy *policy = scene_policy("kind=iap-trans,controller=mlp,hidden=8,attention=relu,image_size=48,patch=6,"
                                      "stride=0,motion=true,normaliser=true",
                                      3);
    lesson l = lesson_create(policy);
    const int size = sac_policy_normaliser_size(policy), count = sac_policy_parameter_count(policy);
    double *moments = calloc(2 * (size_t)size, sizeof *moments);
    float *first = malloc((size_t)count * sizeof *first);
    assert_true(moments && first && size > 0);
    see_all(moments, policy, &l);
    for (int threads = 1; threads <= 3; threads++)
    {
        sac_fit *fit;
        sac_fit_def def = small_def();
        def.threads = threads;
        def.rate = 0;
        def.batch = 5; // so that it takes several minibatches to measure
        def.measure = 1000;
        assert_ok(sac_fit_create(&fit, policy, &def));
        assert_ok(sac_fit_run(fit, examples_of(&l), 1, NULL));
        const float *normaliser = sac_fit_parameters(fit) + count - 2 * size; // the last two tensors
        for (int k = 0; k < 2 * size; k++) assert_true(fabs((double)normaliser[k] - moments[k]) < 1e-4);
        if (threads == 1) memcpy(first, sac_fit_parameters(fit), (size_t)count * sizeof *first);
        assert_memory_equal(first, sac_fit_parameters(fit), (size_t)count * sizeof *first);
        sac_fit_destroy(fit);
    }
    free(first);
    free(moments);
    free(l.observations);
    sac_policy_destroy(policy);
}

// --- choices ---

static sac_policy *choosing_policy(const char *choice, int choices)
{
    static const float low = 0, high = 2;
    const sac_setting settings[] = {
        {"controller", "linear"}, {"choice", choice}, {"activation", "none"}, {"image_size", "72"}};
    sac_policy_def def = {.kind = "cnn",
                          .settings = settings,
                          .setting_count = 4,
                          .height = SCENE_SIDE,
                          .width = SCENE_SIDE,
                          .channels = 3,
                          .action_size = 1,
                          .action_choices = choices,
                          .action_low = &low,
                          .action_high = &high};
    sac_policy *shape, *policy;
    assert_ok(sac_policy_create(&shape, &def));
    float *parameters = malloc((size_t)sac_policy_parameter_count(shape) * sizeof *parameters);
    sac_policy_draw(shape, 3, parameters);
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    return policy;
}

static void check_choices(const char *choice)
{
    sac_policy *policy = choosing_policy(choice, 3), *fitted;
    lesson l = lesson_create(policy);
    const size_t image = SCENE_SIZE;
    sac_fit *fit;
    sac_fit_def def = small_def();
    for (int i = 0; i < COUNT; i++) l.actions[i] = (float)(i * 5 % 3);
    assert_ok(sac_fit_create(&fit, policy, &def));
    assert_ok(sac_fit_run(fit, examples_of(&l), 200, NULL));
    assert_ok(sac_policy_create_with(&fitted, policy, sac_fit_parameters(fit)));
    sac_policy_state *state = scene_state(fitted);
    for (int i = 0; i < COUNT; i++)
    {
        float action;
        sac_policy_act(state, l.observations + (size_t)i * image, &action);
        assert_int_equal(action, l.actions[i]);
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(fitted);
    sac_fit_destroy(fit);
    free(l.observations);
    sac_policy_destroy(policy);
}

// a fitted policy chooses as its teacher did, by thresholds and by the largest output
TEST(choices_are_imitated)
{
    check_choices("threshold");
    check_choices("argmax");
}

// What each choice costs is learned, and the actions are not. Where all cost the same, nothing is. The expected cost
// hardly changes where a wrong choice is almost certain, so some stay wrong by that loss alone.
TEST(costs_are_learned)
{
    sac_policy *policy = choosing_policy("argmax", 3), *fitted;
    lesson l = lesson_create(policy);
    float costs[COUNT * 3];
    memset(l.actions, 0, sizeof l.actions);
    for (int i = 0; i < COUNT * 3; i++) costs[i] = i / 3 == 5 ? 7 : i % 3 == i / 3 * 5 % 3 ? 0.2f : 0.9f;
    for (int soft = 0; soft < 2; soft++)
    {
        sac_fit *fit;
        sac_fit_def def = small_def();
        double loss[2];
        def.softness = soft ? 0.2 : 0;
        assert_ok(sac_fit_create(&fit, policy, &def));
        l.examples.costs = costs;
        assert_ok(sac_fit_run(fit, examples_of(&l), 300, loss));
        // the best single choice costs 0.7 more in 7 of 12 examples
        assert_true(loss[1] >= 0 && loss[1] < 0.5 * 0.7 * 7 / 12);
        assert_ok(sac_policy_create_with(&fitted, policy, sac_fit_parameters(fit)));
        sac_policy_state *state = scene_state(fitted);
        for (int i = 0; i < COUNT; i++)
        {
            float action;
            sac_policy_act(state, l.observations + (size_t)i * SCENE_SIZE, &action);
            if (i != 5 && soft) assert_int_equal(action, i * 5 % 3);
        }
        sac_policy_state_destroy(state);
        sac_policy_destroy(fitted);
        sac_fit_destroy(fit);
    }
    free(l.observations);
    sac_policy_destroy(policy);
}

// --- what is refused ---

TEST(bad_input_is_named)
{
    sac_policy *policy = scene_policy(small, 3), *choosing = choosing_policy("argmax", 3), *drawing;
    lesson l = lesson_create(policy);
    sac_fit *fit;
    sac_fit_def def = any_def(1);
    def.optimiser = "adma";
    assert_fails(sac_fit_create(&fit, policy, &def), SAC_ERROR_ARGUMENT, "did you mean 'adam'");
    assert_null(fit);
    def = any_def(1);
    def.rate = -1;
    assert_fails(sac_fit_create(&fit, policy, &def), SAC_ERROR_ARGUMENT, "rate is -1");
    def = (sac_fit_def){.rate = 1};
    assert_fails(sac_fit_create(&fit, policy, &def), SAC_ERROR_ARGUMENT, "sac_fit_default_def");
    drawing = scene_policy("selection=sample,attention=relu,controller=linear", 3);
    def = any_def(1);
    assert_fails(sac_fit_create(&fit, drawing, &def), SAC_ERROR_ARGUMENT, "selection is sample");

    assert_ok(sac_fit_create(&fit, policy, &def));
    l.actions[7] = NAN;
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "action 1 of example 2");
    l.actions[7] = 0;
    l.examples.count = 1;
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "1 examples");
    float weights[COUNT] = {1, -1};
    l.examples.count = COUNT;
    l.examples.weights = weights;
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "weight of example 1 is -1");
    memset(weights, 0, sizeof weights);
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "all weights are 0");
    sac_fit_destroy(fit);

    assert_ok(sac_fit_create(&fit, choosing, &def));
    l.examples.weights = NULL;
    l.actions[0] = 3;
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT,
                 "example 0 is 3, expected a choice 0..2");
    float costs[COUNT * 3] = {0, 0, INFINITY};
    l.actions[0] = 0;
    l.examples.costs = costs;
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "cost of choice 2 in example 0");
    sac_fit_destroy(fit);
    assert_ok(sac_fit_create(&fit, policy, &def));
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "choice: argmax");
    sac_fit_destroy(fit);
    free(l.observations);
    sac_policy_destroy(policy);
    sac_policy_destroy(choosing);
    sac_policy_destroy(drawing);
}

// the loss of some policies stays finite while their parameters do not, so these are what counts
TEST(a_fit_that_diverges_ends_at_that_step)
{
    sac_policy *policy = scene_policy("kind=cnn,controller=linear,activation=clip,image_size=72", 3);
    lesson l = lesson_create(policy);
    sac_fit *fit;
    sac_fit_def def = small_def();
    uint64_t steps, calls, last;
    char words[64];
    def.optimiser = "sgd";
    def.rate = 900;
    assert_ok(sac_fit_create(&fit, policy, &def));
    assert_fails(sac_fit_run(fit, examples_of(&l), 1000, NULL), SAC_ERROR_DIVERGED,
                 "is not finite; try a rate below 900 or a largest_norm");
    sac_fit_counters(fit, &last, &calls);
    assert_true(last > 1 && last < 1000);
    snprintf(words, sizeof words, "after step %" PRIu64 " of the optimiser", last);
    assert_non_null(strstr(sac_last_error(), words));
    sac_fit_destroy(fit);

    // one step fewer is well
    assert_ok(sac_fit_create(&fit, policy, &def));
    assert_ok(sac_fit_run(fit, examples_of(&l), last - 1, NULL));
    sac_fit_counters(fit, &steps, &calls);
    assert_int_equal(steps, last - 1);
    for (int i = 0; i < sac_policy_parameter_count(policy); i++) assert_true(isfinite(sac_fit_parameters(fit)[i]));
    sac_fit_destroy(fit);
    free(l.observations);
    sac_policy_destroy(policy);
}

// such a start has its own sentence, which does not blame the rate
TEST(a_start_that_is_not_finite_is_said)
{
    sac_policy *policy = scene_policy(small, 3);
    lesson l = lesson_create(policy);
    sac_fit *fit;
    sac_fit_array first;
    sac_fit_def def = any_def(1);
    assert_ok(sac_fit_create(&fit, policy, &def));
    assert_true(sac_fit_array_at(fit, 0, &first));
    first.numbers[0] = INFINITY;
    assert_fails(sac_fit_run(fit, examples_of(&l), 1, NULL), SAC_ERROR_ARGUMENT, "is not finite before the first step");
    sac_fit_destroy(fit);
    free(l.observations);
    sac_policy_destroy(policy);
}

TEST(lack_of_memory_is_survived)
{
    sac_policy *policy = scene_policy(small, 3);
    lesson l = lesson_create(policy);
    sac_fit *fit, *running;
    sac_fit_def def = any_def(2);
    assert_survives_lack_of_memory(sac_fit_create(&fit, policy, &def), sac_fit_destroy(fit));
    assert_ok(sac_fit_create(&running, policy, &def));
    assert_survives_lack_of_memory(sac_fit_run(running, examples_of(&l), 1, NULL), (void)0);
    sac_fit_destroy(running);
    free(l.observations);
    sac_policy_destroy(policy);
}

TESTS(every_kind_overfits_a_batch, any_number_of_threads_gives_the_same_bits, looking_once_is_looking_every_time,
      the_listed_state_is_all_of_it, only_what_counts_is_learned, a_normaliser_is_measured, choices_are_imitated,
      costs_are_learned, bad_input_is_named, a_fit_that_diverges_ends_at_that_step, a_start_that_is_not_finite_is_said,
      lack_of_memory_is_survived)

#include "base/random.h"
#include "failing_memory.h"
#include "policy_scene.h"
#include "saccade/readings.h"
#include "scratch.h"

/// What a policy can read from attention by name: learned P, drawn patches, several heads, keys that are kept. Each is
/// the library's reading of the same queries and keys, to the bit.

enum
{
    N = 529,
    D = 4,
    MOST_HEADS = 3,
    STEPS = 7,
    STRIDE = 544, // whole lanes, and not the agent's own
    KEPT = 10
};

static uint8_t images[STEPS][SCENE_SIZE];

static const char *const agents[] = {"kind=iap-rank",
                                     "kind=iap-rank,projection=learned",
                                     "kind=iap-rank,selection=sample",
                                     "kind=iap-rank,selection=tree",
                                     "kind=iap-rank,heads=3",
                                     "kind=iap-rank,key_period=3",
                                     "kind=iap-rank,projection=learned,selection=sample,heads=3,key_period=2",
                                     "attention=softmax,heads=2,selection=sample",
                                     "kind=iap-trans,heads=3",
                                     NULL};

static void draw_images(void)
{
    for (int t = 0; t < STEPS; t++) scene_image(images[t], (uint64_t)t + 1);
}

// an agent, and the same attention for the library's readings of what the agent sees
typedef struct twin
{
    sac_policy *policy;
    sac_policy_state *state;
    sac_gaze gaze;
    sac_attention *attention;
    float queries[MOST_HEADS * D * STRIDE], keys[MOST_HEADS * D * STRIDE]; // planar
    _Alignas(64) unsigned char workspace[1 << 19];
} twin;

static twin *open_twin(const char *settings)
{
    static twin twins[1];
    twin *t = twins;
    draw_images();
    t->policy = scene_any_policy(settings);
    t->state = scene_state(t->policy);
    sac_attention_def def = sac_attention_default_def();
    def.form = "relu";
    def.key_size = D;
    def.feature_count = 16;
    def.normalise = true;
    assert_ok(sac_attention_create(&t->attention, &def));
    assert_true(sac_rank_workspace_size(t->attention) <= sizeof t->workspace);
    return t;
}

static void look(twin *t, int step)
{
    float action[3];
    sac_policy_act(t->state, images[step], action);
    sac_policy_gaze(t->state, &t->gaze);
    int size = t->gaze.key_size;
    assert_true(size <= MOST_HEADS * D);
    for (int n = 0; n < N; n++)
        for (int d = 0; d < size; d++)
        {
            t->queries[d * STRIDE + n] = t->gaze.queries[n * size + d];
            t->keys[d * STRIDE + n] = t->gaze.keys[n * size + d];
        }
}

static void close_twin(twin *t)
{
    sac_attention_destroy(t->attention);
    sac_policy_state_destroy(t->state);
    sac_policy_destroy(t->policy);
}

static void assert_keeps_the_best(const twin *t)
{
    int top[KEPT];
    sac_attention_top(t->attention, top, KEPT, t->gaze.importance, N);
    assert_memory_equal(t->gaze.top, top, sizeof top);
}

// what is kept of a patch is its row of V, in the order in which it is kept
static void assert_tells_values(const twin *t)
{
    enum
    {
        V = 4,
        INPUTS = 147
    };
    const float *weight = scene_tensor(t->policy, "value.weight"), *bias = scene_tensor(t->policy, "value.bias");
    assert_int_equal(t->gaze.told_count, KEPT * V);
    for (int k = 0; k < KEPT; k++)
    {
        float patch[INPUTS];
        assert_true(sac_policy_patch(t->state, t->gaze.top[k], patch));
        for (int v = 0; v < V; v++)
        {
            double sum = (double)bias[v];
            for (int i = 0; i < INPUTS; i++) sum += (double)weight[v * INPUTS + i] * (double)patch[i];
            // at most 147 weights of 0.083 with pixels up to 1: a sum of at most 12.2, rounded 148 times
            assert_near(t->gaze.told[V * k + v], sum, 12.2 * 148 * 6e-8);
        }
    }
}

TEST(iap_rank_tells_rows_of_v)
{
    twin *t = open_twin("kind=iap-rank");
    look(t, 0);
    assert_keeps_the_best(t);
    assert_tells_values(t);
    // the attention agent with the same words is the same agent
    sac_policy *other, *same;
    assert_ok(scene_create(&other, "attention=relu,normalise_tokens=true,patch_features=values"));
    assert_int_equal(sac_policy_parameter_count(other), sac_policy_parameter_count(t->policy));
    assert_ok(sac_policy_create_with(&same, other, sac_policy_parameters(t->policy)));
    sac_policy_state *state = scene_state(same);
    float action[2][3];
    sac_policy_state_reset(t->state);
    sac_policy_act(t->state, images[1], action[0]);
    sac_policy_act(state, images[1], action[1]);
    assert_memory_equal(action[0], action[1], sizeof action[0]);
    sac_policy_state_destroy(state);
    sac_policy_destroy(same);
    sac_policy_destroy(other);
    close_twin(t);
}

TEST(a_learned_projection_is_ranks)
{
    twin *t = open_twin("kind=iap-rank,projection=learned");
    look(t, 0);
    float weights[N], z[64], scores[N];
    const float *learned = scene_tensor(t->policy, "rank.projection");
    for (int n = 0; n < N; n++) weights[n] = 1 + learned[n];
    sac_rank_summary(t->attention, z, weights, 1, N, t->queries, N, STRIDE, t->workspace);
    sac_rank_scores(t->attention, scores, N, z, 1, N, t->keys, N, STRIDE, t->workspace);
    assert_memory_equal(t->gaze.importance, scores, sizeof scores);
    assert_keeps_the_best(t);
    assert_tells_values(t);
    close_twin(t);
}

// a projection of ones, which is a tensor of zeros, ranks as none does; drawn vectors begin there
TEST(a_projection_begins_as_ones)
{
    sac_policy *with = scene_policy("kind=iap-rank,projection=learned", 3);
    const float *learned = scene_tensor(with, "rank.projection");
    for (int n = 0; n < N; n++) assert_true(learned[n] == 0);
    assert_int_equal(sac_policy_parameter_count(with), scene_count("kind=iap-rank") + N);
    sac_policy_destroy(with);
}

TEST(patches_are_drawn_as_sampling_draws)
{
    twin *t = open_twin("kind=iap-rank,selection=sample,selection_seed=5");
    for (int episode = 0; episode < 2; episode++)
    {
        int others = 0;
        sac_policy_state_reset(t->state);
        for (int step = 0; step < STEPS; step++)
        {
            look(t, step);
            float probabilities[N];
            double uniform[KEPT];
            int chosen[KEPT], top[KEPT];
            sac_stream stream = sac_stream_create(5, (uint64_t)step, 0);
            for (int k = 0; k < KEPT; k++) uniform[k] = sac_stream_uniform(&stream, 0, 1);
            sac_rank_probabilities(t->attention, probabilities, t->gaze.importance, N);
            sac_rank_draw(chosen, KEPT, probabilities, N, uniform);
            assert_memory_equal(t->gaze.top, chosen, sizeof chosen);
            sac_attention_top(t->attention, top, KEPT, t->gaze.importance, N);
            others += memcmp(top, chosen, sizeof top) != 0;
            assert_tells_values(t);
        }
        assert_int_equal(others, STEPS); // ten of 529 in the order of their scores, by chance
    }
    close_twin(t);
}

TEST(patches_are_drawn_as_the_tree_draws)
{
    twin *t = open_twin("kind=iap-rank,selection=tree,selection_seed=5");
    size_t size = sac_tree_size(t->attention, N);
    float *nodes = malloc(size * sizeof *nodes);
    assert_non_null(nodes);
    for (int step = 0; step < STEPS; step++)
    {
        look(t, step);
        float z[64], taken[KEPT * 64];
        double uniform[KEPT * 16];
        int chosen[KEPT];
        sac_tree tree = sac_tree_create(t->attention, nodes, t->keys, N, STRIDE, t->workspace);
        sac_rank_summary(t->attention, z, NULL, 1, 0, t->queries, N, STRIDE, t->workspace);
        sac_stream stream = sac_stream_create(5, (uint64_t)step, 0);
        for (int i = 0; i < KEPT * sac_tree_depth(&tree); i++) uniform[i] = sac_stream_uniform(&stream, 0, 1);
        sac_tree_draw_several(&tree, chosen, KEPT, z, uniform, taken);
        assert_memory_equal(t->gaze.top, chosen, sizeof chosen);
    }
    free(nodes);
    close_twin(t);
}

TEST(heads_are_the_mean_of_their_attention)
{
    twin *t = open_twin("kind=iap-rank,heads=3");
    look(t, 0);
    assert_int_equal(t->gaze.key_size, 3 * D);
    const sac_attention *heads[] = {t->attention, t->attention, t->attention};
    const sac_multi_head multi = {heads, 3};
    float importance[N], row[N];
    assert_true(sac_multi_head_workspace_size(&multi, N, 1) <= sizeof t->workspace);
    sac_multi_head_importance(&multi, importance, t->queries, t->keys, N, STRIDE, t->workspace);
    assert_memory_equal(t->gaze.importance, importance, sizeof importance);
    assert_keeps_the_best(t);
    assert_tells_values(t);
    // what a patch attends to is the mean as well, and its sum over patches the importance
    double sums[N] = {0}, size[N] = {0};
    for (int query = 0; query < N; query++)
    {
        assert_true(sac_policy_attention_row(t->state, query, row));
        for (int j = 0; j < N; j++) sums[j] += (double)row[j] / N, size[j] += fabs((double)row[j]) / N;
    }
    for (int j = 0; j < N; j++) assert_near(importance[j], sums[j], size[j] * 600 * 6e-8);
    close_twin(t);
}

TEST(tokens_of_heads_are_one_after_the_other)
{
    enum
    {
        ROWS = 3,
        V = 5
    };
    twin *t = open_twin("kind=iap-trans,heads=2,rows=3,value_size=5,attention=relu,layer_norm=false,order=left");
    look(t, 0);
    assert_int_equal(t->gaze.told_count, 2 * ROWS * V);
    static float values[2 * V * STRIDE];
    for (int n = 0; n < N; n++)
    {
        float patch[147];
        assert_true(sac_policy_patch(t->state, n, patch));
        for (int v = 0; v < 2 * V; v++)
        {
            double sum = (double)scene_tensor(t->policy, "value.bias")[v];
            for (int i = 0; i < 147; i++)
                sum += (double)scene_tensor(t->policy, "value.weight")[v * 147 + i] * (double)patch[i];
            values[v * STRIDE + n] = (float)sum;
        }
    }
    for (int h = 0; h < 2; h++)
    {
        float expected[ROWS * V], largest = 0;
        sac_trans trans = {.attention = t->attention,
                           .rows = ROWS,
                           .value_size = V,
                           .projection = scene_tensor(t->policy, "trans.projection"),
                           .projection_stride = N,
                           .residual = true,
                           .order = SAC_TRANS_LEFT};
        assert_true(sac_trans_workspace_size(&trans) <= sizeof t->workspace);
        sac_trans_run(&trans, expected, t->queries + h * D * STRIDE, t->keys + h * D * STRIDE, values + h * V * STRIDE,
                      N, STRIDE, t->workspace);
        for (int i = 0; i < ROWS * V; i++) largest = fmaxf(largest, fabsf(expected[i]));
        assert_true(largest > 0.1f);
        // the agent's weights of values are rounded to 16 bits: off by at most half a step of 1/32767 of the largest
        // weight, a hundred thousandth of the sum of a row; 1e-4 of the largest is the tolerance of reference arrays
        for (int i = 0; i < ROWS * V; i++)
            assert_near(t->gaze.told[h * ROWS * V + i], expected[i], 1e-4 * (double)largest);
    }
    close_twin(t);
}

TEST(kept_keys_are_those_of_the_last_refresh)
{
    twin *t = open_twin("kind=iap-rank,key_period=3");
    sac_key_database *database;
    sac_key_database_def def = sac_key_database_default_def();
    def.attention = t->attention;
    def.capacity = N;
    def.period = 3;
    assert_ok(sac_key_database_create(&database, &def));
    for (int episode = 0; episode < 2; episode++)
    {
        sac_policy_state_reset(t->state);
        sac_key_database_reset(database);
        static float fresh[D * STRIDE];
        int kept = 0;
        for (int step = 0; step < STEPS; step++)
        {
            look(t, step);
            bool due = sac_key_database_frame(database);
            assert_int_equal(due, step % 3 == 0);
            if (due)
            {
                sac_key_database_refresh(database, t->keys, N, STRIDE);
                memcpy(fresh, t->keys, sizeof fresh);
            }
            else
                kept += memcmp(fresh, t->keys, sizeof fresh) == 0; // the gaze shows the keys that were looked at
            float z[64], scores[N];
            sac_rank_summary(t->attention, z, NULL, 1, 0, t->queries, N, STRIDE, t->workspace);
            sac_key_database_scores(database, scores, N, z, 1, N);
            assert_memory_equal(t->gaze.importance, scores, sizeof scores);
            assert_keeps_the_best(t);
            assert_tells_values(t);
        }
        assert_int_equal(kept, 4);
    }
    sac_key_database_destroy(database);
    close_twin(t);
}

TEST(nothing_is_allocated_while_stepping)
{
    draw_images();
    for (int i = 0; agents[i]; i++)
    {
        sac_policy *policy = scene_any_policy(agents[i]);
        sac_policy_state *state = scene_state(policy);
        float action[3];
        failing.until_failure = 0;
        failing.failed = false;
        sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
        for (int episode = 0; episode < 2; episode++)
        {
            sac_policy_state_reset(state);
            for (int step = 0; step < STEPS; step++) sac_policy_act(state, images[step], action);
        }
        sac_set_allocator(NULL);
        assert_false(failing.failed);
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
}

TEST(lack_of_memory_is_reported)
{
    for (int i = 0; agents[i]; i++)
    {
        sac_policy *policy = scene_any_policy(agents[i]);
        sac_policy_state *state;
        assert_survives_lack_of_memory(sac_policy_state_create(&state, policy), sac_policy_state_destroy(state));
        sac_policy_destroy(policy);
    }
}

static void drive(const sac_policy *policy, float actions[STEPS][3])
{
    sac_policy_state *state = scene_state(policy);
    for (int step = 0; step < STEPS; step++) sac_policy_act(state, images[step], actions[step]);
    sac_policy_state_destroy(state);
}

TEST(a_file_holds_each)
{
    scratch_open();
    const char *path = scratch_path("policy.safetensors");
    draw_images();
    for (int i = 0; agents[i]; i++)
    {
        sac_policy *policy = scene_any_policy(agents[i]), *loaded;
        sac_policy_info info = {.environment = "toy"};
        float expected[STEPS][3], got[STEPS][3];
        assert_ok(sac_policy_save(policy, NULL, &info, path));
        assert_ok(sac_policy_load(&loaded, NULL, path));
        assert_string_equal(sac_policy_kind(loaded), sac_policy_kind(policy));
        drive(policy, expected);
        drive(loaded, got);
        assert_memory_equal(got, expected, sizeof got);
        sac_policy_destroy(loaded);
        sac_policy_destroy(policy);
    }
}

TEST(the_same_bits_at_every_level)
{
    const sac_cpu_level best = sac_get_cpu_level();
    draw_images();
    for (int i = 0; agents[i]; i++)
    {
        float expected[STEPS][3] = {{0}}, got[STEPS][3];
        for (sac_cpu_level level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
        {
            sac_set_cpu_level(level);
            if (sac_get_cpu_level() != level) continue;
            sac_policy *policy = scene_any_policy(agents[i]);
            drive(policy, got);
            sac_policy_destroy(policy);
            if (level == SAC_CPU_SCALAR) memcpy(expected, got, sizeof expected);
            assert_memory_equal(got, expected, sizeof expected);
        }
    }
    sac_set_cpu_level(best);
}

TEST(mistakes_are_named)
{
    sac_policy *policy;
    assert_fails(
        scene_create(&policy, "projection=learned"), SAC_ERROR_ARGUMENT,
        "projection is learned, which needs an attention with features, such as relu or positive, not softmax");
    assert_fails(scene_create(&policy, "key_period=2"), SAC_ERROR_ARGUMENT, "key_period is more than 1");
    assert_fails(scene_create(&policy, "selection=tree"), SAC_ERROR_ARGUMENT, "selection is tree");
    assert_fails(scene_create(&policy, "kind=iap-rank,attention=trig,selection=tree"), SAC_ERROR_ARGUMENT, "not trig");
    assert_fails(scene_create(&policy, "kind=iap-rank,heads=2,selection=tree"), SAC_ERROR_ARGUMENT, "one head");
    assert_fails(scene_create(&policy, "kind=iap-rank,projection=learned,selection=tree"), SAC_ERROR_ARGUMENT,
                 "a learned projection may make scores negative");
    assert_fails(scene_create(&policy, "selection=sampel"), SAC_ERROR_ARGUMENT, "did you mean 'sample'");
    assert_fails(scene_create(&policy, "heads=17"), SAC_ERROR_ARGUMENT, "heads");
}

TESTS(iap_rank_tells_rows_of_v, a_learned_projection_is_ranks, a_projection_begins_as_ones,
      patches_are_drawn_as_sampling_draws, patches_are_drawn_as_the_tree_draws, heads_are_the_mean_of_their_attention,
      tokens_of_heads_are_one_after_the_other, kept_keys_are_those_of_the_last_refresh,
      nothing_is_allocated_while_stepping, lack_of_memory_is_reported, a_file_holds_each, the_same_bits_at_every_level,
      mistakes_are_named)

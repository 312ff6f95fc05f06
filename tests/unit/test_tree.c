#include "readings_scene.h"

/// Drawing by a tree in time log N.

enum
{
    MAX_LEAVES = 2048,
    MAX_DEPTH = 11
};

static scene s;
static float nodes[2 * MAX_LEAVES * SCENE_MAX_FEATURES], z[SCENE_MAX_FEATURES];
static sac_tree tree;
static void *workspace;

static void plant(const char *form, int n, int d, int m)
{
    scene_open(&s, form, n, d, m, 1, false);
    assert_true(sac_tree_size(s.attention, n) <= sizeof nodes / sizeof *nodes);
    workspace = scene_memory(sac_rank_workspace_size(s.attention));
    tree = sac_tree_create(s.attention, nodes, s.keys, n, s.stride, workspace);
    sac_rank_summary(s.attention, z, NULL, 1, 0, s.queries, n, s.stride, workspace);
}

static void fell(void)
{
    free(workspace);
    scene_close(&s);
}

// z.phi(k_j) / sum
static void shares_of(double *shares)
{
    double sum = 0, wide_z[SCENE_MAX_FEATURES], magnitude;
    for (int f = 0; f < s.f; f++) wide_z[f] = (double)z[f];
    for (int j = 0; j < s.n; j++) sum += shares[j] = scene_score(&s, wide_z, wide_z, j, &magnitude);
    for (int j = 0; j < s.n; j++) shares[j] /= sum;
}

static const int token_counts[] = {1, 2, 3, 33, 64, 1100};

// the products of the choices on the way to a leaf telescope to its share
TEST(leaf_probabilities_telescope)
{
    static float probabilities[SCENE_MAX_TOKENS];
    static double shares[SCENE_MAX_TOKENS];
    static const char *const forms[] = {"relu", "positive"};
    for (int i = 0; i < 2; i++)
        for (int t = 0; t < 6; t++)
        {
            plant(forms[i], token_counts[t], 5, 7);
            assert_true(tree.leaves >= s.n && (tree.leaves == 1 || tree.leaves / 2 < s.n));
            assert_int_equal(1 << sac_tree_depth(&tree), tree.leaves);
            sac_tree_probabilities(&tree, probabilities, z);
            shares_of(shares);
            double sum = 0;
            for (int j = 0; j < s.n; j++)
            {
                // a node is off by a rounding a level, twice in each of up to 11 quotients
                assert_near(probabilities[j], shares[j], shares[j] * 2 * MAX_DEPTH * (MAX_DEPTH + 2) * ROUNDING);
                sum += (double)probabilities[j];
            }
            assert_near(sum, 1, (s.n + 1) * ROUNDING);
            fell();
        }
}

// 99.9 % of chi-squares with 10 degrees of freedom are below 29.59
TEST(draws_follow_the_scores)
{
    enum
    {
        KINDS = 11,
        DRAWS = 20000
    };
    plant("positive", KINDS, 3, 5);
    double shares[KINDS], uniform[MAX_DEPTH];
    int counts[KINDS] = {0};
    for (int i = 0; i < 3 * s.stride; i++) s.queries[i] *= 4; // so that queries differ in what they attend to
    sac_rank_summary(s.attention, z, NULL, 1, 0, s.queries, s.n, s.stride, workspace);
    shares_of(shares);
    sac_stream stream = sac_stream_create(5, 0, 0);
    for (int i = 0; i < DRAWS; i++)
    {
        for (int k = 0; k < sac_tree_depth(&tree); k++) uniform[k] = sac_stream_uniform(&stream, 0, 1);
        counts[sac_tree_draw(&tree, z, uniform)]++;
    }
    assert_true(chi_square(counts, shares, KINDS, DRAWS) < 29.59);
    // the mean query has another distribution, and the test sees it
    float mean[SCENE_MAX_FEATURES];
    sac_rank_mean_query(s.attention, mean, s.queries, s.n, s.stride, workspace);
    memcpy(z, mean, sizeof mean);
    shares_of(shares);
    assert_true(chi_square(counts, shares, KINDS, DRAWS) > 29.59);
    fell();
}

// the mean query is phi of one query, the mean of all
TEST(the_mean_query_is_one_query)
{
    plant("positive", 53, 5, 7);
    float mean[5], expected[SCENE_MAX_FEATURES], got[SCENE_MAX_FEATURES];
    for (int d = 0; d < 5; d++)
    {
        double sum = 0;
        for (int i = 0; i < 53; i++) sum += (double)s.queries[d * s.stride + i];
        mean[d] = (float)(sum / 53);
    }
    void *own = scene_memory(sac_attention_workspace_size(s.attention, 1));
    sac_attention_features(s.attention, SAC_QUERIES, expected, 1, mean, 1, 1, own);
    sac_rank_mean_query(s.attention, got, s.queries, 53, s.stride, workspace);
    assert_memory_equal(got, expected, 7 * sizeof(float));
    free(own);
    fell();
}

TEST(several_draws_differ_and_leave_no_trace)
{
    enum
    {
        KEPT = 33
    };
    static float before[sizeof nodes / sizeof *nodes], scratch[KEPT * SCENE_MAX_FEATURES];
    double uniform[KEPT * MAX_DEPTH];
    int chosen[KEPT];
    plant("positive", KEPT, 5, 7);
    memcpy(before, nodes, sizeof nodes);
    sac_stream stream = sac_stream_create(6, 0, 0);
    for (int i = 0; i < KEPT * MAX_DEPTH; i++) uniform[i] = sac_stream_uniform(&stream, 0, 1);
    sac_tree_draw_several(&tree, chosen, KEPT, z, uniform, scratch);
    bool seen[KEPT] = {false};
    for (int k = 0; k < KEPT; k++)
    {
        assert_true(chosen[k] >= 0 && chosen[k] < KEPT && !seen[chosen[k]]);
        seen[chosen[k]] = true;
    }
    assert_int_equal(chosen[0], sac_tree_draw(&tree, z, uniform));
    assert_memory_equal(before, nodes, sizeof nodes);
    fell();
}

TEST(a_changed_key_changes_its_way_to_the_root)
{
    plant("positive", 20, 3, 4);
    float one[4] = {1, 2, 3, 4}, probabilities[20];
    sac_tree_set(&tree, 7, NULL);
    sac_tree_probabilities(&tree, probabilities, z);
    assert_true(probabilities[7] == 0);
    sac_tree_set(&tree, 7, one);
    double sum = 0;
    for (int j = 0; j < 20; j++) sum += j == 7 ? 3 : (double)s.phi_k[2 * s.n + j];
    assert_near(nodes[4 + 2], sum, sum * 20 * ROUNDING); // the root's third feature
    fell();
}

// rectified features may all be zero, and parameters may be no numbers: a draw is still a token
TEST(a_draw_is_always_a_token)
{
    for (int n = 1; n <= 9; n += 2)
        for (int kind = 0; kind < 3; kind++)
        {
            plant("relu", n, 2, 0);
            for (int i = 0; i < 2 * s.stride; i++) s.keys[i] = kind == 0 ? -1 : kind == 1 ? NAN : INFINITY;
            tree = sac_tree_create(s.attention, nodes, s.keys, n, s.stride, workspace);
            const double last[MAX_DEPTH] = {0.99, 0.99, 0.99, 0.99};
            int drawn = sac_tree_draw(&tree, z, last);
            assert_true(drawn >= 0 && drawn < n);
            int chosen[9];
            float scratch[9 * 2], probabilities[9];
            double uniform[9 * 4];
            for (int i = 0; i < 36; i++) uniform[i] = 0.99;
            sac_tree_draw_several(&tree, chosen, n, z, uniform, scratch);
            for (int a = 0; a < n; a++)
                for (int b = 0; b < a; b++) assert_true(chosen[a] != chosen[b] && chosen[a] < n);
            sac_tree_probabilities(&tree, probabilities, z);
            fell();
        }
}

TESTS(leaf_probabilities_telescope, draws_follow_the_scores, the_mean_query_is_one_query,
      several_draws_differ_and_leave_no_trace, a_changed_key_changes_its_way_to_the_root, a_draw_is_always_a_token)

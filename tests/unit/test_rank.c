#include "readings_scene.h"

/// IAP-rank: scores, selection, softmax sampling.

static scene s;

typedef struct sizes
{
    int n, d, m;
} sizes;

static const sizes all_sizes[] = {{1, 1, 1}, {2, 5, 3}, {17, 5, 7}, {53, 1, 4}, {529, 4, 2}, {1100, 16, 3}};

enum
{
    SIZE_COUNT = sizeof all_sizes / sizeof *all_sizes
};

static void check_scores(const float *weights, int rows)
{
    float *scores = scene_memory((size_t)(rows * s.n) * sizeof *scores);
    float *z = scene_memory((size_t)(rows * s.f) * sizeof *z);
    void *workspace = scene_memory(sac_rank_workspace_size(s.attention));
    sac_rank_summary(s.attention, z, weights, rows, s.n, s.queries, s.n, s.stride, workspace);
    sac_rank_scores(s.attention, scores, s.n, z, rows, s.n, s.keys, s.n, s.stride, workspace);
    for (int r = 0; r < rows; r++)
    {
        double sum[SCENE_MAX_FEATURES], size[SCENE_MAX_FEATURES], magnitude;
        scene_summary(&s, weights ? weights + r * s.n : NULL, sum, size);
        for (int f = 0; f < s.f; f++) assert_near(z[r * s.f + f], sum[f], size[f] * (s.n + 1) * ROUNDING);
        for (int j = 0; j < s.n; j++)
        {
            double score = scene_score(&s, sum, size, j, &magnitude) / s.n;
            assert_near(scores[r * s.n + j], score, magnitude / s.n * (s.n + s.f + 3) * ROUNDING);
        }
    }
    free(scores), free(z), free(workspace);
}

TEST(scores_are_those_of_the_plain_product)
{
    static float weights[5 * SCENE_MAX_TOKENS];
    const char *form;
    for (int i = 0; (form = scene_form(i)); i++)
        for (int k = 0; k < SIZE_COUNT; k++)
        {
            scene_open(&s, form, all_sizes[k].n, all_sizes[k].d, all_sizes[k].m, 1, k % 2);
            fill_uniform(weights, (size_t)(5 * s.n), 4);
            check_scores(NULL, 1);
            check_scores(weights, 1);
            check_scores(weights, 5);
            scene_close(&s);
        }
}

TEST(a_row_of_ones_gives_importance)
{
    static float importance[SCENE_MAX_TOKENS], scores[SCENE_MAX_TOKENS], z[SCENE_MAX_FEATURES];
    const char *form;
    for (int i = 0; (form = scene_form(i)); i++)
    {
        scene_open(&s, form, 529, 4, 2, 1, true);
        void *workspace = scene_memory(sac_rank_workspace_size(s.attention));
        void *other = scene_memory(sac_attention_workspace_size(s.attention, s.n));
        sac_rank_summary(s.attention, z, NULL, 1, 0, s.queries, s.n, s.stride, workspace);
        sac_rank_scores(s.attention, scores, s.n, z, 1, s.n, s.keys, s.n, s.stride, workspace);
        sac_attention_importance(s.attention, importance, s.queries, s.keys, s.n, s.stride, other);
        double sum[SCENE_MAX_FEATURES], size[SCENE_MAX_FEATURES], magnitude;
        scene_summary(&s, NULL, sum, size);
        for (int j = 0; j < s.n; j++)
        {
            scene_score(&s, sum, size, j, &magnitude);
            // two such sums, the second with the gains of phi in another place
            assert_near(scores[j], importance[j], magnitude / s.n * 2 * (s.n + s.f + 8) * ROUNDING);
        }
        free(workspace), free(other);
        scene_close(&s);
    }
}

TEST(kept_values_are_taken_or_left_in_place)
{
    enum
    {
        N = 9,
        V = 3,
        KEPT = 4,
        STRIDE = 11
    };
    static const int chosen[KEPT] = {5, 0, 8, 2};
    float values[V * STRIDE], taken[KEPT * V], masked[V * STRIDE];
    fill_uniform(values, V * STRIDE, 1);
    fill_uniform(masked, V * STRIDE, 2);
    float past = masked[N]; // columns that are no tokens stay as they are
    sac_rank_take(taken, chosen, KEPT, values, V, STRIDE);
    sac_rank_mask(masked, STRIDE, chosen, KEPT, values, V, N, STRIDE);
    for (int v = 0; v < V; v++)
    {
        int kept = 0;
        for (int i = 0; i < KEPT; i++) assert_true(taken[i * V + v] == values[v * STRIDE + chosen[i]]);
        for (int j = 0; j < N; j++)
        {
            bool is_kept = j == 5 || j == 0 || j == 8 || j == 2;
            kept += is_kept;
            assert_true(masked[v * STRIDE + j] == (is_kept ? values[v * STRIDE + j] : 0));
        }
        assert_int_equal(kept, KEPT);
    }
    assert_true(masked[N] == past);
}

enum
{
    KINDS = 7,
    DRAWS = 20000
};

// 99.9 % of chi-squares with 6 degrees of freedom are below
static const double chi_6 = 22.46;

static void drawing_probabilities(float *probabilities, float *scores)
{
    scene_open(&s, "positive", KINDS, 4, 4, 1, false);
    fill_uniform(scores, KINDS, 5);
    sac_rank_probabilities(s.attention, probabilities, scores, KINDS);
    scene_close(&s);
}

TEST(probabilities_are_the_softmax_of_scores)
{
    float scores[KINDS], probabilities[KINDS];
    drawing_probabilities(probabilities, scores);
    double sum = 0;
    for (int i = 0; i < KINDS; i++) sum += exp((double)scores[i]);
    // exp is off by 2 units at most, the sum and the quotient by a few roundings
    for (int i = 0; i < KINDS; i++)
        assert_near(probabilities[i], exp((double)scores[i]) / sum, 8 * 2 * ROUNDING * (double)probabilities[i]);
}

// one draw follows the probabilities; a second one those of what is left, sum_i p_i p_j / (1 - p_i)
TEST(draws_follow_the_probabilities)
{
    float scores[KINDS], probabilities[KINDS];
    drawing_probabilities(probabilities, scores);
    int first[KINDS] = {0}, second[KINDS] = {0};
    sac_stream stream = sac_stream_create(11, 0, 0);
    for (int i = 0; i < DRAWS; i++)
    {
        float left[KINDS];
        int chosen[2];
        double uniform[2] = {sac_stream_uniform(&stream, 0, 1), sac_stream_uniform(&stream, 0, 1)};
        memcpy(left, probabilities, sizeof left);
        sac_rank_draw(chosen, 2, left, KINDS, uniform);
        assert_int_not_equal(chosen[0], chosen[1]);
        first[chosen[0]]++, second[chosen[1]]++;
    }
    double shares[KINDS], later[KINDS];
    for (int j = 0; j < KINDS; j++)
    {
        shares[j] = (double)probabilities[j];
        later[j] = 0;
        for (int i = 0; i < KINDS; i++)
            if (i != j)
                later[j] += (double)probabilities[i] * (double)probabilities[j] / (1 - (double)probabilities[i]);
    }
    assert_true(chi_square(first, shares, KINDS, DRAWS) < chi_6);
    assert_true(chi_square(second, later, KINDS, DRAWS) < chi_6);
    // and the test can tell: equal shares would not pass
    for (int j = 0; j < KINDS; j++) shares[j] = 1.0 / KINDS;
    assert_true(chi_square(first, shares, KINDS, DRAWS) > chi_6);
}

TEST(what_cannot_be_drawn_comes_last)
{
    float scores[] = {NAN, 1, -INFINITY, 2, NAN}, probabilities[5];
    const double uniform[5] = {0.999999999, 0, 0.5, 0.5, 0.5};
    int chosen[5];
    scene_open(&s, "relu", 1, 1, 1, 1, false);
    sac_rank_probabilities(s.attention, probabilities, scores, 5);
    scene_close(&s);
    for (int i = 0; i < 5; i++) assert_true(probabilities[i] >= 0 && probabilities[i] <= 1);
    // -infinity keeps what the smallest exponent gives, which is nothing here
    assert_true(probabilities[0] == 0 && probabilities[4] == 0 && probabilities[2] < 1e-37f);
    probabilities[2] = 0;
    sac_rank_draw(chosen, 5, probabilities, 5, uniform);
    static const int expected[] = {3, 1, 0, 2, 4};
    for (int i = 0; i < 5; i++) assert_int_equal(chosen[i], expected[i]);
}

TEST(infinite_scores_share_all)
{
    float scores[] = {INFINITY, 3, INFINITY, NAN};
    scene_open(&s, "relu", 1, 1, 1, 1, false);
    sac_rank_probabilities(s.attention, scores, scores, 4); // in place
    scene_close(&s);
    assert_true(scores[0] == 0.5f && scores[1] == 0 && scores[2] == 0.5f && scores[3] == 0);
}

TESTS(scores_are_those_of_the_plain_product, a_row_of_ones_gives_importance, kept_values_are_taken_or_left_in_place,
      probabilities_are_the_softmax_of_scores, draws_follow_the_probabilities, what_cannot_be_drawn_comes_last,
      infinite_scores_share_all)

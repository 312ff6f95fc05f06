#include <math.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "saccade/words.h"
#include "words/encoder.h"

/// Scores of patches by words, and the encoder of both.

enum
{
    D = 19, // no multiple of a vector's width
    N = 37,
    PICTURES = 3,
    SIDE = 24,
    W = 5,
    CAPTIONS = 4
};

static void fill(float *x, size_t count, uint64_t seed)
{
    double normal;
    for (size_t i = 0; i < count; i++)
    {
        sac_normals(&normal, 1, seed, 0, i);
        x[i] = (float)normal;
    }
}

static void score(float *scores, const char *kernel, int features, bool orthogonal, const float *query,
                  const float *keys)
{
    sac_words_def def = sac_words_default_def();
    sac_words *words;
    def.kernel = kernel;
    def.size = D;
    def.features = features;
    def.orthogonal = orthogonal;
    assert_int_equal(sac_words_create(&words, &def), SAC_OK);
    void *workspace = sac_alloc(sac_words_workspace_size(words, N));
    sac_words_score(words, scores, query, keys, N, workspace);
    sac_free(workspace);
    sac_words_destroy(words);
}

static double dot(const float *x, const float *y)
{
    double sum = 0;
    for (int i = 0; i < D; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

static double phi(double x, int kernel)
{
    return kernel == 0 ? fmax(x, 0) : kernel == 1 ? exp(x) : x * x;
}

// (1) with the kernels of the article, in doubles. A score is off by what 19 products and the exponential are, whose
// rounding is 2^-24 of numbers up to 10, and so by less than 1e-5 of itself.
TEST(scores_are_those_of_the_formula)
{
    static const char *const kernels[] = {"relu", "exp", "square"};
    float query[D], keys[N * D], scores[N];
    fill(query, D, 1);
    fill(keys, N * D, 2);
    double sum = 0;
    for (int j = 0; j < N; j++) sum += exp(dot(query, keys + j * D));
    score(scores, "softmax", 0, false, query, keys);
    for (int j = 0; j < N; j++)
    {
        const double expected = exp(dot(query, keys + j * D)) / sum;
        assert_true(fabs((double)scores[j] - expected) < 1e-5 * expected + 1e-9);
    }
    for (int k = 0; k < 3; k++)
    {
        double all = 0, expected[N] = {0};
        for (int j = 0; j < N; j++)
        {
            for (int i = 0; i < D; i++) expected[j] += phi((double)query[i], k) * phi((double)keys[j * D + i], k);
            all += expected[j];
        }
        score(scores, kernels[k], 0, false, query, keys);
        for (int j = 0; j < N; j++)
            assert_true(fabs((double)scores[j] - expected[j] / all) < 1e-5 * expected[j] / all + 1e-9);
    }
}

// exp(G q - |q|^2 / 2) estimates exp(q.k) without bias, and the factors of |q| and of keys of one length divide out of
// the scores. The error of a mean of M terms falls with the root of M.
TEST(random_features_of_exp_come_near_softmax)
{
    float query[D], keys[N * D], exact[N], estimate[N];
    double error[2] = {0};
    fill(query, D, 3);
    fill(keys, N * D, 4);
    for (int i = 0; i < D; i++) query[i] *= 0.2f;
    for (int j = 0; j < N; j++)
    {
        const double length = sqrt(dot(keys + j * D, keys + j * D));
        for (int i = 0; i < D; i++) keys[j * D + i] = (float)((double)keys[j * D + i] / length);
    }
    score(exact, "softmax", 0, false, query, keys);
    for (int k = 0; k < 2; k++)
    {
        score(estimate, "exp", k ? 4096 : 64, true, query, keys);
        for (int j = 0; j < N; j++) error[k] += fabs((double)(estimate[j] - exact[j]));
    }
    assert_true(error[1] < error[0] / 2 && error[1] < 0.1);
}

// (3) gives the sum over patches of (1) times their actions, with every kernel. Each side is a quotient of sums of up
// to 37 x 64 products, of one sign but in the actions, which are near 1: rounding leaves less than 1e-4.
TEST(sums_over_patches_are_those_of_scores)
{
    static const char *const kernels[] = {"softmax", "relu", "exp", "square"};
    float queries[3 * D], keys[N * D], actions[N * 2], scores[N], out[3 * 2];
    fill(queries, 3 * D, 8);
    fill(keys, N * D, 9);
    fill(actions, N * 2, 10);
    for (int k = 0; k < 4; k++)
    {
        sac_words_def def = sac_words_default_def();
        sac_words *words;
        def.kernel = kernels[k];
        def.size = D;
        def.features = k > 0 ? 64 : 0;
        assert_int_equal(sac_words_create(&words, &def), SAC_OK);
        void *room = sac_alloc(sac_words_expect_workspace_size(words, N, 2));
        sac_words_expect(words, out, queries, 3, keys, actions, N, 2, room);
        for (int i = 0; i < 3; i++)
        {
            double expected[2] = {0};
            score(scores, kernels[k], def.features, false, queries + i * D, keys);
            for (int j = 0; j < N; j++)
                for (int a = 0; a < 2; a++) expected[a] += (double)scores[j] * (double)actions[2 * j + a];
            for (int a = 0; a < 2; a++) assert_true(fabs((double)out[2 * i + a] - expected[a]) < 1e-4);
        }
        sac_free(room);
        sac_words_destroy(words);
    }
}

// Embeddings may be so large that a product leaves float32, or, under exp, that all products round to zero: then the
// scores are zeros, and the call says so. A kernel that is zero is no such case.
TEST(numbers_beyond_float32_are_told)
{
    static const struct
    {
        const char *kernel;
        float query[2], keys[4];
        bool told;
    } cases[] = {{"softmax", {1e30f, 1}, {1e30f, 0, 1, 1}, true},  {"softmax", {1e30f, 1}, {-1e30f, 0, 1, 1}, true},
                 {"softmax", {1e15f, 1}, {1e15f, 0, 1, 1}, false}, {"square", {1e30f, 1}, {1e30f, 0, 1, 1}, true},
                 {"relu", {1e30f, 1}, {1e30f, 0, 1, 1}, true},     {"relu", {-1, -1}, {1, 1, 1, 2}, false},
                 {"exp", {200, 0}, {0, 200, 0, 200}, true},        {"exp", {2, 0}, {0, 2, 2, 0}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        static const float actions[2] = {3, 3};
        float scores[2], mean;
        sac_words_def def = sac_words_default_def();
        sac_words *words;
        def.kernel = cases[i].kernel;
        def.size = 2;
        assert_int_equal(sac_words_create(&words, &def), SAC_OK);
        void *room = sac_alloc(sac_words_expect_workspace_size(words, 2, 1));
        assert_true(sac_words_score(words, scores, cases[i].query, cases[i].keys, 2, room) != cases[i].told);
        assert_true(sac_words_expect(words, &mean, cases[i].query, 1, cases[i].keys, actions, 2, 1, room) !=
                    cases[i].told);
        const bool zero = cases[i].told || cases[i].query[0] < 0;
        assert_true(fabsf(scores[0] + scores[1] - (zero ? 0 : 1)) < 1e-6f && fabsf(mean - (zero ? 0 : 3)) < 1e-5f);
        sac_free(room);
        sac_words_destroy(words);
    }
}

// The highest few come first, of equal ones that with the lower number; a chance below the first one's share draws it.
TEST(the_highest_are_kept_and_drawn)
{
    static const float scores[] = {0.1f, 0.3f, 0.05f, 0.3f, 0.2f, NAN};
    int top[3], drawn[3] = {0};
    float shares[3];
    sac_words_keep(top, shares, 3, scores, 6);
    assert_true(top[0] == 1 && top[1] == 3 && top[2] == 4);
    assert_true(fabsf(shares[0] - 0.375f) < 1e-6f && fabsf(shares[2] - 0.25f) < 1e-6f);
    for (int i = 0; i < 800; i++) drawn[sac_words_choose(shares, 3, (i + 0.5) / 800)]++;
    assert_true(drawn[0] == 300 && drawn[1] == 300 && drawn[2] == 200);
    assert_int_equal(sac_words_choose(shares, 3, 1), 2);
}

TEST(mistakes_are_named)
{
    sac_words_def def = sac_words_default_def();
    sac_words *words;
    assert_int_equal(sac_words_create(&words, &def), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "size is 0"));
    def.size = D;
    def.kernel = "softmx";
    assert_int_equal(sac_words_create(&words, &def), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "did you mean 'softmax'"));
    def.kernel = "softmax";
    def.features = 8;
    assert_int_equal(sac_words_create(&words, &def), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "features"));
    assert_null(words);
}

static sac_status create_words(void)
{
    sac_words_def def = sac_words_default_def();
    sac_words *words;
    def.size = D;
    def.kernel = "relu";
    def.features = 8;
    const sac_status status = sac_words_create(&words, &def);
    sac_words_destroy(words);
    return status;
}

TEST(lack_of_memory_is_survived)
{
    assert_survives_lack_of_memory(create_words(), (void)0);
}

// --- the encoder

typedef struct scene
{
    words_encoder e;
    float *parameters, *gradient;
    uint8_t pictures[PICTURES][SIDE * SIDE * 3];
    float bags[CAPTIONS * W];
    int *shown;
} scene;

static void begin(scene *s)
{
    words_tensor tensors[WORDS_TENSORS];
    sac_words_encoder_lay_out(&s->e, SIDE, SIDE, 3, W, 8, 4);
    sac_words_encoder_tensors(&s->e, tensors);
    size_t count = 0;
    for (int i = 0; i < WORDS_TENSORS; i++)
    {
        *tensors[i].offset = count;
        size_t size = 1;
        for (int k = 0; k < tensors[i].rank; k++) size *= (size_t)tensors[i].shape[k];
        count += size;
    }
    s->e.parameters = count;
    s->parameters = SAC_NEW_ARRAY(float, count);
    s->gradient = SAC_NEW_ARRAY(float, count);
    fill(s->parameters, count, 5);
    for (int i = 0; i < WORDS_TENSORS; i++)
    {
        const size_t last = i + 1 < WORDS_TENSORS ? *tensors[i + 1].offset : count;
        for (size_t k = *tensors[i].offset; k < last; k++) s->parameters[k] *= (float)tensors[i].limit;
    }
    sac_stream random = sac_stream_create(6, 0, 0);
    for (int p = 0; p < PICTURES; p++)
        for (int i = 0; i < SIDE * SIDE * 3; i++) s->pictures[p][i] = (uint8_t)sac_stream_below(&random, 256);
    for (int i = 0; i < CAPTIONS * W; i++) s->bags[i] = i % W == i / W || i % W == 4;
    s->shown = SAC_NEW_ARRAY(int, (size_t)(PICTURES * s->e.count));
    // the last caption is shown by none
    for (int i = 0; i < PICTURES * s->e.count; i++) s->shown[i] = (int)sac_stream_below(&random, 5) - 2;
}

static void end(scene *s)
{
    sac_free(s->parameters);
    sac_free(s->gradient);
    sac_free(s->shown);
}

// The loss of the scene, and its gradient where that is wanted
static double lose(const scene *s, float *gradient)
{
    const words_encoder *e = &s->e;
    const size_t patches = (size_t)(PICTURES * e->count), size = (size_t)e->size;
    float *keys = SAC_NEW_MATRIX(float, patches, size), *dkeys = SAC_NEW_MATRIX(float, patches, size);
    float *kept = SAC_NEW_MATRIX(float, PICTURES, e->kept), *room = SAC_NEW_ARRAY(float, e->room);
    float *logits = SAC_NEW_MATRIX(float, patches, CAPTIONS), *slopes = SAC_NEW_MATRIX(float, patches, CAPTIONS);
    float queries[CAPTIONS * 8], dqueries[CAPTIONS * 8], lengths[CAPTIONS], dt;
    void *scratch = sac_alloc(SAC_LEARN_SCRATCH);
    const sac_learn l = sac_learn_create(scratch);
    for (int i = 0; i < PICTURES; i++)
        sac_words_look(e, &l, s->parameters, keys + (size_t)i * (size_t)e->count * size, kept + (size_t)i * e->kept,
                       s->pictures[i], room);
    sac_words_read(e, &l, s->parameters, queries, lengths, s->bags, CAPTIONS);
    const words_batch batch = {.keys = keys,
                               .queries = queries,
                               .shown = s->shown,
                               .patches = (int)patches,
                               .captions = CAPTIONS,
                               .logits = logits,
                               .slopes = slopes};
    const double loss = sac_words_loss(e, &l, &batch, sac_words_temperature(e, s->parameters), dkeys, dqueries, &dt);
    for (int i = 0; gradient && i < PICTURES; i++)
        sac_words_look_back(e, &l, s->parameters, gradient, dkeys + (size_t)i * (size_t)e->count * size,
                            keys + (size_t)i * (size_t)e->count * size, kept + (size_t)i * e->kept, room);
    if (gradient)
    {
        sac_words_read_back(e, &l, gradient, dqueries, queries, lengths, s->bags, CAPTIONS);
        gradient[e->temperature] += dt;
    }
    void *const all[] = {keys, dkeys, kept, room, logits, slopes, scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sac_free(all[i]);
    return loss;
}

// Along the gradient of each tensor, the loss rises as fast as the gradient is long. Differences over a step h have an
// error of 1e-6 / h by rounding, where the loss is near 5, and of h^2 by what is not straight, kinks of relu included:
// with h = 5e-4 about 1 % of the lengths here, which are above 0.05.
TEST(the_gradient_is_that_of_differences)
{
    scene s;
    words_tensor tensors[WORDS_TENSORS];
    begin(&s);
    sac_words_encoder_tensors(&s.e, tensors);
    lose(&s, s.gradient);
    float *kept = SAC_NEW_ARRAY(float, s.e.parameters);
    memcpy(kept, s.parameters, s.e.parameters * sizeof *kept);
    for (int i = 0; i < WORDS_TENSORS; i++)
    {
        const size_t first = *tensors[i].offset, last = i + 1 < WORDS_TENSORS ? *tensors[i + 1].offset : s.e.parameters;
        double length = 0, value[2];
        for (size_t k = first; k < last; k++) length += (double)s.gradient[k] * (double)s.gradient[k];
        length = sqrt(length);
        for (int side = 0; side < 2; side++)
        {
            for (size_t k = first; k < last; k++)
                s.parameters[k] = kept[k] + (float)((side ? 5e-4 : -5e-4) * (double)s.gradient[k] / length);
            value[side] = lose(&s, NULL);
        }
        memcpy(s.parameters, kept, s.e.parameters * sizeof *kept);
        const double rise = (value[1] - value[0]) / 1e-3;
        if (!(fabs(rise - length) < 0.03 * length + 2e-3))
            fail_msg("%s: the loss rises by %g, and the gradient is %g long", tensors[i].name, rise, length);
    }
    sac_free(kept);
    end(&s);
}

// What half shows a thing, and captions that nobody shows, have no part in it: a key of such a patch has no slope.
TEST(what_half_shows_a_thing_does_not_count)
{
    scene s;
    begin(&s);
    const double before = lose(&s, NULL);
    for (int i = 0; i < PICTURES * s.e.count; i++)
        if (s.shown[i] == WORDS_HALF) s.shown[i] = WORDS_NOTHING;
    assert_true(lose(&s, NULL) > before); // more patches that a caption can be mistaken to mean
    end(&s);
}

TESTS(scores_are_those_of_the_formula, sums_over_patches_are_those_of_scores, random_features_of_exp_come_near_softmax,
      numbers_beyond_float32_are_told, the_highest_are_kept_and_drawn, mistakes_are_named, lack_of_memory_is_survived,
      the_gradient_is_that_of_differences, what_half_shows_a_thing_does_not_count)

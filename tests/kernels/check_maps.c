#include <math.h>
#include <stdio.h>

#include "check.h"

// feature maps, fused and written out, and the products that read them

enum
{
    MAX_COUNT = 19
};

typedef void sums_fn SAC_SUMS_PARAMETERS;
typedef void scores_fn SAC_SCORES_PARAMETERS;
typedef void features_fn SAC_FEATURES_PARAMETERS;

static void check_sums(sums_fn *ref, sums_fn *now, const char *name, const float *x, int n, int stride, int rows,
                       const sac_features *f)
{
    float *expected = check_floats(rows * SAC_LANES), *out = check_floats(rows * SAC_LANES);
    check_fill(expected, rows * SAC_LANES, -1, 1);
    for (int i = 0; i < rows * SAC_LANES; i++) out[i] = expected[i];
    ref(expected, x, n, stride, f);
    now(out, x, n, stride, f);
    check_same_floats(expected, out, rows * SAC_LANES, "%s sums: size %d, features %d, n %d", name, f->size, f->count,
                      n);
}

static void check_scores(scores_fn *ref, scores_fn *now, const char *name, const float *x, int n, int stride, int rows,
                         const sac_features *f)
{
    float *expected = check_floats(n), *out = check_floats(n), *weights = check_floats(rows);
    check_fill(weights, rows, -2, 2);
    ref(expected, weights, x, n, stride, f);
    now(out, weights, x, n, stride, f);
    check_same_floats(expected, out, n, "%s scores: size %d, features %d, n %d", name, f->size, f->count, n);
}

static void check_features(features_fn *ref, features_fn *now, const char *name, const float *x, int n, int stride,
                           int rows, const sac_features *f)
{
    float *expected = check_floats(rows * n), *out = check_floats(rows * n);
    ref(expected, n, x, n, stride, f);
    now(out, n, x, n, stride, f);
    check_same_floats(expected, out, rows * n, "%s features: size %d, features %d, n %d", name, f->size, f->count, n);
}

// a map of awkward sizes, and what it maps
typedef struct scene
{
    sac_features f;
    const float *x;
    int n, stride;
} scene;

static scene make_scene(int size, int count, bool identity)
{
    static const int tokens[] = {1, 15, 16, 17, 64, 67, 529};
    scene s = {.n = tokens[check_integer(0, 6)]};
    s.stride = s.n + 2;
    float *x = check_floats((size - 1) * s.stride + s.n), *matrix = check_floats(size * count);
    float *directions = check_floats(size * 7);
    check_fill(x, (size - 1) * s.stride + s.n, -2, 2);
    check_fill(matrix, size * count, -3, 3);
    check_fill(directions, size * 7, -1, 1);
    s.x = x;
    s.f = (sac_features){.matrix = identity ? NULL : matrix,
                         .count = identity ? size : count,
                         .size = size,
                         .factor = check_uniform(0.5f, 2),
                         .square = -0.5f,
                         .turn = check_uniform(0.2f, 2),
                         .directions = directions,
                         .direction_count = check_integer(0, 2) ? 5 : check_integer(1, 7)};
    return s;
}

static void check_scene(const sac_kernels *ref, const sac_kernels *now, const scene *s)
{
#define CHECK(what, name, rows) \
    check_##what(ref->name##_##what, now->name##_##what, #name, s->x, s->n, s->stride, rows, &s->f)
#define CHECK_ALL(name, rows) CHECK(sums, name, rows), CHECK(scores, name, rows), CHECK(features, name, rows)
    CHECK_ALL(relu, s->f.count);
    if (!s->f.matrix) goto done; // the others want one
    CHECK_ALL(exp, s->f.count);
    CHECK_ALL(square, s->f.count);
    CHECK_ALL(trig, 2 * s->f.count);
    CHECK_ALL(hybrid, 3 * s->f.count * (1 + s->f.direction_count));
#undef CHECK_ALL
#undef CHECK
done:
    check_release();
}

static void bench_maps(const sac_kernels *ref, const sac_kernels *now, int d, int n)
{
    enum
    {
        M = 16,
        R = 5,
        F = 3 * M * (1 + R)
    };
    int stride = sac_round_up(n);
    float *x = check_floats(d * stride), *matrix = check_floats(d * M), *directions = check_floats(d * R);
    float *out = check_floats(n), *sums = check_floats(F * SAC_LANES), *features = check_floats(F * stride);
    check_fill(x, d * stride, -2, 2);
    check_fill(matrix, d * M, -1, 1);
    check_fill(directions, d * R, -1, 1);
    check_fill(sums, F * SAC_LANES, -1, 1);
    sac_features f = {.matrix = matrix,
                      .count = M,
                      .size = d,
                      .square = -0.7f,
                      .turn = 0.44f,
                      .directions = directions,
                      .direction_count = R};
    sac_features raw = {.count = d, .size = d, .factor = 1};
    sac_features ten = f;
    ten.count = 10;
    char label[64];
#define BENCH(name, title, features_of)                                         \
    snprintf(label, sizeof label, #title " sums d%d n%d", d, n);                \
    check_bench(label, k->name##_sums(sums, x, n, stride, features_of));        \
    snprintf(label, sizeof label, #title " scores d%d n%d", d, n);              \
    check_bench(label, k->name##_scores(out, sums, x, n, stride, features_of)); \
    snprintf(label, sizeof label, #title " features d%d n%d", d, n);            \
    check_bench(label, k->name##_features(features, stride, x, n, stride, features_of))
    BENCH(relu, relu raw, &raw);
    BENCH(relu, relu 16, &f);
    BENCH(exp, positive 16, &f);
    BENCH(square, square 16, &f);
    BENCH(trig, trig 16, &f);
    BENCH(hybrid, hybrid(10), &ten);
#undef BENCH
    snprintf(label, sizeof label, "normalise d%d n%d", d, n);
    check_bench(label, k->normalise(features, stride, x, d, n, stride));
    check_release();
}

// columns of zeros, and one NaN
static void check_lengths(const sac_kernels *ref, const sac_kernels *now, int size, int n)
{
    int stride = n + 1;
    float *x = check_floats(size * stride), *expected = check_floats(size * n), *out = check_floats(size * n);
    check_fill(x, size * stride, -2, 2);
    int zero = check_integer(0, n - 1);
    for (int d = 0; d < size; d++) x[d * stride + zero] = 0;
    x[check_integer(0, n - 1)] = NAN;
    ref->normalise(expected, n, x, size, n, stride);
    now->normalise(out, n, x, size, n, stride);
    check_same_floats(expected, out, size * n, "normalise: size %d, n %d", size, n);
    check_release();
}

static void check_divide(const sac_kernels *ref, const sac_kernels *now, int rows, int n)
{
    int stride = n + 1;
    float *expected = check_floats((rows - 1) * stride + n), *out = check_floats((rows - 1) * stride + n);
    check_fill(expected, (rows - 1) * stride + n, -2, 2);
    for (int i = 0; i < (rows - 1) * stride + n; i++) out[i] = expected[i];
    ref->divide(expected, stride, rows, 529, n);
    now->divide(out, stride, rows, 529, n);
    check_same_floats(expected, out, (rows - 1) * stride + n, "divide: %d rows, n %d", rows, n);
    check_release();
}

// a divisor that is zero, and one NaN
static void check_divisors(const sac_kernels *ref, const sac_kernels *now, int rows, int n)
{
    int stride = n + 1;
    float *expected = check_floats((rows - 1) * stride + n), *out = check_floats((rows - 1) * stride + n);
    float *divisors = check_floats(n), epsilon = check_integer(0, 1) ? 0 : 0.25f;
    check_fill(expected, (rows - 1) * stride + n, -2, 2);
    for (int i = 0; i < (rows - 1) * stride + n; i++) out[i] = expected[i];
    check_fill(divisors, n, -2, 2);
    divisors[check_integer(0, n - 1)] = NAN;
    divisors[check_integer(0, n - 1)] = -epsilon;
    ref->divide_rows(expected, stride, rows, divisors, epsilon, n);
    now->divide_rows(out, stride, rows, divisors, epsilon, n);
    check_same_floats(expected, out, (rows - 1) * stride + n, "divide_rows: %d rows, n %d", rows, n);
    check_release();
}

void check_maps(const sac_kernels *ref, const sac_kernels *now)
{
    static const int sizes[] = {1, 3, 4, 16}, counts[] = {1, 4, 8, 16, MAX_COUNT}, tokens[] = {1, 15, 16, 17, 67, 130};
    bool own = check_kernel(normalise);
    own |= check_kernel(divide);
    own |= check_kernel(divide_rows);
#define OWN(name) \
    own |= check_kernel(name##_sums), own |= check_kernel(name##_scores), own |= check_kernel(name##_features)
    OWN(relu);
    OWN(exp);
    OWN(square);
    OWN(trig);
    OWN(hybrid);
#undef OWN
    if (!own) return;
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 5; c++)
        {
            scene plain = make_scene(sizes[s], counts[c], false);
            check_scene(ref, now, &plain);
            scene identity = make_scene(sizes[s], counts[c], true);
            check_scene(ref, now, &identity);
        }
    for (int c = 0; c < 5; c++)
        for (int t = 0; t < 6; t++)
        {
            check_lengths(ref, now, check_integer(1, 9), tokens[t]);
            check_divide(ref, now, check_integer(1, 9), tokens[t]);
            check_divisors(ref, now, check_integer(1, 9), tokens[t]);
        }
    bench_maps(ref, now, 4, 529);
    bench_maps(ref, now, 16, 4800);
}

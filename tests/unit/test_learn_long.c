#include <float.h>

#include "base/random.h"
#include "learn_cases.h"
#include "test.h"

/// Softmax attention over more queries and keys than it takes at a time (SAC_ATTEND_ROWS; SAC_ATTEND_KEYS forward,
/// SAC_ATTEND_KEYS_BACK backward), beside the same in doubles: what was gathered of earlier keys is scaled down
/// whenever a later one has a larger score.

enum
{
    M = SAC_ATTEND_ROWS + 5, // queries
    N = 2 * SAC_ATTEND_KEYS + 77,
    D = 4,
    V = 3
};

typedef enum order
{
    RISING,
    FALLING,
    MIXED
} order;

static float q[M * D], k[N * D], v[N * V], dout[M * V];

// Scores of the first number alone run from -9 to 9 along the keys, or back, or without an order.
static void draw(order way)
{
    sac_stream stream = sac_stream_create(11, (uint64_t)way, 0);
    for (int i = 0; i < M * D; i++) q[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < M; i++) q[i * D] = 6;
    for (int i = 0; i < N * D; i++) k[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int j = 0; j < N; j++)
    {
        const float at = (float)(6.0 * j / N - 3);
        if (way != MIXED) k[j * D] = way == RISING ? at : -at;
    }
    for (int i = 0; i < N * V; i++) v[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < M * V; i++) dout[i] = (float)sac_stream_uniform(&stream, -1, 1);
}

/// A sum with what rounding may have changed of it.
typedef struct sum
{
    double value, size;
} sum;

static void add(sum *s, double x)
{
    s->value += x;
    s->size += fabs(x);
}

// A sum of n products is off by n eps of their magnitudes at most (Higham 2002, 3.1). A share of softmax is off by the
// errors of its score, of the largest score and of the total: exp(s) turns an error of s, at most (D + 2) eps |s|, into
// a share of itself, and scaling down for each block of keys adds two roundings.
static void compare(const float *got, const sum *expected, int count, double scores)
{
    const double eps = (double)FLT_EPSILON / 2;
    const double each = N + 2 * (D + 2) * scores + 8 * (N / SAC_ATTEND_KEYS_BACK + 1) + 16;
    for (int i = 0; i < count; i++)
        assert_near((double)got[i], expected[i].value, each * eps * (expected[i].size + fabs(expected[i].value)));
}

static sum out_of[M * V], dq_of[M * D], dk_of[N * D], dv_of[N * V];

// The largest magnitude of a score comes back.
static double attend_in_doubles(double scale)
{
    static double p[N];
    double largest = 0;
    memset(out_of, 0, sizeof out_of), memset(dq_of, 0, sizeof dq_of);
    memset(dk_of, 0, sizeof dk_of), memset(dv_of, 0, sizeof dv_of);
    for (int i = 0; i < M; i++)
    {
        double top = -INFINITY, total = 0;
        for (int j = 0; j < N; j++)
        {
            p[j] = 0;
            for (int d = 0; d < D; d++) p[j] += scale * (double)q[i * D + d] * (double)k[j * D + d];
            top = fmax(top, p[j]);
            largest = fmax(largest, fabs(p[j]));
        }
        for (int j = 0; j < N; j++) total += p[j] = exp(p[j] - top);
        for (int j = 0; j < N; j++) p[j] /= total;
        for (int j = 0; j < N; j++)
            for (int c = 0; c < V; c++) add(&out_of[i * V + c], p[j] * (double)v[j * V + c]);
        for (int j = 0; j < N; j++)
        {
            double dp = 0, size = 0; // by the score: p (dout.v - dout.out)
            for (int c = 0; c < V; c++)
            {
                const double with = (double)dout[i * V + c] * (double)v[j * V + c];
                const double mean = (double)dout[i * V + c] * out_of[i * V + c].value;
                dp += with - mean;
                size += fabs(with) + fabs((double)dout[i * V + c]) * out_of[i * V + c].size;
                add(&dv_of[j * V + c], p[j] * (double)dout[i * V + c]);
            }
            for (int d = 0; d < D; d++)
            {
                const double by_q = scale * p[j] * (double)k[j * D + d], by_k = scale * p[j] * (double)q[i * D + d];
                dq_of[i * D + d].value += by_q * dp, dq_of[i * D + d].size += fabs(by_q) * size;
                dk_of[j * D + d].value += by_k * dp, dk_of[j * D + d].size += fabs(by_k) * size;
            }
        }
    }
    return largest;
}

static void check(order way)
{
    static float out[M * V], dq[M * D], dk[N * D], dv[N * V];
    const sac_attend a = {1, M, N, D, V, D, D, V, V, 0.5f};
    _Alignas(64) static unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn l = sac_learn_create(scratch);
    float *kept = learn_memory(sac_attend_kept(&a) * sizeof *kept);
    float *workspace = learn_memory(sac_attend_workspace(&a) * sizeof *workspace);
    draw(way);
    const double scores = attend_in_doubles(0.5);
    assert_true(scores > 3); // so that earlier keys do count less
    l.attend_forward(&l, &a, out, kept, q, k, v, workspace);
    l.attend_backward(&l, &a, dq, dk, dv, dout, out, kept, q, k, v, workspace);
    compare(out, out_of, M * V, scores);
    compare(dq, dq_of, M * D, scores);
    compare(dk, dk_of, N * D, scores);
    compare(dv, dv_of, N * V, scores);
    free(kept), free(workspace);
}

TEST(scores_that_rise)
{
    check(RISING);
}

TEST(scores_that_fall)
{
    check(FALLING);
}

TEST(scores_without_order)
{
    check(MIXED);
}

TESTS(scores_that_rise, scores_that_fall, scores_without_order)

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "golden.h"
#include "learn/learn.h"

// the gradients of SARA's linear attention by tokens, values, both matrices and the gains that both sides share, and
// the loss and gradients of up-training towards softmax attention

typedef struct sizes
{
    int queries, keys, d, p, m, v; // p: numbers that WQ and WK make of a token's d
} sizes;

typedef struct scene
{
    golden *g;
    sizes n;
    const float *xq, *xk, *values, *wq, *wk, *gq, *gk, *gains, *dout;
    double epsilon;
    sac_learn l;
    unsigned char *memory;
    float *kept, *workspace, *out, *target, *dloss, *dq, *dk, *dv;
} scene;

static sac_status load(scene *s)
{
    golden *g = s->g;
    sac_status status = SAC_OK;
    const int64_t any[] = {-1, -1};
    const sac_tensor *xq, *xk, *v, *w, *matrix;
    s->xq = golden_input(g, &status, "Xq", 2, any, &xq);
    SAC_TRY(status);
    const int64_t rows[] = {-1, xq->shape[1]};
    s->xk = golden_input(g, &status, "Xk", 2, rows, &xk);
    s->wq = golden_input(g, &status, "WQ", 2, rows, &w);
    s->gq = golden_input(g, &status, "GQ", 2, rows, &matrix);
    SAC_TRY(status);
    s->values = golden_input(g, &status, "V", 2, (const int64_t[]){xk->shape[0], -1}, &v);
    s->wk = golden_input(g, &status, "WK", 2, w->shape, NULL);
    s->gk = golden_input(g, &status, "GK", 2, matrix->shape, NULL);
    s->gains = golden_input(g, &status, "v", 1, matrix->shape, NULL);
    SAC_TRY(status);
    s->dout = golden_input(g, &status, "dO", 2, (const int64_t[]){xq->shape[0], v->shape[1]}, NULL);
    SAC_TRY(status);
    s->n = (sizes){(int)xq->shape[0], (int)xk->shape[0],     (int)xq->shape[1],
                   (int)w->shape[0],  (int)matrix->shape[0], (int)v->shape[1]};
    return golden_number(g, "eps", &s->epsilon);
}

static sac_attend shape_of(const sizes *n, int size, double scale)
{
    return (sac_attend){1, n->queries, n->keys, size, n->v, size, size, n->v, n->v, (float)scale};
}

static float *take(unsigned char **at, size_t count)
{
    float *taken = (float *)*at;
    if (*at) *at += (count * sizeof(float) + 63) / 64 * 64;
    return taken;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// one block of memory for all that is computed on the way
static sac_status reserve(scene *s)
{
    const sizes *n = &s->n;
    const sac_attend exact = shape_of(n, n->p, 1), linear = shape_of(n, n->d, 1);
    const sac_map_side map = {.phi = SAC_PHI_RELU, .count = n->m, .size = n->d};
    const size_t tokens = (size_t)(n->queries + n->keys) * larger((size_t)n->d, (size_t)n->p);
    const size_t counts[] = {larger(sac_attend_kept(&exact), sac_attend_linear_kept(&linear, &map, &map)) + tokens,
                             larger(sac_attend_workspace(&exact), sac_attend_linear_workspace(&linear, &map, &map)),
                             (size_t)n->queries * (size_t)n->v,
                             (size_t)n->queries * (size_t)n->v,
                             (size_t)n->queries * (size_t)n->v,
                             (size_t)n->queries * (size_t)n->d,
                             (size_t)n->keys * (size_t)n->d,
                             (size_t)n->keys * (size_t)n->v};
    float **const parts[] = {&s->kept, &s->workspace, &s->out, &s->target, &s->dloss, &s->dq, &s->dk, &s->dv};
    size_t size = SAC_LEARN_SCRATCH;
    for (int i = 0; i < 8; i++) size += counts[i] * sizeof(float) + 64;
    s->memory = sac_alloc(size);
    if (!s->memory) return sac_fail_memory("gradients");
    unsigned char *at = s->memory + SAC_LEARN_SCRATCH;
    for (int i = 0; i < 8; i++) *parts[i] = take(&at, counts[i]);
    s->l = sac_learn_create(s->memory);
    return SAC_OK;
}

// softmax of WQ x and WK y, its scale 1 / sqrt(m)
static void make_target(scene *s)
{
    const sizes *n = &s->n;
    const sac_attend exact = shape_of(n, n->p, 1 / sqrt((double)n->m));
    float *q = s->kept, *k = q + n->queries * n->p, *kept = k + n->keys * n->p;
    s->l.linear_forward(&s->l, q, s->xq, s->wq, NULL, n->queries, n->d, n->p, SAC_ACTIVATION_NONE);
    s->l.linear_forward(&s->l, k, s->xk, s->wk, NULL, n->keys, n->d, n->p, SAC_ACTIVATION_NONE);
    s->l.attend_forward(&s->l, &exact, s->target, kept, q, k, s->values, s->workspace);
}

// "map_array"; the harness keeps the name until the results are written
static const char *name_of(const char *map, const char *array)
{
    static char names[64][24];
    static int count;
    char *name = names[count++ % 64];
    snprintf(name, sizeof names[0], "%s_%s", map, array);
    return name;
}

static float *output(scene *s, sac_status *status, const char *map, const char *array, int rows, int columns)
{
    int64_t shape[2] = {rows ? rows : columns, columns};
    return golden_output(s->g, status, name_of(map, array), SAC_F32, rows ? 2 : 1, shape);
}

// the gradient of sum dout out: matrices and gains under `prefix`, tokens and values into dq, dk, dv
static sac_status run_backward(scene *s, const char *map, const char *prefix, enum sac_phi phi, const float *dout)
{
    const sizes *n = &s->n;
    const sac_attend linear = shape_of(n, n->d, 1);
    const sac_map_side q = {phi, n->m, n->d, s->gq, s->gains, NULL, 0}, k = {phi, n->m, n->d, s->gk, s->gains, NULL, 0};
    sac_status status = SAC_OK;
    char array[16];
    snprintf(array, sizeof array, "%sdGQ", prefix);
    float *dgq = output(s, &status, map, array, n->m, n->d);
    snprintf(array, sizeof array, "%sdGK", prefix);
    float *dgk = output(s, &status, map, array, n->m, n->d);
    snprintf(array, sizeof array, "%sdv", prefix);
    float *dgains = output(s, &status, map, array, 0, n->m);
    SAC_TRY(status);
    const sac_map_gradients dq = {dgq, dgains}, dk = {dgk, dgains};
    s->l.attend_linear_backward(&s->l, &linear, &q, &k, s->dq, s->dk, s->dv, &dq, &dk, dout, s->out, s->kept, s->xq,
                                s->xk, s->values, s->workspace);
    return SAC_OK;
}

static sac_status run_map(scene *s, const char *map, enum sac_phi phi)
{
    const sizes *n = &s->n;
    const sac_attend linear = shape_of(n, n->d, 1);
    const sac_map_side q = {phi, n->m, n->d, s->gq, s->gains, NULL, 0}, k = {phi, n->m, n->d, s->gk, s->gains, NULL, 0};
    s->l.attend_linear_forward(&s->l, &linear, &q, &k, (float)s->epsilon, s->out, s->kept, s->xq, s->xk, s->values,
                               s->workspace);
    SAC_TRY(run_backward(s, map, "", phi, s->dout));
    sac_status status = SAC_OK;
    float *dxq = output(s, &status, map, "dXq", n->queries, n->d);
    float *dxk = output(s, &status, map, "dXk", n->keys, n->d);
    float *dv = output(s, &status, map, "dV", n->keys, n->v);
    float *loss = output(s, &status, map, "loss", 0, 1);
    SAC_TRY(status);
    memcpy(dxq, s->dq, (size_t)n->queries * (size_t)n->d * sizeof *dxq);
    memcpy(dxk, s->dk, (size_t)n->keys * (size_t)n->d * sizeof *dxk);
    memcpy(dv, s->dv, (size_t)n->keys * (size_t)n->v * sizeof *dv);
    // up-training: the mean square distance from softmax attention
    const size_t count = (size_t)n->queries * (size_t)n->v;
    double mean;
    s->l.square_loss(&s->l, &mean, s->dloss, s->out, s->target, count, 1.0 / (double)count);
    *loss = (float)mean;
    return run_backward(s, map, "up_", phi, s->dloss);
}

sac_status golden_sara_gradients(golden *g)
{
    scene s = {.g = g};
    SAC_TRY(load(&s));
    SAC_TRY(reserve(&s));
    make_target(&s);
    sac_status status = run_map(&s, "relu", SAC_PHI_RELU);
    if (status == SAC_OK) status = run_map(&s, "exp", SAC_PHI_EXP);
    if (status == SAC_OK) status = run_map(&s, "square", SAC_PHI_SQUARE);
    sac_free(s.memory);
    return status;
}

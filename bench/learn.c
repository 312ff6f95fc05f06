#include <cblas.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "curves/attention.h"
#include "learn/learn.h"
#include "saccade/learn.h"

/// Rows of gradients: products of matrices beside OpenBLAS, an LSTM and a layer of a vision transformer beside PyTorch.

enum
{
    RUNS = 3
};

static void measure(bench_figure *figure, void (*run)(void *self), void *self)
{
    for (int i = 0; i < RUNS; i++) bench_keep(figure, bench_time(run, self, 0.3).best, false);
}

// Take memory for all arrays of a row, filled with uniform numbers.
typedef struct arena
{
    float *at, *end;
    void *memory;
    sac_learn l;
} arena;

static sac_status arena_create(arena *a, size_t floats)
{
    *a = (arena){.memory = sac_alloc_array(floats * sizeof(float) + SAC_LEARN_SCRATCH, 1)};
    if (!a->memory) return sac_fail_memory("arrays to measure with");
    a->l = sac_learn_create(a->memory);
    a->at = (float *)((unsigned char *)a->memory + SAC_LEARN_SCRATCH);
    a->end = a->at + floats;
    return SAC_OK;
}

static float *take(arena *a, size_t count)
{
    float *taken = a->at;
    sac_stream stream = sac_stream_create(count, 0, 0);
    a->at += (count + SAC_LANES - 1) / SAC_LANES * SAC_LANES;
    SAC_ASSERT(a->at <= a->end);
    for (size_t i = 0; i < count; i++) taken[i] = 0.1f * (float)sac_stream_uniform(&stream, -1, 1);
    return taken;
}

// --- products ---

typedef struct product
{
    arena arena;
    sac_gemm g;
} product;

static void run_gemm(void *self)
{
    product *p = self;
    p->arena.l.gemm(&p->g, p->arena.l.scratch);
}

static void run_openblas(void *self)
{
    const sac_gemm *g = &((product *)self)->g;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, g->rows, g->columns, g->inner, 1, g->a, g->inner, g->b,
                g->inner, 0, g->out, g->columns);
}

sac_status bench_gemm(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    int m, n, k;
    if (sscanf(place->row->name, "gemm-%dx%dx%d", &m, &n, &k) != 3)
        return sac_fail(SAC_ERROR_ARGUMENT, "bench: row '%s' names no sizes", place->row->name);
    product p;
    SAC_TRY(arena_create(&p.arena, (size_t)m * (size_t)k + (size_t)n * (size_t)k + (size_t)m * (size_t)n + 64));
    const float *a = take(&p.arena, (size_t)m * (size_t)k), *b = take(&p.arena, (size_t)n * (size_t)k);
    p.g = (sac_gemm){.rows = m,
                     .columns = n,
                     .inner = k,
                     .a = a,
                     .a_row = k,
                     .a_column = 1,
                     .b = b,
                     .b_row = 1,
                     .b_column = k,
                     .out = take(&p.arena, (size_t)m * (size_t)n),
                     .out_row = n};
    openblas_set_num_threads(1);
    measure(figure, run_gemm, &p);
    measure(own_peer, run_openblas, &p);
    sac_free(p.arena.memory);
    return SAC_OK;
}

// --- LSTM: 16 units, 64 sequences of 128 steps of 20 numbers, forward and backward ---

typedef struct recurrent
{
    arena arena;
    sac_lstm shape;
    sac_lstm_weights weights;
    sac_lstm_gradients gradients;
    float *x, *dx, *out, *dout, *hidden, *cell, *dhidden, *dcell, *kept, *workspace;
} recurrent;

static sac_lstm_gradients take_lstm(arena *a, const sac_lstm *s)
{
    const size_t gates = 4 * (size_t)s->hidden;
    float *ih = take(a, gates * (size_t)s->inputs), *hh = take(a, gates * (size_t)s->hidden);
    float *bias_ih = take(a, gates);
    return (sac_lstm_gradients){ih, hh, bias_ih, take(a, gates)};
}

static void run_lstm(void *self)
{
    recurrent *r = self;
    const sac_learn *l = &r->arena.l;
    const size_t state = (size_t)r->shape.sequences * (size_t)r->shape.hidden * sizeof(float);
    memset(r->hidden, 0, state), memset(r->cell, 0, state);
    memset(r->dhidden, 0, state), memset(r->dcell, 0, state);
    l->lstm_forward(l, &r->shape, r->out, r->hidden, r->cell, r->kept, r->x, NULL, &r->weights, r->workspace);
    l->lstm_backward(l, &r->shape, r->dx, r->dhidden, r->dcell, &r->gradients, r->dout, r->kept, NULL, &r->weights,
                     r->workspace);
}

sac_status bench_lstm(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    recurrent r = {.shape = {128, 64, 20, 16}};
    SAC_TRY(arena_create(&r.arena, 2 << 20));
    const size_t steps = (size_t)r.shape.steps * (size_t)r.shape.sequences, state = 64 * 16;
    const sac_lstm_gradients w = take_lstm(&r.arena, &r.shape); // the same shapes
    r.weights = (sac_lstm_weights){w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh};
    r.gradients = take_lstm(&r.arena, &r.shape);
    r.x = take(&r.arena, steps * 20), r.dx = take(&r.arena, steps * 20);
    r.out = take(&r.arena, steps * 16), r.dout = take(&r.arena, steps * 16);
    r.hidden = take(&r.arena, state), r.cell = take(&r.arena, state);
    r.dhidden = take(&r.arena, state), r.dcell = take(&r.arena, state);
    r.kept = take(&r.arena, sac_lstm_kept(&r.shape)), r.workspace = take(&r.arena, sac_lstm_workspace(&r.shape));
    measure(figure, run_lstm, &r);
    sac_free(r.arena.memory);
    return SAC_OK;
}

// --- a layer of a vision transformer, norms first: width 768, 12 heads, 3072 in between ---

enum
{
    C = 768,
    INNER = 4 * C,
    VIT_HEADS = 12
};

// a linear layer with its gradients
typedef struct dense
{
    float *weights, *bias, *dweights, *dbias;
    int inputs, outputs;
} dense;

typedef struct layer
{
    arena arena;
    int tokens;
    bool linear; // attention by a map with learned G
    sac_attend attend;
    sac_map_side map;
    sac_map_gradients dmap;
    dense joint, mix, widen, narrow;
    float *gain, *shift, *dgain, *dshift;
    float *x, *normed, *moments, *qkv, *mixed, *kept, *added, *normed2, *moments2, *inner, *curved, *out;
    float *dx, *dnormed, *dqkv, *dmixed, *dinner, *dout, *workspace;
} layer;

static dense take_dense(arena *a, int inputs, int outputs)
{
    const size_t count = (size_t)inputs * (size_t)outputs, o = (size_t)outputs;
    float *weights = take(a, count), *bias = take(a, o), *dweights = take(a, count);
    return (dense){weights, bias, dweights, take(a, o), inputs, outputs};
}

static void dense_forward(const layer *v, const dense *d, float *out, const float *x)
{
    v->arena.l.linear_forward(&v->arena.l, out, x, d->weights, d->bias, v->tokens, d->inputs, d->outputs,
                              SAC_ACTIVATION_NONE);
}

static void dense_backward(const layer *v, const dense *d, float *dx, const float *dout, const float *x)
{
    v->arena.l.linear_backward(&v->arena.l, dx, d->dweights, d->dbias, dout, x, d->weights, v->tokens, d->inputs,
                               d->outputs);
}

static void layer_forward(layer *v)
{
    const sac_learn *l = &v->arena.l;
    const size_t count = (size_t)v->tokens * C;
    const float *q = v->qkv, *k = q + C, *values = k + C;
    l->norm_forward(l, v->normed, v->moments, v->x, v->gain, v->shift, 1e-5f, v->tokens, C);
    dense_forward(v, &v->joint, v->qkv, v->normed);
    if (v->linear)
        l->attend_linear_forward(l, &v->attend, &v->map, &v->map, 1e-3f, v->mixed, v->kept, q, k, values, v->workspace);
    else
        l->attend_forward(l, &v->attend, v->mixed, v->kept, q, k, values, v->workspace);
    dense_forward(v, &v->mix, v->added, v->mixed);
    l->add(l, v->added, v->x, count);
    l->norm_forward(l, v->normed2, v->moments2, v->added, v->gain, v->shift, 1e-5f, v->tokens, C);
    dense_forward(v, &v->widen, v->inner, v->normed2);
    l->curve_forward(l, v->curved, v->inner, SAC_CURVE_GELU, 4 * count);
    dense_forward(v, &v->narrow, v->out, v->curved);
    l->add(l, v->out, v->added, count);
}

static void layer_backward(layer *v)
{
    const sac_learn *l = &v->arena.l;
    const size_t count = (size_t)v->tokens * C;
    const float *q = v->qkv, *k = q + C, *values = k + C;
    float *dq = v->dqkv, *dk = dq + C, *dvalues = dk + C;
    dense_backward(v, &v->narrow, v->dinner, v->dout, v->curved);
    l->curve_backward(l, v->dinner, v->dinner, v->inner, SAC_CURVE_GELU, 4 * count);
    dense_backward(v, &v->widen, v->dnormed, v->dinner, v->normed2);
    l->norm_backward(l, v->dx, v->dgain, v->dshift, v->dnormed, v->added, v->moments2, v->gain, v->tokens, C);
    l->add(l, v->dx, v->dout, count);
    dense_backward(v, &v->mix, v->dmixed, v->dx, v->mixed);
    if (v->linear)
        l->attend_linear_backward(l, &v->attend, &v->map, &v->map, dq, dk, dvalues, &v->dmap, &v->dmap, v->dmixed,
                                  v->mixed, v->kept, q, k, values, v->workspace);
    else
        l->attend_backward(l, &v->attend, dq, dk, dvalues, v->dmixed, v->mixed, v->kept, q, k, values, v->workspace);
    dense_backward(v, &v->joint, v->dnormed, v->dqkv, v->normed);
    l->norm_backward(l, v->dmixed, v->dgain, v->dshift, v->dnormed, v->x, v->moments, v->gain, v->tokens, C);
    l->add(l, v->dx, v->dmixed, count);
}

static void run_layer(void *self)
{
    layer_forward(self);
    layer_backward(self);
}

static void take_layer(layer *v, size_t kept, size_t workspace)
{
    arena *a = &v->arena;
    const size_t n = (size_t)v->tokens;
    v->joint = take_dense(a, C, 3 * C), v->mix = take_dense(a, C, C);
    v->widen = take_dense(a, C, INNER), v->narrow = take_dense(a, INNER, C);
    v->gain = take(a, C), v->shift = take(a, C), v->dgain = take(a, C), v->dshift = take(a, C);
    float **const wide[] = {&v->x,   &v->normed, &v->mixed,   &v->added,  &v->normed2,
                            &v->out, &v->dx,     &v->dnormed, &v->dmixed, &v->dout};
    for (int i = 0; i < 10; i++) *wide[i] = take(a, n * C);
    v->moments = take(a, 2 * n), v->moments2 = take(a, 2 * n);
    v->qkv = take(a, n * 3 * C), v->dqkv = take(a, n * 3 * C);
    v->inner = take(a, n * INNER), v->curved = take(a, n * INNER), v->dinner = take(a, n * INNER);
    v->kept = take(a, kept), v->workspace = take(a, workspace);
    v->map.matrix = take(a, 64 * 64);
    v->dmap.matrix = take(a, 64 * 64);
}

sac_status bench_vit(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    layer v = {.linear = strstr(place->row->name, "linear") != NULL};
    const char *number = strrchr(place->row->name, '-');
    if (!number || sscanf(number, "-%d", &v.tokens) != 1)
        return sac_fail(SAC_ERROR_ARGUMENT, "bench: row '%s' names no number of tokens", place->row->name);
    const int n = v.tokens, size = C / VIT_HEADS;
    v.attend = (sac_attend){VIT_HEADS, n, n, size, size, 3 * C, 3 * C, 3 * C, C, 0.125f};
    v.map = (sac_map_side){.phi = SAC_PHI_RELU, .count = size, .size = size};
    size_t kept = v.linear ? sac_attend_linear_kept(&v.attend, &v.map, &v.map) : sac_attend_kept(&v.attend);
    size_t workspace =
        v.linear ? sac_attend_linear_workspace(&v.attend, &v.map, &v.map) : sac_attend_workspace(&v.attend);
    SAC_TRY(arena_create(&v.arena, kept + workspace + (size_t)n * (29 * C) + (size_t)25 * C * C));
    take_layer(&v, kept, workspace);
    measure(figure, run_layer, &v);
    sac_free(v.arena.memory);
    return SAC_OK;
}

// --- a step of Adam of a student that looks at 192 pairs of 64 x 64 pictures ---

enum
{
    PAIRS = 192,
    FRAMES = 400,
    SIDE = 64
};

static sac_status create_student(sac_policy **out)
{
    static const float low[] = {-1, -1, -1, -1, -1, -1}, high[] = {1, 1, 1, 1, 1, 1};
    static const sac_setting settings[] = {
        {"patch", "4"},        {"stride", "0"},       {"key_size", "8"},           {"value_size", "6"},
        {"rows", "10"},        {"attention", "relu"}, {"attention_features", "0"}, {"motion", "true"},
        {"controller", "mlp"}, {"hidden", "48"},
    };
    const sac_policy_def def = {.kind = "iap-trans",
                                .settings = settings,
                                .setting_count = sizeof settings / sizeof *settings,
                                .height = SIDE,
                                .width = SIDE,
                                .channels = 3,
                                .action_size = 6,
                                .action_low = low,
                                .action_high = high};
    sac_policy *shape;
    SAC_TRY(sac_policy_create(&shape, &def));
    return bench_draw_policy(out, shape);
}

typedef struct pupil
{
    sac_fit *fit;
    sac_examples examples;
    sac_status status;
} pupil;

static void run_student(void *self)
{
    pupil *p = self;
    if (p->status == SAC_OK) p->status = sac_fit_run(p->fit, &p->examples, 1, NULL);
}

sac_status bench_student(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    sac_policy *policy = NULL;
    const size_t size = (size_t)SIDE * SIDE * 3;
    uint8_t *frames = sac_alloc(FRAMES * size);
    float *actions = SAC_NEW_ARRAY(float, FRAMES * 6);
    pupil p = {.examples = {.count = FRAMES, .observations = frames, .actions = actions}};
    sac_fit_def def = sac_fit_default_def();
    sac_stream stream = sac_stream_create(1, 0, 0);
    def.batch = PAIRS;
    p.status = frames && actions ? create_student(&policy) : sac_fail_memory("pictures");
    for (size_t i = 0; p.status == SAC_OK && i < FRAMES * size; i++)
        frames[i] = (uint8_t)sac_stream_below(&stream, 256);
    for (size_t i = 0; p.status == SAC_OK && i < FRAMES * 6; i++)
        actions[i] = (float)sac_stream_uniform(&stream, -1, 1);
    if (p.status == SAC_OK) p.status = sac_fit_create(&p.fit, policy, &def);
    measure(figure, run_student, &p);
    sac_fit_destroy(p.fit);
    sac_policy_destroy(policy);
    sac_free(frames);
    sac_free(actions);
    return p.status;
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "kernels/kernels.h"
#include "saccade/attention.h"

// SARA's three maps with a learned G for each side and v, their outputs, the softmax that they are trained towards, and
// a navigation policy's scores

enum
{
    MAX_TOKENS = 256,
    MAX_SIZE = 64,
    TOP = 3
};

typedef struct side
{
    float tokens[MAX_SIZE * MAX_TOKENS], projected[MAX_SIZE * MAX_TOKENS]; // planar
    int count;
} side;

typedef struct scene
{
    side queries, keys;
    float values[MAX_SIZE * MAX_TOKENS], out[MAX_SIZE * MAX_TOKENS];
    int d, m, value_size;
    const float *query_projection, *key_projection, *gains;
    double epsilon;
} scene;

static sac_status attend(golden *g, scene *s, const char *name, const sac_attention_def *def, const float *queries,
                         const float *keys)
{
    sac_status status = SAC_OK;
    sac_attention *a;
    SAC_TRY(sac_attention_create(&a, def));
    int most = s->queries.count > s->keys.count ? s->queries.count : s->keys.count;
    void *workspace = aligned_alloc(64, sac_attention_output_workspace_size(a, most, s->value_size) / 64 * 64 + 64);
    float *out = golden_output(g, &status, name, SAC_F32, 2, (const int64_t[]){s->queries.count, s->value_size});
    if (out && workspace)
    {
        sac_attention_output(a, s->out, s->queries.count, queries, s->queries.count, s->queries.count, keys, s->values,
                             s->keys.count, s->keys.count, s->value_size, workspace);
        golden_transpose(out, s->out, s->value_size, s->queries.count);
    }
    free(workspace);
    sac_attention_destroy(a);
    return status;
}

static sac_status run_map(golden *g, scene *s, const char *form, const char *features_name, const char *output_name)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = s->d;
    def.feature_count = s->m;
    def.projection = s->query_projection;
    def.key_projection = s->key_projection;
    def.feature_gains = s->gains;
    def.epsilon = s->epsilon;
    sac_status status = SAC_OK;
    sac_attention *a;
    SAC_TRY(sac_attention_create(&a, &def));
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(a, MAX_TOKENS) / 64 * 64 + 64);
    float *out = golden_output(g, &status, features_name, SAC_F32, 2, (const int64_t[]){s->queries.count, s->m});
    if (out && workspace)
    {
        sac_attention_features(a, SAC_QUERIES, s->out, s->queries.count, s->queries.tokens, s->queries.count,
                               s->queries.count, workspace);
        golden_transpose(out, s->out, s->m, s->queries.count);
    }
    free(workspace);
    sac_attention_destroy(a);
    SAC_TRY(status);
    return attend(g, s, output_name, &def, s->queries.tokens, s->keys.tokens);
}

// rows of softmax over the tokens themselves, and the three largest weights of the first alone
static sac_status run_navigation(golden *g, scene *s)
{
    sac_status status = SAC_OK;
    sac_attention_def def = sac_attention_default_def();
    def.key_size = s->d;
    def.scale = 1;
    int n = s->keys.count;
    float *scores = golden_output(g, &status, "nav_scores", SAC_F32, 2, (const int64_t[]){s->queries.count, n});
    float *kept = golden_output(g, &status, "nav_top3_row0", SAC_F32, 1, (const int64_t[]){n});
    SAC_TRY(status);
    if (s->queries.count > n || n < TOP) return sac_fail(SAC_ERROR_FORMAT, "Xk: expected no fewer tokens than in Xq");
    // rows as far apart as the keys'
    for (int d = 0; d < s->d; d++)
        memcpy(s->out + d * n, s->queries.tokens + d * s->queries.count, (size_t)s->queries.count * sizeof(float));

    sac_attention *a;
    SAC_TRY(sac_attention_create(&a, &def));
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(a, n) / 64 * 64 + 64);
    for (int i = 0; workspace && i < s->queries.count; i++)
        sac_attention_row(a, scores + i * n, i, s->out, s->keys.tokens, n, n, workspace);
    free(workspace);
    int top[TOP];
    sac_attention_top(a, top, TOP, scores, n);
    sac_attention_destroy(a);
    float sum = 0;
    for (int i = 0; i < TOP; i++) sum += scores[top[i]];
    for (int i = 0; i < TOP; i++) kept[top[i]] = scores[top[i]] / sum;
    return SAC_OK;
}

static void load_side(side *out, const sac_tensor *rows, const float *weights, int size)
{
    sac_kernels kernels = sac_kernels_create(sac_get_cpu_level());
    out->count = (int)rows->shape[0];
    golden_transpose(out->tokens, rows->data, out->count, size);
    kernels.mix(out->projected, out->count, weights, size, size, out->tokens, size, out->count, out->count);
}

static sac_status load(golden *g, scene *s)
{
    sac_status status = SAC_OK;
    const sac_tensor *xq, *xk, *v, *gq;
    golden_input(g, &status, "Xq", 2, (const int64_t[]){-1, -1}, &xq);
    SAC_TRY(status);
    int64_t d = xq->shape[1];
    golden_input(g, &status, "Xk", 2, (const int64_t[]){-1, d}, &xk);
    SAC_TRY(status);
    golden_input(g, &status, "V", 2, (const int64_t[]){xk->shape[0], -1}, &v);
    const float *wq = golden_input(g, &status, "WQ", 2, (const int64_t[]){d, d}, NULL);
    const float *wk = golden_input(g, &status, "WK", 2, (const int64_t[]){d, d}, NULL);
    s->query_projection = golden_input(g, &status, "GQ", 2, (const int64_t[]){-1, d}, &gq);
    SAC_TRY(status);
    s->key_projection = golden_input(g, &status, "GK", 2, gq->shape, NULL);
    s->gains = golden_input(g, &status, "v", 1, gq->shape, NULL);
    SAC_TRY(status);
    SAC_TRY(golden_number(g, "eps", &s->epsilon));
    if (xq->shape[0] > MAX_TOKENS || xk->shape[0] > MAX_TOKENS || d > MAX_SIZE || gq->shape[0] > MAX_SIZE ||
        v->shape[1] > MAX_SIZE)
        return sac_fail(SAC_ERROR_FORMAT, "expected at most %d tokens of %d numbers", MAX_TOKENS, MAX_SIZE);
    s->d = (int)d, s->m = (int)gq->shape[0], s->value_size = (int)v->shape[1];
    load_side(&s->queries, xq, wq, s->d);
    load_side(&s->keys, xk, wk, s->d);
    golden_transpose(s->values, v->data, v->shape[0], v->shape[1]);
    return SAC_OK;
}

static sac_status run(golden *g)
{
    static scene s;
    SAC_TRY(load(g, &s));
    SAC_TRY(run_map(g, &s, "sara-relu", "phi_relu_q", "relu_out"));
    SAC_TRY(run_map(g, &s, "sara-exp", "phi_exp_q", "exp_out"));
    SAC_TRY(run_map(g, &s, "sara-square", "phi_square_q", "square_out"));
    SAC_TRY(run_navigation(g, &s));
    return golden_sara_gradients(g);
}

const golden_family golden_sara = {"sara", run};

#include <math.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/attention.h"
#include "saccade/multi_head.h"
#include "saccade/words.h"

// SARA's three maps with a learned G for each side and v, their outputs, the softmax that they are trained towards, and
// a navigation policy's scores. Tokens by row in the file are planar here.

typedef struct side
{
    float *tokens, *projected; // [d, count], [p, count]
    int count;
} side;

typedef struct scene
{
    golden *g;
    side queries, keys;
    float *values;           // [value_size, keys]
    int d, p, m, value_size; // p: numbers that WQ and WK make of a token's d
    const float *query_projection, *key_projection, *gains;
    double epsilon;
} scene;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// one form's output [queries, value_size] under a name
static sac_status attend(const scene *s, const char *name, const sac_attention_def *def, const float *queries,
                         const float *keys)
{
    golden *g = s->g;
    int m = s->queries.count, n = s->keys.count, v = s->value_size;
    sac_status status = SAC_OK;
    sac_attention *a;
    SAC_TRY(sac_attention_create(&a, def));
    void *workspace = golden_scratch(g, &status, sac_attention_output_workspace_size(a, larger(m, n), v), 1);
    float *planar = golden_scratch(g, &status, (size_t)v * (size_t)m, sizeof *planar);
    float *out = golden_output(g, &status, name, SAC_F32, 2, (const int64_t[]){m, v});
    if (status == SAC_OK)
    {
        sac_attention_output(a, planar, m, queries, m, m, keys, s->values, n, n, v, workspace);
        golden_transpose(out, planar, v, m);
    }
    sac_attention_destroy(a);
    return status;
}

static sac_status run_map(const scene *s, const char *form, const char *features_name, const char *output_name)
{
    golden *g = s->g;
    int n = s->queries.count;
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
    void *workspace = golden_scratch(g, &status, sac_attention_workspace_size(a, n), 1);
    float *planar = golden_scratch(g, &status, (size_t)s->m * (size_t)n, sizeof *planar);
    float *out = golden_output(g, &status, features_name, SAC_F32, 2, (const int64_t[]){n, s->m});
    if (status == SAC_OK)
    {
        sac_attention_features(a, SAC_QUERIES, planar, n, s->queries.tokens, n, n, workspace);
        golden_transpose(out, planar, s->m, n);
    }
    sac_attention_destroy(a);
    SAC_TRY(status);
    return attend(s, output_name, &def, s->queries.tokens, s->keys.tokens);
}

// softmax of WQ x and WK y, its scale 1/sqrt(m)
static sac_status run_target(const scene *s)
{
    sac_attention_def def = sac_attention_default_def();
    def.key_size = s->p;
    def.scale = 1 / sqrt((double)s->m);
    return attend(s, "target_softmax", &def, s->queries.projected, s->keys.projected);
}

// rows of softmax over the tokens themselves, and the three largest weights of the first alone
static void to_rows(float *rows, const side *from, int size)
{
    for (int i = 0; i < from->count; i++)
        for (int d = 0; d < size; d++) rows[i * size + d] = from->tokens[d * from->count + i];
}

static sac_status run_navigation(const scene *s)
{
    golden *g = s->g;
    int m = s->queries.count, n = s->keys.count, top[3], kept_count = n < 3 ? n : 3;
    float shares[3];
    sac_status status = SAC_OK;
    float *scores = golden_output(g, &status, "nav_scores", SAC_F32, 2, (const int64_t[]){m, n});
    float *kept = golden_output(g, &status, "nav_top3_row0", SAC_F32, 1, (const int64_t[]){n});
    float *queries = golden_scratch(g, &status, (size_t)s->d * (size_t)m, sizeof *queries);
    float *keys = golden_scratch(g, &status, (size_t)s->d * (size_t)n, sizeof *keys);
    SAC_TRY(status);
    to_rows(queries, &s->queries, s->d);
    to_rows(keys, &s->keys, s->d);
    sac_words_def def = sac_words_default_def();
    def.size = s->d;
    sac_words *words;
    SAC_TRY(sac_words_create(&words, &def));
    void *workspace = golden_scratch(g, &status, sac_words_workspace_size(words, n), 1);
    for (int i = 0; status == SAC_OK && i < m; i++)
        sac_words_score(words, scores + (ptrdiff_t)i * n, queries + (ptrdiff_t)i * s->d, keys, n, workspace);
    sac_words_destroy(words);
    SAC_TRY(status);
    sac_words_keep(top, shares, kept_count, scores, n);
    for (int i = 0; i < kept_count; i++) kept[top[i]] = shares[i];
    return SAC_OK;
}

static sac_status load_side(scene *s, side *out, const float *rows, int count, const float *weights)
{
    sac_status status = SAC_OK;
    size_t n = (size_t)count;
    out->count = count;
    out->tokens = golden_scratch(s->g, &status, (size_t)s->d * n, sizeof(float));
    out->projected = golden_scratch(s->g, &status, (size_t)s->p * n, sizeof(float));
    SAC_TRY(status);
    golden_transpose(out->tokens, rows, count, s->d);
    sac_linear(out->projected, count, weights, NULL, s->p, out->tokens, s->d, count, count);
    return SAC_OK;
}

static sac_status load(scene *s)
{
    golden *g = s->g;
    sac_status status = SAC_OK;
    const int64_t any[] = {GOLDEN_ANY, GOLDEN_ANY};
    const sac_tensor *xq, *xk, *v, *w, *matrix;
    const float *query_rows = golden_input(g, &status, "Xq", 2, any, &xq);
    SAC_TRY(status);
    const int64_t rows[] = {GOLDEN_ANY, xq->shape[1]};
    const float *key_rows = golden_input(g, &status, "Xk", 2, rows, &xk);
    const float *wq = golden_input(g, &status, "WQ", 2, rows, &w);
    s->query_projection = golden_input(g, &status, "GQ", 2, rows, &matrix);
    SAC_TRY(status);
    const float *value_rows = golden_input(g, &status, "V", 2, (const int64_t[]){xk->shape[0], GOLDEN_ANY}, &v);
    const float *wk = golden_input(g, &status, "WK", 2, w->shape, NULL);
    s->key_projection = golden_input(g, &status, "GK", 2, matrix->shape, NULL);
    s->gains = golden_input(g, &status, "v", 1, matrix->shape, NULL);
    SAC_TRY(status);
    SAC_TRY(golden_number(g, "eps", &s->epsilon));
    s->d = (int)xq->shape[1], s->p = (int)w->shape[0], s->m = (int)matrix->shape[0], s->value_size = (int)v->shape[1];
    SAC_TRY(load_side(s, &s->queries, query_rows, (int)xq->shape[0], wq));
    SAC_TRY(load_side(s, &s->keys, key_rows, (int)xk->shape[0], wk));
    s->values = golden_scratch(g, &status, sac_tensor_count(v), sizeof(float));
    if (s->values) golden_transpose(s->values, value_rows, v->shape[0], v->shape[1]);
    return status;
}

static sac_status run(golden *g)
{
    scene s = {.g = g};
    SAC_TRY(load(&s));
    SAC_TRY(run_map(&s, "sara-relu", "phi_relu_q", "relu_out"));
    SAC_TRY(run_map(&s, "sara-exp", "phi_exp_q", "exp_out"));
    SAC_TRY(run_map(&s, "sara-square", "phi_square_q", "square_out"));
    SAC_TRY(run_target(&s));
    SAC_TRY(run_navigation(&s));
    return golden_sara_gradients(g);
}

const golden_family golden_sara = {"sara", run};

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "golden.h"

// every linear form: features of both sides, importance, outputs, random matrices

enum
{
    MAX_ARRAYS = 16
};

typedef struct scene
{
    golden *g;
    int n, d, m, r, value_size;
    bool normalize;
    float *matrix;                  // W [m, d]
    const float *directions;        // Xi [r, d]
    float *queries, *keys, *values; // planar
    void *arrays[MAX_ARRAYS];       // freed at the end
    int array_count;
    sac_status status;
} scene;

static void *take(scene *s, size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!memory) abort();
    return s->arrays[s->array_count++] = memory;
}

static sac_attention_def def_of(const scene *s, const char *form)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = s->d;
    def.feature_count = s->m;
    def.projection = s->matrix;
    def.direction_count = s->r;
    def.directions = s->directions;
    def.normalize = s->normalize;
    return def;
}

// relu acts on the raw tokens
static sac_attention_def raw_def_of(const scene *s, const char *form)
{
    sac_attention_def def = def_of(s, form);
    def.feature_count = 0;
    def.projection = NULL;
    def.normalize = false;
    return def;
}

static float *output(scene *s, const char *name, int64_t rows, int64_t columns)
{
    return golden_output(s->g, &s->status, name, SAC_F32, columns ? 2 : 1, (const int64_t[]){rows, columns});
}

static void write_features(scene *s, const char *name, const sac_attention *a, sac_attention_side side)
{
    int f = sac_attention_feature_size(a);
    float *out = output(s, name, s->n, f), *planar = malloc((size_t)(s->n * f) * sizeof *planar);
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(a, s->n) / 64 * 64 + 64);
    if (out && planar && workspace)
    {
        const float *x = side == SAC_QUERIES ? s->queries : s->keys;
        sac_attention_features(a, side, planar, s->n, x, s->n, s->n, workspace);
        golden_transpose(out, planar, f, s->n);
    }
    free(planar);
    free(workspace);
}

static void write_importance(scene *s, const char *name, const sac_attention_def *def)
{
    sac_attention *a;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, def);
    if (s->status != SAC_OK) return;
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(a, s->n) / 64 * 64 + 64);
    float *out = output(s, name, s->n, 0);
    if (out && workspace) sac_attention_importance(a, out, s->queries, s->keys, s->n, s->n, workspace);
    free(workspace);
    sac_attention_destroy(a);
}

static void write_output(scene *s, const char *name, sac_attention_def def, bool divide, double epsilon)
{
    sac_attention *a;
    def.divide = divide;
    def.epsilon = epsilon;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, &def);
    if (s->status != SAC_OK) return;
    int v = s->value_size;
    float *out = output(s, name, s->n, v), *planar = malloc((size_t)(s->n * v) * sizeof *planar);
    void *workspace = aligned_alloc(64, sac_attention_output_workspace_size(a, s->n, v) / 64 * 64 + 64);
    if (out && planar && workspace)
    {
        sac_attention_output(a, planar, s->n, s->queries, s->n, s->n, s->keys, s->values, s->n, s->n, v, workspace);
        golden_transpose(out, planar, v, s->n);
    }
    free(planar);
    free(workspace);
    sac_attention_destroy(a);
}

// phi of both sides, importance and undivided output of a form, under the reference's short name
static void write_form(scene *s, const char *names[4], const sac_attention_def *def)
{
    sac_attention *a;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, def);
    if (s->status != SAC_OK) return;
    write_features(s, names[0], a, SAC_QUERIES);
    write_features(s, names[1], a, SAC_KEYS);
    sac_attention_destroy(a);
    write_importance(s, names[2], def);
    write_output(s, names[3], *def, false, 0);
}

static void write_forms(scene *s)
{
    sac_attention_def relu = raw_def_of(s, "relu"), positive = def_of(s, "positive");
    sac_attention_def trig = def_of(s, "trig"), hybrid = def_of(s, "hybrid");
    write_form(s, (const char *[]){"phi_relu_q", "phi_relu_k", "r_relu", "att_relu_unnorm"}, &relu);
    write_form(s, (const char *[]){"phi_exp_q", "phi_exp_k", "r_exp", "att_exp_unnorm"}, &positive);
    write_form(s, (const char *[]){"phi_trig_q", "phi_trig_k", "r_trig", "att_trig_unnorm"}, &trig);
    write_form(s, (const char *[]){"phi_hyb_q", "phi_hyb_k", "r_hyb", "att_hyb_unnorm"}, &hybrid);
    write_output(s, "att_exp_rownorm", positive, true, 0);
    write_output(s, "att_relu_rownorm_eps1e-6", relu, true, 1e-6);
}

// the exact form, divided and as the kernel that the random maps estimate
static void write_softmax(scene *s)
{
    sac_attention_def def = def_of(s, "softmax");
    def.projection = NULL, def.directions = NULL;
    if (!s->normalize)
    {
        write_importance(s, "importance_softmax", &def);
        write_output(s, "att_softmax", def, true, 0);
    }
    def.divide = false;
    write_importance(s, "r_brute", &def);
    write_output(s, "att_brute_unnorm", def, false, 0);
    sac_attention *a;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, &def);
    if (s->status != SAC_OK) return;
    float *out = output(s, "A_brute_row0", s->n, 0);
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(a, s->n) / 64 * 64 + 64);
    if (out && workspace) sac_attention_row(a, out, 0, s->queries, s->keys, s->n, s->n, workspace);
    free(workspace);
    sac_attention_destroy(a);
}

// the tokens as the maps see them: the positive parts of x and of -x
static void write_tokens(scene *s, const char *name, const float *x)
{
    sac_attention_def def = raw_def_of(s, "sara-relu");
    def.scale = s->normalize ? sqrt(s->d) : 1 / sqrt(s->d);
    def.normalize = s->normalize;
    sac_attention *a;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, &def);
    if (s->status != SAC_OK) return;
    int count = s->n * s->d;
    float *planar = malloc((size_t)count * 3 * sizeof *planar), *minus = planar + count, *negative = minus + count;
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(a, s->n) / 64 * 64 + 64);
    float *out = output(s, name, s->n, s->d);
    if (planar && workspace && out)
    {
        for (int i = 0; i < count; i++) minus[i] = -x[i];
        sac_attention_features(a, SAC_QUERIES, planar, s->n, x, s->n, s->n, workspace);
        sac_attention_features(a, SAC_QUERIES, negative, s->n, minus, s->n, s->n, workspace);
        for (int i = 0; i < count; i++) planar[i] -= negative[i];
        golden_transpose(out, planar, s->d, s->n);
    }
    free(planar);
    free(workspace);
    sac_attention_destroy(a);
}

// W from the Gaussian numbers that the file gives
static sac_status write_matrix(scene *s, const sac_tensor *blocks, const float *source)
{
    double *directions = take(s, sac_tensor_count(blocks) * sizeof *directions);
    double *lengths = take(s, (size_t)(s->m * s->d) * sizeof *lengths);
    s->matrix = take(s, (size_t)(s->m * s->d) * sizeof(float));
    for (size_t i = 0; i < sac_tensor_count(blocks); i++) directions[i] = (double)((const float *)blocks->data)[i];
    for (int i = 0; i < s->m * s->d; i++) lengths[i] = (double)source[i];
    sac_orthogonal_features(s->matrix, directions, lengths, s->m, s->d);
    float *out = output(s, "W", s->m, s->d);
    if (out) memcpy(out, s->matrix, (size_t)(s->m * s->d) * sizeof *out);
    return s->status;
}

static float *planar(scene *s, const sac_tensor *rows)
{
    float *out = take(s, sac_tensor_count(rows) * sizeof *out);
    golden_transpose(out, rows->data, rows->shape[0], rows->shape[1]);
    return out;
}

static sac_status run_scene(scene *s)
{
    golden *g = s->g;
    const sac_tensor *q, *k, *v, *blocks, *source, *directions;
    sac_status *status = &s->status;
    golden_input(g, status, "Q", 2, (const int64_t[]){-1, -1}, &q);
    if (*status != SAC_OK) return *status;
    golden_input(g, status, "K", 2, q->shape, &k);
    golden_input(g, status, "V", 2, (const int64_t[]){q->shape[0], -1}, &v);
    golden_input(g, status, "G_blocks", 3, (const int64_t[]){-1, q->shape[1], q->shape[1]}, &blocks);
    golden_input(g, status, "norm_src", 2, (const int64_t[]){-1, q->shape[1]}, &source);
    golden_input(g, status, "Xi", 2, (const int64_t[]){-1, q->shape[1]}, &directions);
    int mode = 0;
    if (*status == SAC_OK) *status = golden_integers(g, "mode", 1, &mode);
    if (*status != SAC_OK) return *status;
    s->n = (int)q->shape[0], s->d = (int)q->shape[1], s->m = (int)source->shape[0];
    s->r = (int)directions->shape[0], s->value_size = (int)v->shape[1];
    s->normalize = mode == 1;
    s->directions = directions->data;
    s->queries = planar(s, q), s->keys = planar(s, k), s->values = planar(s, v);
    SAC_TRY(write_matrix(s, blocks, source->data));
    write_tokens(s, "q", s->queries);
    write_tokens(s, "k", s->keys);
    write_forms(s);
    write_softmax(s);
    return s->status;
}

static sac_status run(golden *g)
{
    scene s = {.g = g};
    sac_status status = run_scene(&s);
    for (int i = 0; i < s.array_count; i++) free(s.arrays[i]);
    return status;
}

const golden_family golden_features = {"features", run};

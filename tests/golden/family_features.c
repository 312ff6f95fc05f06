#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "golden.h"

// every linear form: features of both sides, importance, outputs, random matrices

typedef struct scene
{
    golden *g;
    int n, d, m, r, value_size;
    bool normalise;
    float *matrix;                  // W [m, d]
    const float *directions;        // Xi [r, d]
    float *queries, *keys, *values; // planar
    sac_status status;
} scene;

static void *take(scene *s, size_t count, size_t size)
{
    return golden_scratch(s->g, &s->status, count, size);
}

static float *floats(scene *s, int rows, int columns)
{
    return take(s, (size_t)rows * (size_t)columns, sizeof(float));
}

static void *workspace_for(scene *s, const sac_attention *a)
{
    return take(s, sac_attention_workspace_size(a, s->n), 1);
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
    def.normalise = s->normalise;
    return def;
}

// relu acts on the raw tokens
static sac_attention_def raw_def_of(const scene *s, const char *form)
{
    sac_attention_def def = def_of(s, form);
    def.feature_count = 0;
    def.projection = NULL;
    def.normalise = false;
    return def;
}

static float *output(scene *s, const char *name, int64_t rows, int64_t columns)
{
    return golden_output(s->g, &s->status, name, SAC_F32, columns ? 2 : 1, (const int64_t[]){rows, columns});
}

static void write_features(scene *s, const char *name, const sac_attention *a, sac_attention_side side)
{
    int f = sac_attention_feature_size(a);
    float *out = output(s, name, s->n, f), *planar = floats(s, s->n, f);
    void *workspace = workspace_for(s, a);
    if (s->status == SAC_OK)
    {
        const float *x = side == SAC_QUERIES ? s->queries : s->keys;
        sac_attention_features(a, side, planar, s->n, x, s->n, s->n, workspace);
        golden_transpose(out, planar, f, s->n);
    }
}

static void write_importance(scene *s, const char *name, const sac_attention_def *def)
{
    sac_attention *a;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, def);
    if (s->status != SAC_OK) return;
    void *workspace = workspace_for(s, a);
    float *out = output(s, name, s->n, 0);
    if (s->status == SAC_OK) sac_attention_importance(a, out, s->queries, s->keys, s->n, s->n, workspace);
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
    float *out = output(s, name, s->n, v), *planar = floats(s, s->n, v);
    void *workspace = take(s, sac_attention_output_workspace_size(a, s->n, v), 1);
    if (s->status == SAC_OK)
    {
        sac_attention_output(a, planar, s->n, s->queries, s->n, s->n, s->keys, s->values, s->n, s->n, v, workspace);
        golden_transpose(out, planar, v, s->n);
    }
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
    if (!s->normalise)
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
    void *workspace = workspace_for(s, a);
    if (s->status == SAC_OK) sac_attention_row(a, out, 0, s->queries, s->keys, s->n, s->n, workspace);
    sac_attention_destroy(a);
}

// the tokens as the maps see them: the positive parts of x and of -x
static void write_tokens(scene *s, const char *name, const float *x)
{
    sac_attention_def def = raw_def_of(s, "sara-relu");
    def.scale = s->normalise ? sqrt(s->d) : 1 / sqrt(s->d);
    def.normalise = s->normalise;
    sac_attention *a;
    if (s->status == SAC_OK) s->status = sac_attention_create(&a, &def);
    if (s->status != SAC_OK) return;
    int count = s->n * s->d;
    float *positive = floats(s, s->d, s->n), *negative = floats(s, s->d, s->n), *minus = floats(s, s->d, s->n);
    void *workspace = workspace_for(s, a);
    float *out = output(s, name, s->n, s->d);
    if (s->status == SAC_OK)
    {
        for (int i = 0; i < count; i++) minus[i] = -x[i];
        sac_attention_features(a, SAC_QUERIES, positive, s->n, x, s->n, s->n, workspace);
        sac_attention_features(a, SAC_QUERIES, negative, s->n, minus, s->n, s->n, workspace);
        for (int i = 0; i < count; i++) positive[i] -= negative[i];
        golden_transpose(out, positive, s->d, s->n);
    }
    sac_attention_destroy(a);
}

// W from the Gaussian numbers that the file gives
static void write_matrix(scene *s, const double *blocks, size_t block_count, const double *lengths)
{
    size_t size = (size_t)s->m * (size_t)s->d;
    double *directions = take(s, block_count, sizeof *directions); // orthonormalised in place
    s->matrix = take(s, size, sizeof *s->matrix);
    float *out = output(s, "W", s->m, s->d);
    if (s->status != SAC_OK) return;
    memcpy(directions, blocks, block_count * sizeof *directions);
    sac_orthogonal_features(s->matrix, directions, lengths, s->m, s->d);
    memcpy(out, s->matrix, size * sizeof *out);
}

static float *planar(scene *s, const float *rows, int count, int size)
{
    float *out = floats(s, size, count);
    if (out) golden_transpose(out, rows, count, size);
    return out;
}

static sac_status run(golden *g)
{
    scene s = {.g = g};
    sac_status *status = &s.status;
    const int64_t any[] = {GOLDEN_ANY, GOLDEN_ANY};
    const sac_tensor *q, *v, *blocks, *source, *directions;
    const float *queries = golden_input(g, status, "Q", 2, any, &q);
    SAC_TRY(*status);
    const int64_t n = q->shape[0], d = q->shape[1], rows[] = {GOLDEN_ANY, d}, squares[] = {GOLDEN_ANY, d, d};
    const float *keys = golden_input(g, status, "K", 2, q->shape, NULL);
    const float *values = golden_input(g, status, "V", 2, (const int64_t[]){n, GOLDEN_ANY}, &v);
    const double *gaussian = golden_doubles(g, status, "G_blocks", 3, squares, &blocks);
    const double *lengths = golden_doubles(g, status, "norm_src", 2, rows, &source);
    s.directions = golden_input(g, status, "Xi", 2, rows, &directions);
    double mode = 0;
    SAC_TRY(*status);
    SAC_TRY(golden_number(g, "mode", &mode));
    s.n = (int)n, s.d = (int)d, s.m = (int)source->shape[0];
    s.r = (int)directions->shape[0], s.value_size = (int)v->shape[1];
    s.normalise = mode > 0;
    if (blocks->shape[0] * d < s.m)
        return sac_fail(SAC_ERROR_FORMAT, "G_blocks holds %d rows, fewer than the %d of norm_src",
                        (int)(blocks->shape[0] * d), s.m);
    s.queries = planar(&s, queries, s.n, s.d), s.keys = planar(&s, keys, s.n, s.d);
    s.values = planar(&s, values, s.n, s.value_size);
    write_matrix(&s, gaussian, sac_tensor_count(blocks), lengths);
    SAC_TRY(s.status);
    write_tokens(&s, "q", s.queries);
    write_tokens(&s, "k", s.keys);
    write_forms(&s);
    write_softmax(&s);
    return s.status;
}

const golden_family golden_features = {"features", run};

#include "saccade/attention.h"

#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static const sac_attention_form *const forms[] = {
    &sac_attention_softmax,
    &sac_attention_relu,
    &sac_attention_positive,
};

enum
{
    FORM_COUNT = sizeof forms / sizeof *forms,
    COOKIE = 0x5acade,
    MAX_SIZE = 256,
    MAX_FEATURES = 4096
};

const char *sac_attention_form_at(int index, const char **summary)
{
    if (index < 0 || index >= FORM_COUNT) return NULL;
    if (summary) *summary = forms[index]->summary;
    return forms[index]->name;
}

static const char *name_at(const void *user, int index)
{
    (void)user;
    return sac_attention_form_at(index, NULL);
}

static const sac_attention_form *find(const char *name)
{
    for (int i = 0; i < FORM_COUNT; i++)
        if (strcmp(forms[i]->name, name) == 0) return forms[i];
    return NULL;
}

sac_attention_def sac_attention_default_def(void)
{
    return (sac_attention_def){
        .form = "softmax", .feature_count = 16, .orthogonal = true, .seed = 1, .internal = COOKIE};
}

static sac_status check(const sac_attention_def *def, const sac_attention_form *form)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: the def does not come from sac_attention_default_def()");
    if (!form)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: unknown form '%.80s'%s", def->form ? def->form : "",
                        sac_did_you_mean(def->form ? sac_nearest(def->form, name_at, NULL) : NULL));
    if (def->key_size < 1 || def->key_size > MAX_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: key_size is %d, expected 1 to %d", def->key_size, MAX_SIZE);
    int fewest = form->has_features && !form->allows_identity ? 1 : 0;
    if (def->feature_count < fewest || def->feature_count > MAX_FEATURES)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: feature_count is %d, expected %d to %d", def->feature_count,
                        fewest, MAX_FEATURES);
    if (def->projection && def->feature_count == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: a projection is given, but feature_count is 0");
    if (!(def->scale >= 0 && def->scale < INFINITY))
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: scale is %g, expected a positive number, or 0 for the default",
                        def->scale);
    return SAC_OK;
}

// W times the factors that the form folds into it
static sac_status make_features(sac_attention *a, const sac_attention_def *def)
{
    int size = a->key_size, count = def->feature_count;
    a->features = (sac_features){.count = count > 0 ? count : size, .size = size};
    if (count > 0)
    {
        float *matrix = SAC_NEW_ARRAY(float, (size_t)count *(size_t)size);
        if (!matrix) return sac_fail_memory("the features of an attention");
        a->features.matrix = matrix;
        if (def->projection)
            memcpy(matrix, def->projection, (size_t)count * (size_t)size * sizeof(float));
        else
            SAC_TRY(sac_draw_features(matrix, count, size, def->orthogonal, def->seed));
        double factor = a->form->matrix_factor ? a->form->matrix_factor(a->scale) : 1;
        for (int i = 0; i < count * size; i++) matrix[i] = (float)(matrix[i] * factor);
    }
    if (a->form->square_factor) a->features.square = (float)a->form->square_factor(a->scale);
    return SAC_OK;
}

sac_status sac_attention_create(sac_attention **out, const sac_attention_def *def)
{
    *out = NULL;
    const sac_attention_form *form = def->form ? find(def->form) : NULL;
    SAC_TRY(check(def, form));
    sac_attention *a = SAC_NEW(sac_attention);
    if (!a) return sac_fail_memory("an attention");
    double natural = def->normalize ? sqrt(def->key_size) : 1 / sqrt(def->key_size);
    *a = (sac_attention){.form = form,
                         .kernels = sac_kernels_create(sac_get_cpu_level()),
                         .key_size = def->key_size,
                         .scale = def->scale > 0             ? def->scale
                                  : form->fallback_scale > 0 ? form->fallback_scale
                                                             : natural,
                         .normalize = def->normalize};
    sac_status status = form->has_features ? make_features(a, def) : SAC_OK;
    if (status != SAC_OK)
    {
        sac_attention_destroy(a);
        return status;
    }
    *out = a;
    return SAC_OK;
}

void sac_attention_destroy(sac_attention *attention)
{
    if (!attention) return;
    sac_free((void *)attention->features.matrix);
    sac_free(attention);
}

// queries and keys, normalised
static size_t normalized_size(const sac_attention *a, int n)
{
    return a->normalize ? 2 * (size_t)a->key_size * (size_t)sac_round_up(n) * sizeof(float) : 0;
}

size_t sac_attention_workspace_size(const sac_attention *attention, int token_count)
{
    SAC_ASSERT(token_count >= 0);
    return normalized_size(attention, token_count) + attention->form->workspace_size(attention, token_count) + 64;
}

static void normalize(float *out, int out_stride, const float *x, int size, int n, int stride)
{
    for (int i = 0; i < n; i++)
    {
        float norm = 0;
        for (int d = 0; d < size; d++) norm += x[d * stride + i] * x[d * stride + i];
        norm = norm == 0 ? 1 : sqrtf(norm);
        for (int d = 0; d < size; d++) out[d * out_stride + i] = x[d * stride + i] / norm;
    }
}

// the workspace past the normalised tokens, which replace the given ones
static unsigned char *prepare(const sac_attention *a, const float **queries, const float **keys, int n, int *stride,
                              void *workspace)
{
    unsigned char *rest = workspace;
    if (!a->normalize) return rest;
    int own = sac_round_up(n);
    float *q = sac_take(&rest, (size_t)a->key_size * (size_t)own, sizeof(float));
    float *k = sac_take(&rest, (size_t)a->key_size * (size_t)own, sizeof(float));
    normalize(q, own, *queries, a->key_size, n, *stride);
    normalize(k, own, *keys, a->key_size, n, *stride);
    *queries = q, *keys = k, *stride = own;
    return rest;
}

void sac_attention_importance(const sac_attention *attention, float *importance, const float *queries,
                              const float *keys, int token_count, int stride, void *workspace)
{
    SAC_ASSERT(token_count >= 0 && stride >= token_count);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    if (token_count == 0) return;
    void *rest = prepare(attention, &queries, &keys, token_count, &stride, workspace);
    attention->form->importance(attention, importance, queries, keys, token_count, stride, rest);
}

void sac_attention_row(const sac_attention *attention, float *weights, int row, const float *queries, const float *keys,
                       int token_count, int stride, void *workspace)
{
    SAC_ASSERT(row >= 0 && row < token_count && stride >= token_count);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    void *rest = prepare(attention, &queries, &keys, token_count, &stride, workspace);
    attention->form->row(attention, weights, row, queries, keys, token_count, stride, rest);
}

void sac_attention_top(const sac_attention *attention, int *top, int k, const float *importance, int count)
{
    SAC_ASSERT(k >= 1 && k <= count && k <= SAC_MAX_TOP);
    attention->kernels.top(top, k, importance, count);
}

#include "saccade/attention.h"

#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

static const sac_attention_form *const forms[] = {
    &sac_attention_softmax, &sac_attention_relu,      &sac_attention_positive, &sac_attention_trig,
    &sac_attention_hybrid,  &sac_attention_sara_relu, &sac_attention_sara_exp, &sac_attention_sara_square,
};

enum
{
    FORM_COUNT = sizeof forms / sizeof *forms,
    COOKIE = 0x5acade,
    MAX_SIZE = 256,
    MAX_FEATURES = 4096,
    DIRECTIONS = 1, // their random numbers have a name of their own, apart from those of W
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
    return (sac_attention_def){.form = "softmax",
                               .feature_count = 16,
                               .direction_count = 5,
                               .orthogonal = true,
                               .seed = 1,
                               .divide = true,
                               .internal = COOKIE};
}

bool sac_attention_form_takes_identity(const char *name)
{
    const sac_attention_form *form = find(name);
    return !form || !form->map || form->map->allows_identity;
}

bool sac_attention_form_divides(const char *name)
{
    const sac_attention_form *form = find(name);
    return !form || !form->map || !form->map->has_signs;
}

static sac_status fail_unknown(const char *name)
{
    return sac_fail(SAC_ERROR_ARGUMENT, "attention: unknown form '%.80s'%s", name, sac_expected(name, name_at, NULL));
}

static sac_status check(const sac_attention_def *def, const sac_attention_form *form)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: the def does not come from sac_attention_default_def()");
    if (!form) return fail_unknown(def->form ? def->form : "");
    if (def->key_size < 1 || def->key_size > MAX_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: key_size is %d, expected 1 to %d", def->key_size, MAX_SIZE);
    int fewest = form->map && !form->map->allows_identity ? 1 : 0;
    if (def->feature_count < fewest || def->feature_count > MAX_FEATURES)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: feature_count is %d, expected %d to %d", def->feature_count,
                        fewest, MAX_FEATURES);
    if ((def->projection || def->key_projection) && def->feature_count == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: a projection is given, but feature_count is 0");
    bool has_sides = form->map && form->map->has_sides;
    if ((def->key_projection || def->feature_gains) && !has_sides)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: %s is for the sara forms, not for %s",
                        def->key_projection ? "key_projection" : "feature_gains", form->name);
    if (def->divide_all && form->map && form->map->has_signs)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "attention: divide_all is set, but rows of %s may have sums of zero or less to divide by",
                        form->name);
    if (def->key_projection && !def->projection)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: key_projection is given without projection");
    if (def->direction_count < 1 || def->direction_count > SAC_MAX_DIRECTIONS)
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: direction_count is %d, expected 1 to %d", def->direction_count,
                        SAC_MAX_DIRECTIONS);
    if (!(def->scale >= 0 && def->scale < INFINITY))
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: scale is %g, expected a positive number, or 0 for the default",
                        def->scale);
    if (!(def->epsilon >= 0 && def->epsilon < INFINITY))
        return sac_fail(SAC_ERROR_ARGUMENT, "attention: epsilon is %g, expected 0 or a positive number", def->epsilon);
    return SAC_OK;
}

// Take W, given or drawn, times the factor that the map multiplies into it.
// The scale of the logits is part of W, so that no pass over the tokens multiplies by it. Without W (feature_count 0)
// the tokens themselves are the projections: kernels that can do so read them directly, the others get an identity.
static sac_status make_matrix(sac_attention *a, const sac_attention_def *def, sac_attention_side side)
{
    int size = a->key_size, count = def->feature_count;
    bool identity = count == 0, raw = identity && a->form->map->has_raw_kernels;
    if (identity) count = size;
    size_t total = (size_t)count * (size_t)size;
    double factor = a->form->map->matrix_factor ? a->form->map->matrix_factor(a->scale) : 1;
    sac_features *f = &a->features[side];
    *f = (sac_features){.count = count, .size = size, .factor = (float)factor};
    if (a->form->map->square_factor) f->square = (float)a->form->map->square_factor(a->scale);
    if (raw) return SAC_OK;
    float *matrix = SAC_NEW_ARRAY(float, total);
    if (!matrix) return sac_fail_memory("the features of an attention");
    f->matrix = matrix;
    const float *given = side == SAC_KEYS && def->key_projection ? def->key_projection : def->projection;
    if (identity)
        for (int i = 0; i < size; i++) matrix[i * size + i] = 1;
    else if (given)
        memcpy(matrix, given, total * sizeof(float));
    else
        SAC_TRY(sac_draw_features(matrix, count, size, def->orthogonal, def->seed));
    for (size_t i = 0; i < total; i++) matrix[i] = (float)(matrix[i] * factor);
    return SAC_OK;
}

// Take the planes whose sides estimate angles, given or drawn apart from W.
static sac_status make_directions(sac_attention *a, const sac_attention_def *def)
{
    size_t total = (size_t)def->direction_count * (size_t)a->key_size;
    float *directions = SAC_NEW_ARRAY(float, total);
    if (!directions) return sac_fail_memory("the directions of an attention");
    for (int side = 0; side < 2; side++)
    {
        a->features[side].directions = directions;
        a->features[side].direction_count = def->direction_count;
    }
    if (!def->directions)
        return sac_draw_features(directions, def->direction_count, a->key_size, def->orthogonal,
                                 sac_mix_seed(def->seed, DIRECTIONS, 0));
    memcpy(directions, def->directions, total * sizeof(float));
    return SAC_OK;
}

static sac_status make_map(sac_attention *a, const sac_attention_def *def)
{
    const sac_map *map = a->form->map;
    SAC_TRY(make_matrix(a, def, SAC_QUERIES));
    SAC_TRY(make_matrix(a, def, SAC_KEYS));
    if (map->has_directions) SAC_TRY(make_directions(a, def));
    a->feature_size = map->feature_size(&a->features[SAC_QUERIES]);
    for (int side = 0; side < 2; side++)
    {
        a->gains[side] = SAC_NEW_ARRAY(double, (size_t)a->feature_size);
        if (!a->gains[side]) return sac_fail_memory("the features of an attention");
    }
    map->prepare(a, def);
    return SAC_OK;
}

sac_status sac_attention_create(sac_attention **out, const sac_attention_def *def)
{
    *out = NULL;
    const sac_attention_form *form = def->form ? find(def->form) : NULL;
    SAC_TRY(check(def, form));
    sac_attention *a = SAC_NEW(sac_attention);
    if (!a) return sac_fail_memory("an attention");
    double natural = def->normalise ? sqrt(def->key_size) : 1 / sqrt(def->key_size);
    *a = (sac_attention){.form = form,
                         .kernels = sac_kernels_create(sac_get_cpu_level()),
                         .key_size = def->key_size,
                         .scale = def->scale > 0             ? def->scale
                                  : form->fallback_scale > 0 ? form->fallback_scale
                                                             : natural,
                         .normalise = def->normalise,
                         .divide = def->divide,
                         .divide_all = def->divide_all && form->map,
                         .epsilon = def->epsilon};
    sac_status status = form->map ? make_map(a, def) : SAC_OK;
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
    sac_free((void *)attention->features[SAC_QUERIES].directions);
    for (int side = 0; side < 2; side++)
    {
        sac_free((void *)attention->features[side].matrix);
        sac_free(attention->gains[side]);
    }
    sac_free(attention);
}

// Tell whether normalised copies of queries and keys are needed; linear forms normalise by themselves, block by block.
static bool copies(const sac_attention *a)
{
    return a->normalise && !a->form->map;
}

static size_t normalised_size(const sac_attention *a, int n)
{
    return copies(a) ? 2 * (size_t)a->key_size * (size_t)sac_round_up(n) * sizeof(float) : 0;
}

size_t sac_attention_workspace_size(const sac_attention *attention, int token_count)
{
    SAC_ASSERT(token_count >= 0);
    return normalised_size(attention, token_count) + attention->form->workspace_size(attention, token_count) + 64;
}

size_t sac_attention_output_workspace_size(const sac_attention *attention, int token_count, int value_size)
{
    SAC_ASSERT(token_count >= 0 && value_size >= 1);
    return normalised_size(attention, token_count) +
           attention->form->output_workspace_size(attention, token_count, value_size) + 64;
}

// Replaces the given tokens by normalised copies in the workspace, where the form needs them.
static void normalise(const sac_attention *a, const float **x, int n, int *stride, sac_workspace *workspace)
{
    if (!copies(a)) return;
    int own = sac_round_up(n);
    float *out = sac_take(workspace, (size_t)a->key_size * (size_t)own, sizeof(float));
    a->kernels.normalise(out, own, *x, a->key_size, n, *stride);
    *x = out, *stride = own;
}

// Normalises both sides and returns the rest of the workspace.
// The exact form reads queries and keys many times, so their normalised copies are made once.
static void *prepare(const sac_attention *a, const float **queries, const float **keys, int n, int *stride,
                     void *workspace)
{
    sac_workspace at = {.memory = workspace};
    int given = *stride;
    normalise(a, queries, n, stride, &at);
    *stride = given;
    normalise(a, keys, n, stride, &at);
    return at.memory + at.used;
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

int sac_attention_feature_size(const sac_attention *attention)
{
    return attention->feature_size;
}

void sac_attention_features(const sac_attention *attention, sac_attention_side side, float *features,
                            int features_stride, const float *x, int token_count, int stride, void *workspace)
{
    SAC_ASSERT(attention->form->map && token_count >= 0 && stride >= token_count && features_stride >= token_count);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    sac_linear_features(attention, side, features, features_stride, x, token_count, stride, workspace);
}

void sac_attention_output(const sac_attention *attention, float *out, int out_stride, const float *queries,
                          int query_count, int query_stride, const float *keys, const float *values, int key_count,
                          int key_stride, int value_size, void *workspace)
{
    SAC_ASSERT(query_count >= 0 && key_count >= 1 && value_size >= 1);
    SAC_ASSERT(out_stride >= query_count && query_stride >= query_count && key_stride >= key_count);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    int values_stride = key_stride;
    sac_workspace at = {.memory = workspace};
    normalise(attention, &queries, query_count, &query_stride, &at);
    normalise(attention, &keys, key_count, &key_stride, &at);
    attention->form->output(attention, out, out_stride, queries, query_count, query_stride, keys, key_count, key_stride,
                            values, values_stride, value_size, at.memory + at.used);
}

void sac_attention_top(const sac_attention *attention, int *top, int k, const float *importance, int count)
{
    SAC_ASSERT(k >= 1 && k <= count && k <= SAC_MAX_TOP);
    attention->kernels.top(top, k, importance, count);
}

#include "commands/nets/own_filter.h"

#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "files/arrays/safetensors.h"

enum
{
    FILE_LIMIT = 1 << 30
};

// the numbers of a tensor, aligned and finite
static sac_status copy(float **out, const sac_tensor *t, const char *path)
{
    const size_t count = sac_tensor_count(t);
    *out = SAC_NEW_ARRAY(float, count);
    if (!*out) return sac_fail_memory("a convolution");
    memcpy(*out, t->data, count * sizeof **out);
    if (sac_all_finite(*out, count)) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: %s holds numbers that are not finite", path, t->name);
}

static sac_status check_shape(const sac_tensor *w, const char *path, int most)
{
    const int64_t *s = w->shape;
    if (s[0] == s[1] && s[0] >= 1 && s[0] <= SAC_FILTER_MAX && s[2] >= 1 && s[2] <= most && s[3] >= 1 && s[3] <= most)
        return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT,
                    "%.400s: weight is [%lld, %lld, %lld, %lld], expected [K, K, channels, outputs] with K of 1 to %d "
                    "and 1 to %d channels and outputs",
                    path, (long long)s[0], (long long)s[1], (long long)s[2], (long long)s[3], (int)SAC_FILTER_MAX,
                    most);
}

static sac_status read(sac_filter *f, float **weights, float **bias, const sac_tensors *file, const char *path,
                       int most)
{
    const sac_tensor *w, *b = sac_tensors_find(file, "bias");
    SAC_TRY(sac_tensors_get(&w, file, "weight", SAC_F32, 4, (const int64_t[]){-1, -1, -1, -1}));
    SAC_TRY(check_shape(w, path, most));
    if (b) SAC_TRY(sac_tensors_get(&b, file, "bias", SAC_F32, 1, &w->shape[3]));
    for (int i = 0; i < sac_tensors_count(file); i++)
    {
        const sac_tensor *other = sac_tensors_at(file, i);
        if (other != w && other != b)
            return sac_fail(SAC_ERROR_FORMAT, "%.400s has a tensor '%.80s', expected weight and bias alone", path,
                            other->name);
    }
    SAC_TRY(copy(weights, w, path));
    if (b) SAC_TRY(copy(bias, b, path));
    *f = (sac_filter){(int)w->shape[0], (int)w->shape[2], (int)w->shape[3], *weights, *bias};
    return SAC_OK;
}

sac_status cli_load_filter(sac_filter *filter, float **weights, float **bias, const char *path, int most)
{
    sac_tensors *file;
    *weights = *bias = NULL;
    SAC_TRY(sac_tensors_load(&file, path, FILE_LIMIT));
    sac_status status = read(filter, weights, bias, file, path, most);
    sac_tensors_destroy(file);
    if (status == SAC_OK) return SAC_OK;
    sac_free(*weights);
    sac_free(*bias);
    *weights = *bias = NULL;
    return status;
}

#include "golden.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "kernels/kernels.h"

static const golden_family *const families[] = {
    &golden_agent, &golden_codec, &golden_conv, &golden_es,     &golden_features,
    &golden_iap,   &golden_pct,   &golden_sara, &golden_theory, NULL,
};

static const size_t file_limit = (size_t)1 << 30;

// an array of any type whose shape is the wanted one; its sizes are such that int holds each of them
static const sac_tensor *find_input(const golden *g, sac_status *status, const char *name, int rank,
                                    const int64_t *shape)
{
    if (*status != SAC_OK) return NULL;
    const sac_tensor *found = sac_tensors_find(g->in, name);
    int64_t wanted[SAC_TENSOR_MAX_RANK];
    for (int i = 0; i < rank; i++) wanted[i] = shape[i] < 0 ? -1 : shape[i];
    // a missing one is reported as the library does, whatever its type
    *status = sac_tensors_get(&found, g->in, name, found ? found->dtype : SAC_F32, rank, wanted);
    for (int i = 0; *status == SAC_OK && i < found->rank; i++)
        if (found->shape[i] > INT_MAX || (found->shape[i] == 0 && rank >= 0 && shape[i] == GOLDEN_ANY))
            *status = sac_fail(SAC_ERROR_FORMAT, "input %s is empty or too large", name);
    return *status == SAC_OK ? found : NULL;
}

static double element(const sac_tensor *tensor, size_t i)
{
    switch (tensor->dtype)
    {
    case SAC_U8: return ((const uint8_t *)tensor->data)[i];
    case SAC_I32: return ((const int32_t *)tensor->data)[i];
    case SAC_F32: return (double)((const float *)tensor->data)[i];
    case SAC_F64: return ((const double *)tensor->data)[i];
    case SAC_I64: return (double)((const int64_t *)tensor->data)[i];
    }
    return NAN;
}

const float *golden_input(golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                          const sac_tensor **tensor)
{
    const sac_tensor *found = find_input(g, status, name, rank, shape);
    if (tensor) *tensor = found;
    if (!found) return NULL;
    if (found->dtype == SAC_F32) return found->data;
    size_t count = sac_tensor_count(found);
    float *out = golden_scratch(g, status, count, sizeof *out);
    for (size_t i = 0; out && i < count; i++) out[i] = (float)element(found, i);
    return out;
}

const double *golden_doubles(golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                             const sac_tensor **tensor)
{
    const sac_tensor *found = find_input(g, status, name, rank, shape);
    if (tensor) *tensor = found;
    if (!found) return NULL;
    if (found->dtype == SAC_F64) return found->data;
    size_t count = sac_tensor_count(found);
    double *out = golden_scratch(g, status, count, sizeof *out);
    for (size_t i = 0; out && i < count; i++) out[i] = element(found, i);
    return out;
}

const int *golden_integers(golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                           const sac_tensor **tensor)
{
    const sac_tensor *found = find_input(g, status, name, rank, shape);
    if (tensor) *tensor = found;
    if (!found) return NULL;
    size_t count = sac_tensor_count(found);
    int *out = golden_scratch(g, status, count, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
    {
        double x = element(found, i);
        if (!(x >= INT_MIN && x <= INT_MAX && x == floor(x)))
        {
            *status = sac_fail(SAC_ERROR_FORMAT, "input %s holds %g, expected whole numbers", name, x);
            return NULL;
        }
        out[i] = (int)x;
    }
    return out;
}

sac_status golden_number(golden *g, const char *name, double *out)
{
    sac_status status = SAC_OK;
    const sac_tensor *found = find_input(g, &status, name, -1, NULL);
    SAC_TRY(status);
    if (sac_tensor_count(found) != 1)
        return sac_fail(SAC_ERROR_FORMAT, "input %s holds %zu numbers, expected one", name, sac_tensor_count(found));
    *out = element(found, 0);
    return SAC_OK;
}

void *golden_scratch(golden *g, sac_status *status, size_t count, size_t size)
{
    if (*status != SAC_OK) return NULL;
    SAC_ASSERT(g->scratch_count < GOLDEN_MAX_SCRATCH);
    const size_t most = (size_t)1 << 40;
    void *memory = count <= most / size ? aligned_alloc(64, (count * size + 127) / 64 * 64) : NULL;
    if (!memory)
    {
        *status = sac_fail(SAC_ERROR_MEMORY, "out of memory for %zu times %zu bytes", count, size);
        return NULL;
    }
    memset(memory, 0, count * size);
    return g->scratch[g->scratch_count++] = memory;
}

// the library finds SAC_MAX_TOP at once; those then count as no number, which is last, so that the next ones follow
sac_status golden_top(golden *g, const sac_attention *attention, int *top, int k, const float *values, int count)
{
    sac_status status = SAC_OK;
    float *left = golden_scratch(g, &status, (size_t)count, sizeof *left);
    SAC_TRY(status);
    memcpy(left, values, (size_t)count * sizeof *left);
    for (int done = 0; done < k;)
    {
        int part = k - done < SAC_MAX_TOP ? k - done : SAC_MAX_TOP;
        sac_attention_top(attention, top + done, part, left, count);
        for (int i = done; i < done + part; i++) left[top[i]] = NAN;
        done += part;
    }
    return SAC_OK;
}

void *golden_output(golden *g, sac_status *status, const char *name, sac_dtype dtype, int rank, const int64_t *shape)
{
    if (*status != SAC_OK) return NULL;
    SAC_ASSERT(g->out_count < GOLDEN_MAX_OUTPUTS);
    sac_tensor *out = &g->out[g->out_count];
    *out = (sac_tensor){.name = name, .dtype = dtype, .rank = rank};
    memcpy(out->shape, shape, (size_t)rank * sizeof *shape);
    void *data = calloc(sac_tensor_count(out) + 1, sac_dtype_size(dtype));
    if (!data)
    {
        *status = sac_fail(SAC_ERROR_MEMORY, "out of memory for %s", name);
        return NULL;
    }
    out->data = data;
    g->out_count++;
    return data;
}

void golden_transpose(float *out, const float *in, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) out[j * rows + i] = in[i * columns + j];
}

static const char *family_name(const void *user, int index)
{
    (void)user;
    return families[index] ? families[index]->name : NULL;
}

static const golden_family *find_family(const char *name)
{
    for (int i = 0; families[i]; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

static sac_status run(const golden_family *family, const char *in, const char *out)
{
    sac_tensors *tensors;
    SAC_TRY(sac_tensors_load(&tensors, in, file_limit));
    golden g = {.in = tensors};
    sac_status status = family->run(&g);
    if (status == SAC_OK) status = sac_tensors_save(out, g.out, g.out_count, NULL, 0);
    for (int i = 0; i < g.out_count; i++) free((void *)g.out[i].data);
    for (int i = 0; i < g.scratch_count; i++) free(g.scratch[i]);
    sac_tensors_destroy(tensors);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 4)
    {
        fputs("usage: golden FAMILY IN.safetensors OUT.safetensors\nfamilies:", stderr);
        for (int i = 0; families[i]; i++) fprintf(stderr, " %s", families[i]->name);
        fputs("\n", stderr);
        return 2;
    }
    const golden_family *family = find_family(argv[1]);
    if (!family)
    {
        fprintf(stderr, "golden: unknown family '%.80s'%s\n", argv[1],
                sac_did_you_mean(sac_nearest(argv[1], family_name, NULL)));
        return 2;
    }
    if (run(family, argv[2], argv[3]) == SAC_OK) return 0;
    fprintf(stderr, "golden: %s\n", sac_last_error());
    return 1;
}

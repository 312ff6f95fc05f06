#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static const golden_family *const families[] = {
    &golden_agent, &golden_conv, &golden_es, &golden_features, &golden_iap, &golden_sara, &golden_theory, NULL,
};

static const size_t file_limit = (size_t)1 << 30;

const float *golden_input(const golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                          const sac_tensor **tensor)
{
    const sac_tensor *found = NULL;
    if (*status == SAC_OK) *status = sac_tensors_get(&found, g->in, name, SAC_F32, rank, shape);
    if (tensor) *tensor = found;
    return found ? found->data : NULL;
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

sac_status golden_number(const golden *g, const char *name, double *out)
{
    const sac_tensor *tensor = sac_tensors_find(g->in, name);
    if (tensor && tensor->dtype == SAC_F64 && sac_tensor_count(tensor) == 1)
        *out = *(const double *)tensor->data;
    else if (tensor && tensor->dtype == SAC_F32 && sac_tensor_count(tensor) == 1)
        *out = (double)*(const float *)tensor->data;
    else
        return sac_fail(SAC_ERROR_FORMAT, "input %s is missing or not one number", name);
    return SAC_OK;
}

sac_status golden_integers(const golden *g, const char *name, int count, int *out)
{
    const sac_tensor *tensor = sac_tensors_find(g->in, name);
    if (!tensor || (tensor->dtype != SAC_I32 && tensor->dtype != SAC_I64) || sac_tensor_count(tensor) != (size_t)count)
        return sac_fail(SAC_ERROR_FORMAT, "input %s is missing or not %d whole numbers", name, count);
    for (int i = 0; i < count; i++)
        out[i] =
            tensor->dtype == SAC_I32 ? ((const int32_t *)tensor->data)[i] : (int)((const int64_t *)tensor->data)[i];
    return SAC_OK;
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

static sac_status run(const char *family, const char *in, const char *out)
{
    const golden_family *found = NULL;
    for (int i = 0; families[i]; i++)
        if (strcmp(families[i]->name, family) == 0) found = families[i];
    if (!found)
        return sac_fail(SAC_ERROR_ARGUMENT, "unknown family '%.80s'%s", family,
                        sac_did_you_mean(sac_nearest(family, family_name, NULL)));

    sac_tensors *tensors;
    SAC_TRY(sac_tensors_load(&tensors, in, file_limit));
    golden g = {.in = tensors};
    sac_status status = found->run(&g);
    if (status == SAC_OK) status = sac_tensors_save(out, g.out, g.out_count, NULL, 0);
    for (int i = 0; i < g.out_count; i++) free((void *)g.out[i].data);
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
    sac_status status = run(argv[1], argv[2], argv[3]);
    if (status == SAC_OK) return 0;
    fprintf(stderr, "golden: %s\n", sac_last_error());
    return status == SAC_ERROR_ARGUMENT ? 2 : 1;
}

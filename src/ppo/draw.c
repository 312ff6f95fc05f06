#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "ppo/learner.h"

/// Fresh parameters: orthogonal matrices between layers, biases of zero.

// rows of `size` numbers made orthogonal to those before them and of length 1: Gram and Schmidt, twice is enough
// (Giraud, Langou and Rozloznik 2005); vectors are `step` apart in memory and their numbers `stride`
static void make_orthogonal(double *x, int vectors, ptrdiff_t step, int size, ptrdiff_t stride)
{
    for (int i = 0; i < vectors; i++)
        for (int pass = 0; pass < 2; pass++)
        {
            double *mine = x + i * step, square = 0;
            for (int k = 0; k < i; k++)
            {
                const double *other = x + k * step;
                double along = 0;
                for (int j = 0; j < size; j++) along += mine[j * stride] * other[j * stride];
                for (int j = 0; j < size; j++) mine[j * stride] -= along * other[j * stride];
            }
            for (int j = 0; j < size; j++) square += mine[j * stride] * mine[j * stride];
            const double inverse = square > 0 ? 1 / sqrt(square) : 0;
            for (int j = 0; j < size; j++) mine[j * stride] *= inverse;
        }
}

// [rows, columns] of normal numbers, whose shorter side's vectors become orthogonal
static sac_status draw_matrix(float *out, int rows, int columns, double gain, uint64_t seed, int index)
{
    const size_t count = (size_t)rows * (size_t)columns;
    double *x = sac_alloc_array(count, sizeof *x);
    if (!x) return sac_fail_memory("a draw of parameters");
    sac_normals(x, count, seed, 0, (uint64_t)index);
    if (rows <= columns)
        make_orthogonal(x, rows, columns, columns, 1);
    else
        make_orthogonal(x, columns, 1, rows, columns);
    for (size_t i = 0; i < count; i++) out[i] = (float)(gain * x[i]);
    sac_free(x);
    return SAC_OK;
}

static bool begins(const char *name, const char *word)
{
    return strncmp(name, word, strlen(word)) == 0;
}

// the controller's tensors; what looks at pictures is drawn as it always is
static bool is_controllers(const char *name)
{
    return begins(name, "hidden") || begins(name, "lstm") || begins(name, "output");
}

sac_status sac_ppo_draw(const sac_policy *policy, uint64_t seed, double last_gain, float *parameters)
{
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        if (tensor->measured || !is_controllers(tensor->name)) continue;
        const bool last = begins(tensor->name, "output"), memory = begins(tensor->name, "lstm");
        float *out = parameters + tensor->offset;
        if (tensor->rank == 2)
            SAC_TRY(draw_matrix(out, tensor->shape[0], tensor->shape[1],
                                last     ? last_gain
                                : memory ? 1
                                         : sqrt(2),
                                seed, i));
        else
            memset(out, 0, sac_policy_tensor_size(tensor) * sizeof *out);
    }
    return SAC_OK;
}

#include <string.h>

#include "attention/form.h"

/// SARA's maps phi = v f(G y) with G and v that are learned: numbers of a parameter vector, which are given again
/// whenever it changes. They are what is added to the G and v of a base, an attention with a drawn G, so that learning
/// starts from random features where the vector is zero.

static size_t matrix_size(const sac_attention *a)
{
    return (size_t)a->features[SAC_QUERIES].count * (size_t)a->key_size;
}

void sac_learned_map_take(sac_attention *own, const sac_attention *base, sac_workspace *workspace)
{
    if (own) *own = *base;
    for (int side = 0; side < 2; side++)
    {
        float *matrix = sac_take(workspace, matrix_size(base), sizeof(float));
        double *gains = sac_take(workspace, (size_t)base->feature_size, sizeof(double));
        if (own) own->features[side].matrix = matrix, own->gains[side] = gains;
    }
}

void sac_learned_map_set(sac_attention *own, const sac_attention *base, const float *const changes[2],
                         const float *gain_changes)
{
    for (int side = 0; side < 2; side++)
    {
        float *matrix = (float *)own->features[side].matrix; // in the workspace
        const float factor = base->features[side].factor;
        for (size_t i = 0; i < matrix_size(base); i++)
            matrix[i] = base->features[side].matrix[i] + changes[side][i] * factor;
        for (int f = 0; f < base->feature_size; f++)
            own->gains[side][f] = base->gains[side][f] + (double)gain_changes[f];
    }
}

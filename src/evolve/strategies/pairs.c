#include "evolve/strategies/pairs.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "evolve/vector.h"

sac_status sac_pairs_create(sac_pairs *pairs, sac_search *search)
{
    search->mirrored = true;
    pairs->count = search->population / 2;
    size_t count = (size_t)pairs->count;
    pairs->noise = SAC_NEW_MATRIX(double, count, (size_t)search->dimension);
    pairs->shaped = SAC_NEW_ARRAY(double, 2 * count);
    pairs->weights = SAC_NEW_ARRAY(double, count);
    return pairs->noise && pairs->shaped && pairs->weights ? SAC_OK : sac_fail_memory("a search");
}

void sac_pairs_destroy(sac_pairs *pairs)
{
    sac_free(pairs->noise);
    sac_free(pairs->shaped);
    sac_free(pairs->weights);
}

void sac_pairs_draw(sac_pairs *pairs, const sac_search *search)
{
    size_t n = (size_t)search->dimension;
    for (int k = 0; k < pairs->count; k++)
        sac_normals(pairs->noise + (size_t)k * n, n, search->seed, (uint64_t)search->generation, (uint64_t)k);
}

void sac_pairs_orthogonalise(sac_pairs *pairs, int dimension)
{
    size_t n = (size_t)dimension;
    double *lengths = pairs->weights; // they are free until the next tell
    for (int k = 0; k < pairs->count; k++)
    {
        double *row = pairs->noise + (size_t)k * n;
        lengths[k] = sqrt(sac_vector_dot(row, row, n));
        // no more than n directions can be orthogonal, so each block of n begins anew
        for (int i = k - k % dimension; i < k; i++)
        {
            const double *other = pairs->noise + (size_t)i * n;
            sac_vector_add(row, -sac_vector_dot(row, other, n), other, n);
        }
        double left = sqrt(sac_vector_dot(row, row, n));
        for (size_t i = 0; i < n; i++) row[i] /= left;
    }
    for (int k = 0; k < pairs->count; k++)
        for (size_t i = 0; i < n; i++) pairs->noise[(size_t)k * n + i] *= lengths[k];
}

void sac_pairs_ask(const sac_pairs *pairs, const sac_search *search, int index, float *x)
{
    const double *e = pairs->noise + (size_t)(index / 2) * (size_t)search->dimension;
    double sigma = index % 2 ? -search->sigma : search->sigma;
    for (int i = 0; i < search->dimension; i++) x[i] = (float)(search->mean[i] + sigma * e[i]);
}

void sac_pairs_replace(sac_pairs *pairs, const sac_search *search, const double *x)
{
    size_t n = (size_t)search->dimension;
    for (size_t k = 0; k < (size_t)pairs->count; k++)
        for (size_t i = 0; i < n; i++)
            pairs->noise[k * n + i] = (x[2 * k * n + i] - x[(2 * k + 1) * n + i]) / (2 * search->sigma);
}

double sac_pairs_half(const sac_pairs *pairs, int k)
{
    return (pairs->shaped[2 * k] - pairs->shaped[2 * k + 1]) / 2;
}

double sac_pairs_mean(const sac_pairs *pairs, int k)
{
    return (pairs->shaped[2 * k] + pairs->shaped[2 * k + 1]) / 2;
}

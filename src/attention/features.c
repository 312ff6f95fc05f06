#include <math.h>

#include "attention/form.h"
#include "base/memory.h"
#include "base/random.h"

/// Random features: the rows of W [M, D] are standard normal vectors that are orthogonal within blocks of D rows. They
/// come from Gram and Schmidt's method on a Gaussian block; then each row gets the length of an independent Gaussian
/// vector, so that each row by itself is still standard normal.

enum
{
    DIRECTIONS,
    LENGTHS
};

// Make the rows of a [size, size] block orthonormal, in order.
static void orthonormalise(double *block, int size)
{
    for (int i = 0; i < size; i++)
    {
        double *row = block + i * size;
        for (int j = 0; j < i; j++)
        {
            double dot = 0;
            for (int d = 0; d < size; d++) dot += row[d] * block[j * size + d];
            for (int d = 0; d < size; d++) row[d] -= dot * block[j * size + d];
        }
        double norm = 0;
        for (int d = 0; d < size; d++) norm += row[d] * row[d];
        norm = sqrt(norm);
        for (int d = 0; d < size; d++) row[d] /= norm;
    }
}

// Orthogonal random features (Yu et al. 2016): errors of different rows then cancel better than those of independent
// ones.
void sac_orthogonal_features(float *matrix, double *blocks, const double *lengths, int count, int size)
{
    for (int row = 0; row < count; row += size) orthonormalise(blocks + row * size, size);
    for (int row = 0; row < count; row++)
    {
        double length = 0;
        for (int d = 0; d < size; d++) length += lengths[row * size + d] * lengths[row * size + d];
        length = sqrt(length);
        for (int d = 0; d < size; d++) matrix[row * size + d] = (float)(blocks[row * size + d] * length);
    }
}

sac_status sac_draw_features(float *matrix, int count, int size, bool orthogonal, uint64_t seed)
{
    // The last block is drawn as a whole, even if only some of its rows are used.
    size_t padded = (size_t)(count + size) * (size_t)size;
    double *directions = SAC_NEW_ARRAY(double, padded), *lengths = SAC_NEW_ARRAY(double, padded);
    if (directions && lengths)
    {
        sac_normals(directions, padded, seed, DIRECTIONS, 0);
        sac_normals(lengths, padded, seed, LENGTHS, 0);
        if (orthogonal)
            sac_orthogonal_features(matrix, directions, lengths, count, size);
        else
            for (int i = 0; i < count * size; i++) matrix[i] = (float)directions[i];
    }
    sac_status status = directions && lengths ? SAC_OK : sac_fail_memory("random features");
    sac_free(directions);
    sac_free(lengths);
    return status;
}

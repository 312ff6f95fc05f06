#pragma once

#include "kernels/kernels.h"
#include "saccade/attention.h"

/// A form of attention: one file, one row in the table of attention.c.

typedef struct sac_attention_form
{
    const char *name;
    const char *summary;   ///< one line
    bool has_features;     ///< uses W [M, D]
    bool allows_identity;  ///< feature_count 0 means W = I
    double fallback_scale; ///< instead of 1/sqrt(D); 0: that

    /// Factors of W and of |x|^2 in the features of x, from the scale; NULL: 1 and 0.
    double (*matrix_factor)(double scale);
    double (*square_factor)(double scale);

    /// Bytes of workspace for n tokens, a multiple of 64.
    size_t (*workspace_size)(const sac_attention *a, int n);
    /// As the public functions; queries and keys are normalised already.
    void (*importance)(const sac_attention *a, float *importance, const float *queries, const float *keys, int n,
                       int stride, void *workspace);
    void (*row)(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                int stride, void *workspace);
} sac_attention_form;

extern const sac_attention_form sac_attention_softmax, sac_attention_relu, sac_attention_positive;

struct sac_attention
{
    const sac_attention_form *form;
    sac_kernels kernels;
    int key_size;
    double scale; ///< resolved
    bool normalize;
    sac_features features; ///< of forms that have them; the matrix is owned, and holds factors of the form
};

/// Draw W [count, size] with standard normal rows, orthogonal in blocks of `size` rows where asked for.
SAC_CHECKED sac_status sac_draw_features(float *matrix, int count, int size, bool orthogonal, uint64_t seed);

/// The same from Gaussian numbers: blocks [ceil(count / size), size, size], overwritten; lengths [count, size].
void sac_orthogonal_features(float *matrix, double *blocks, const double *lengths, int count, int size);

/// Equal columns of queries and keys.
typedef struct sac_distinct
{
    int32_t *group;  ///< [n] for each column the number of its distinct column, in order of first appearance
    int32_t *first;  ///< [n] for each distinct column the first column that it stands for
    int32_t *number; ///< [n] and how many
    uint32_t *hash;  ///< [n] scratch
    int32_t *table;  ///< [sac_distinct_table_size(n)] scratch
} sac_distinct;

/// Find equal columns of queries and keys [D, stride]: the same bits.
/// @return the number of distinct columns
int sac_find_distinct(sac_distinct *out, const sac_kernels *kernels, const float *queries, const float *keys, int size,
                      int n, int stride);
size_t sac_distinct_table_size(int n);

/// Take `count` elements of `size` bytes from a workspace, 64-byte aligned.
static inline void *sac_take(unsigned char **workspace, size_t count, size_t size)
{
    void *part = *workspace;
    *workspace += (count * size + 63) / 64 * 64;
    return part;
}

#pragma once

#include "base/workspace.h"
#include "kernels/kernels.h"
#include "saccade/attention.h"

/// A form of attention is one file and one row in the table of attention.c.
///
/// Linear forms, A_ij = phi(q_i).phi(k_j), supply only a map phi; linear.c computes everything else from it.

/// A map phi_f(x) = gain_f raw_f(x). The kernels compute raw_f; the gains are multiplied into sums, which is less work.
typedef struct sac_map
{
    bool allows_identity; ///< feature_count 0 means W = I
    bool has_raw_kernels; ///< with W = I its kernels take the tokens without a matrix
    bool has_directions;  ///< uses direction_count and directions
    bool has_sides;       ///< the keys may have a W of their own, and features may have gains
    bool has_signs;       ///< features may be negative

    /// Compute the factors of W and of |x|^2 in raw from the scale; NULL stands for the factors 1 and 0.
    double (*matrix_factor)(double scale);
    double (*square_factor)(double scale);

    /// Compute F from M and R.
    int (*feature_size)(const sac_features *f);

    /// Fill gains [F] of a side and choose the kernels.
    void (*prepare)(sac_attention *a, const sac_attention_def *def);
} sac_map;

typedef struct sac_attention_form
{
    const char *name;
    const char *summary;   ///< one line
    const sac_map *map;    ///< NULL for a form that is not linear
    double fallback_scale; ///< default scale in place of 1/sqrt(D); 0 keeps that

    /// Compute the bytes of workspace for n tokens, and for an output of V values; a multiple of 64.
    size_t (*workspace_size)(const sac_attention *a, int n);
    size_t (*output_workspace_size)(const sac_attention *a, int n, int value_size);
    /// These are as the public functions; queries and keys are normalised already unless the form is linear.
    void (*importance)(const sac_attention *a, float *importance, const float *queries, const float *keys, int n,
                       int stride, void *workspace);
    void (*row)(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                int stride, void *workspace);
    void (*output)(const sac_attention *a, float *out, int out_stride, const float *queries, int query_count,
                   int query_stride, const float *keys, int key_count, int key_stride, const float *values,
                   int values_stride, int value_size, void *workspace);
} sac_attention_form;

extern const sac_attention_form sac_attention_softmax, sac_attention_relu, sac_attention_positive, sac_attention_trig,
    sac_attention_hybrid, sac_attention_sara_relu, sac_attention_sara_exp, sac_attention_sara_square;

/// Assign the kernels of a map by the name that they have in the table.
#define SAC_USE_MAP(a, name)                                                            \
    ((a)->map = (a)->kernels.name##_features, (a)->map_sums = (a)->kernels.name##_sums, \
     (a)->map_scores = (a)->kernels.name##_scores)

/// The functions that every linear form has in its row beside its map.
#define SAC_LINEAR_FORM                                                                                     \
    .workspace_size = sac_linear_workspace_size, .output_workspace_size = sac_linear_output_workspace_size, \
    .importance = sac_linear_importance, .row = sac_linear_row, .output = sac_linear_output

size_t sac_linear_workspace_size(const sac_attention *a, int n);
size_t sac_linear_output_workspace_size(const sac_attention *a, int n, int value_size);
void sac_linear_importance(const sac_attention *a, float *importance, const float *queries, const float *keys, int n,
                           int stride, void *workspace);
void sac_linear_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                    int stride, void *workspace);
void sac_linear_output(const sac_attention *a, float *out, int out_stride, const float *queries, int query_count,
                       int query_stride, const float *keys, int key_count, int key_stride, const float *values,
                       int values_stride, int value_size, void *workspace);

/// A block of features, see blocks.h.
typedef struct sac_block
{
    float *features; ///< [F, size]
    float *tokens;   ///< [D, size] normalised
    int size;        ///< of a full block
    int count;       ///< tokens in it
} sac_block;

/// Workspace of a linear form.
typedef struct sac_linear_parts
{
    sac_block block;
    float *lanes;    ///< [F, SAC_LANES]
    float *sums;     ///< [F] z
    float *key_sums; ///< [F] of all keys, where rows are divided by their sums
    float *products; ///< [V, F] S, transposed, of an output
    float *divisors; ///< [block] of an output, and where rows are divided
} sac_linear_parts;

/// Divide a workspace. value_size: V of an output, else 0.
void sac_linear_split(sac_linear_parts *parts, const sac_attention *a, int value_size, sac_workspace *workspace);

/// Compute importance in steps, for tokens that come in pieces: start, then add each piece of the queries, then finish
/// with a factor of the scores, and then score each piece of the keys.
void sac_linear_start(const sac_attention *a, const sac_linear_parts *parts);
void sac_linear_add(const sac_attention *a, const sac_linear_parts *parts, sac_attention_side side, const float *x,
                    int n, int stride);
void sac_linear_finish(const sac_attention *a, const sac_linear_parts *parts, double factor);
void sac_linear_score(const sac_attention *a, const sac_linear_parts *parts, sac_attention_side side, float *scores,
                      const float *x, int n, int stride);

/// Compute phi of all tokens.
void sac_linear_features(const sac_attention *a, sac_attention_side side, float *features, int features_stride,
                         const float *x, int n, int stride, void *workspace);

/// The kernels of a map; see kernels.h.
typedef void sac_features_fn SAC_FEATURES_PARAMETERS;
typedef void sac_sums_fn SAC_SUMS_PARAMETERS;
typedef void sac_scores_fn SAC_SCORES_PARAMETERS;

struct sac_attention
{
    const sac_attention_form *form;
    sac_kernels kernels;
    int key_size;
    double scale; ///< the scale in use: the def's or the default
    bool normalise, divide, divide_all;
    double epsilon;

    // Fields of linear forms; arrays have one entry for each side.
    int feature_size;         ///< F
    sac_features features[2]; ///< matrices are owned and include the factors of the map; directions are shared
    double *gains[2];         ///< [F], owned
    sac_features_fn *map;
    /// features and their sums in one; NULL: none, features are written out
    sac_sums_fn *map_sums;
    /// features and scores in one; NULL: none, features are written out
    sac_scores_fn *map_scores;
};

/// Whether a form takes feature_count 0, queries and keys as they are; also of a name that no form has.
bool sac_attention_form_takes_identity(const char *name);

/// Whether the features of a form are never negative, so that all readings may divide rows by their sums (divide_all);
/// also of a name that no form has.
bool sac_attention_form_divides(const char *name);

/// Attention whose map is learned: an own attention that begins as a copy of a SARA form's, and whose G and v are given
/// again and again without allocating. Its arrays lie in a workspace; it must not be destroyed. `own` may be NULL where
/// the workspace is only measured.
void sac_learned_map_take(sac_attention *own, const sac_attention *base, sac_workspace *workspace);

/// G and v of such an attention: what is added to the base's G of each side [M, D] and to its v [M]. Zeros give the
/// bits of the base.
void sac_learned_map_set(sac_attention *own, const sac_attention *base, const float *const changes[2],
                         const float *gain_changes);

/// Draw W [count, size] with standard normal rows, which are orthogonal in blocks of `size` rows if `orthogonal`.
SAC_CHECKED sac_status sac_draw_features(float *matrix, int count, int size, bool orthogonal, uint64_t seed);

/// Compute the same from given Gaussian numbers: blocks [ceil(count / size), size, size], which are overwritten, and
/// lengths [count, size].
void sac_orthogonal_features(float *matrix, double *blocks, const double *lengths, int count, int size);

/// Equal columns of queries and keys.
typedef struct sac_distinct
{
    int32_t *run;          ///< [n] for each column the number of its run of equal neighbours
    int32_t *group_of_run; ///< [n] for each run the number of its distinct column, in order of first appearance
    int32_t *first;        ///< [capacity] for each distinct column the first column that it stands for
    int32_t *number;       ///< [capacity] and how many
    int32_t *run_first;    ///< [n + 1] scratch
    uint32_t *hash;        ///< [n] scratch
    int32_t *table;        ///< [sac_distinct_table_size(capacity)] scratch
} sac_distinct;

/// Find equal columns of queries and keys [D, stride]: the same bits.
/// @return the number of distinct columns; -1 when there are more than `capacity`
int sac_find_distinct(sac_distinct *out, const sac_kernels *kernels, const float *queries, const float *keys, int size,
                      int n, int stride, int capacity);
size_t sac_distinct_table_size(int capacity);

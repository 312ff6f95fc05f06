#pragma once

#include "files/arrays/safetensors.h"
#include "saccade/attention.h"

/// The harness that computes the golden families: `golden FAMILY IN.safetensors OUT.safetensors`. A family reads its
/// inputs by name, calls the library, and adds each result under the reference's name. No mathematics lives here.

enum
{
    GOLDEN_MAX_OUTPUTS = 64,
    GOLDEN_MAX_SCRATCH = 128,
    // sizes in the shape of an input: what is written there, or
    GOLDEN_ANY = -1,        ///< any size from 1 on
    GOLDEN_ANY_OR_NONE = -2 ///< any size
};

typedef struct golden
{
    const sac_tensors *in;
    sac_tensor out[GOLDEN_MAX_OUTPUTS]; ///< data released by the harness
    int out_count;
    void *scratch[GOLDEN_MAX_SCRATCH]; ///< likewise
    int scratch_count;
} golden;

/// One family: a row in golden.c, a file family_<name>.c.
typedef struct golden_family
{
    const char *name;
    sac_status (*run)(golden *g);
} golden_family;

extern const golden_family golden_agent, golden_codec, golden_conv, golden_es, golden_features, golden_iap, golden_pct,
    golden_sara;
extern const golden_family golden_theory;

/// An input array as floats, as doubles or as whole numbers, whatever type it has in the file; a whole number that is
/// no int is refused. NULL after the status was set: a missing array, another shape or an empty one is
/// SAC_ERROR_FORMAT.
/// @param      shape   a size, GOLDEN_ANY or GOLDEN_ANY_OR_NONE for each of its `rank` dimensions
/// @param[out] tensor  the array as the file has it; NULL: not wanted
const float *golden_input(golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                          const sac_tensor **tensor);
const double *golden_doubles(golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                             const sac_tensor **tensor);
const int *golden_integers(golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                           const sac_tensor **tensor);

/// One number, of any rank.
sac_status golden_number(golden *g, const char *name, double *out);

/// `count` elements of `size` bytes, all zero, aligned to 64 bytes, released by the harness; NULL after the status was
/// set.
void *golden_scratch(golden *g, sac_status *status, size_t count, size_t size);

/// Room for a result; NULL after the status was set.
void *golden_output(golden *g, sac_status *status, const char *name, sac_dtype dtype, int rank, const int64_t *shape);

/// The K largest of `count` values, ties to the lower index, for any K <= count.
sac_status golden_top(golden *g, const sac_attention *attention, int *top, int k, const float *values, int count);

/// out [columns, rows] from in [rows, columns]: between the files' tokens by row and planar ones.
void golden_transpose(float *out, const float *in, int64_t rows, int64_t columns);

/// The second part of the family sara: gradients and losses.
sac_status golden_sara_gradients(golden *g);

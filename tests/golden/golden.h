#pragma once

#include "files/safetensors.h"
#include "saccade/base.h"

/// The harness that computes the golden families: `golden FAMILY IN.safetensors OUT.safetensors`. A family reads its
/// inputs by name, calls the library, and adds each result under the reference's name. No mathematics lives here.

enum
{
    GOLDEN_MAX_OUTPUTS = 64
};

typedef struct golden
{
    const sac_tensors *in;
    sac_tensor out[GOLDEN_MAX_OUTPUTS]; ///< data released by the harness
    int out_count;
} golden;

/// One family: a row in golden.c, a file family_<name>.c.
typedef struct golden_family
{
    const char *name;
    sac_status (*run)(golden *g);
} golden_family;

extern const golden_family golden_agent, golden_conv, golden_es, golden_features, golden_iap, golden_sara;
extern const golden_family golden_theory;

/// An input array of floats. A size of -1 in the shape takes any.
const float *golden_input(const golden *g, sac_status *status, const char *name, int rank, const int64_t *shape,
                          const sac_tensor **tensor);

/// Room for a result; NULL after the status was set.
void *golden_output(golden *g, sac_status *status, const char *name, sac_dtype dtype, int rank, const int64_t *shape);

/// One number, float32 or float64.
sac_status golden_number(const golden *g, const char *name, double *out);

/// `count` whole numbers, int32 or int64.
sac_status golden_integers(const golden *g, const char *name, int count, int *out);

/// out [columns, rows] from in [rows, columns]: between the files' tokens by row and planar ones.
void golden_transpose(float *out, const float *in, int64_t rows, int64_t columns);

/// The second part of the family sara: gradients and losses.
sac_status golden_sara_gradients(golden *g);

#pragma once

#include "saccade/policy.h"

/// Gradients of policies: how the outputs of a policy change with its parameters, over minibatches of what it sees.
///
/// What evolution trains, gradients train, and the reverse: parameters are the policy's own flat vector, and the
/// gradient is a vector of the same layout. The forward pass is what sac_policy_act computes (weights of the patch
/// projection rounded to 16 bits as there; the rounding passes the gradient on as if it were not there), without the
/// last step: outputs are the actions before they are cut at the environment's bounds, or, where an action is a choice,
/// the controller's outputs that decide.
///
/// A minibatch is T steps of B sequences, B episodes or parts of them side by side; rows of all arrays are ordered by
/// step, then by sequence. A policy without memory may be given all frames as one step. Sums run in a fixed order, so
/// identical inputs give identical bits at every CPU level.
///
/// A sac_gradient is immutable, so threads may share it, each with a workspace of its own. Only create allocates.

/// How an agent that keeps K patches learns which ones to keep. The K-th choice is a softmax over the scores of the
/// patches that were not chosen before it, in units of their standard deviation times the temperature.
typedef enum sac_choosing
{
    SAC_CHOOSE_STRAIGHT, ///< forward keeps the best, as acting does; backward goes through the softmax
                         ///< (straight-through)
    SAC_CHOOSE_SOFT,     ///< forward is told the softmax's mean; the lower the temperature, the nearer to acting
    SAC_CHOOSE_FIXED,    ///< queries and keys do not learn
} sac_choosing;

/// What to create. Start from sac_gradient_default_def().
typedef struct sac_gradient_def
{
    sac_choosing choosing; ///< default SAC_CHOOSE_STRAIGHT
    uint32_t internal;     ///< marks a def that came from the default; do not set
} sac_gradient_def;

/// A minibatch.
typedef struct sac_batch
{
    int steps, sequences;         ///< T, B, 1 at least
    const uint8_t *const *frames; ///< [T, B] observations, each [height, width, channels], 0..255
    const uint8_t *starts; ///< [T, B] not zero: an episode begins with this frame; NULL: nowhere but as told below
    float *hidden,
        *cell;          ///< [B, hidden_size] recurrent state before the first step, and after the last one when forward
                        ///< returns; NULL: zeros before, not wanted after. A controller without one ignores both
    float *before;      ///< [B, told_size] features of the frame before the first, and of the last one when forward
                        ///< returns; NULL: episodes begin. Policies with motion alone use it
    double temperature; ///< of choices, above 0; ignored where nothing is chosen
} sac_batch;

typedef struct sac_gradient sac_gradient;

SAC_API sac_gradient_def sac_gradient_default_def(void);

/// Prepare to differentiate policies of an architecture, whatever their parameters.
/// @param[out] out     released by sac_gradient_destroy; NULL on failure
/// @param      policy  must outlive the gradient
/// @return SAC_ERROR_ARGUMENT for a kind or an option that has no gradient (sac_last_error names it), SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_gradient_create(sac_gradient **out, const sac_policy *policy,
                                                   const sac_gradient_def *def);

/// Destroy a gradient. NULL is ignored.
SAC_API void sac_gradient_destroy(sac_gradient *gradient);

/// Numbers that the policy puts out a step: of a box its action_size, of n choices n, or 1 where two thresholds decide
/// among three.
SAC_API int sac_gradient_output_size(const sac_gradient *gradient);

/// Units of the recurrent state; 0: none.
SAC_API int sac_gradient_hidden_size(const sac_gradient *gradient);

/// Numbers that are read from a frame for the controller, before motion and filter.
SAC_API int sac_gradient_told_size(const sac_gradient *gradient);

/// Bytes of workspace for minibatches of up to steps * sequences frames in up to `sequences` sequences.
SAC_API size_t sac_gradient_workspace_size(const sac_gradient *gradient, int steps, int sequences);

/// Run a policy over a minibatch.
/// @param[out] outputs     [T, B, output_size]
/// @param      parameters  [sac_policy_parameter_count], of the policy or others of its architecture
/// @param      workspace   sac_gradient_workspace_size bytes, 64-byte aligned; keeps what backward needs
SAC_API void sac_gradient_forward(const sac_gradient *gradient, float *outputs, const float *parameters,
                                  const sac_batch *batch, void *workspace);

/// Go back through the minibatch that the last forward with this workspace was for, once: ADD the gradient of a loss to
/// `sums`. Tensors that training measures (filters) get none. The recurrent state before the minibatch counts as fixed.
/// @param[out] sums        [sac_policy_parameter_count], added to
/// @param      doutputs    [T, B, output_size]: the loss's gradient by the outputs
/// @param      parameters  those of the forward pass
/// @param      batch       that of the forward pass
SAC_API void sac_gradient_backward(const sac_gradient *gradient, float *sums, const float *doutputs,
                                   const float *parameters, const sac_batch *batch, void *workspace);

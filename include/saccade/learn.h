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
    const uint8_t *const *frames; ///< [T, B] pictures, each [height, width, channels], 0..255, of a policy that takes
                                  ///< one and nothing else; ignored where `parts` is given
    const uint8_t *starts; ///< [T, B] not zero: an episode begins with this frame; NULL: nowhere but as told below
    float *hidden,
        *cell;     ///< [B, hidden_size] recurrent state before the first step, and after the last one when forward
                   ///< returns; NULL: zeros before, not wanted after. A controller without one ignores both
    float *before; ///< [B, told_size] what was told of the frame before the first, and of the last one when forward
                   ///< returns; NULL: episodes begin. Policies with motion alone use it
    double temperature;       ///< of choices, above 0; ignored where nothing is chosen
    const void *const *parts; ///< [T, B, input_count] the policy's inputs, in the order of sac_policy_get_def's, each
                              ///< as its space says; NULL: `frames`
    double *seen;             ///< [2, F] added to: sums, then sums of squares, of what the policy's normaliser is told
                              ///< (sac_policy_normaliser_size); NULL: not wanted
    int seen_lead;            ///< steps at the beginning that `seen` leaves out
    const float *const *told; ///< [T, B] what is told of each frame, [told_size], as sac_gradient_told gave it; the
                              ///< inputs are then not looked at, and what comes before the controller gets no gradient.
                              ///< NULL: the inputs are looked at
    const float *const *actions; ///< [T, B] of kind action-tokens alone: the action [action_size] whose tokens are said
                                 ///< before each token (teacher forcing); NULL: the likeliest ones, as in acting
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
/// among three; of kind action-tokens the logits of all bins, [action_size, bins].
SAC_API int sac_gradient_output_size(const sac_gradient *gradient);

/// Units of the recurrent state; 0: none.
SAC_API int sac_gradient_hidden_size(const sac_gradient *gradient);

/// Numbers that are told of a frame to the controller, before motion and normaliser: those that are read from a
/// picture, then those of vectors.
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
/// `sums`. Tensors that training measures (normalisers) get none. The recurrent state before the minibatch counts as
/// fixed.
/// @param[out] sums        [sac_policy_parameter_count], added to
/// @param      doutputs    [T, B, output_size]: the gradient of the loss with respect to the outputs
/// @param      parameters  those of the forward pass
/// @param      batch       that of the forward pass
SAC_API void sac_gradient_backward(const sac_gradient *gradient, float *sums, const float *doutputs,
                                   const float *parameters, const sac_batch *batch, void *workspace);

/// What the last forward with this workspace told the controller of its frames, before motion and normaliser.
/// @return [T, B, told_size], in the workspace
SAC_API const float *sac_gradient_told(const sac_gradient *gradient, const sac_batch *batch, void *workspace);

/// Examples to imitate: frames and what a teacher did, in the order of time, episode after episode.
typedef struct sac_examples
{
    int count;                   ///< N, 1 at least
    const uint8_t *observations; ///< [N, height, width, channels], 0..255, for a policy that takes one picture and
                                 ///< nothing else; ignored where `parts` is given
    const float *actions;        ///< [N, action_size], in the environment's units, or choices
    const uint8_t *starts;       ///< [N] not zero: an episode begins with this frame; NULL: the first one alone
    const float *weights;        ///< [N] how much each frame counts in the loss, 0 or more; NULL: all the same
    const void *const *parts;    ///< [input_count] the policy's inputs by part, in the order of sac_policy_get_def's,
                                 ///< each [N, ...] as its space says; NULL: `observations`
    const float *costs;          ///< [N, action_choices] what each choice costs, for a policy whose controller puts out
                                 ///< a number for each; these are learned and not the actions; NULL: the actions are
} sac_examples;

/// How to fit. Start from sac_fit_default_def().
///
/// The loss is the mean over frames and outputs of the square of (output - action) / half the action's range, or
/// Huber's of the same; where an action is one of n choices, the cross entropy of the controller's outputs, or, where
/// two thresholds decide, the square of the distance from the middle of the choice's range (-2/3, 0 or 2/3); of kind
/// action-tokens the mean over tokens of the cross entropy of the action's tokens, of which each number has one, the
/// bin that it is nearest to, or several, its sign and digits (spelling: decimals), or with `spread` the divergence of
/// the bins' chances from those of a normal distribution around the action. Where the examples have costs, it is what
/// the choices cost beyond the cheapest one, in the mean over softmax(outputs), or with `softness` the divergence of
/// softmax(outputs) from softmax(-costs / softness).
typedef struct sac_fit_def
{
    const char *optimiser; ///< "adam", "adamw" or "sgd", default "adam"
    double rate;           ///< largest rate, default 1e-3
    double momentum;       ///< sgd, default 0.9
    double beta1, beta2;   ///< adam, default 0.9, 0.999
    double decay;          ///< of weights, default 0
    double largest_norm;   ///< a longer gradient is shortened to it, default 0: never
    double average;        ///< share that a running average of the parameters keeps a step, default 0: none
    uint64_t warm_steps;   ///< over which the rate rises, default 0
    uint64_t total_steps;  ///< over which it falls along half a cosine, default 0: it does not
    double last_rate;      ///< share of `rate` at their end, default 0
    double huber;          ///< where Huber's loss turns from square to straight, default 0: the square loss
    double softness;       ///< of examples with costs: costs that are far below this apart count as equal, default 0:
                           ///< what choices cost is the loss
    double spread;         ///< of kind action-tokens that says bins: standard deviation in bins of what is learned of a
                           ///< number, a normal distribution around it, default 0: the nearest bin alone
    int batch;             ///< sequences in a minibatch, default 64
    int steps;             ///< frames in a sequence whose outputs count, default 0: 1, or 32 where a policy has memory
    int lead;              ///< frames before them whose outputs do not, default -1: 0, 1 with motion, 8 with memory
    sac_choosing choosing; ///< default SAC_CHOOSE_STRAIGHT
    double temperature;    ///< of choices in the first step, default 1
    double last_temperature; ///< at the end of total_steps, to which it falls by a constant factor; default 0: constant
    const int *flip;   ///< what pictures mean from right to left: [action_choices] the choice that each becomes, or
                       ///< [action_size] the factor of each number, 1 or -1; half of the sequences are learned so,
                       ///< which are drawn anew each step; copied; default NULL: none
    int measure;       ///< sequences by which each call of sac_fit_run first measures the policy's normaliser, where it
                       ///< has one; default 0: the normaliser stays as it is
    int slices;        ///< parts that a minibatch is cut into, which decide the order of sums; default 8
    int threads;       ///< 1 at least, default 1; any number gives the same bits
    uint64_t seed;     ///< of the order of examples, default 1
    uint32_t internal; ///< marks a def that came from the default; do not set
} sac_fit_def;

/// A policy that is being fitted: parameters, the optimiser's state, and where it is in the order of examples.
typedef struct sac_fit sac_fit;

/// An array of the state of a fit, for checkpoints.
typedef struct sac_fit_array
{
    const char *name; ///< "parameters", "first_moment", "second_moment", "velocity", "average"
    float *numbers;   ///< [sac_policy_parameter_count], owned by the fit
} sac_fit_array;

SAC_API sac_fit_def sac_fit_default_def(void);

/// Create a fit that starts at the policy's own parameters.
/// @param[out] out     released by sac_fit_destroy; NULL on failure
/// @param      policy  must outlive the fit
/// @return SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_fit_create(sac_fit **out, const sac_policy *policy, const sac_fit_def *def);

/// Destroy a fit. NULL is ignored.
SAC_API void sac_fit_destroy(sac_fit *fit);

/// Take `steps` steps of the optimiser, a minibatch each. Each call begins a new order of the examples, a pure function
/// of the seed and the number of calls before; when all have been used another order begins. The bits depend on neither
/// the number of threads nor the CPU level.
/// @param      steps  1 at least; 0: as many as use all examples once
/// @param[out] loss   [2] the mean loss of the first tenth of the steps and of the last tenth; NULL: not wanted
/// @return SAC_ERROR_ARGUMENT where examples do not fit: fewer than a sequence, an action that is not a number or no
///         choice, a negative weight; SAC_ERROR_DIVERGED at the first step that leaves a parameter which is not finite:
///         such a fit is only good to be destroyed; SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_fit_run(sac_fit *fit, const sac_examples *examples, uint64_t steps, double *loss);

/// The parameters as they are, [sac_policy_parameter_count].
SAC_API const float *sac_fit_parameters(const sac_fit *fit);

/// The running average of the parameters; NULL where none was asked for.
SAC_API const float *sac_fit_average(const sac_fit *fit);

/// The arrays of the state: the index-th; false past the last. With the two counters they are all of it: what is saved
/// and put back goes on to the bit.
SAC_API bool sac_fit_array_at(sac_fit *fit, int index, sac_fit_array *out);
SAC_API void sac_fit_counters(const sac_fit *fit, uint64_t *steps, uint64_t *calls);
SAC_API void sac_fit_set_counters(sac_fit *fit, uint64_t steps, uint64_t calls);

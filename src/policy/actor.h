#pragma once

#include "base/workspace.h"
#include "policy/controllers/controller.h"

/// From what a policy has seen to its action: how what it tells has changed since the step before (motion), the
/// observation normaliser, the controller, its activation, and the environment's bounds or choices. Any kind of policy
/// may use it: it tells `read_count` numbers of what it has seen and asks for the action. The numbers of the policy's
/// inputs that are vectors come behind them.

typedef struct sac_actor_config
{
    char controller[SAC_TEXT_SIZE];
    int hidden;
    int layers; ///< of mlp; 0: one
    char activation[SAC_TEXT_SIZE];
    char choice[SAC_TEXT_SIZE];
    bool motion, normaliser;
    double normaliser_limit;
} sac_actor_config;

typedef enum sac_squash
{
    SAC_SQUASH_TANH,
    SAC_SQUASH_CLIP, ///< to -1..1
    SAC_SQUASH_NONE, ///< the environment's bounds alone
} sac_squash;

extern const char *const sac_squash_names[]; ///< by sac_squash; NULL behind the last

/// What is fixed after creation.
typedef struct sac_actor
{
    sac_controller controller;
    sac_squash squash;
    bool motion;
    float limit;     ///< of normalised numbers, on either side; infinity: none
    int read_count;  ///< numbers that the kind tells
    int told_count;  ///< of this step: those, and the numbers of the inputs
    int input_count; ///< that the controller takes: with motion, twice as many
    bool threshold;  ///< one output chooses among three actions
} sac_actor;

/// What changes in an episode, and the parameters in the form of the inner loops.
typedef struct sac_actor_state
{
    float *told;              ///< [input_count], of which the kind writes the first read_count
    float *before;            ///< [told_count] of the step before, as they were read; empty without motion
    bool started;             ///< there was such a step
    float *unnormalised;      ///< [input_count] as they were read; empty without a normaliser
    float *inverse_deviation; ///< [input_count] one over the normaliser's deviation; likewise
    float *prepared;          ///< the controller's
    float *hidden, *cell, *output, *scratch;
} sac_actor_state;

/// Check that the config fits the actions.
sac_status sac_actor_check(const sac_actor_config *config, const sac_policy_def *def);

/// Declare the tensors of the controller and, behind all others, of the normaliser.
sac_status sac_actor_plan(sac_actor *actor, sac_policy *policy, const sac_actor_config *config, int read_count);

/// Take the state's arrays from a workspace.
void sac_actor_place(sac_actor_state *state, const sac_actor *actor, const sac_policy *policy,
                     sac_workspace *workspace);

/// Take parameters, the policy's whole vector. They must stay where they are until the last action.
void sac_actor_set(sac_actor_state *state, const sac_actor *actor, const sac_policy *policy, const float *parameters);

void sac_actor_reset(sac_actor_state *state, const sac_actor *actor);

/// A number that is told, normalised: (x - mean) / deviation, cut at the limit. Acting and gradients share it.
static inline float sac_actor_normalise(const sac_actor *actor, float x, float mean, float inverse_deviation)
{
    const float normal = (x - mean) * inverse_deviation;
    return normal < -actor->limit ? -actor->limit : normal > actor->limit ? actor->limit : normal;
}

/// The action that follows from what is told and the numbers of the inputs.
/// @param inputs  the policy's; NULL: it takes no vectors
void sac_actor_act(sac_actor_state *state, const sac_actor *actor, const sac_policy *policy, const float *parameters,
                   const void *const *inputs, float *action);

enum
{
    SAC_ACTOR_COLUMN_ROWS = 1024 ///< numbers of all layers of a controller that acts in columns, at most: 64 KiB
};

/// Tell whether the controller has a form for many episodes side by side, and is narrow enough for it.
bool sac_actor_has_columns(const sac_actor *actor);

/// The same for up to SAC_LANES episodes with the same parameters, with the same bits.
void sac_actor_act_columns(sac_actor_state *const *states, const sac_actor *actor, const sac_policy *policy,
                           const float *parameters, const void *const *const *inputs, float *const *actions, int count);

/// Numbers of a vector, of which one that is not finite counts as 0.
void sac_tell_finite(float *told, const float *numbers, size_t count);

/// The numbers of all vectors in the order of the inputs, of which there are policy->vector_size; what is not finite
/// counts as 0.
void sac_actor_tell_vectors(float *told, const sac_policy_def *def, const void *const *inputs);

/// What was told, recurrent state and output of the last step.
void sac_actor_gaze(const sac_actor_state *state, const sac_actor *actor, sac_gaze *gaze);

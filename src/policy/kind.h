#pragma once

#include "base/workspace.h"
#include "saccade/policy.h"

/// What a built-in kind of policy supplies: one file a kind, one row in kinds.c. Kinds of others supply a
/// sac_policy_kind_ops, of which own.c makes this.

enum
{
    SAC_MAX_POLICY_TENSORS = 32,
    SAC_MAX_PARAMETERS = 1 << 24
};

/// The parts of a policy that exporters and gradients read (parts.h).
typedef struct sac_policy_parts sac_policy_parts;

/// Which parts of a world a kind takes unless it is told.
typedef enum sac_policy_taste
{
    SAC_TASTE_IMAGE,   ///< the first picture, or where there is none the first picture of floats; it must have one
    SAC_TASTE_NUMBERS, ///< all vectors; it can look at no picture
    SAC_TASTE_BOTH,    ///< the first picture as above, which it must have, and all vectors
    SAC_TASTE_ANY,     ///< the first picture, or where there is none all parts; the kind decides what it takes
} sac_policy_taste;

/// Which policies of a kind can be exported. How they are follows from their parts.
typedef struct sac_policy_export
{
    /// Names of the options that exporters write, NULL behind the last; any other option may have its default alone,
    /// which is what policies were before it was there.
    const char *const *options;
    sac_status (*check)(const sac_policy *policy); ///< refuses what these options do not decide; NULL: nothing
} sac_policy_export;

/// What a planner of ours tries actions out with.
typedef struct sac_trial
{
    void *self;
    /// Do actions [steps, action_size] one after the other in a copy of the world as it stands, until they or the
    /// episode are at their end, and say what they were paid in all.
    sac_status (*run)(void *self, const float *actions, int steps, double *reward);
} sac_trial;

typedef struct sac_policy_ops
{
    const char *name;
    /// Of a kind whose options depend on some of its settings: the table of functions and options that these choose;
    /// the kind's own table is what it is without any. NULL: one table serves for all.
    const struct sac_policy_ops *(*variant)(const sac_setting *settings, int count);
    const sac_option *options;
    size_t config_size;
    bool renamed; ///< some of its options had other names once, which policy files keep (files/renamed.h)
    sac_policy_taste taste;
    const char *taste_by; ///< the option and value that give it this taste, " with ..."; NULL: it always has it

    /// Check the config against the shapes of policy->def, add the tensors, keep what is fixed in policy->self.
    sac_status (*create)(sac_policy *policy);
    void (*destroy)(void *self); ///< NULL is ignored

    size_t state_size; ///< bytes of its state, zero at first; its first member is a sac_policy_state
    /// Cut the state's arrays from a workspace, first to measure them, then for good; NULL: it has none. What the gaze
    /// or the next action reads must not come from sac_take_scratch.
    void (*place)(sac_policy_state *state, sac_workspace *workspace);
    sac_status (*open)(sac_policy_state *state); ///< make what a state owns beside its arrays; NULL: nothing
    void (*close)(sac_policy_state *state);      ///< release it, also after `open` failed; NULL: nothing
    void (*set_parameters)(sac_policy_state *state, const float *parameters);
    void (*reset)(sac_policy_state *state);
    void (*act)(sac_policy_state *state, const void *const *inputs, float *action);
    /// The same for several states of one policy, which may have parameters of their own, with the bits of one by one;
    /// NULL: it gains nothing by that.
    void (*act_batch)(sac_policy_state *const *states, const void *const *const *inputs, float *const *actions,
                      int count);
    /// Act by trying actions out in a copy of the world, see sac_policy_kind_ops; NULL: it is no planner.
    sac_status (*plan)(sac_policy_state *state, struct sac_env *copy, const void *now, size_t size,
                       const void *const *inputs, float *action);
    /// The same of a kind that knows nothing of worlds; NULL: it is no such planner.
    sac_status (*search)(sac_policy_state *state, const sac_trial *trial, const void *const *inputs, float *action);
    /// What each choice would have cost by its own reckoning when it acted last, [action_choices]; NULL: it cannot say.
    const float *(*costs)(const sac_policy_state *state);
    /// NULL: it takes no picture.
    void (*act_float)(sac_policy_state *state, const float *observation, float *action);
    /// Tell whether its next action reads the picture, which needs not be drawn otherwise; NULL: each one does.
    bool (*looks)(const sac_policy_state *state);
    void (*gaze)(sac_policy_state *state, sac_gaze *gaze);                           ///< NULL: it looks at nothing
    void (*patch)(const sac_policy_state *state, int index, float *pixels);          ///< may be NULL
    const float *(*normaliser_input)(const sac_policy_state *state);                 ///< NULL: no kind of normaliser
    void (*attention_row)(const sac_policy_state *state, int query, float *weights); ///< may be NULL
    void (*parts)(const sac_policy_state *state, sac_policy_parts *parts);           ///< NULL: others do not know it
    bool (*resizes)(const sac_policy *policy); ///< NULL: it takes images as they are
    const sac_policy_export *exported;         ///< NULL: it cannot be exported
} sac_policy_ops;

struct sac_policy
{
    const sac_policy_ops *ops;
    sac_policy_def def; ///< settings, bounds and inputs are owned
    int image;          ///< the input that is a picture of bytes or of floats; -1: none
    int vector_size;    ///< numbers of all inputs that are vectors or choices
    void *config;       ///< [ops->config_size]
    void *self;         ///< the kind's own, fixed after creation
    sac_policy_tensor tensors[SAC_MAX_POLICY_TENSORS];
    int tensor_count;
    int parameter_count;
    float *parameters;
    int normaliser_size;                          ///< F; 0: no normaliser
    size_t normaliser_mean, normaliser_deviation; ///< offsets
    size_t state_room, scratch_room;              ///< bytes of a state's arrays, and of those that states can share
};

/// The first member of every kind's own state.
struct sac_policy_state
{
    const sac_policy *policy;
};

/// States in memory of a caller's, in three steps: cut it from a workspace of zeros, which is first measured, open it,
/// and close it. sac_policy_state_create does the three with memory of its own. Where the workspace has a scratch, all
/// states that are cut with it share that: they act one after the other, or in one batch.
/// @return NULL while the workspace is measured
sac_policy_state *sac_policy_state_take(const sac_policy *policy, sac_workspace *workspace);

/// Bring an action into its bounds, as every policy promises: NaN becomes the middle of the range, or choice 0, and a
/// choice is rounded.
void sac_policy_bound(const sac_policy_def *def, float *action);

/// Make what it owns beside that memory, and start with the policy's own parameters.
SAC_CHECKED sac_status sac_policy_state_open(sac_policy_state *state);

/// Release that again, also after a failure to open it. NULL is ignored.
void sac_policy_state_close(sac_policy_state *state);

extern const sac_policy_ops sac_attention_agent_ops, sac_iap_rank_ops, sac_iap_trans_ops, sac_cnn_ops, sac_mlp_ops,
    sac_hierarchical_ops, sac_dodger_ops, sac_stepper_ops, sac_pilot_ops, sac_grasper_ops, sac_sampler_ops,
    sac_action_tokens_ops, sac_point_cloud_ops, sac_finder_ops;

/// The kind of a name, built in or registered (kinds.c); NULL: none. And what it is with some settings.
const sac_policy_ops *sac_policy_find_kind(const char *name);
const sac_policy_ops *sac_policy_find_variant(const char *name, const sac_setting *settings, int count);

/// Create a policy of a kind, or of a variant of one; def->kind is not read.
SAC_CHECKED sac_status sac_policy_create_of(sac_policy **out, const sac_policy_ops *ops, const sac_policy_def *def);

/// Kinds of others (own.c): whether one has all that it needs, adding it, and the index-th; NULL past the last.
sac_status sac_policy_own_check(const sac_policy_kind_ops *kind);
sac_status sac_policy_own_add(const sac_policy_kind_ops *kind);
const sac_policy_ops *sac_policy_own_at(int index);

/// Take the last `count` registered kinds back. While no other thread creates any.
void sac_policy_unregister_last(int count);

/// Add the tensors of a normaliser of `size` numbers, after all others.
sac_status sac_policy_add_normaliser(sac_policy *policy, int size);

/// Write the mean and the deviation of the index-th number into the normaliser's tensors of a whole vector. A number
/// that is as good as constant is centred and no more.
void sac_policy_set_normaliser(const sac_policy *policy, float *parameters, int index, double mean, double deviation);

/// The first of a whole vector's tensors that holds a number which is not finite; NULL: all numbers are.
const sac_policy_tensor *sac_policy_broken_tensor(const sac_policy *policy, const float *parameters);

/// Where a layer's tensors lie in the parameter vector.
typedef struct sac_layer
{
    size_t bias, weight;
} sac_layer;

/// Add a layer's tensors "NAME.bias" [out] and "NAME.weight" [out, in], as PyTorch draws them: +-1/sqrt(in).
sac_status sac_policy_add_layer(sac_policy *policy, const char *bias, const char *weight, int out, int in,
                                sac_layer *layer);

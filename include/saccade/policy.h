#pragma once

#include "saccade/base.h"
#include "saccade/options.h"
#include "saccade/space.h"

/// Policies: what is seen goes in, an action comes out.
///
/// A policy names the parts of an observation that it takes: a picture of bytes or of floats, vectors of numbers.
///
/// A sac_policy is an architecture with one vector of parameters; it is immutable, so threads may share it. A
/// sac_policy_state belongs to one episode at a time: it holds what changes (recurrent state, the last attention) and
/// the parameters in the form that the inner loops want. Parameters are one flat float vector with named tensors in it;
/// the search sees a vector, the policy sees tensors.

#define SAC_POLICY_TENSOR_MAX_RANK 4

/// A named tensor inside the parameter vector.
typedef struct sac_policy_tensor
{
    const char *name; ///< such as "lstm.weight_hh"
    size_t offset;    ///< first float in the vector
    int rank;
    int shape[SAC_POLICY_TENSOR_MAX_RANK];
    float init_limit; ///< a fresh vector draws this tensor uniformly from -limit..limit
    bool measured;    ///< not learned: training measures it, see sac_policy_normaliser_size
} sac_policy_tensor;

/// What to create. The shapes come from the environment; the settings are the options of the kind.
typedef struct sac_policy_def
{
    const char *kind;            ///< such as "attention-agent"
    const sac_setting *settings; ///< options of the kind
    int setting_count;
    /// Shape of the picture of bytes or of floats that the policy looks at; 0: it looks at none. A def whose `inputs`
    /// is NULL means a policy that takes one picture of this shape and nothing else.
    int height, width, channels;
    int action_size;          ///< floats in an action
    int action_choices;       ///< 0: a box; n: one float that holds a choice 0..n-1
    const float *action_low;  ///< [action_size], copied
    const float *action_high; ///< [action_size], copied
    const sac_space *inputs;  ///< [input_count] the parts that it takes, copied; NULL: see height
    int input_count;
} sac_policy_def;

typedef struct sac_policy sac_policy;
typedef struct sac_policy_state sac_policy_state;

/// The kinds of policies there are, for listings: the i-th name and option table; NULL past the end.
SAC_API const char *sac_policy_kind_at(int index, const sac_option **options);

/// The options of a kind with some settings; those of `hierarchical` depend on its setting high.kind.
/// @param settings  of the kind, in any order; what is no setting of it is not looked at
/// @return a table that stays; NULL: there is no such kind
SAC_API const sac_option *sac_policy_kind_options(const char *kind, const sac_setting *settings, int setting_count);

/// Create an architecture with all parameters zero.
/// @param[out] out  released by sac_policy_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT for an unknown kind or option (with "did you mean") or shapes that do not fit
SAC_API SAC_CHECKED sac_status sac_policy_create(sac_policy **out, const sac_policy_def *def);

/// A copy with other parameters, [sac_policy_parameter_count]; NULL on lack of memory.
SAC_API SAC_CHECKED sac_status sac_policy_create_with(sac_policy **out, const sac_policy *policy,
                                                      const float *parameters);

/// Destroy a policy. NULL is ignored.
SAC_API void sac_policy_destroy(sac_policy *policy);

SAC_API const char *sac_policy_kind(const sac_policy *policy);
SAC_API int sac_policy_parameter_count(const sac_policy *policy);
SAC_API const float *sac_policy_parameters(const sac_policy *policy);
SAC_API int sac_policy_tensor_count(const sac_policy *policy);
SAC_API const sac_policy_tensor *sac_policy_tensor_at(const sac_policy *policy, int index);
SAC_API size_t sac_policy_tensor_size(const sac_policy_tensor *tensor);     ///< floats in it: the product of its shape
SAC_API const sac_policy_def *sac_policy_get_def(const sac_policy *policy); ///< its settings are the resolved options

/// Draw a fresh parameter vector as PyTorch initialises its layers: each tensor uniform in +-init_limit.
SAC_API void sac_policy_draw(const sac_policy *policy, uint64_t seed, float *parameters);

/// Create a state that starts with the policy's own parameters and a zero recurrent state.
/// The policy must outlive it.
SAC_API SAC_CHECKED sac_status sac_policy_state_create(sac_policy_state **out, const sac_policy *policy);

/// Destroy a state. NULL is ignored.
SAC_API void sac_policy_state_destroy(sac_policy_state *state);

/// Run with other parameters from now on, copied. Resets the recurrent state. Never allocates.
SAC_API void sac_policy_state_set_parameters(sac_policy_state *state, const float *parameters);

/// Start an episode: the recurrent state becomes zero.
SAC_API void sac_policy_state_reset(sac_policy_state *state);

/// Tell whether a policy takes one picture and nothing else, which is what sac_policy_act needs.
SAC_API bool sac_policy_takes_one_picture(const sac_policy *policy);

/// Look at an image and act, for a policy that takes one picture and nothing else; sac_policy_act_on is for every
/// policy. Never fails, never allocates; identical inputs give identical bits, at every CPU level. The action is always
/// finite and within the bounds: where parameters that are not numbers make an output NaN, the middle of the range is
/// taken, or choice 0.
/// @param      observation  [height, width, channels], 0..255
/// @param[out] action       [action_size], in the environment's bounds
SAC_API void sac_policy_act(sac_policy_state *state, const uint8_t *observation, float *action);

/// The same for an image of floats in 0..1.
SAC_API void sac_policy_act_float(sac_policy_state *state, const float *observation, float *action);

/// Look at all parts that the policy takes and act; promises as sac_policy_act. A number of a vector that is not finite
/// counts as 0; a picture of floats is brought from its bounds to 0..1, where it has bounds, and cut there.
/// @param inputs  [input_count] the parts in the order of sac_policy_get_def(policy)->inputs, each as its space says
SAC_API void sac_policy_act_on(sac_policy_state *state, const void *const *inputs, float *action);

/// Look and act in `count` episodes: inputs[i] and actions[i] belong to states[i], which must differ from each other.
/// The bits are those of sac_policy_act_on one by one. The states may be of different policies.
/// @param      inputs   [count], each [input_count]
/// @param[out] actions  [count], each [action_size]
SAC_API void sac_policy_act_batch(sac_policy_state *const *states, const void *const *const *inputs,
                                  float *const *actions, int count);

/// A policy with an observation normaliser tells its controller (f - mean) / deviation of each number f, where a
/// deviation of 0 counts as 1, so that a normaliser of zeros changes nothing. The two are tensors of the policy like
/// any other, "filter.mean" and "filter.deviation" as the first version of policy files called them; training measures
/// them over all that candidates see (ARS V2, Mania et al. 2018).
/// @return F, the numbers that the normaliser is told of each step; 0: no normaliser
SAC_API int sac_policy_normaliser_size(const sac_policy *policy);

/// What the normaliser was told by the last call of sac_policy_act, [F]; valid until the state is used again.
SAC_API const float *sac_policy_normaliser_input(const sac_policy_state *state);

/// What the last call of sac_policy_act looked at. Pointers are valid until the state is used again; NULL and 0 where a
/// kind has no such thing. A kind that looks at points in space has no patches: its rows are those of the cloud, in one
/// column, and `patch` is 0.
typedef struct sac_gaze
{
    int height, width; ///< pixels of the image that is cut into patches: the observation, or what it is resized to
    int rows, columns; ///< of the patch grid; N = rows * columns
    int patch, stride; ///< pixels, in that image
    const float *importance; ///< [N]: how much attention each patch received; the scores that patches are kept by
    int kept;                ///< K
    const int *top;          ///< [K] patch indices, most important first, ties to the lower index; with drawn patches
                             ///< in the order of drawing
    const float *centers;    ///< [K, 2] row and column of their centres: pixels, in that image
    const float *told; ///< [told_count] what the controller was given, changed by motion and normaliser as they say
    int told_count;
    const float *queries;       ///< [N, key_size]
    const float *keys;          ///< [N, key_size]: where keys are kept for several steps, those that were looked at
    int key_size;               ///< of all heads: head h has the numbers from h times the option key_size on
    const float *hidden, *cell; ///< [hidden_size] recurrent state after the step
    int hidden_size;
    const float *output; ///< [output_size] the controller's output after its activation
    int output_size;
    const float *contribution; ///< [N], of iap-trans alone: how far what the controller is told would be from what it
                               ///< is, before the layer norm's reply to that, if the patch had the mean of all values
    float above, beneath; ///< of an observation that is cropped: rows that are left out at the top and at the bottom,
                          ///< in pixels of the image that is cut into patches
    int age;              ///< steps since the policy looked at the image: 0 where it looked in this step
    int held;             ///< of `hierarchical` alone: steps for which what it decided then is held, that step included
} sac_gaze;

/// What there is to show of each patch [N]: what it contributes where that is known, else its importance, or NULL. The
/// importance of iap-trans says which patches the others look at; with the residual the controller is told of each
/// patch directly as well.
SAC_API const float *sac_gaze_shown(const sac_gaze *gaze);

/// Read the last attention. Not for the inner loop: it may compute what acting skips (such as importance of every patch
/// in the plain order).
SAC_API void sac_policy_gaze(sac_policy_state *state, sac_gaze *gaze);

/// The pixels of one patch of the image that the last call of sac_policy_act looked at, as the agent sees them. That
/// image must still be where it was.
/// @param      index   0..N-1
/// @param[out] pixels  [patch, patch, channels], 0..1
/// @return false for a kind without patches
SAC_API bool sac_policy_patch(const sac_policy_state *state, int index, float *pixels);

/// How one patch of the last image divides its attention over all patches.
/// @param      query    0..N-1
/// @param[out] weights  [N], the mean over heads; their sum over all queries is gaze.importance where every query
///                      weighs the same
/// @return false for a kind without attention
SAC_API bool sac_policy_attention_row(const sac_policy_state *state, int query, float *weights);

struct sac_env; // a world, see saccade/env.h

/// What a kind of policy of one's own supplies, registered by sac_policy_register or by a plugin (saccade/plugin.h). It
/// is then a word in a task, `policy.kind`, and its files are policy files like any other. `self` is what is fixed
/// after creation, shared by threads; `state` belongs to one episode at a time.
typedef struct sac_policy_kind_ops
{
    const char *name;          ///< the word, such as "attention-agent"
    const sac_option *options; ///< table over the kind's config struct; NULL: none
    size_t config_size;        ///< bytes of that struct

    /// Check the shapes of sac_policy_get_def(policy), declare the tensors by sac_policy_add_tensor in the order of the
    /// vector, one at least, and keep in *self what the states need. It fails by sac_fail; what it has made by then it
    /// releases itself.
    sac_status (*create)(void **self, sac_policy *policy, const void *config);
    void (*destroy)(void *self);
    sac_status (*state_create)(void **state, const void *self);
    void (*state_destroy)(void *state);
    /// Take other parameters, all tensors in one vector, without allocating. They are there during the call only: copy
    /// what is needed.
    void (*set_parameters)(void *state, const float *parameters);
    void (*reset)(void *state); ///< start an episode; NULL: nothing lasts from step to step
    /// Look at the parts that the def lists, [input_count], and write [action_size] floats in the environment's bounds,
    /// or a choice. It never allocates, and gives the same bits for the same parts. What is out of bounds is clamped, a
    /// choice rounded; NaN becomes the middle of the range, or choice 0.
    void (*act)(void *state, const void *const *inputs, float *action);
    /// For a planner, which tries out what would come of its actions: act in a world that can be saved (saccade/env.h).
    /// `now` is a snapshot of the world as it stands, [size], and `copy` another world of the same definition, which
    /// belongs to the state: restore it from `now` before each try, and leave it where it is then. It may fail, by
    /// sac_fail; else it does as `act`, which is called where there is no world, such as for arrays in Python. NULL: it
    /// looks and tries nothing out.
    sac_status (*plan)(void *state, struct sac_env *copy, const void *now, size_t size, const void *const *inputs,
                       float *action);
    /// For a policy of one picture, the same for floats in 0..1; NULL: they are rounded to bytes.
    void (*act_float)(void *state, const float *observation, float *action);
    void (*gaze)(void *state, sac_gaze *gaze); ///< see sac_policy_gaze; NULL: it looks at nothing in particular
    void (*patch)(const void *state, int index, float *pixels);          ///< see sac_policy_patch; NULL: no patches
    void (*attention_row)(const void *state, int query, float *weights); ///< see sac_policy_attention_row; NULL: none
} sac_policy_kind_ops;

/// Add a kind of policy under its own name, beside the built-in ones. `ops` must stay valid. Not while threads create.
/// @return SAC_ERROR_ARGUMENT when the name is taken, a required function is missing, or its options do not fit
SAC_API SAC_CHECKED sac_status sac_policy_register(const sac_policy_kind_ops *ops);

/// Declare a tensor at the end of the parameter vector. Inside `create` of a kind of one's own alone.
/// @param      name        of the tensor in policy files; must outlive the policy
/// @param      init_limit  a fresh vector draws it uniformly from -limit..limit
/// @param      shape       [rank], 1 at least each; rank 1 to SAC_POLICY_TENSOR_MAX_RANK
/// @param[out] offset      of its first float in the vector; may be NULL
/// @return SAC_ERROR_ARGUMENT for more than 32 tensors, more than 2^24 parameters, or a shape or name that cannot be
SAC_API SAC_CHECKED sac_status sac_policy_add_tensor(sac_policy *policy, const char *name, double init_limit, int rank,
                                                     const int *shape, size_t *offset);

/// Facts that travel with a policy file beside the architecture. Text fields may be "".
typedef struct sac_policy_info
{
    char environment[SAC_TEXT_SIZE]; ///< id of the environment that it was trained for
    char variant[SAC_TEXT_SIZE];
    char version[SAC_TEXT_SIZE]; ///< of saccade, that wrote it
    uint64_t seed;               ///< of the training
    int generation;
    double score, score_std; ///< held-out evaluation; NaN: none
    int score_episodes;
    sac_setting *settings; ///< options of the environment; owned by the info, see sac_policy_info_clear
    int setting_count;
} sac_policy_info;

SAC_API void sac_policy_info_clear(sac_policy_info *info);

/// Write a policy file (safetensors: one for each tensor, the architecture as JSON in the metadata), atomically.
/// @param parameters  NULL: the policy's own; SAC_ERROR_ARGUMENT where one is not a finite number
/// @param info        NULL: none
SAC_API SAC_CHECKED sac_status sac_policy_save(const sac_policy *policy, const float *parameters,
                                               const sac_policy_info *info, const char *path);

/// Read a policy file. Never executes anything; every size is checked before memory is taken. Parameters must be
/// finite.
/// @param[out] info  NULL: not wanted; else cleared by the caller
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT or SAC_ERROR_MEMORY; the sentence names the file and what is wrong with it
SAC_API SAC_CHECKED sac_status sac_policy_load(sac_policy **out, sac_policy_info *info, const char *path);

/// The same from memory; the bytes may be released afterwards.
/// @param where  names the source in errors
SAC_API SAC_CHECKED sac_status sac_policy_read(sac_policy **out, sac_policy_info *info, const void *bytes, size_t size,
                                               const char *where);

#pragma once

#include "policy/actor.h"
#include "policy/embedding.h"
#include "saccade/readings.h"

/// Agents that look through attention: tokens are patches, something is read from the attention between them, and a
/// small controller is told that alone. Three kinds of policies are made of two readings:
///
///     attention-agent   K patches are kept, and the controller is told where they are (Tang, Nguyen, Ha 2020)
///     iap-rank          K patches are kept by linear scores, and the controller is told their rows of V (IAP-rank)
///     iap-trans         N patches become l tokens (IAP-trans)
///
/// The first two are one reading with other defaults: each has all options of the other.
///
/// Patch features, what can be told of a kept patch, are chosen by name and are one file each: see the list below.
/// Features alone are the numbers to which a linear form of attention maps a token.

/// The patch features: sac_patch_features_<name>.
#define SAC_PATCH_FEATURES(X) X(positions) X(histogram) X(conv) X(values)

enum
{
    SAC_MAX_PATCH_FEATURES = 4,
    SAC_MAX_CONV_LAYERS = 4,
    SAC_MAX_HEADS = 16
};

/// Which patches are kept, by their scores.
typedef enum sac_selection
{
    SAC_SELECT_TOP,    ///< the highest
    SAC_SELECT_SAMPLE, ///< drawn from softmax(scores)
    SAC_SELECT_TREE,   ///< drawn in proportion to the scores, in time log N
} sac_selection;

typedef struct sac_agent_config
{
    int crop_top, crop_height, image_size;
    int patch, stride;
    int key_size;
    int top;
    char attention[SAC_TEXT_SIZE];
    double scale;
    int attention_features, attention_directions;
    uint64_t attention_seed;
    char attention_map[SAC_TEXT_SIZE];
    bool divide, normalise_tokens;
    char position_encoding[SAC_TEXT_SIZE];
    char patch_features[SAC_TEXT_SIZE];
    bool masking;
    int heads;
    char projection[SAC_TEXT_SIZE], selection[SAC_TEXT_SIZE];
    uint64_t selection_seed;
    int key_period;
    int value_size;
    int rows;
    bool residual, layer_norm;
    bool centre_pixels;
    char order[SAC_TEXT_SIZE];
    bool normalise_positions;
    int bins;
    char conv_channels[SAC_TEXT_SIZE];
    int conv_kernel, conv_stride;
    sac_actor_config actor;
} sac_agent_config;

typedef struct sac_agent sac_agent;
typedef struct sac_agent_state sac_agent_state;

/// What is read from attention.
typedef struct sac_reading_ops
{
    bool has_values; ///< wants [value_size, token_stride] values beside queries and keys
    /// Add tensors; set told_count.
    sac_status (*plan)(sac_agent *agent, sac_policy *policy);
    /// Bring the parameters into the form that `attend` wants; NULL: they serve as they are.
    void (*prepare)(sac_agent_state *state);
    /// Tokens -> what is told of them.
    void (*attend)(sac_agent_state *state);
    /// Compute what acting skips, when the gaze is read; NULL: nothing.
    void (*look_back)(sac_agent_state *state);
    /// What a state owns beside its arrays: made with it, started with an episode, released with it, also where it was
    /// not made; NULL: nothing.
    sac_status (*open)(sac_agent_state *state);
    void (*reset)(sac_agent_state *state);
    void (*close)(sac_agent_state *state);
} sac_reading_ops;

/// A kept patch.
typedef struct sac_patch
{
    int row, column;     ///< of its centre, pixels
    const float *pixels; ///< [patch, patch, channels], 0..1; NULL where no part wants them
    float *scratch;      ///< [agent->scratch_size]
} sac_patch;

typedef struct sac_patch_features_ops
{
    const char *name;
    bool pixels; ///< whether it looks at the patch's pixels
    /// Check the config, add tensors; `size` is the number of floats that a patch gives.
    sac_status (*plan)(sac_agent *agent, sac_policy *policy, int *size);
    void (*read)(const sac_agent *agent, const float *parameters, const sac_patch *patch, float *out);
} sac_patch_features_ops;

/// A layer of the convolution stack.
typedef struct sac_conv_layer
{
    int in_side, in_channels, out_side, out_channels;
    sac_layer tensors; ///< weight [out_channels, in_channels, kernel, kernel]
} sac_conv_layer;

/// What is fixed after creation.
struct sac_agent
{
    sac_agent_config config;
    sac_kernels kernels;
    sac_attention *attention;
    sac_embedding embedding; ///< its outputs are the queries', the keys' and the values'
    int query_size;          ///< H D, rows of queries, and of keys
    int heads;               ///< H
    bool has_learned_map;    ///< G and v of SARA's maps are parameters
    size_t maps[2];          ///< offsets of what is added to G of each side [H M, D]
    size_t map_gains;        ///< and to v [H M]
    int value_size;          ///< H V; 0: no values
    sac_layer query, key, value;

    const sac_reading_ops *reading;
    sac_selection selection;
    bool has_projection;    ///< the queries are weighted by learned numbers
    bool has_database;      ///< the keys are kept as features
    size_t rank_projection; ///< offset
    sac_trans trans;        ///< iap-trans: all but the parameters
    size_t trans_projection, trans_gain, trans_bias;

    const sac_patch_features_ops *parts[SAC_MAX_PATCH_FEATURES];
    int part_sizes[SAC_MAX_PATCH_FEATURES];
    int part_count;
    int patch_numbers; ///< floats that a patch gives
    bool wants_pixels;
    sac_conv_layer conv[SAC_MAX_CONV_LAYERS];
    int conv_count;
    int scratch_size; ///< floats that a part needs

    int told_count; ///< numbers that are told in a step
    sac_actor actor;
};

#define X(name) extern const sac_patch_features_ops sac_patch_features_##name;
SAC_PATCH_FEATURES(X)
#undef X

extern const sac_option sac_agent_options[], sac_iap_rank_options[], sac_iap_trans_options[];
extern const sac_reading_ops sac_reading_rank, sac_reading_trans;

/// Choose the patch features by the config's words, plan them, add their tensors.
sac_status sac_agent_plan_patch_features(sac_agent *agent, sac_policy *policy);

/// The tensors of learned maps (readings/learned_map.c), where the config asks for them, and giving a head's map their
/// numbers.
sac_status sac_agent_plan_map(sac_agent *agent, sac_policy *policy);
void sac_agent_set_map(sac_attention *map, const sac_agent *agent, int head, const float *parameters);

/// The moving parts (agent_state.c) and what is read from them (agent_gaze.c).
void sac_agent_place(sac_policy_state *state, sac_workspace *workspace);
sac_status sac_agent_open(sac_policy_state *state);
void sac_agent_close(sac_policy_state *state);
void sac_agent_set_parameters(sac_policy_state *state, const float *parameters);
void sac_agent_reset(sac_policy_state *state);
void sac_agent_act(sac_policy_state *state, const void *const *inputs, float *action);
void sac_agent_act_float(sac_policy_state *state, const float *observation, float *action);
void sac_agent_gaze(sac_policy_state *state, sac_gaze *gaze);
void sac_agent_patch(const sac_policy_state *state, int index, float *pixels);
const float *sac_agent_normaliser_input(const sac_policy_state *state);
void sac_agent_attention_row(const sac_policy_state *state, int query, float *weights);

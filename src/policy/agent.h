#pragma once

#include "kernels/kernels.h"
#include "policy/kind.h"
#include "saccade/readings.h"
#include "saccade/tokens.h"

/// Agents that look through attention: tokens are patches, something is read from the attention between them, and a
/// small controller is told that alone. Three readings are three kinds of policies, and a fourth is their baseline:
///
///     attention-agent   K patches are kept, and the controller is told where they are (Tang, Nguyen, Ha 2020)
///     iap-rank          K patches are kept by linear scores, and the controller is told their rows of V (IAP-rank)
///     iap-trans         N patches become l tokens (IAP-trans)
///     cnn               no attention: convolutions over the whole image
///
/// The first two are one reading with other defaults: each has all options of the other.
///
/// Parts that are chosen by name are one file each: see the lists below.

/// What can be told about a kept patch: sac_features_<name>.
#define SAC_FEATURES(X) X(positions) X(histogram) X(conv) X(values)

/// What turns it into an action: sac_controller_<name>.
#define SAC_CONTROLLERS(X) X(lstm) X(mlp) X(linear)

enum
{
    SAC_MAX_FEATURE_PARTS = 4,
    SAC_MAX_CONV_LAYERS = 4,
    SAC_MAX_CONTROLLER_VIEWS = 8,
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
    int image_size;
    int patch, stride;
    int key_size;
    int top;
    char attention[SAC_TEXT_SIZE];
    double scale;
    int attention_features, attention_directions;
    uint64_t attention_seed;
    bool normalize;
    char position_encoding[SAC_TEXT_SIZE];
    char features[SAC_TEXT_SIZE];
    bool masking;
    int heads;
    char projection[SAC_TEXT_SIZE], selection[SAC_TEXT_SIZE];
    uint64_t selection_seed;
    int key_period;
    int value_size;
    int rows;
    bool residual, layer_norm;
    char order[SAC_TEXT_SIZE];
    bool normalise;
    int bins;
    char conv_channels[SAC_TEXT_SIZE];
    int conv_kernel, conv_stride;
    char controller[SAC_TEXT_SIZE];
    int hidden;
    char activation[SAC_TEXT_SIZE];
    char choice[SAC_TEXT_SIZE];
    bool motion, filter;
} sac_agent_config;

typedef struct sac_agent sac_agent;
typedef struct sac_agent_state sac_agent_state;

/// What is read from attention.
typedef struct sac_reading_ops
{
    bool has_values; ///< wants [value_size, stride] values beside queries and keys
    /// Bring a config whose options are its own into the agents' form; without queries and keys, key_size stays 0.
    sac_status (*adapt)(sac_agent_config *config);
    /// Add views; set feature_count.
    sac_status (*plan)(sac_agent *agent, sac_policy *policy);
    /// Bring the parameters into the form that `attend` wants; NULL: they serve as they are.
    void (*prepare)(sac_agent_state *state);
    /// Tokens -> features.
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

typedef struct sac_features_ops
{
    const char *name;
    bool pixels; ///< whether it looks at the patch's pixels
    /// Check the config, add views; `size` is the number of floats that a patch gives.
    sac_status (*plan)(sac_agent *agent, sac_policy *policy, int *size);
    void (*read)(const sac_agent *agent, const float *parameters, const sac_patch *patch, float *out);
} sac_features_ops;

/// What a controller reads and writes in a step.
typedef struct sac_controller_io
{
    const float *features; ///< [feature_count]
    float *hidden, *cell;  ///< [hidden_size], zero at the start of an episode
    float *output;         ///< [output_size], before the activation
    float *scratch;        ///< [scratch_size]
} sac_controller_io;

typedef struct sac_controller_ops
{
    const char *name;
    /// Add views and keep their offsets in controller_views; set hidden_size, has_cell, prepared_size as needed.
    sac_status (*plan)(sac_agent *agent, sac_policy *policy);
    /// Bring the parameters into the form that `step` wants, prepared [prepared_size]; NULL: they serve as they are.
    void (*prepare)(const sac_agent *agent, const float *parameters, float *prepared);
    void (*step)(const sac_agent *agent, const float *parameters, const float *prepared, sac_controller_io *io);
} sac_controller_ops;

/// A layer of the convolution stack.
typedef struct sac_conv_layer
{
    int in_side, in_channels, out_side, out_channels;
    size_t bias, weight; ///< offsets; weight [out_channels, in_channels, kernel, kernel]
} sac_conv_layer;

/// A layer over the whole image; the first one's patches are the agent's.
typedef struct sac_image_layer
{
    sac_patches patches;
    size_t bias, weight; ///< offsets; weight [outputs, kernel, kernel, channels]
} sac_image_layer;

/// What is fixed after creation.
struct sac_agent
{
    sac_agent_config config;
    sac_kernels kernels;
    sac_attention *attention;
    sac_resize *resize;  ///< NULL: the observation is cut as it is
    int channels;        ///< of the image
    sac_patches patches; ///< how the image is cut; its outputs are the queries', the keys' and the values'
    int count, stride;   ///< N; N in whole lanes
    int query_size;      ///< H D, rows of queries, and of keys; 0: no attention
    int heads;           ///< H
    int inputs;          ///< numbers in a patch
    int value_size;      ///< V; 0: no values
    float *positions;    ///< [inputs, stride] added to the patches; NULL: none
    size_t query_bias, query_weight, key_bias, key_weight, value_bias, value_weight; ///< offsets in the vector

    const sac_reading_ops *reading;
    sac_selection selection;
    bool has_projection;    ///< the queries are weighted by learned numbers
    bool has_database;      ///< the keys are kept as features
    size_t rank_projection; ///< offset
    sac_trans trans;        ///< iap-trans: all but the parameters
    size_t trans_projection, trans_gain, trans_bias;

    sac_image_layer layers[SAC_MAX_CONV_LAYERS]; ///< cnn
    int layer_count;
    size_t image_room, planar_room, work_room; ///< floats of its scratch

    const sac_features_ops *parts[SAC_MAX_FEATURE_PARTS];
    int part_sizes[SAC_MAX_FEATURE_PARTS];
    int part_count;
    int feature_count;  ///< that the controller is given
    int told_count;     ///< of them, those of this step; the rest is their motion
    int patch_features; ///< floats that a patch gives
    bool wants_pixels;
    sac_conv_layer conv[SAC_MAX_CONV_LAYERS];
    int conv_count;

    const sac_controller_ops *controller;
    size_t controller_views[SAC_MAX_CONTROLLER_VIEWS]; ///< offsets, as its plan stores them
    int hidden_size;                                   ///< 0: none
    bool has_cell;
    size_t prepared_size;

    int scratch_size; ///< floats that a part or a controller needs
    int output_size;
    bool threshold; ///< one output chooses among three actions
};

#define X(name) extern const sac_features_ops sac_features_##name;
SAC_FEATURES(X)
#undef X
#define X(name) extern const sac_controller_ops sac_controller_##name;
SAC_CONTROLLERS(X)
#undef X

extern const sac_option sac_agent_options[], sac_iap_rank_options[], sac_iap_trans_options[], sac_cnn_options[];
extern const sac_reading_ops sac_reading_rank, sac_reading_trans, sac_reading_conv;

/// Choose the parts by the config's words, plan them, add their views.
sac_status sac_agent_plan_features(sac_agent *agent, sac_policy *policy);
sac_status sac_agent_plan_controller(sac_agent *agent, sac_policy *policy);

/// The moving parts (agent_state.c) and what is read from them (agent_gaze.c).
sac_status sac_agent_state_create(sac_policy_state **out, const sac_policy *policy);
void sac_agent_state_destroy(sac_policy_state *state);
void sac_agent_set_parameters(sac_policy_state *state, const float *parameters);
void sac_agent_reset(sac_policy_state *state);
void sac_agent_act(sac_policy_state *state, const uint8_t *observation, float *action);
void sac_agent_act_float(sac_policy_state *state, const float *observation, float *action);
void sac_agent_gaze(sac_policy_state *state, sac_gaze *gaze);
void sac_agent_patch(const sac_policy_state *state, int index, float *pixels);
const float *sac_agent_filter_input(const sac_policy_state *state);
void sac_agent_attention_row(const sac_policy_state *state, int query, float *weights);

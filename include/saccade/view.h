#pragma once

#include "saccade/base.h"
#include "saccade/env.h"
#include "saccade/policy.h"

/// What people see: where a policy looks, drawn over what it sees; frames, films and plots of it.
///
/// Pictures are [height, width, 3], 0..255, dense, in the caller's memory unless said otherwise. Drawing never fails,
/// never allocates and never writes outside; every pixel is a pure function of what is drawn, so films are the same on
/// every machine that has the same encoder.

/// The paper's overlay: the K top patches are blended with white in the order of rank, the patch of rank r (from 0)
/// with weight 1 - r/K. All blends are with white, so what they leave of a pixel is the product of r/K over the
/// patches that cover it: 1 where none does.
/// @param[out] keep  [height, width], of the observation
SAC_API void sac_overlay_keep(float *keep, int height, int width, const sac_gaze *gaze);

/// Blend a picture of any size with white: v keep + 255 (1 - keep), rounded to nearest. The map is stretched over the
/// picture by nearest neighbour, so an observation that was enlarged gets the same patches as one that was not.
/// @param strength  0..1, multiplies the weight of white; 1 is the paper's
SAC_API void sac_overlay_blend(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                               float strength);

/// The colour of a value in 0..1 (others are clamped): from near black over violet and orange to pale yellow. Lightness
/// (of the colour space OKLab) rises in proportion to the value, so equal steps look equal, in grey as well.
SAC_API void sac_heat_color(float value, uint8_t rgb[3]);

/// Draw the importance of every patch as a heat map over the extent of the observation; pixels take the colour of the
/// patch whose centre is nearest. The most important patch has the brightest colour; the colour's value is the square
/// root of importance over the maximum, since attention is mostly concentrated on few patches.
SAC_API void sac_heat_map(uint8_t *rgb, int height, int width, const sac_gaze *gaze, int observation_height,
                          int observation_width);

/// A composed frame: at the left the world as people see it and under it a line with return, step and action; at the
/// right the observation with the overlay and the heat map.
typedef struct sac_frame sac_frame;

enum
{
    SAC_FRAME_MIN_WIDTH = 240,
    SAC_FRAME_MIN_HEIGHT = 160,
    SAC_FRAME_MAX_SIDE = 7680,
    SAC_FRAME_WIDTH = 1136, ///< what is drawn unless asked otherwise
    SAC_FRAME_HEIGHT = 720,
};

/// What is drawn into a frame. Pointers are read during the call only.
typedef struct sac_frame_content
{
    const uint8_t *observation; ///< of the frame's spec
    const sac_gaze *gaze;       ///< NULL: a policy that does not look
    const float *action;        ///< [action_size]; NULL: none yet
    float world_overlay; ///< 0..1: how strongly the patches show on the people's picture too; 0 where that picture
                         ///< has another view than the observation
    double episode_return;
    int step;
    const char *title; ///< such as "car-racing, color, seed 3"
    const char *note;  ///< such as "paused"; NULL: none
} sac_frame_content;

/// Create a frame for an environment.
/// @param spec          its pointers must stay valid
/// @param action_names  [action_size], or [action_choices] where the action is a choice; NULL: numbers
/// @param world_aspect  width over height of the people's picture
/// @return SAC_ERROR_ARGUMENT when the size is out of range or odd (films need even sides), SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_frame_create(sac_frame **out, int width, int height, const sac_env_spec *spec,
                                                const char *const *action_names, double world_aspect);

/// Destroy a frame. NULL is ignored.
SAC_API void sac_frame_destroy(sac_frame *frame);

/// Where the people's picture goes before sac_frame_draw: draw into it with sac_env_picture.
SAC_API uint8_t *sac_frame_world(sac_frame *frame, int *height, int *width);

/// Compose. The result belongs to the frame and is valid until the next call: [height, width, 3].
SAC_API const uint8_t *sac_frame_draw(sac_frame *frame, const sac_frame_content *content);

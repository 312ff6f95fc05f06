#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// The composed frame that windows, films and the live page show.
///
/// show.h describes pictures.

/// A composed frame: at the left the world as people see it and under it a line with return, step and action; at the
/// right the observation with the overlay and the heat map, or the points that are seen. Many actions stand in rows
/// below the line.
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
    const uint8_t *observation; ///< of the frame's spec; NULL: numbers alone are seen
    /// Names of the pictures, one above the other, that it is made of, NULL at the end; NULL: it is one picture.
    const char *const *views;
    const sac_gaze *gaze; ///< NULL: a policy that does not look
    const float *levels;  ///< [N], of sac_heat_levels; NULL: no heat map
    double best_share;    ///< what sac_heat_levels returned; not said where it is no positive number
    const float *action;  ///< [action_size]; NULL: none yet
    bool overlay_world;   ///< draw the patches faintly on the people's picture too: it has the same view
    double episode_return;
    int step;
    const char *title; ///< such as "car-racing, color, seed 3"
    const char *note;  ///< such as "paused"; NULL: none
    /// [point_count, 3] what is seen is points in space, as sac_overlay_points takes them, in place of `observation`;
    /// levels are then theirs, [point_count]. NULL: it is not
    const float *points;
    int point_count;
} sac_frame_content;

/// Create a frame for an environment.
/// @param spec  copied; what it points to must stay valid; its height, width and channels are those of `observation`
/// @return SAC_ERROR_ARGUMENT when the size is out of range or odd (films need even sides), SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_frame_create(sac_frame **out, int width, int height, const sac_env_spec *spec);

/// Destroy a frame. NULL is ignored.
SAC_API void sac_frame_destroy(sac_frame *frame);

/// Give the place for the people's picture; draw into it with sac_env_picture before sac_frame_draw.
SAC_API uint8_t *sac_frame_world(sac_frame *frame, int *height, int *width);

/// Compose. The result belongs to the frame and is valid until the next call: [height, width, 3].
SAC_API const uint8_t *sac_frame_draw(sac_frame *frame, const sac_frame_content *content);

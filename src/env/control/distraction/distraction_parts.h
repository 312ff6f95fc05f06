#pragma once

#include "env/control/distraction/distraction.h"

/// The camera and the colours of a distraction. `scale` is 0.1, 0.2 or 0.3, or less where a draw is weaker than its
/// level; `normal` are fresh normal numbers.

typedef struct distraction_camera
{
    int camera;
    double scale; ///< of the last draw
    bool dynamic;
    double plain[3];        ///< the undisturbed place: radius, horizontal and vertical angle
    double low[3], high[3]; ///< of radius, horizontal and vertical angle
    double place[3];        ///< radius, horizontal angle from x, vertical angle from z
    double velocity[3];     ///< metres a control step
    double fastest;
    double roll, roll_speed;
    double target[3]; ///< where a fixed camera looks
} distraction_camera;

/// Find the undisturbed place at the start of an episode, while the world's camera is where the task has it.
void sac_distraction_camera_reset(distraction_camera *camera, control_world *world);

/// Draw another place within the bounds of the scale.
void sac_distraction_camera_draw(distraction_camera *camera, control_world *world, double scale, sac_stream *stream,
                                 const double normal[DISTRACTION_NORMALS]);
void sac_distraction_camera_step(distraction_camera *camera, control_world *world,
                                 const double normal[DISTRACTION_NORMALS]);
void sac_distraction_camera_snapshot(distraction_camera *camera, control_world *world, sac_snapshot *snapshot);

typedef struct distraction_color
{
    double scale; ///< of the last draw
    bool dynamic;
    int count;        ///< of colours: three a material
    double *original; ///< [count]
    double *now;      ///< [count]
} distraction_color;

SAC_CHECKED sac_status sac_distraction_color_create(distraction_color *color, const control_world *world);
void sac_distraction_color_destroy(distraction_color *color);
void sac_distraction_color_draw(distraction_color *color, control_world *world, double scale, sac_stream *stream);
void sac_distraction_color_step(distraction_color *color, control_world *world, uint64_t seed, uint64_t step);
void sac_distraction_color_snapshot(distraction_color *color, control_world *world, sac_snapshot *snapshot);

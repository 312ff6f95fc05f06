#pragma once

#include "saccade/gait.h"

/// Walking by footholds: a gait says which feet stand, stance control presses with these, and the others swing to where
/// a policy wants them to land. After the controllers of PyBullet's envs_v2 (`mpc_controller`, the wrapper for stepping
/// stones).

/// What one motor is told: torque = kp (q - joint) + kd (0 - rate) + torque.
typedef struct sac_motor
{
    double kp, kd, q, torque;
} sac_motor;

/// What a walker is made for. sac_walk_default_def gives PyBullet's Laikago at a trot.
typedef struct sac_walk_def
{
    sac_leg legs[SAC_LEGS];
    double toes[SAC_LEGS][3]; ///< where the feet land with offsets of 0, in the frame of the body
    sac_stance_def stance;
    sac_gait gait;
    bool instant;                  ///< forces by the form of one instant instead of the horizon
    double kp, kd[SAC_LEG_JOINTS]; ///< of legs in swing; those that stand are damped by kd
    double press;                  ///< how far below its place of landing a foot is sent, m
    double gain[2];                ///< of the inverse Raibert rule, x and y; see sac_walk_command
} sac_walk_def;

SAC_API sac_walk_def sac_walk_default_def(void);

/// What is measured, each control step.
typedef struct sac_walk_senses
{
    double joints[SAC_LEGS][SAC_LEG_JOINTS], rates[SAC_LEGS][SAC_LEG_JOINTS];
    bool touches[SAC_LEGS];
    double roll, pitch;
    double turning[3];  ///< rates about the axes of the body
    double velocity[3]; ///< in the frame that is turned by the yaw alone
} sac_walk_senses;

/// What a policy wants.
typedef struct sac_walk_command
{
    double foothold[SAC_LEGS][3]; ///< from where the foot lands with offsets of 0
    double clearance[SAC_LEGS];   ///< by how much a swinging foot is lifted, m
    double velocity[2];           ///< added to what the footholds ask for (follow), or what is wanted (not follow)
    bool follow; ///< the released rule: the wanted velocity follows the footholds, by the inverse of Raibert's rule,
                 ///< v = mean over swinging legs of v + (foothold - v T_swing / 2) / gain
    double twist, height, roll, pitch;
} sac_walk_command;

typedef struct sac_walk sac_walk;

/// @return SAC_ERROR_ARGUMENT for numbers out of range, SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_walk_create(sac_walk **out, const sac_walk_def *def);
SAC_API void sac_walk_destroy(sac_walk *walk);

/// Start an episode with the feet where they are.
SAC_API void sac_walk_reset(sac_walk *walk, const sac_walk_senses *senses);

/// One control step: what each motor is told until the next one. Nothing is allocated.
/// @param step  seconds since the last one
/// @return the outcome of stance control; motors are safe whatever it is
SAC_API sac_stance_output sac_walk_step(sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS], sac_walk *walk,
                                        const sac_walk_senses *senses, const sac_walk_command *command, double step);

/// The feet of the last step; feet[i] lifted off in that step where lifted[i].
SAC_API sac_gait_feet sac_walk_feet(const sac_walk *walk);

/// Height of the body above the ground that the standing feet are on, by their toes' centres.
SAC_API double sac_walk_height(const sac_walk *walk);

/// Bytes of all that lasts from step to step, warm starts of stance control included, and copying it out and in.
SAC_API size_t sac_walk_state_size(const sac_walk *walk);
SAC_API void sac_walk_save(const sac_walk *walk, void *state);
SAC_API void sac_walk_restore(sac_walk *walk, const void *state);

#pragma once

#include "saccade/gait.h"

/// Walking by footholds: a gait says which feet stand, stance control presses with these, and the others swing to where
/// a policy wants them to land. After the controllers of PyBullet's envs_v2 (`mpc_controller`, the wrapper for stepping
/// stones).
///
/// Some of what the released controllers do is kept, because policies were made with it: stance control gets the toes
/// from the origin of the body and not from its centre of mass, a standing leg's torques are J'(-f) with the Jacobian
/// in the frame of the body, so that a force of the horizon's, which is in the level frame, is turned with the body;
/// and swinging feet move in the frame of the body.

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

/// What a policy wants. A foot in the air follows its foothold and its clearance at once: who wants them as they were
/// when it lifted off keeps them (sac_walk_lifted). Footholds and clearances that are not finite count as 0.
typedef struct sac_walk_command
{
    double foothold[SAC_LEGS][3]; ///< from where the foot lands with offsets of 0
    double clearance[SAC_LEGS];   ///< by how much a swinging foot is lifted, m
    double velocity[2];           ///< added to what the footholds ask for (follow), or what is wanted (not follow)
    bool follow; ///< the released rule: the wanted velocity follows the footholds, by the inverse of Raibert's rule,
                 ///< v = mean over swinging legs of v + (foothold - v T_swing / 2) / gain, which stays while all
                 ///< feet stand
    double twist, height, roll, pitch;
} sac_walk_command;

typedef struct sac_walk sac_walk;

/// @return SAC_ERROR_ARGUMENT for numbers out of range, SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_walk_create(sac_walk **out, const sac_walk_def *def);
SAC_API void sac_walk_destroy(sac_walk *walk);

/// Raibert's rule: where a foot should land, from below its hip, so that a body that has a velocity comes to the wanted
/// one: v swing / 2 - gain (wanted - v). The released controllers take a gain of 0.025 or 0.03 s.
/// @param swing  seconds that the foot is in the air, or on the ground, as robots prefer
SAC_API void sac_raibert_foothold(double foothold[2], const double velocity[2], const double wanted[2], double swing,
                                  double gain);

/// Its inverse: the velocity that a foothold asks for, v + (foothold - v swing / 2) / gain.
SAC_API void sac_raibert_velocity(double wanted[2], const double velocity[2], const double foothold[2], double swing,
                                  const double gain[2]);

/// Start an episode at the gait's time 0 with the feet where they are.
SAC_API void sac_walk_reset(sac_walk *walk, const sac_walk_senses *senses);

/// One control step: what each motor is told until the next one. Feet that the gait lets stand press with the forces of
/// stance control, also where they are lost. The others swing: from where they lifted off in a straight line to
/// `clearance` above 7/10 of the way, where they are after 0.45 of the swing, down to the place of landing at 0.9, and
/// then to `press` below it; above means along the body's own z axis. An early foot is damped and nothing else. Nothing
/// is allocated.
/// @param step  seconds since the last one, or since the reset; finite, >= 0
/// @return the outcome of stance control. Where its problem was not solved, standing feet carry the weight. Where a
///         measured joint, rate, roll or pitch is not finite or beyond all reason, the outcome is SAC_QP_UNSUITABLE and
///         all legs are damped; where `step` is not as it should be, the same, and the gait stays where it is. Motors
///         are finite whatever it is
SAC_API sac_stance_output sac_walk_step(sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS], sac_walk *walk,
                                        const sac_walk_senses *senses, const sac_walk_command *command, double step);

/// The feet of the last step.
SAC_API sac_gait_feet sac_walk_feet(const sac_walk *walk);

/// Which feet lifted off in the last step.
SAC_API void sac_walk_lifted(const sac_walk *walk, bool lifted[SAC_LEGS]);

/// Height of the body's origin above the mean of the toes' centres of those feet that do not swing, upwards whatever
/// roll and pitch are; as it was where all swing.
SAC_API double sac_walk_height(const sac_walk *walk);

/// How many steps since the reset had feet that should stand and no forces for them but their share of the weight,
/// because the problem was not solved or what was measured was no number.
SAC_API int64_t sac_walk_unsolved(const sac_walk *walk);

/// The problem of stance control that the last step solved, see sac_stance_problem.
/// @param[out] x  [variables] of the solution; NULL: not wanted
SAC_API const sac_qp_problem *sac_walk_problem(const sac_walk *walk, double *x);

/// Bytes of all that lasts from step to step, warm starts of stance control included, and copying it out and in.
SAC_API size_t sac_walk_state_size(const sac_walk *walk);
SAC_API void sac_walk_save(const sac_walk *walk, void *state);
SAC_API void sac_walk_restore(sac_walk *walk, const void *state);

#pragma once

#include "saccade/qp.h"

/// Forces of standing feet by model predictive control: which forces the feet must press with so that a body with four
/// light legs follows a reference over the next tenths of a second (Di Carlo et al. 2018, "Dynamic locomotion in the
/// MIT Cheetah 3 through convex model-predictive control"). The body is rigid, its rotation is linear around the
/// present one, and the feet that stand now stand over the whole horizon, which makes the problem convex: sac_qp solves
/// it.
///
/// Two forms: `horizon` steps of `step` seconds (1 to 16), and a single instant, which asks for accelerations that a
/// spring and a damper give (sac_stance_instant). Both follow the controllers that PyBullet and motion_imitation
/// release. The discretisation is exact: the matrix of the motion is nilpotent, so that its exponential ends after the
/// second order.
///
/// Legs are in the order front right, front left, rear right, rear left; x is forward, y left and z up; m, kg, s, N,
/// rad. The world is turned about z such that the body's yaw is 0. Doubles; the bits are the same on every machine.

enum
{
    SAC_LEGS = 4,
    SAC_MAX_HORIZON = 16
};

/// What a controller is made for. sac_stance_default_def gives PyBullet's Laikago.
typedef struct sac_stance_def
{
    double mass;
    double inertia[3];  ///< of the body about its axes
    double gravity;     ///< downwards, positive
    int horizon;        ///< steps
    double step;        ///< seconds a step
    double weights[12]; ///< of roll, pitch, yaw, position, turning rates, velocity: what their squared errors cost
    double effort;      ///< what squared forces cost, halved
    double friction;    ///< of the ground: |fx|, |fy| <= friction fz
    double least, most; ///< bounds of fz of a standing foot, in weights of the body
    bool released;      ///< repeat a defect of the released controller: it takes the free motion's last step for zero,
                        ///< and lifts a body of Laikago's kind, by 1.7 cm on four feet. In sac_stance_instant the other
                        ///< one: it adds 1e-4 to every entry of the quadratic form, and not to its diagonal alone
    double spring[6], damper[6]; ///< of sac_stance_instant: x, y, z, roll, pitch, yaw, 1/s^2 and 1/s
    double limit[6];             ///< accelerations that these ask for, at most
    double instant_weights[6];   ///< what their squared errors cost
} sac_stance_def;

SAC_API sac_stance_def sac_stance_default_def(void);

/// What is measured, and what is wanted.
typedef struct sac_stance_input
{
    double toes[SAC_LEGS][3]; ///< in the frame of the body, from its centre of mass
    bool stands[SAC_LEGS];
    double roll, pitch;
    double turning[3];                              ///< rates about x, y, z
    double velocity[3];                             ///< in the frame that is turned by the yaw alone
    double height;                                  ///< of the centre of mass above the ground
    double wanted_roll, wanted_pitch, wanted_twist; ///< the last is the rate of yaw
    double wanted_velocity[2], wanted_height;
} sac_stance_input;

typedef struct sac_stance_output
{
    double forces[SAC_LEGS][3]; ///< of the ground on the body; zero for feet in the air
    sac_qp_solution solution; ///< of the problem. Where it was not solved, each standing foot carries its share of the
                              ///< weight and nothing else
} sac_stance_output;

typedef struct sac_stance sac_stance;

/// @return SAC_ERROR_ARGUMENT for numbers that are not finite or not positive where they must be, and for a horizon
///         outside 1..SAC_MAX_HORIZON; SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_stance_create(sac_stance **out, const sac_stance_def *def);
SAC_API void sac_stance_destroy(sac_stance *stance);

/// Forget the last problem, so that the next one starts cold, as the first of an episode should.
SAC_API void sac_stance_reset(sac_stance *stance);

/// The forces of this moment. Nothing is allocated. Where no foot stands, a number of the input is not finite or beyond
/// 1e9, or an angle is beyond 1e6, the outcome is SAC_QP_UNSUITABLE.
SAC_API sac_stance_output sac_stance_solve(sac_stance *stance, const sac_stance_input *input);

/// The same by the form of one instant: M f = g + a, where `a` is what spring and damper ask for. It takes the body for
/// level: toes, forces and gravity are along the body's axes, and forces that were applied along those of the world
/// would tip a body over whose legs are long.
SAC_API sac_stance_output sac_stance_instant(sac_stance *stance, const sac_stance_input *input);

/// The problem that the last solve put to the solver, with its solution x, for comparisons with other solvers: forces
/// [step, standing foot, 3]. It points into the controller.
/// @param[out] x  [variables] of the solution; NULL: not wanted
SAC_API const sac_qp_problem *sac_stance_problem(const sac_stance *stance, double *x);

/// Bytes of all that lasts from one problem to the next, which is where the solver starts, and copying it out and in.
/// A controller that is restored gives the very bits of the one that was saved; both must have the same def.
SAC_API size_t sac_stance_state_size(const sac_stance *stance);
SAC_API void sac_stance_save(const sac_stance *stance, void *state);
SAC_API void sac_stance_restore(sac_stance *stance, const void *state);

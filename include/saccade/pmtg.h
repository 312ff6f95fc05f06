#pragma once

#include "saccade/leg.h"

/// Policies modulating trajectory generators (Iscen et al. 2018): a generator swings four legs for ever, and a policy
/// moves its speed, its reach and its height, and adds a residual to each joint. After the released form
/// (`tg_simple`, `controller_simple` and `pmtg_wrapper` of PyBullet's envs_v2), with one integrator for all legs.

enum
{
    SAC_PMTG_ACTIONS = 19, ///< at most: residuals [4 legs x (abduction, swing, extension)], speed, intensity, height,
                           ///< ratio, and heights of the other legs where each has its own
    SAC_PMTG_SPEED = 12,
    SAC_PMTG_INTENSITY = 13,
    SAC_PMTG_HEIGHT = 14, ///< of all legs, or of the first
    SAC_PMTG_RATIO = 15,
    SAC_PMTG_HEIGHTS = 16 ///< of the second to fourth leg
};

/// Which legs are ahead of which, by quarters and halves of a period.
typedef enum sac_pmtg_gait
{
    SAC_PMTG_WALK,  ///< front left, rear left, front right, rear right, one after the other
    SAC_PMTG_TROT,  ///< diagonal pairs
    SAC_PMTG_BOUND, ///< front and rear
    SAC_PMTG_PACE,  ///< left and right
    SAC_PMTG_PRONK, ///< all at once
} sac_pmtg_gait;

SAC_API void sac_pmtg_offsets(double offset[SAC_LEGS], sac_pmtg_gait gait);

/// What a generator is made for; every number is finite. sac_pmtg_default_def gives the released one at a step of its
/// own.
typedef struct sac_pmtg_def
{
    double offset[SAC_LEGS];                              ///< periods by which each leg is ahead
    double low[SAC_PMTG_ACTIONS], high[SAC_PMTG_ACTIONS]; ///< bounds of an action; of the ratio above 0
    double start[3];                                      ///< intensity, height and ratio at the start of an episode
    double rise[3];   ///< by how much these may rise in a step; they may fall at once
    double cutoff;    ///< Hz: of the first order low pass through which actions go. 0, or half a step's rate and more:
                      ///< they go through as they are
    double step;      ///< seconds
    bool own_heights; ///< each leg has a height of its own: 19 numbers in an action, otherwise 16
    double stance_lift, swing_lift; ///< amplitudes of the extension in stance and in swing (-0.02 and 0.9)
} sac_pmtg_def;

/// The released bounds: residuals within 0.35 rad, speed 2..4 Hz, intensity 0..1, height -0.5..1, ratio 0.2..5; offsets
/// of a walk; a low pass of 3 Hz that is made for steps of this length. (The released one is made for steps of 10 ms
/// and run with 2 ms, where its 3 Hz are 15.)
/// @param step  seconds of a step, > 0
SAC_API sac_pmtg_def sac_pmtg_default_def(double step);

/// The numbers in an action: 16, or 19 with heights of the legs' own.
SAC_API int sac_pmtg_actions(const sac_pmtg_def *def);

/// What lasts from step to step: plain data, which may be copied and stored.
typedef struct sac_pmtg
{
    double phase;             ///< of the integrator, 0..2 pi (exclusive): stance below pi, swing above
    double moved[3];          ///< intensity, height, ratio as they have come by now
    double heights[SAC_LEGS]; ///< the same of each leg's height
    double last[SAC_PMTG_ACTIONS], filtered[SAC_PMTG_ACTIONS]; ///< of the low pass
    bool begun; ///< false: the low pass has seen no action yet and begins with the next one
} sac_pmtg;

/// Start an episode. Unlike the released generator nothing of the last episode stays.
SAC_API void sac_pmtg_reset(sac_pmtg *state, const sac_pmtg_def *def);

/// One step: the action is cut at its bounds (NaN counts as the middle of its range) and goes through the low pass;
/// intensity, height and ratio come nearer to what it says; the integrator goes on by speed * step periods, of which
/// stance takes ratio / (ratio + 1) for the half turn below pi, and swing the rest. With a leg's phase phi
///
///     swing = residual + intensity cos(phi) / 2,    extension = residual + height + lift intensity sin(phi)
///
/// where lift is `stance_lift` up to pi and `swing_lift` beyond, where the sine is negative: the leg is drawn in. The
/// low pass begins with the first action of an episode as if it had always been that one; the released one begins with
/// zeros, and drags the first tenths of a second towards them.
/// @param[out] legs  [leg] abduction, swing and extension; see sac_pmtg_joints
SAC_API void sac_pmtg_step(double legs[SAC_LEGS][SAC_LEG_JOINTS], sac_pmtg *state, const sac_pmtg_def *def,
                           const double action[SAC_PMTG_ACTIONS]);

/// The phase of one leg, 0..2 pi (exclusive): that of the integrator, advanced by the leg's offset with the present
/// ratio.
SAC_API double sac_pmtg_phase(const sac_pmtg *state, const sac_pmtg_def *def, int leg);

/// What a policy is told of the generator: (cos + 1) / 2 and (sin + 1) / 2 of the integrator's phase, 0..1.
SAC_API void sac_pmtg_observe(double out[2], const sac_pmtg *state);

/// What the motors of a leg are told for abduction, swing and extension, as the released Laikago has them:
///
///     hip = pi/4 - swing - extension / 2,    knee = -pi/2 + extension
///
/// Its motors count from other places than saccade/leg.h does: there its knee is what its motor says + 0.1488, and its
/// hip what its motor says - 0.0010.
SAC_API void sac_pmtg_joints(double joints[SAC_LEG_JOINTS], const double leg[SAC_LEG_JOINTS]);

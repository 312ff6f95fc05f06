#pragma once

#include "saccade/leg.h"

/// Policies modulating trajectory generators (Iscen et al. 2018): a generator swings four legs for ever, and a policy
/// moves its speed, its reach and its height, and adds a residual to each joint. After the released form
/// (`tg_simple`, `controller_simple` and `pmtg_wrapper` of PyBullet's envs_v2), with one integrator for all legs.

enum
{
    SAC_PMTG_ACTIONS = 16, ///< residuals [4 legs x (abduction, swing, extension)], speed, intensity, height, ratio
    SAC_PMTG_SPEED = 12,
    SAC_PMTG_INTENSITY = 13,
    SAC_PMTG_HEIGHT = 14,
    SAC_PMTG_RATIO = 15
};

/// What a generator is made for. sac_pmtg_default_def gives the released one at a step of its own.
typedef struct sac_pmtg_def
{
    double offset[SAC_LEGS];                              ///< periods by which each leg is ahead
    double low[SAC_PMTG_ACTIONS], high[SAC_PMTG_ACTIONS]; ///< bounds of an action
    double start[3];                                      ///< intensity, height and ratio at the start of an episode
    double rise[3]; ///< by how much these may rise in a step; they may fall at once
    double cutoff;  ///< Hz: of the first order low pass through which actions go; 0: they go through as they are
    double step;    ///< seconds
    double stance_lift, swing_lift; ///< amplitudes of the extension in stance and in swing (-0.02 and 0.9)
} sac_pmtg_def;

/// @param step  seconds of a step, > 0
SAC_API sac_pmtg_def sac_pmtg_default_def(double step);

/// What lasts from step to step: plain data, which may be copied and stored.
typedef struct sac_pmtg
{
    double phase;    ///< of the integrator, 0..2 pi (exclusive): stance below pi, swing above
    double moved[3]; ///< intensity, height, ratio as they have come by now
    double last[SAC_PMTG_ACTIONS], filtered[SAC_PMTG_ACTIONS]; ///< of the low pass
    bool begun; ///< false: the low pass has seen no action yet and begins with the next one
} sac_pmtg;

/// Start an episode. Unlike the released generator nothing of the last episode stays.
SAC_API void sac_pmtg_reset(sac_pmtg *state, const sac_pmtg_def *def);

/// One step. Actions are cut at their bounds; NaN counts as the middle of its range.
/// @param[out] legs  [leg] abduction, swing and extension; see sac_pmtg_joints
SAC_API void sac_pmtg_step(double legs[SAC_LEGS][SAC_LEG_JOINTS], sac_pmtg *state, const sac_pmtg_def *def,
                           const double action[SAC_PMTG_ACTIONS]);

/// The phase of one leg, 0..2 pi (exclusive).
SAC_API double sac_pmtg_phase(const sac_pmtg *state, const sac_pmtg_def *def, int leg);

/// The joints of a leg of saccade/leg.h for abduction, swing and extension: hip = pi/4 - swing - extension / 2, knee =
/// -pi/2 + extension, as the released Laikago has them.
SAC_API void sac_pmtg_joints(double joints[SAC_LEG_JOINTS], const double leg[SAC_LEG_JOINTS]);

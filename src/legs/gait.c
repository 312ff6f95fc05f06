#include "saccade/gait.h"

#include <math.h>

sac_gait sac_gait_trot(void)
{
    return (sac_gait){.period = 0.5, .duty = 0.6, .offset = {0, 0.5, 0.5, 0}};
}

sac_gait sac_gait_walk(void)
{
    return (sac_gait){.period = 0.9375, .duty = 0.8, .offset = {0.25, 0.75, 0.5, 0}};
}

// the largest number below 1, where rounding gives 1
static double below_one(double x)
{
    return x < 1 ? x : 1 - 0x1p-53;
}

sac_gait_feet sac_gait_at(const sac_gait *gait, double time, const bool touches[SAC_LEGS])
{
    const double settled =
        0.4; // of a phase: by then a foot that swings has left the ground, and one that stands is on it
    sac_gait_feet feet;
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const double periods = time / gait->period + gait->offset[leg], part = below_one(periods - floor(periods));
        const bool stands = part < gait->duty;
        const double phase = stands ? part / gait->duty : (part - gait->duty) / (1 - gait->duty);
        feet.stands[leg] = stands;
        feet.phase[leg] = below_one(phase);
        feet.foot[leg] = stands ? SAC_FOOT_STANCE : SAC_FOOT_SWING;
        if (phase < settled || touches[leg] == stands) continue;
        feet.foot[leg] = stands ? SAC_FOOT_LOST : SAC_FOOT_EARLY;
    }
    return feet;
}

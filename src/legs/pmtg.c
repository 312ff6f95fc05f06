#include "saccade/pmtg.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/series.h"

#define PI 3.14159265358979312

void sac_pmtg_offsets(double offset[SAC_LEGS], sac_pmtg_gait gait)
{
    // front right, front left, rear right, rear left
    static const double table[][SAC_LEGS] = {
        [SAC_PMTG_WALK] = {0.5, 0, 0.75, 0.25}, [SAC_PMTG_TROT] = {0.5, 0, 0, 0.5}, [SAC_PMTG_BOUND] = {0, 0, 0.5, 0.5},
        [SAC_PMTG_PACE] = {0.5, 0, 0.5, 0},     [SAC_PMTG_PRONK] = {0, 0, 0, 0},
    };
    memcpy(offset, table[gait], sizeof table[gait]);
}

sac_pmtg_def sac_pmtg_default_def(double step)
{
    sac_pmtg_def def = {
        .start = {1, 0, 1}, .rise = {0.1, 1, 0.4}, .cutoff = 3, .step = step, .stance_lift = -0.02, .swing_lift = 0.9};
    static const double low[] = {2, 0, -0.5, 0.2}, high[] = {4, 1, 1, 5};
    sac_pmtg_offsets(def.offset, SAC_PMTG_WALK);
    for (int i = 0; i < SAC_PMTG_SPEED; i++) def.low[i] = -0.35, def.high[i] = 0.35;
    memcpy(def.low + SAC_PMTG_SPEED, low, sizeof low);
    memcpy(def.high + SAC_PMTG_SPEED, high, sizeof high);
    for (int i = SAC_PMTG_HEIGHTS; i < SAC_PMTG_ACTIONS; i++)
        def.low[i] = def.low[SAC_PMTG_HEIGHT], def.high[i] = def.high[SAC_PMTG_HEIGHT];
    return def;
}

int sac_pmtg_actions(const sac_pmtg_def *def)
{
    return def->own_heights ? SAC_PMTG_ACTIONS : SAC_PMTG_HEIGHTS;
}

void sac_pmtg_reset(sac_pmtg *state, const sac_pmtg_def *def)
{
    memset(state, 0, sizeof *state);
    memcpy(state->moved, def->start, sizeof state->moved);
    for (int leg = 0; leg < SAC_LEGS; leg++) state->heights[leg] = def->start[1];
}

// The phase `periods` later. Stance takes ratio / (ratio + 1) of a period for its half turn, swing the rest of it.
static double advance(double phase, double periods, double ratio)
{
    double left = periods - floor(periods);
    for (;;)
    {
        const bool stands = phase < PI;
        const double slope = stands ? PI * (ratio + 1) / ratio : PI * (ratio + 1), end = stands ? PI : 2 * PI;
        const double next = phase + slope * left;
        if (!(next >= end)) return next;
        left -= (end - phase) / slope;
        if (left < 0) left = 0;
        phase = stands ? PI : 0;
    }
}

double sac_pmtg_phase(const sac_pmtg *state, const sac_pmtg_def *def, int leg)
{
    return advance(state->phase, def->offset[leg], state->moved[2]);
}

static double cut(double x, double low, double high)
{
    return x != x ? (low + high) / 2 : x < low ? low : x > high ? high : x;
}

// Butterworth's low pass of first order, by the bilinear transform with the cut-off kept: y = b (x + x') + (1 - 2 b) y'
// with b = w / (1 + w), w = tan(pi cutoff step).
static void filter(sac_pmtg *s, const sac_pmtg_def *def, const double *action)
{
    const double angle = PI * def->cutoff * def->step;
    const int count = sac_pmtg_actions(def);
    double sine, cosine, cutted[SAC_PMTG_ACTIONS] = {0};
    for (int i = 0; i < count; i++) cutted[i] = cut(action[i], def->low[i], def->high[i]);
    sac_series_sin_cos(angle, &sine, &cosine);
    const bool passes = !(angle > 0 && angle < PI / 2) || !s->begun;
    const double b = sine / (sine + cosine);
    for (int i = 0; i < count; i++)
    {
        const double smooth = b * (cutted[i] + s->last[i]) + (1 - 2 * b) * s->filtered[i];
        s->filtered[i] = passes ? cutted[i] : cut(smooth, def->low[i], def->high[i]);
    }
    memcpy(s->last, cutted, sizeof cutted);
    s->begun = true;
}

// towards what is wanted, upwards by a limited amount
static double rise(double from, double wanted, double most)
{
    return wanted < from + most ? wanted : from + most;
}

void sac_pmtg_step(double legs[SAC_LEGS][SAC_LEG_JOINTS], sac_pmtg *s, const sac_pmtg_def *def,
                   const double action[SAC_PMTG_ACTIONS])
{
    SAC_ASSERT(def->low[SAC_PMTG_RATIO] > 0 && def->start[2] > 0 && def->step > 0);
    for (int i = 0; i < SAC_PMTG_ACTIONS; i++) SAC_ASSERT(isfinite(def->low[i]) && isfinite(def->high[i]));
    filter(s, def, action);
    for (int i = 0; i < 3; i++) s->moved[i] = rise(s->moved[i], s->filtered[SAC_PMTG_INTENSITY + i], def->rise[i]);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const int own = leg > 0 && def->own_heights ? SAC_PMTG_HEIGHTS + leg - 1 : SAC_PMTG_HEIGHT;
        s->heights[leg] = rise(s->heights[leg], s->filtered[own], def->rise[1]);
    }
    s->phase = advance(s->phase, s->filtered[SAC_PMTG_SPEED] * def->step, s->moved[2]);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const double phase = sac_pmtg_phase(s, def, leg), *residual = s->filtered + (ptrdiff_t)SAC_LEG_JOINTS * leg;
        double sine, cosine;
        sac_series_sin_cos(phase, &sine, &cosine);
        const double lift = phase > PI ? def->swing_lift : def->stance_lift;
        legs[leg][0] = residual[0];
        legs[leg][1] = residual[1] + 0.5 * cosine * s->moved[0];
        legs[leg][2] = residual[2] + s->heights[leg] + lift * sine * s->moved[0];
    }
}

void sac_pmtg_observe(double out[2], const sac_pmtg *s)
{
    double sine, cosine;
    sac_series_sin_cos(s->phase, &sine, &cosine);
    out[0] = (cosine + 1) / 2;
    out[1] = (sine + 1) / 2;
}

void sac_pmtg_joints(double joints[SAC_LEG_JOINTS], const double leg[SAC_LEG_JOINTS])
{
    joints[0] = leg[0];
    joints[1] = PI / 4 - leg[1] - leg[2] / 2;
    joints[2] = leg[2] - PI / 2;
}

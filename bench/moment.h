#pragma once

#include "base/random.h"
#include "saccade/stance.h"

/// Moments of a trotting body for stance control, as hard as they come: it strays far around what is wanted of it.

/// @param feet  that stand: 2, one of the diagonals; 3; 4
static inline sac_stance_input bench_moment(sac_stream *s, int feet)
{
    sac_stance_input in = {.wanted_velocity = {sac_stream_uniform(s, -0.3, 0.8), sac_stream_uniform(s, -0.2, 0.2)},
                           .wanted_height = 0.45,
                           .wanted_twist = sac_stream_uniform(s, -0.3, 0.3)};
    const uint32_t pair = sac_stream_below(s, 2);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const bool diagonal = (leg == 0 || leg == 3) == (pair == 0);
        in.stands[leg] = diagonal || feet == 4 || (feet == 3 && leg == (pair == 0 ? 1 : 0));
        in.toes[leg][0] = (leg < 2 ? 0.148 : -0.29) + sac_stream_uniform(s, -0.1, 0.1);
        in.toes[leg][1] = (leg % 2 ? 0.117 : -0.115) + sac_stream_uniform(s, -0.04, 0.04);
        in.toes[leg][2] = -0.456 + sac_stream_uniform(s, -0.03, 0.03);
    }
    in.roll = sac_stream_uniform(s, -0.15, 0.15), in.pitch = sac_stream_uniform(s, -0.15, 0.15);
    for (int i = 0; i < 3; i++) in.turning[i] = sac_stream_uniform(s, -0.8, 0.8);
    for (int i = 0; i < 3; i++) in.velocity[i] = (i == 0 ? 0.3 : 0) + sac_stream_uniform(s, -0.4, 0.4);
    in.height = sac_stream_uniform(s, 0.42, 0.48);
    return in;
}

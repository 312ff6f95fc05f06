#pragma once

#include "env/carracing/ground.h"
#include "env/carracing/picture/variant.h"
#include "env/carracing/wheels.h"

/// The environment's own structs, for car_racing.c and the tests that look inside.

typedef struct car_racing_config
{
    int max_steps;
    char rules[SAC_TEXT_SIZE];
    int action_repeat;
} car_racing_config;

typedef struct car_racing
{
    int max_steps, action_repeat; // in steps of the simulator; how many of them an action lasts
    bool lap_rule;
    sac_pcg64 random, drawn_from; // now, and before it drew this episode's track
    uint64_t seed, episode;       // the last seed given, and the resets without one since then
    car_track track;
    car_ground ground;
    car_chain chain;
    car_wheels wheels;
    car_scene scene;
    double reward, paid; // cumulated; the part that earlier steps have returned
    int step;
    bool lap_done, bad_action;
    car_variant *variant; // NULL: the original
    car_picture *camera;  // the observation
    car_picture *poster;  // for people; NULL until asked for
    int poster_height, poster_width;
} car_racing;

/// The parts of its observation.
enum
{
    CAR_CAMERA,
    CAR_STATE,
    CAR_PARTS,
};

enum
{
    CAR_STATE_POINTS = 16, ///< of the road ahead, so many nodes apart
    CAR_STATE_STRIDE = 2,
    CAR_STATE_NUMBERS = 7 + 2 * CAR_WHEELS + 2 * CAR_STATE_POINTS + 1,
};

extern const sac_space sac_car_parts[CAR_PARTS];

/// The privileged part: speed forward and to the right, turn; angle of the front wheels, and what steering, gas and
/// brake have reached; spin of each wheel, and whether it is on the road; points of the road's middle from the nearest
/// on, forward and to the right; the share of the tiles that were visited. [CAR_STATE_NUMBERS], about -1..1.
void sac_car_observe(const car_racing *car, float *state);

/// Draw the episode's track and what follows from it: the ground, and what the variant shows.
SAC_CHECKED sac_status sac_car_lay_track(car_racing *car, sac_pcg64 *random);

/// Everything that a reset or a step changes. The track is drawn anew from its random numbers where it is another one,
/// so a snapshot takes a few KiB, and putting the car back on the same track a microsecond.
sac_status sac_car_snapshot(void *self, sac_snapshot *snapshot);

#pragma once

#include "env/carracing/ground.h"
#include "env/carracing/variant.h"
#include "env/carracing/wheels.h"

/// The environment's own structs, for car_racing.c and the tests that look inside.

typedef struct car_racing_config
{
    int max_steps;
    char rules[SAC_TEXT_SIZE];
} car_racing_config;

typedef struct car_racing
{
    int max_steps;
    bool lap_rule;
    sac_pcg64 random;
    uint64_t seed, episode; // the last seed given, and the resets without one since then
    car_track track;
    car_ground ground;
    car_chain chain;
    car_wheels wheels;
    car_scene scene;
    double reward, paid; // cumulated; the part that earlier steps have returned
    int step;
    bool lap_done, bad_action;
    car_variant *variant; // NULL: the original
    car_picture *view;    // the observation
    car_picture *poster;  // for people; NULL until asked for
    int poster_height, poster_width;
} car_racing;

#pragma once

#include "env/carracing/chain.h"

/// The tyres: what engine, brakes and friction do to the wheels, in double precision as in Gymnasium.

typedef struct car_wheels
{
    double omega[CAR_WHEELS], phase[CAR_WHEELS]; ///< spin, rad/s; angle, radians
    double gas, steer, brake;                    ///< what the pedals have reached; steer is a target angle
    bool on_road[CAR_WHEELS];                    ///< whether the wheel touched a tile when the last step began
} car_wheels;

/// Take an action [steer, gas, brake]: the gas rises by at most 0.1 a step and falls at once.
void sac_car_wheels_control(car_wheels *wheels, const float action[3]);

/// Spin the wheels for one step and set the chain's inputs.
void sac_car_wheels_step(car_wheels *wheels, car_chain *chain);

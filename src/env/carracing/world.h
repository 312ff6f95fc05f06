#pragma once

#include "base/random.h"
#include "saccade/env.h"

/// CarRacing's world as plain data: what physics writes and the picture reads. Lengths in world units, angles in
/// radians counter-clockwise, time in seconds. Arrays of wheels: front left, front right, rear left, rear right.

enum
{
    CAR_MAX_NODES = 1024, ///< of one lap; laps have about 230 to 340
    CAR_WHEELS = 4,
};

/// One lap of road. Tile i is the quad between node i and node i - 1 (node 0: the last).
typedef struct car_track
{
    int count;                                        ///< N: nodes, and so tiles
    double alpha[CAR_MAX_NODES], beta[CAR_MAX_NODES]; ///< angle around the field's centre; heading
    double x[CAR_MAX_NODES], y[CAR_MAX_NODES];
    double tile[CAR_MAX_NODES][4][2];   ///< left i, right i, right i-1, left i-1
    bool has_border[CAR_MAX_NODES];     ///< whether tile i has a kerb, drawn right after it
    double border[CAR_MAX_NODES][4][2]; ///< its quad; white for even i, red for odd
    int attempts;                       ///< tries until the loop closed, this one included
} car_track;

/// A body's state: centre of mass, angle, velocities, as Box2D holds them.
typedef struct car_body
{
    float x, y; ///< origin of the body (not the centre of mass)
    float angle;
    float vx, vy; ///< of the centre of mass
    float omega;
} car_body;

/// The state that the picture is drawn from.
typedef struct car_scene
{
    const car_track *track;
    const uint8_t *touched; ///< [N], 1 once the car was on the tile: it is drawn in the plain road colour 102
    car_body hull;
    car_body wheel[CAR_WHEELS];
    double wheel_omega[CAR_WHEELS]; ///< the wheel model's own spin
    double wheel_phase[CAR_WHEELS];
    float joint_angle;    ///< of wheel 0, for the steering bar
    double time;          ///< since the reset's own step, in steps of 0.02: 0.02 in the first picture
    double shown_reward;  ///< the number in the bar: cumulated reward before this step's -0.1
    bool follow_velocity; ///< rules v0: the view turns with the velocity above 0.5, else with the hull
} car_scene;

#pragma once

/// The numbers of the chain. Masses are what Box2D 2.3 derives from the hull's four polygons and the wheel's box.

#define CAR_SIZE 0.02 ///< world units in a unit of the car's drawing

#define HULL_CENTER_X 1.4774524e-9f ///< centre of mass
#define HULL_CENTER_Y -0.082530886f

#define HULL_INVERSE_MASS     (1.0f / 7.06f)
#define HULL_INVERSE_INERTIA  (1.0f / 18.2122765f)
#define WHEEL_INVERSE_MASS    (1.0f / 0.06048000603914261f)
#define WHEEL_INVERSE_INERTIA (1.0f / 0.007459200918674469f)

#define TIME_STEP       0.02f
#define VELOCITY_PASSES 180
#define POSITION_PASSES 60

// These are the constants of the joints: the limit of the angle, the largest impulse of a motor in a step, and the
// effective mass of motor and limit.
#define JOINT_LIMIT   0.4f
#define MOTOR_IMPULSE (TIME_STEP * (float)(180 * 900 * CAR_SIZE * CAR_SIZE))
#define K33           (HULL_INVERSE_INERTIA + WHEEL_INVERSE_INERTIA)
#define MOTOR_MASS    (1.0f / K33)

// These are the constants of b2Settings.h.
#define B2_PI           3.14159265359f
#define LINEAR_SLOP     0.005f
#define ANGULAR_SLOP    (2.0f / 180.0f * B2_PI)
#define MAX_CORRECTION  (8.0f / 180.0f * B2_PI)
#define MAX_TRANSLATION 2.0f
#define MAX_ROTATION    (0.5f * B2_PI)
#define SLEEP_SPEED     0.01f
#define SLEEP_OMEGA     (2.0f / 180.0f * B2_PI)
#define TIME_TO_SLEEP   0.5f

// Where the wheels are fixed to the hull, from its centre of mass.
static const float anchor_x[] = {(float)(-55 * CAR_SIZE) - HULL_CENTER_X, (float)(55 * CAR_SIZE) - HULL_CENTER_X,
                                 (float)(-55 * CAR_SIZE) - HULL_CENTER_X, (float)(55 * CAR_SIZE) - HULL_CENTER_X};
static const float anchor_y[] = {(float)(80 * CAR_SIZE) - HULL_CENTER_Y, (float)(80 * CAR_SIZE) - HULL_CENTER_Y,
                                 (float)(-82 * CAR_SIZE) - HULL_CENTER_Y, (float)(-82 * CAR_SIZE) - HULL_CENTER_Y};

#pragma once

#include "env/carracing/world.h"

/// The car as five bodies in a chain: a hull and four wheels, each wheel hung on a motor joint with an angle limit.
/// One step is Box2D 2.3's sequential impulses in float32, bit for bit, on any machine.

enum
{
    CAR_BODIES = 5, ///< 0 the hull, 1 + j wheel j
};

/// All that lasts from step to step, as plain numbers of type T: a float of one car, or a vector of one float a car.
/// Inputs are force and speed; the pose of the bodies follows from centre and angle.
#define CAR_CHAIN_FIELDS(T)                                                                                          \
    T force_x[CAR_WHEELS], force_y[CAR_WHEELS]; /* input: on the wheels' centres */                                  \
    T speed[CAR_WHEELS];                        /* input: what the motors aim at, rad/s */                           \
    T center_x[CAR_BODIES], center_y[CAR_BODIES], angle[CAR_BODIES];                                                 \
    T vx[CAR_BODIES], vy[CAR_BODIES], omega[CAR_BODIES];                                                             \
    T still[CAR_BODIES];                                                 /* seconds of rest, for falling asleep */   \
    T px[CAR_WHEELS], py[CAR_WHEELS], pz[CAR_WHEELS], motor[CAR_WHEELS]; /* the joints' impulses of the last step */ \
    T limit[CAR_WHEELS];                    /* 1 at the lower limit, -1 upper, 0 between */                          \
    T sine[CAR_BODIES], cosine[CAR_BODIES]; /* of angle */                                                           \
    T x[CAR_BODIES], y[CAR_BODIES]          /* the bodies' origins */

typedef struct car_chain
{
    CAR_CHAIN_FIELDS(float);
} car_chain;

enum
{
    CAR_CHAIN_NUMBERS = sizeof(car_chain) / sizeof(float)
};

/// Put a car at rest. As in Gymnasium the wheels stand at their unrotated offsets; the first step snaps them in place.
void sac_car_chain_place(car_chain *chain, double x, double y, double angle);

/// One step of 0.02 s for each of `count` cars. The bits do not depend on the count, the order or the CPU level.
void sac_car_chain_step(car_chain *const *chains, int count);

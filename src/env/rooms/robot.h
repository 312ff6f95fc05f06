#pragma once

/// The robot of rooms: a round base on two wheels, about the size of a vacuum cleaner with a camera on a mast.

#define ROOMS_RADIUS    0.2  ///< m
#define ROOMS_BOTTOM    0.03 ///< m above the floor
#define ROOMS_TOP       0.3
#define ROOMS_MIDDLE    0.23  ///< height of the ball as which it meets things
#define ROOMS_MASS      10.0  ///< kg
#define ROOMS_TRACK     0.3   ///< m between its wheels
#define ROOMS_GRIP      0.6   ///< friction of wheels on the floor, which each carries half of the weight
#define ROOMS_EAGER     60.0  ///< N of a wheel for each m/s that it is slower than it is told to be
#define ROOMS_SIDES     200.0 ///< N for each m/s with which it slides to the side
#define ROOMS_EYE_AHEAD 0.12  ///< m from its middle to its camera
#define ROOMS_EYE_UP    0.4   ///< m from the floor to it

#include "env/carracing/picture/picture_parts.h"

#include <math.h>

#include "base/error.h"

void sac_car_turn(double angle, double *sine, double *cosine)
{
    // quarter turns off in two parts of pi / 2, then Taylor's series on -pi/4..pi/4
    double quarters = floor(angle * 0.63661977236758134 + 0.5);
    double x = (angle - quarters * 1.5707963267341256) - quarters * 6.0771005065061922e-11, xx = x * x;
    double s =
        x * (1 + xx * (-1.0 / 6 +
                       xx * (1.0 / 120 + xx * (-1.0 / 5040 + xx * (1.0 / 362880 + xx * (-1.0 / 39916800 +
                                                                                        xx * (1.0 / 6227020800 -
                                                                                              xx / 1307674368000)))))));
    double c =
        1 + xx * (-1.0 / 2 +
                  xx * (1.0 / 24 +
                        xx * (-1.0 / 720 +
                              xx * (1.0 / 40320 +
                                    xx * (-1.0 / 3628800 +
                                          xx * (1.0 / 479001600 + xx * (-1.0 / 87178291200 + xx / 20922789888000)))))));
    switch ((int)(long long)quarters & 3)
    {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}

void sac_car_add_polygon(const car_picture *p, const car_plane *plane, const car_point *corners, int count,
                         float weight)
{
    car_edge edges[8];
    SAC_ASSERT(count <= 8);
    for (int i = 0; i < count; i++)
    {
        car_point a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
        edges[i] = (car_edge){a.x, a.y, b.x, b.y, weight, 0};
    }
    p->raster->add(plane, edges, count);
}

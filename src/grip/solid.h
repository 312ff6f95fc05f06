#pragma once

#include "saccade/base.h"

/// Things made of simple solids, as numbers: what a hand can grasp. A solid's axes are the columns of a rotation into
/// the thing's frame, stored row by row; lengths are metres.

typedef enum grip_kind
{
    GRIP_SPHERE,    ///< size[0]: radius
    GRIP_CAPSULE,   ///< along z; size: radius, half length of the straight part
    GRIP_ELLIPSOID, ///< size: three radii
    GRIP_CYLINDER,  ///< along z; size: radius, half length
    GRIP_BOX,       ///< size: three half widths
    GRIP_KINDS
} grip_kind;

typedef struct grip_solid
{
    grip_kind kind;
    double size[3];
    double center[3], axes[9];
} grip_solid;

enum
{
    GRIP_SOLIDS = 16,                                      ///< of a thing, at most
    GRIP_SOLID_NUMBERS = 16,                               ///< of a solid that is told
    GRIP_SHAPE_NUMBERS = GRIP_SOLIDS * GRIP_SOLID_NUMBERS, ///< of a thing
};

typedef struct grip_thing
{
    grip_solid solids[GRIP_SOLIDS];
    int count;
} grip_thing;

/// What a thing weighs: mass for a density, centre of mass, and the inertia about that centre along the thing's axes
/// (xx, yy, zz, xy, xz, yz). Where solids overlap, both count.
typedef struct grip_weight
{
    double mass, center[3], inertia[6];
} grip_weight;

/// How far a thing reaches in a direction: the largest direction . x over its points.
double sac_grip_reach(const grip_thing *thing, const double direction[3]);

/// @param density  kg/m^3
grip_weight sac_grip_weigh(const grip_thing *thing, double density);

/// The principal values of a symmetric matrix [3, 3], and the rotation whose columns are its principal axes, by
/// Jacobi's rotations.
void sac_grip_principal(double values[3], double axes[9], const double matrix[9]);

/// A thing as numbers [GRIP_SHAPE_NUMBERS]: of each solid its kind + 1 (0: there is none), size, centre and axes.
void sac_grip_tell(float *numbers, const grip_thing *thing);

/// The thing that such numbers tell. Kinds that there are not, and sizes below 0, tell no solid.
void sac_grip_read(grip_thing *thing, const float *numbers);

/// Points of a thing's surface with the normals there.
typedef struct grip_surface
{
    double (*points)[3], (*normals)[3]; ///< [room]
    int count, room;
} grip_surface;

/// Write points about `apart` metres from each other, as far as there is room.
void sac_grip_cover(grip_surface *surface, const grip_thing *thing, double apart);

/// out = A x for a matrix [3, 3]; out may not be x.
static inline void grip_turn(double out[3], const double a[9], const double x[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

/// out = A^T x.
static inline void grip_turn_back(double out[3], const double a[9], const double x[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
}

static inline double grip_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void grip_cross(double out[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

#include <math.h>

#include "env/legs/robots.h"
#include "test.h"

/// Robots with four legs weigh what their makers' descriptions say, part by part put together in the pose that they
/// start in.

typedef struct whole
{
    double mass, center[3]; // from the origin of the trunk
    double inertia[3][3];   // about the centre
} whole;

typedef struct placed
{
    double mass, center[3], inertia[3][3];
} placed;

// A part of the left front leg, mirrored, turned about y and put to a place.
static placed put(const robot_part *part, double along, double side, double turn, const double place[3])
{
    const double *i = part->inertia, xy = along * side * i[3], xz = along * i[4], yz = side * i[5];
    const double tensor[3][3] = {{i[0], xy, xz}, {xy, i[1], yz}, {xz, yz, i[2]}};
    const double center[3] = {along * part->center[0], side * part->center[1], part->center[2]};
    const double r[3][3] = {{cos(turn), 0, sin(turn)}, {0, 1, 0}, {-sin(turn), 0, cos(turn)}};
    placed p = {.mass = part->mass};
    for (int a = 0; a < 3; a++)
    {
        p.center[a] = place[a];
        for (int b = 0; b < 3; b++)
        {
            p.center[a] += r[a][b] * center[b];
            for (int c = 0; c < 3; c++)
                for (int d = 0; d < 3; d++) p.inertia[a][b] += r[a][c] * tensor[c][d] * r[b][d];
        }
    }
    return p;
}

// The thirteen bodies with all legs' joints at (0, hip, knee).
static void lay_out(placed parts[13], const legs_robot *r)
{
    parts[0] = (placed){.mass = r->mass};
    for (int a = 0; a < 3; a++) parts[0].center[a] = r->center[a], parts[0].inertia[a][a] = r->inertia[a];
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const sac_leg *l = &r->legs[leg];
        const double side = l->aside > 0 ? 1 : -1, hip = r->home[1], knee = r->home[2];
        double place[3] = {l->place[0], l->place[1], l->place[2]};
        parts[1 + 3 * leg] = put(&r->hip, place[0] > 0 ? 1 : -1, side, 0, place);
        place[1] += side * r->hip_axis;
        parts[2 + 3 * leg] = put(&r->thigh, 1, side, hip, place);
        place[0] -= l->thigh * sin(hip);
        place[1] += l->aside - side * r->hip_axis;
        place[2] -= l->thigh * cos(hip);
        parts[3 + 3 * leg] = put(&r->shank, 1, side, hip + knee, place);
    }
}

static whole put_together(const legs_robot *r)
{
    placed parts[13];
    lay_out(parts, r);
    whole w = {0};
    for (int p = 0; p < 13; p++)
    {
        w.mass += parts[p].mass;
        for (int a = 0; a < 3; a++) w.center[a] += parts[p].mass * parts[p].center[a];
    }
    for (int a = 0; a < 3; a++) w.center[a] /= w.mass;
    for (int p = 0; p < 13; p++)
    {
        double away[3], square = 0;
        for (int a = 0; a < 3; a++) away[a] = parts[p].center[a] - w.center[a], square += away[a] * away[a];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                w.inertia[a][b] += parts[p].inertia[a][b] + parts[p].mass * ((a == b) * square - away[a] * away[b]);
    }
    return w;
}

typedef struct published
{
    const char *name;
    double mass, center[3], inertia[3], product; // of pitch and roll
    double off;                                  // what may be missing of the product, kg m^2
} published;

// Laikago: laikago_toes_zup.urdf as PyBullet 3.2.7 loads it, with the inertias that it finds for its shapes. Go1: the
// maker's description in MuJoCo 3. Masses are sums of the same numbers. Of the others five digits are given; ours leave
// out that Laikago's left hips are 2.3 mm wider than its right ones, and of Go1's trunk the products (0.0003). That
// makes half a millimetre and a fifth of a per cent at most.
TEST(robots_weigh_what_their_makers_say)
{
    const published all[] = {
        {"laikago", 25.567, {-0.02362, 0.00033, -0.0425}, {0.6282, 1.3063, 1.3447}, -0.0541, 0.0002},
        {"go1", 12.743448, {-0.00211, 0.00088, -0.01899}, {0.1268, 0.394, 0.4229}, -0.0143, 0.0004}};
    for (int i = 0; i < 2; i++)
    {
        const published *p = &all[i];
        const legs_robot *r = sac_legs_robot(p->name);
        const whole w = put_together(r);
        assert_true(fabs(w.mass - p->mass) < 1e-9 && fabs(sac_legs_robot_mass(r) - p->mass) < 1e-9);
        for (int a = 0; a < 3; a++)
        {
            if (fabs(w.center[a] - p->center[a]) > 0.0005) fail_msg("%s: center %d is %g", p->name, a, w.center[a]);
            if (fabs(w.inertia[a][a] / p->inertia[a] - 1) > 0.002)
                fail_msg("%s: inertia %d is %g", p->name, a, w.inertia[a][a]);
        }
        if (fabs(w.inertia[0][2] - p->product) > p->off) fail_msg("%s: product is %g", p->name, w.inertia[0][2]);
    }
}

// where the toes of PyBullet's Laikago are when it starts, within a quarter of a millimetre
TEST(toes_start_where_the_released_ones_do)
{
    const legs_robot *r = sac_legs_robot("laikago");
    const double x[SAC_LEGS] = {0.1478, 0.1478, -0.2895, -0.2895}, y[SAC_LEGS] = {-0.1146, 0.1169, -0.1146, 0.1169};
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        double toe[3];
        sac_leg_toe(toe, &r->legs[leg], r->home);
        assert_true(fabs(toe[0] - x[leg]) < 0.00025 && fabs(toe[1] - y[leg]) < 0.00025);
        assert_true(fabs(toe[2] + 0.4558) < 0.00025);
    }
}

TESTS(robots_weigh_what_their_makers_say, toes_start_where_the_released_ones_do)

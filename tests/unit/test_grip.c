#include "base/series.h"
#include "env/grasp/objects.h"
#include "grip/antipodal.h"
#include "grip/hand.h"
#include "test.h"

/// Things of simple solids as numbers, a hand's axes, and antipodal grasps. Nothing here needs a simulator.

static const double pi = 3.14159265358979323846;
static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static grip_thing one(grip_kind kind, double a, double b, double c)
{
    grip_thing t = {.solids = {{.kind = kind, .size = {a, b, c}}}, .count = 1};
    memcpy(t.solids[0].axes, unit, sizeof unit);
    return t;
}

static const double sizes[GRIP_KINDS][3] = {
    {0.03, 0, 0}, {0.02, 0.05, 0}, {0.02, 0.03, 0.04}, {0.03, 0.05, 0}, {0.02, 0.03, 0.04}};

// Whether a point is within a solid that is not turned
static bool is_in(grip_kind kind, const double r[3], const double p[3])
{
    const double flat = p[0] * p[0] + p[1] * p[1], past = fmax(fabs(p[2]) - r[1], 0);
    switch (kind)
    {
    case GRIP_SPHERE: return flat + p[2] * p[2] <= r[0] * r[0];
    case GRIP_CAPSULE: return flat + past * past <= r[0] * r[0];
    case GRIP_CYLINDER: return flat <= r[0] * r[0] && past == 0;
    case GRIP_BOX: return fabs(p[0]) <= r[0] && fabs(p[1]) <= r[1] && fabs(p[2]) <= r[2];
    default: return p[0] * p[0] / (r[0] * r[0]) + p[1] * p[1] / (r[1] * r[1]) + p[2] * p[2] / (r[2] * r[2]) <= 1;
    }
}

// Masses, inertias and reaches are those of a lattice of points within the solid: with cells of 1 mm, an edge is known
// to half a cell, and the smallest solid is 40 cells wide, so that shares are right to 2.5 % for each of up to five
// factors of length.
TEST(weights_are_those_of_what_is_inside)
{
    for (int kind = 0; kind < GRIP_KINDS; kind++)
    {
        const grip_thing t = one((grip_kind)kind, sizes[kind][0], sizes[kind][1], sizes[kind][2]);
        const grip_weight w = sac_grip_weigh(&t, 500);
        double mass = 0, inertia[3] = {0}, reach = 0;
        const double cell = 0.001, d[3] = {0.36, 0.48, 0.8};
        for (int x = -80; x < 80; x++)
            for (int y = -80; y < 80; y++)
                for (int z = -80; z < 80; z++)
                {
                    const double p[3] = {(x + 0.5) * cell, (y + 0.5) * cell, (z + 0.5) * cell};
                    if (!is_in((grip_kind)kind, sizes[kind], p)) continue;
                    const double m = 500 * cell * cell * cell;
                    mass += m;
                    for (int i = 0; i < 3; i++)
                        inertia[i] += m * (p[(i + 1) % 3] * p[(i + 1) % 3] + p[(i + 2) % 3] * p[(i + 2) % 3]);
                    reach = fmax(reach, grip_dot(d, p));
                }
        assert_near(w.mass / mass, 1, 0.02);
        for (int i = 0; i < 3; i++)
        {
            assert_near(w.inertia[i] / inertia[i], 1, 0.03);
            assert_near(w.center[i], 0, 1e-15);
        }
        assert_near(sac_grip_reach(&t, d), reach, 2 * cell);
    }
}

// A thing of two equal balls is a dumbbell: its inertia is that of two points and two balls.
TEST(solids_add_up)
{
    grip_thing t = one(GRIP_SPHERE, 0.03, 0, 0);
    t.solids[1] = t.solids[0];
    t.count = 2;
    t.solids[0].center[2] = 0.1;
    const double ball = 4 * pi / 3 * 0.03 * 0.03 * 0.03 * 1000, own = 0.4 * ball * 0.03 * 0.03;
    const grip_weight w = sac_grip_weigh(&t, 1000);
    assert_near(w.mass, 2 * ball, 1e-12);
    assert_near(w.center[2], 0.05, 1e-12);
    assert_near(w.inertia[0], 2 * own + 2 * ball * 0.05 * 0.05, 1e-12);
    assert_near(w.inertia[2], 2 * own, 1e-12);
    double values[3], axes[9];
    const double matrix[9] = {2, 1, 0, 1, 2, 0, 0, 0, 5};
    sac_grip_principal(values, axes, matrix);
    for (int i = 0; i < 3; i++) // A v = value v
    {
        const double v[3] = {axes[i], axes[3 + i], axes[6 + i]};
        double turned[3];
        grip_turn(turned, matrix, v);
        for (int k = 0; k < 3; k++) assert_near(turned[k], values[i] * v[k], 1e-14);
    }
    assert_near(values[0] + values[1] + values[2], 9, 1e-14);
}

// Points lie on the surface: none reaches beyond the thing, and some come as near to its reach as points are apart.
TEST(surfaces_are_covered)
{
    static double points[20000][3], normals[20000][3];
    for (int kind = 0; kind < GRIP_KINDS; kind++)
    {
        const grip_thing t = one((grip_kind)kind, sizes[kind][0], sizes[kind][1], sizes[kind][2]);
        grip_surface s = {points, normals, 0, 20000};
        sac_grip_cover(&s, &t, 0.003);
        assert_true(s.count > 500 && s.count < s.room);
        sac_stream random = sac_stream_create(1, 2, (uint64_t)kind);
        for (int k = 0; k < 50; k++)
        {
            double d[3], most = -1;
            for (int i = 0; i < 3; i++) d[i] = sac_stream_uniform(&random, -1, 1);
            const double length = sqrt(grip_dot(d, d)), reach = sac_grip_reach(&t, d) / length;
            for (int i = 0; i < s.count; i++) most = fmax(most, grip_dot(d, points[i]) / length);
            assert_true(most <= reach + 1e-12 && most > reach - 0.003);
        }
        for (int i = 0; i < s.count; i++)
        {
            assert_near(grip_dot(normals[i], normals[i]), 1, 1e-12);
            assert_true(grip_dot(normals[i], points[i]) >= 0); // outwards
        }
    }
}

TEST(numbers_tell_things)
{
    for (int i = 0; i < GRASP_OBJECTS; i += 7)
    {
        grasp_object o;
        grip_thing back;
        float numbers[GRIP_SHAPE_NUMBERS], again[GRIP_SHAPE_NUMBERS];
        sac_grasp_object(&o, i);
        sac_grip_tell(numbers, &o.thing);
        sac_grip_read(&back, numbers);
        assert_int_equal(back.count, o.thing.count);
        sac_grip_tell(again, &back);
        assert_memory_equal(numbers, again, sizeof numbers);
    }
    float bad[GRIP_SHAPE_NUMBERS] = {17, 1, 1, 1};
    bad[16] = NAN;
    bad[32] = 1, bad[33] = -1;
    grip_thing none;
    sac_grip_read(&none, bad);
    assert_int_equal(none.count, 0);
}

TEST(axes_are_those_of_the_definition)
{
    double a[9];
    sac_grip_axes(a, (double[3]){0, 0, -2}, 0);
    const double down[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1}; // x ahead, y to the right, z down
    for (int i = 0; i < 9; i++) assert_near(a[i], down[i], 1e-15);
    sac_grip_axes(a, (double[3]){0, 0, 0}, 0);
    for (int i = 0; i < 9; i++) assert_near(a[i], down[i], 1e-15);
    // ahead: the smallest turn from straight down leads the fingers' x upwards
    sac_grip_axes(a, (double[3]){1, 0, 0}, 0);
    assert_near(a[2], 1, 1e-15);
    assert_near(a[6], 1, 1e-15);
    // to the left: x stays
    sac_grip_axes(a, (double[3]){0, 1, 0}, 0);
    assert_near(a[0], 1, 1e-15);
    sac_stream random = sac_stream_create(3, 0, 0);
    for (int k = 0; k < 200; k++)
    {
        double d[3], b[9];
        for (int i = 0; i < 3; i++) d[i] = sac_stream_uniform(&random, -1, 1);
        const double roll = sac_stream_uniform(&random, -3, 3), length = sqrt(grip_dot(d, d));
        sac_grip_axes(a, d, roll);
        sac_grip_axes(b, d, roll + pi);
        for (int i = 0; i < 3; i++)
        {
            assert_near(a[3 * i + 2], d[i] / length, 1e-12);
            assert_near(a[3 * i], -b[3 * i], 1e-9); // half a turn: the fingers change places
            for (int j = 0; j < 3; j++)
                assert_near(grip_dot((double[3]){a[i], a[3 + i], a[6 + i]}, (double[3]){a[j], a[3 + j], a[6 + j]}),
                            i == j, 1e-9);
        }
    }
    // straight down, fingers end at the tip; level, the palm is lowest: half of its width, or of its length
    sac_grip_axes(a, (double[3]){0, 0, -1}, 0.3);
    assert_near(sac_grip_depth(a), 0, 1e-15);
    sac_grip_axes(a, (double[3]){0, 1, 0}, 0);
    assert_near(sac_grip_depth(a), grip_palm[1], 1e-15);
    sac_grip_axes(a, (double[3]){0, 1, 0}, pi / 2);
    assert_near(sac_grip_depth(a), grip_palm[0], 1e-15);
}

// A thing in a pose on a table at z = 0
static grip_thing laid(const grip_thing *thing, const double pose[9])
{
    grip_thing out = *thing;
    double down[3];
    grip_turn_back(down, pose, (double[3]){0, 0, -1});
    const double low = sac_grip_reach(thing, down);
    for (int i = 0; i < thing->count; i++)
    {
        const grip_solid *from = &thing->solids[i];
        grip_solid *to = &out.solids[i];
        grip_turn(to->center, pose, from->center);
        to->center[2] += low;
        for (int c = 0; c < 3; c++)
        {
            const double axis[3] = {from->axes[c], from->axes[3 + c], from->axes[6 + c]};
            double turned[3];
            grip_turn(turned, pose, axis);
            for (int k = 0; k < 3; k++) to->axes[3 * k + c] = turned[k];
        }
    }
    return out;
}

// All objects differ, and each can be taken: in every pose it is high enough to be seen above the table, and has a
// grasp.
TEST(objects_are_many_and_within_limits)
{
    static float shapes[GRASP_OBJECTS][GRIP_SHAPE_NUMBERS];
    grip_finder *finder;
    grip_grasp found;
    const grip_costs costs = sac_grip_usual_costs();
    assert_ok(sac_grip_finder_create(&finder));
    assert_true(GRASP_OBJECTS >= 200);
    for (int i = 0; i < GRASP_OBJECTS; i++)
    {
        grasp_object o;
        sac_grasp_object(&o, i);
        sac_grip_tell(shapes[i], &o.thing);
        for (int k = 0; k < i; k++) assert_memory_not_equal(shapes[i], shapes[k], sizeof shapes[i]);
        const grip_weight w = sac_grip_weigh(&o.thing, o.density);
        if (!(w.mass > 0.01 && w.mass < 0.75)) fail_msg("%s %d: %g kg", sac_grasp_families[i / 16], i, w.mass);
        assert_true(o.pose_count >= 1 && o.pose_count <= GRASP_POSES);
        for (int p = 0; p < o.pose_count; p++)
        {
            double up[3], down[3];
            grip_turn_back(up, o.poses[p], (double[3]){0, 0, 1});
            for (int k = 0; k < 3; k++) down[k] = -up[k];
            const double height = sac_grip_reach(&o.thing, up) + sac_grip_reach(&o.thing, down);
            if (!(height >= 0.024 && height < 0.24))
                fail_msg("%s %d: %g m high", sac_grasp_families[i / 16], i, height);
            const grip_thing t = laid(&o.thing, o.poses[p]);
            if (sac_grip_find(finder, &found, 1, &t, 0, &costs) == 0)
                fail_msg("%s %d, pose %d has no grasp", sac_grasp_families[i / 16], i, p);
        }
    }
    sac_grip_finder_destroy(finder);
}

// On a box, fingers close across its shorter side, in the middle; a box that is too wide has no grasp.
TEST(boxes_are_grasped_across)
{
    grip_finder *finder;
    grip_grasp found[8];
    const grip_costs costs = sac_grip_usual_costs();
    assert_ok(sac_grip_finder_create(&finder));
    for (int k = 0; k < 6; k++)
    {
        const double turn = (k - 2) * pi / 6;
        grip_thing t = one(GRIP_BOX, 0.05, 0.02, 0.02);
        double s, c;
        sac_series_sin_cos(turn, &s, &c);
        const double axes[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        memcpy(t.solids[0].axes, axes, sizeof axes);
        const int count = sac_grip_find(finder, found, 8, &t, -0.02, &costs);
        assert_true(count >= 1);
        // fingers close along the box's y, which lies a quarter turn further; roll turns the other way round, seen from
        // above, and half a turn changes nothing
        double hand[9];
        sac_grip_axes(hand, found[0].approach, found[0].roll);
        assert_true(fabs(hand[0] * -s + hand[3] * c) > 0.999);
        assert_true(fabs(found[0].tip[0]) < 0.01 && fabs(found[0].tip[1]) < 0.01 && found[0].tip[2] < 0.02);
        for (int i = 1; i < count; i++) assert_true(found[i].cost >= found[i - 1].cost);
    }
    const grip_thing wide = one(GRIP_BOX, 0.06, 0.06, 0.02);
    assert_int_equal(sac_grip_find(finder, found, 8, &wide, -0.02, &costs), 0);
    sac_grip_finder_destroy(finder);
}

TESTS(weights_are_those_of_what_is_inside, solids_add_up, surfaces_are_covered, numbers_tell_things,
      axes_are_those_of_the_definition, objects_are_many_and_within_limits, boxes_are_grasped_across)

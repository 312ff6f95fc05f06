#include "numerics/arc_tangent.h"
#include "saccade/leg.h"

#include "test.h"

/// A leg of three joints: places by hand, forward and inverse kinematics against each other, and what is out of reach.

// a rear left one, longer below than above, and a front right one without an offset
static const sac_leg left = {.place = {-0.2, 0.1, -0.03}, .aside = 0.05, .thigh = 0.2, .shank = 0.25};
static const sac_leg straight = {.place = {0.2, -0.1, 0}, .aside = 0, .thigh = 0.25, .shank = 0.25};

static void assert_place(const double toe[3], double x, double y, double z)
{
    const double place[3] = {x, y, z};
    for (int i = 0; i < 3; i++) assert_near(toe[i], place[i], 1e-15);
}

// A leg that hangs is thigh + shank long. A quarter turn of the hip lays it backwards. A knee of -pi/2 brings the shank
// forwards. A quarter turn of the abduction lifts the leg to its left, and the offset upwards.
TEST(places_by_hand)
{
    const double quarter = 1.5707963267948966;
    double toe[3];
    sac_leg_toe(toe, &left, (const double[]){0, 0, 0});
    assert_place(toe, -0.2, 0.1 + 0.05, -0.03 - 0.45);
    sac_leg_toe(toe, &left, (const double[]){0, quarter, 0});
    assert_place(toe, -0.2 - 0.45, 0.1 + 0.05, -0.03);
    sac_leg_toe(toe, &left, (const double[]){0, 0, -quarter});
    assert_place(toe, -0.2 + 0.25, 0.1 + 0.05, -0.03 - 0.2);
    sac_leg_toe(toe, &left, (const double[]){quarter, 0, 0});
    assert_place(toe, -0.2, 0.1 + 0.45, -0.03 + 0.05);
    sac_leg_toe(toe, &left, (const double[]){quarter, 0, -quarter});
    assert_place(toe, -0.2 + 0.25, 0.1 + 0.2, -0.03 + 0.05);
    // an equilateral triangle: thigh and shank 30 degrees from the vertical, the toe right below the hip
    sac_leg_toe(toe, &straight, (const double[]){0, quarter / 3, -2 * quarter / 3});
    assert_place(toe, 0.2, -0.1, -0.25 * sqrt(3));
}

static sac_leg any_leg(sac_stream *s)
{
    sac_leg leg = {.aside = sac_stream_uniform(s, -0.1, 0.1),
                   .thigh = sac_stream_uniform(s, 0.15, 0.3),
                   .shank = sac_stream_uniform(s, 0.15, 0.3)};
    for (int i = 0; i < 3; i++) leg.place[i] = sac_stream_uniform(s, -0.3, 0.3);
    return leg;
}

static double any_angle(sac_stream *s, double most)
{
    return sac_stream_uniform(s, -most, most);
}

// The way back and forth goes over squares of lengths of some 0.5 m, which are off by e = 2^-52 of 0.25, ten times at
// most. The distance from the hip is the root of such a square: off by 10 e 0.25 / (2 r), r the distance. The angles
// are off by a few e, and the toe by as many times the leg's length. r is 0.01 at least here.
TEST(a_toe_that_is_reached_is_where_it_should_be)
{
    sac_stream s = sac_stream_create(1, 0, 0);
    int count = 0;
    for (int i = 0; i < 100000; i++)
    {
        const sac_leg leg = any_leg(&s);
        // a leg that is not above its hip's plane is found again by its joints: abduction anywhere, knee bent backwards
        const double joints[3] = {any_angle(&s, 3.1), any_angle(&s, 3.1), sac_stream_uniform(&s, -3.1, 0)};
        double toe[3], found[3], again[3];
        sac_leg_toe(toe, &leg, joints);
        assert_true(sac_leg_reach(found, &leg, toe));
        sac_leg_toe(again, &leg, found);
        const double x = toe[0] - leg.place[0], y = toe[1] - leg.place[1], z = toe[2] - leg.place[2];
        const double r = sqrt(fmax(x * x + y * y + z * z - leg.aside * leg.aside, 0));
        if (r < 0.01) continue;
        for (int k = 0; k < 3; k++) assert_near(again[k], toe[k], 0x1p-52 * (10 * 0.25 / (2 * r) + 16 * 0.6));
        assert_true(found[2] <= 0 && found[2] >= -3.1415926535897936);
        // the joints themselves, where the leg hangs below the abduction's axis and is far from straight and from
        // folded
        const double w = -leg.thigh * cos(joints[1]) - leg.shank * cos(joints[1] + joints[2]);
        if (w > -0.05 || joints[2] > -0.1 || joints[2] < -3.0) continue;
        for (int k = 0; k < 3; k++) assert_near(found[k], joints[k], 1e-12);
        count++;
    }
    assert_true(count > 20000);
}

// the distance of a place from the toe with some joints
static double apart(const sac_leg *leg, const double joints[3], const double place[3])
{
    double toe[3], sum = 0;
    sac_leg_toe(toe, leg, joints);
    for (int i = 0; i < 3; i++) sum += (toe[i] - place[i]) * (toe[i] - place[i]);
    return sqrt(sum);
}

// No joints that were drawn come nearer to a place than those that reach for it.
TEST(what_is_out_of_reach_is_approached)
{
    sac_stream s = sac_stream_create(2, 0, 0);
    int outside = 0;
    for (int i = 0; i < 2000; i++)
    {
        const sac_leg leg = any_leg(&s);
        double place[3], joints[3];
        for (int k = 0; k < 3; k++) place[k] = leg.place[k] + sac_stream_uniform(&s, -0.8, 0.8);
        if (i % 4 == 0) place[1] = leg.place[1] + any_angle(&s, 0.05), place[2] = leg.place[2] + any_angle(&s, 0.05);
        if (i % 8 == 0) place[0] = leg.place[0] + any_angle(&s, 0.05);
        const bool reached = sac_leg_reach(joints, &leg, place);
        const double left_over = apart(&leg, joints, place);
        if (reached) assert_near(left_over, 0, 1e-9);
        outside += !reached;
        for (int k = 0; k < 200; k++)
        {
            const double drawn[3] = {any_angle(&s, 3.2), any_angle(&s, 3.2), any_angle(&s, 3.2)};
            assert_true(left_over <= apart(&leg, drawn, place) + 1e-9);
        }
    }
    assert_true(outside > 500);
    // straight down beyond its length; the place of the leg itself, which has no direction
    double joints[3];
    assert_false(sac_leg_reach(joints, &straight, (const double[]){0.2, -0.1, -9}));
    for (int k = 0; k < 3; k++) assert_near(joints[k], 0, 1e-9);
    sac_leg_reach(joints, &left, left.place);
    for (int k = 0; k < 3; k++) assert_true(isfinite(joints[k]));
    // what just reaches is reached
    double toe[3];
    sac_leg_toe(toe, &left, (const double[]){0.3, 0.2, 0});
    assert_true(sac_leg_reach(joints, &left, toe));
}

// A difference over 2 h is off by h^2 / 6 of the third derivative, which is the leg's length of 0.6 + 0.1 at most, and
// by the rounding of the two places, 2e-16, over h.
TEST(the_jacobian_is_the_derivative)
{
    sac_stream s = sac_stream_create(3, 0, 0);
    const double h = 1e-5;
    for (int i = 0; i < 1000; i++)
    {
        const sac_leg leg = any_leg(&s);
        const double joints[3] = {any_angle(&s, 3), any_angle(&s, 3), any_angle(&s, 3)};
        double jacobian[9];
        sac_leg_jacobian(jacobian, &leg, joints);
        for (int j = 0; j < 3; j++)
        {
            double less[3], more[3], below[3], above[3];
            memcpy(less, joints, sizeof less), memcpy(more, joints, sizeof more);
            less[j] -= h, more[j] += h;
            sac_leg_toe(below, &leg, less), sac_leg_toe(above, &leg, more);
            for (int k = 0; k < 3; k++)
                assert_near(jacobian[3 * k + j], (above[k] - below[k]) / (2 * h), 0.7 * h * h / 6 + 4e-16 / h);
        }
    }
}

// The series against libm, both off by some units in the last place.
TEST(arc_tangents_equal_libm)
{
    sac_stream s = sac_stream_create(4, 0, 0);
    for (int i = 0; i < 200000; i++)
    {
        const double size = i % 2 ? 1 : exp(any_angle(&s, 30)), x = any_angle(&s, 1), y = size * any_angle(&s, 1);
        const double expected = atan2(y, x);
        assert_near(sac_arc_tangent(y, x), expected, fabs(expected) * 4 * 0x1p-52);
    }
    const double pi = 3.14159265358979312;
    assert_true(sac_arc_tangent(0, 1) == 0 && sac_arc_tangent(0, 0) == 0 && sac_arc_tangent(0, -1) == pi);
    assert_true(sac_arc_tangent(1, 0) == pi / 2 && sac_arc_tangent(-1, 0) == -pi / 2);
    assert_near(sac_arc_tangent(1, 1), pi / 4, 0x1p-53);
    assert_true(isnan(sac_arc_tangent((double)NAN, 1)) && isnan(sac_arc_tangent(1, (double)INFINITY)));
}

TESTS(places_by_hand, a_toe_that_is_reached_is_where_it_should_be, what_is_out_of_reach_is_approached,
      the_jacobian_is_the_derivative, arc_tangents_equal_libm)

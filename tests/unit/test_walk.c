#include "saccade/walk.h"

#include "failing_memory.h"
#include "test.h"

/// Walking by footholds: swings by hand, landings, balance, Raibert's rule, early and lost feet, and saved walks.

static sac_walk *walker(const sac_walk_def *def)
{
    sac_walk *walk;
    assert_ok(sac_walk_create(&walk, def));
    return walk;
}

// at rest with the toes at the places of landing
static sac_walk_senses standing(const sac_walk_def *def)
{
    sac_walk_senses in = {0};
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        assert_true(sac_leg_reach(in.joints[leg], &def->legs[leg], def->toes[leg]));
        in.touches[leg] = true;
    }
    return in;
}

static sac_walk_command still(void)
{
    return (sac_walk_command){.clearance = {0.07, 0.07, 0.07, 0.07}, .height = 0.456};
}

// where the motors of a leg want the toe to be
static void aim(double toe[3], const sac_walk_def *def, int leg, const sac_motor motors[SAC_LEG_JOINTS])
{
    const double joints[SAC_LEG_JOINTS] = {motors[0].q, motors[1].q, motors[2].q};
    sac_leg_toe(toe, &def->legs[leg], joints);
}

// PyBullet's Laikago starts with joints of 0.67 and -1.25, which saccade/leg.h counts as 0.6690 and -1.1012, and then
// has its toes 0.0513 m behind the hips and 0.456 below the body (printed to 1e-4).
TEST(the_default_legs_are_laikagos)
{
    const sac_walk_def def = sac_walk_default_def();
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        double toe[3];
        sac_leg_toe(toe, &def.legs[leg], (const double[]){0, 0.67 - 0.0010, -1.25 + 0.1488});
        assert_near(toe[0], leg < 2 ? 0.1478 : -0.2895, 1.5e-4);
        assert_near(toe[1], leg % 2 ? 0.1169 : -0.1146, 1e-4);
        assert_near(toe[2], -0.4558, 1.5e-4);
    }
}

// A trot's second pair, FL and RR, is at 0.5 of its period at first, swings from 0.05 s on for 0.2 s, and so is at s of
// its swing at 0.05 + 0.2 s. The toes lift off where they stand, P = toes + foothold, up is (0, 0, 1):
// at 0.225, half way to 0.45: 0.35 of the way, clearance / 2 high; at 0.45: 0.7, clearance; at 0.675: 0.85, clearance /
// 2; from 0.9001 on: P, 0.03 below it.
TEST(swings_by_hand)
{
    const sac_walk_def def = sac_walk_default_def();
    const double moments[][3] = {{0.225, 0.35, 0.035}, {0.45, 0.7, 0.07},  {0.675, 0.85, 0.035},
                                 {0.9, 1, 0},          {0.9002, 1, -0.03}, {0.99, 1, -0.03}};
    sac_walk_senses in = standing(&def);
    sac_walk_command command = still();
    for (int leg = 0; leg < SAC_LEGS; leg++)
        command.foothold[leg][0] = 0.08, command.foothold[leg][1] = -0.03, command.foothold[leg][2] = 0.02;
    for (int leg = 0; leg < SAC_LEGS; leg++) in.touches[leg] = leg == 0 || leg == 3;
    sac_walk *walk = walker(&def);
    sac_walk_reset(walk, &in);
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    bool lifted[SAC_LEGS];
    double time = 0.0501; // 0.0005 of the swing
    sac_walk_step(motors, walk, &in, &command, time);
    sac_walk_lifted(walk, lifted);
    for (int leg = 0; leg < SAC_LEGS; leg++) assert_int_equal(lifted[leg], leg == 1 || leg == 2);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
    {
        const double next = 0.05 + 0.2 * moments[i][0];
        sac_walk_step(motors, walk, &in, &command, next - time);
        time = next;
        for (int leg = 1; leg < 3; leg++)
        {
            double toe[3];
            aim(toe, &def, leg, motors[leg]);
            // times are off by 1e-16 s, 1e-15 of a swing, and the foot goes 300 times the last step's 0.03 m a swing
            const double tolerance = i == 3 ? 1e-12 : 1e-13;
            assert_near(toe[0], def.toes[leg][0] + 0.08 * moments[i][1], tolerance);
            assert_near(toe[1], def.toes[leg][1] - 0.03 * moments[i][1], tolerance);
            assert_near(toe[2], def.toes[leg][2] + 0.02 * moments[i][1] + moments[i][2], tolerance);
            assert_near(sac_walk_feet(walk).phase[leg], moments[i][0], 1e-14);
            for (int k = 0; k < SAC_LEG_JOINTS; k++)
                assert_true(motors[leg][k].kp == 220 && motors[leg][k].kd == def.kd[k] && motors[leg][k].torque == 0);
        }
        sac_walk_lifted(walk, lifted);
        for (int leg = 0; leg < SAC_LEGS; leg++) assert_false(lifted[leg]);
    }
    sac_walk_destroy(walk);
}

// On a slope up is the body's own z axis, Ry(pitch) Rx(roll) z = (sin p cos r, -sin r, cos p cos r).
TEST(up_is_the_axis_of_the_body)
{
    const sac_walk_def def = sac_walk_default_def();
    sac_walk_senses in = standing(&def);
    in.roll = 0.1, in.pitch = -0.2;
    memset(in.touches, 0, sizeof in.touches);
    sac_walk_command command = still();
    sac_walk *walk = walker(&def);
    sac_walk_reset(walk, &in);
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    sac_walk_step(motors, walk, &in, &command, 0.05 + 1e-9);
    sac_walk_step(motors, walk, &in, &command, 0.09 - 1e-9);
    const double up[3] = {sin(-0.2) * cos(0.1), -sin(0.1), cos(-0.2) * cos(0.1)};
    double toe[3];
    aim(toe, &def, 1, motors[1]);
    for (int i = 0; i < 3; i++) assert_near(toe[i], def.toes[1][i] + 0.07 * up[i], 1e-9);
    // toes turned into the level frame: z = -sin p x + cos p (sin r y + cos r z)
    double height = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++)
        if (sac_walk_feet(walk).foot[leg] != SAC_FOOT_SWING)
            height +=
                -sin(-0.2) * def.toes[leg][0] + cos(-0.2) * (sin(0.1) * def.toes[leg][1] + cos(0.1) * def.toes[leg][2]);
    assert_near(sac_walk_height(walk), -height / 2, 1e-14);
    sac_walk_destroy(walk);
}

// Feet that go where they are told land where they were told to, whatever footholds are drawn within the legs' reach,
// also where these change on the way. Joints that follow at once stand for a perfect motor.
TEST(feet_land_where_they_should)
{
    const sac_walk_def def = sac_walk_default_def();
    sac_stream s = sac_stream_create(1, 0, 0);
    sac_walk_senses in = standing(&def);
    sac_walk *walk = walker(&def);
    sac_walk_reset(walk, &in);
    sac_walk_command command = still();
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    int landed = 0;
    bool stood[SAC_LEGS] = {true, true, true, true};
    for (int i = 0; i < 2500; i++)
    {
        if (i % 50 == 0)
            for (int leg = 0; leg < SAC_LEGS; leg++)
            {
                for (int k = 0; k < 2; k++) command.foothold[leg][k] = sac_stream_uniform(&s, -0.1, 0.1);
                command.foothold[leg][2] = sac_stream_uniform(&s, 0, 0.05);
                command.clearance[leg] = sac_stream_uniform(&s, 0.05, 0.1);
            }
        sac_walk_step(motors, walk, &in, &command, 0.004);
        const sac_gait_feet feet = sac_walk_feet(walk);
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            double toe[3];
            const bool swings = feet.foot[leg] == SAC_FOOT_SWING;
            for (int k = 0; k < SAC_LEG_JOINTS && swings; k++) in.joints[leg][k] = motors[leg][k].q;
            in.touches[leg] = !swings;
            sac_leg_toe(toe, &def.legs[leg], in.joints[leg]);
            if (swings && feet.phase[leg] > 0.9001)
                for (int k = 0; k < 3; k++)
                    assert_near(toe[k], def.toes[leg][k] + command.foothold[leg][k] - (k == 2 ? def.press : 0), 1e-12);
            landed += feet.stands[leg] && !stood[leg];
            stood[leg] = feet.stands[leg];
        }
    }
    assert_true(landed >= 4 * 19); // 20 periods of half a second
    sac_walk_destroy(walk);
}

// Four feet stand under the middle of a level body at the wanted height. Their forces are the weight, less the share
// that the effort lets go (see test_stance.c). A body that rises by h against these forces does the work weight h, and
// so do the torques while the joints follow: the sign and the size of J'(-f), by inverse kinematics alone. Over +- h
// its difference is off by h^2 / 6 of the third derivatives, 1e-10 / 6 of some 100 / m^2 of the weight.
TEST(torques_carry_the_weight)
{
    const double h = 1e-5;
    sac_walk_def def = sac_walk_default_def();
    def.gait = sac_gait_walk(); // all feet stand at first
    for (int leg = 0; leg < SAC_LEGS; leg++) def.toes[leg][0] = leg < 2 ? 0.2 : -0.2;
    for (int form = 0; form < 2; form++)
    {
        def.instant = form;
        sac_walk *walk = walker(&def);
        const sac_walk_senses in = standing(&def);
        const sac_walk_command command = still();
        sac_walk_reset(walk, &in);
        sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
        const sac_stance_output out = sac_walk_step(motors, walk, &in, &command, 0.001);
        assert_int_equal(out.solution.outcome, SAC_QP_SOLVED);
        const double m = 235 / 9.8, part = form ? 1e-4 * m * m / 4 : 1e-6 * m * m / 0.04;
        double weight = 0, work = 0;
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            double toe[3], up[SAC_LEG_JOINTS], down[SAC_LEG_JOINTS];
            memcpy(toe, def.toes[leg], sizeof toe);
            toe[2] -= h;
            assert_true(sac_leg_reach(up, &def.legs[leg], toe));
            toe[2] += 2 * h;
            assert_true(sac_leg_reach(down, &def.legs[leg], toe));
            weight += out.forces[leg][2];
            for (int k = 0; k < SAC_LEG_JOINTS; k++)
            {
                work += motors[leg][k].torque * (up[k] - down[k]);
                assert_true(motors[leg][k].kp == 0 && motors[leg][k].kd == def.kd[k]);
            }
        }
        assert_near(weight, 235, 235 * part * 1.05);
        assert_near(work / (2 * h), weight, 1e-8 * 235);
        assert_int_equal(sac_walk_unsolved(walk), 0);
        sac_walk_destroy(walk);
    }
}

// A foot that meets the ground after 40 % of its swing is damped and nothing else; one that has no ground where it
// should stand presses all the same.
TEST(early_and_lost_feet)
{
    const sac_walk_def def = sac_walk_default_def();
    sac_walk_senses in = standing(&def);
    sac_walk_command command = still();
    sac_walk *walk = walker(&def);
    sac_walk_reset(walk, &in);
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    memset(in.touches, 0, sizeof in.touches);
    in.touches[1] = true;
    sac_stance_output out =
        sac_walk_step(motors, walk, &in, &command, 0.05 + 0.2 * 0.5); // FR, RL at half of their stance
    const sac_gait_feet feet = sac_walk_feet(walk);
    const sac_foot expected[SAC_LEGS] = {SAC_FOOT_LOST, SAC_FOOT_EARLY, SAC_FOOT_SWING, SAC_FOOT_LOST};
    for (int leg = 0; leg < SAC_LEGS; leg++) assert_int_equal(feet.foot[leg], expected[leg]);
    for (int k = 0; k < SAC_LEG_JOINTS; k++)
    {
        assert_true(motors[1][k].kp == 0 && motors[1][k].torque == 0 && motors[1][k].kd == def.kd[k]);
        assert_true(motors[2][k].kp == def.kp);
    }
    assert_true(out.forces[0][2] > 50 && out.forces[3][2] > 50 && out.forces[1][2] == 0 && out.forces[2][2] == 0);
    assert_true(fabs(motors[0][2].torque) > 1 && fabs(motors[3][2].torque) > 1);
    sac_walk_destroy(walk);
}

// v swing / 2 - gain (wanted - v) by hand, and its inverse: in balance the wanted velocity is v, and the foothold is v
// swing / 2, 0.05 m for 0.5 m/s and 0.2 s.
TEST(raiberts_rule)
{
    double foothold[2], velocity[2];
    sac_raibert_foothold(foothold, (const double[]){0.5, -0.1}, (const double[]){0.3, 0}, 0.2, 0.025);
    assert_near(foothold[0], 0.05 + 0.005, 1e-16);
    assert_near(foothold[1], -0.01 - 0.0025, 1e-16);
    sac_raibert_velocity(velocity, (const double[]){0.5, 0}, (const double[]){0.05, 0}, 0.2,
                         (const double[]){0.25, 0.1});
    assert_near(velocity[0], 0.5, 1e-15);
    assert_near(velocity[1], 0, 0);
    sac_raibert_velocity(velocity, (const double[]){0.2, 0}, (const double[]){0.07, 0.01}, 0.2,
                         (const double[]){0.25, 0.1});
    assert_near(velocity[0], 0.2 + 0.05 / 0.25, 1e-15);
    assert_near(velocity[1], 0.1, 1e-15);
}

// Where the wanted velocity follows the footholds, the forces are those of a command that says that velocity itself:
// the mean over the two feet in the air, and later on, where all stand, the last one.
TEST(velocity_follows_the_footholds)
{
    sac_walk_def def = sac_walk_default_def();
    sac_walk_senses in = standing(&def);
    in.velocity[0] = 0.2;
    sac_walk *walks[2] = {walker(&def), walker(&def)};
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    sac_walk_command follows = still(), says = still();
    follows.follow = true;
    follows.velocity[0] = 0.01;
    for (int leg = 0; leg < SAC_LEGS; leg++)
        says.foothold[leg][0] = follows.foothold[leg][0] = 0.01 * (leg + 2), // 0.03, 0.04 in the air, then stands
            says.foothold[leg][1] = follows.foothold[leg][1] = leg == 2 ? 0.01 : 0;
    // (0.03 - 0.02) / 0.25 and (0.04 - 0.02) / 0.25: 0.06 in the mean
    says.velocity[0] = 0.01 + 0.2 + 0.06, says.velocity[1] = 0.05;
    for (int i = 0; i < 2; i++) sac_walk_reset(walks[i], &in);
    const double times[] = {0.1, 0.16}; // 0.1: FL, RR swing; 0.26: all stand
    for (int i = 0; i < 2; i++)
    {
        sac_stance_output a = sac_walk_step(motors, walks[0], &in, &follows, times[i]),
                          b = sac_walk_step(motors, walks[1], &in, &says, times[i]);
        const sac_gait_feet feet = sac_walk_feet(walks[0]);
        assert_int_equal(feet.stands[1], i == 1);
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int k = 0; k < 3; k++) assert_near(a.forces[leg][k], b.forces[leg][k], 1e-6);
    }
    for (int i = 0; i < 2; i++) sac_walk_destroy(walks[i]);
}

static void disturb(sac_walk_senses *in, const sac_walk_senses *from, sac_stream *s)
{
    *in = *from;
    for (int leg = 0; leg < SAC_LEGS; leg++)
        for (int k = 0; k < SAC_LEG_JOINTS; k++)
        {
            in->joints[leg][k] += sac_stream_uniform(s, -0.1, 0.1);
            in->rates[leg][k] = sac_stream_uniform(s, -1, 1);
        }
    in->roll = sac_stream_uniform(s, -0.3, 0.3), in->pitch = sac_stream_uniform(s, -0.3, 0.3);
    for (int k = 0; k < 3; k++) in->turning[k] = sac_stream_uniform(s, -2, 2);
    for (int k = 0; k < 3; k++) in->velocity[k] = sac_stream_uniform(s, -0.8, 0.8);
    for (int leg = 0; leg < SAC_LEGS; leg++) in->touches[leg] = sac_stream_below(s, 2);
}

// A walk that is restored, in its own walker or in another one, gives the bits of the one that went on, and its bytes
// are equal. The disturbances make rows of the problem active, with which the next one begins.
TEST(saved_walks_go_on)
{
    sac_walk_def def = sac_walk_default_def();
    const sac_walk_senses rest = standing(&def);
    sac_walk *walk = walker(&def), *other = walker(&def);
    const size_t size = sac_walk_state_size(walk);
    char *states[3];
    for (int i = 0; i < 3; i++) assert_non_null(states[i] = calloc(1, size));
    sac_stream s = sac_stream_create(1, 0, 0);
    sac_walk_command command = still();
    command.follow = true;
    sac_walk_reset(walk, &rest), sac_walk_reset(other, &rest);
    sac_walk_senses in[20];
    sac_motor motors[20][SAC_LEGS][SAC_LEG_JOINTS], again[SAC_LEGS][SAC_LEG_JOINTS];
    sac_stance_output outs[20];
    int active = 0;
    for (int round = 0; round < 30; round++)
    {
        sac_walk_save(walk, states[0]);
        for (int i = 0; i < 20; i++)
        {
            disturb(&in[i], &rest, &s);
            outs[i] = sac_walk_step(motors[i], walk, &in[i], &command, 0.004);
            active += outs[i].solution.active > 0;
        }
        sac_walk_save(walk, states[1]);
        for (int which = 0; which < 2; which++)
        {
            sac_walk *w = which ? walk : other;
            sac_walk_restore(w, states[0]);
            for (int i = 0; i < 20; i++)
            {
                const sac_stance_output out = sac_walk_step(again, w, &in[i], &command, 0.004);
                assert_memory_equal(again, motors[i], sizeof again);
                assert_memory_equal(out.forces, outs[i].forces, sizeof out.forces);
                assert_int_equal(out.solution.steps, outs[i].solution.steps);
            }
            sac_walk_save(w, states[2]);
            assert_memory_equal(states[1], states[2], size);
        }
    }
    assert_true(active > 100);
    for (int i = 0; i < 3; i++) free(states[i]);
    sac_walk_destroy(walk), sac_walk_destroy(other);
}

static bool are_finite(const sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS])
{
    for (int leg = 0; leg < SAC_LEGS; leg++)
        for (int k = 0; k < SAC_LEG_JOINTS; k++)
        {
            const sac_motor *m = &motors[leg][k];
            if (!isfinite(m->kp) || !isfinite(m->kd) || !isfinite(m->q) || !isfinite(m->torque)) return false;
        }
    return true;
}

// Whatever single number is not finite, or out of all bounds, the motors get finite numbers, and the step after is as
// good as ever.
TEST(motors_are_finite)
{
    const sac_walk_def def = sac_walk_default_def();
    const sac_walk_senses rest = standing(&def);
    sac_walk *walk = walker(&def);
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    const double bad[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, 1e300, -1e7};
    sac_walk_reset(walk, &rest);
    const size_t measured = 24 + 8, wanted = 12 + 4 + 2 + 4;
    for (size_t i = 0; i < 5 * (measured + wanted); i++)
    {
        sac_walk_senses in = rest;
        sac_walk_command command = still();
        command.follow = i % 2;
        const size_t which = i / 5;
        double *senses[] = {&in.joints[0][0], &in.rates[0][0], &in.roll},
               *commands[] = {&command.foothold[0][0], &command.clearance[0], &command.velocity[0], &command.twist};
        if (which < 24)
            senses[which / 12][which % 12] = bad[i % 5];
        else if (which < measured)
            senses[2][which - 24] = bad[i % 5]; // roll, pitch, turning and velocity lie one after the other
        else if (which < measured + 12)
            commands[0][which - measured] = bad[i % 5];
        else if (which < measured + 16)
            commands[1][which - measured - 12] = bad[i % 5];
        else if (which < measured + 18)
            commands[2][which - measured - 16] = bad[i % 5];
        else
            commands[3][which - measured - 18] = bad[i % 5];
        const int64_t before = sac_walk_unsolved(walk);
        sac_stance_output out = sac_walk_step(motors, walk, &in, &command, 0.004);
        assert_true(are_finite((const sac_motor(*)[SAC_LEG_JOINTS])motors));
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int k = 0; k < 3; k++) assert_true(isfinite(out.forces[leg][k]));
        assert_int_equal(sac_walk_unsolved(walk) - before, out.solution.outcome != SAC_QP_SOLVED);
        command = still();
        out = sac_walk_step(motors, walk, &rest, &command, 0.004);
        assert_int_equal(out.solution.outcome, SAC_QP_SOLVED);
    }
    assert_true(sac_walk_unsolved(walk) > 100);
    sac_walk_reset(walk, &rest);
    assert_int_equal(sac_walk_unsolved(walk), 0);
    for (int i = 0; i < 4; i++) // a step that is none: counted, and the walk goes on afterwards
    {
        const sac_walk_command command = still();
        const sac_gait_feet feet = sac_walk_feet(walk);
        assert_int_equal(sac_walk_step(motors, walk, &rest, &command, i < 3 ? bad[i] : -0.004).solution.outcome,
                         SAC_QP_UNSUITABLE);
        assert_true(are_finite((const sac_motor(*)[SAC_LEG_JOINTS])motors));
        assert_int_equal(sac_walk_unsolved(walk), i + 1);
        for (int leg = 0; leg < SAC_LEGS; leg++) assert_true(sac_walk_feet(walk).phase[leg] == feet.phase[leg]);
        assert_int_equal(sac_walk_step(motors, walk, &rest, &command, 0.004).solution.outcome, SAC_QP_SOLVED);
    }
    sac_walk_destroy(walk);
}

// Senses of which each is sound, and which stance control has no solution for all the same: the solver gives up, the
// walker counts it, and its feet carry the weight.
TEST(what_stance_control_gives_up_is_counted)
{
    const sac_walk_def def = sac_walk_default_def();
    const sac_walk_senses rest = standing(&def);
    sac_walk *walk = walker(&def);
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    const sac_walk_command command = still();
    sac_walk_reset(walk, &rest);
    int64_t given_up = 0;
    for (int i = 0; i < 200; i++)
    {
        sac_walk_senses in = rest;
        double off = 1; // of an upright body: pi / 2 less 1 to 1e-19
        for (int k = 0; k < i % 20; k++) off /= 10;
        in.pitch = (i % 40 < 20 ? 1 : -1) * (1.5707963267948966 - off);
        in.turning[0] = i;
        const sac_stance_output out = sac_walk_step(motors, walk, &in, &command, 0.004);
        assert_true(are_finite((const sac_motor(*)[SAC_LEG_JOINTS])motors));
        given_up += out.solution.outcome != SAC_QP_SOLVED;
        assert_int_equal(sac_walk_unsolved(walk), given_up);
        double weight = 0;
        for (int leg = 0; leg < SAC_LEGS; leg++) weight += out.forces[leg][2];
        if (out.solution.outcome != SAC_QP_SOLVED) assert_near(weight, 235, 1e-9);
    }
    assert_true(given_up > 10 && given_up < 190);
    sac_walk_destroy(walk);
}

TEST(what_cannot_walk_is_refused)
{
    sac_walk *walk;
    sac_walk_def def = sac_walk_default_def();
    def.legs[2].shank = 0;
    assert_fails(sac_walk_create(&walk, &def), SAC_ERROR_ARGUMENT, "leg 2");
    def = sac_walk_default_def(), def.gait.duty = 1;
    assert_fails(sac_walk_create(&walk, &def), SAC_ERROR_ARGUMENT, "duty");
    def = sac_walk_default_def(), def.gain[1] = 0;
    assert_fails(sac_walk_create(&walk, &def), SAC_ERROR_ARGUMENT, "gains");
    def = sac_walk_default_def(), def.kd[1] = (double)NAN;
    assert_fails(sac_walk_create(&walk, &def), SAC_ERROR_ARGUMENT, "kd");
    def = sac_walk_default_def(), def.stance.horizon = 0;
    assert_fails(sac_walk_create(&walk, &def), SAC_ERROR_ARGUMENT, "0 steps");
    assert_null(walk);
    sac_walk_destroy(NULL);
    def = sac_walk_default_def();
    assert_survives_lack_of_memory(sac_walk_create(&walk, &def), sac_walk_destroy(walk));
}

TESTS(the_default_legs_are_laikagos, swings_by_hand, up_is_the_axis_of_the_body, feet_land_where_they_should,
      torques_carry_the_weight, early_and_lost_feet, raiberts_rule, velocity_follows_the_footholds, saved_walks_go_on,
      motors_are_finite, what_stance_control_gives_up_is_counted, what_cannot_walk_is_refused)

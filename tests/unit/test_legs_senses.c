#include <float.h>

#include "env/legs/drive.h"
#include "legs_scene.h"

/// What robots of `legs:*` sense: how wide its noise is, how late pictures and joints are, what the filter takes the
/// speed for, and what the variants change of it.

enum
{
    SEEDS = 8,
    ROWS = 24, // of a depth picture
    PIXELS_ACROSS = 32,
    STATES = 44
};

// what an episode that begins with a seed changes, for a variant
static legs_changes changes_of(const char *variant, uint64_t seed, const char *robot)
{
    legs_variant v;
    assert_ok(sac_legs_variant_read(&v, variant));
    return sac_legs_changes_draw(&v, sac_mix_seed(seed, 0, 0), sac_legs_robot_mass(sac_legs_robot(robot)));
}

// --- noise

// The spread of each number is what it says: that of n normal numbers is within five deviations, 5 sqrt(1 / (2 n)) of
// it, and their mean within 5 / sqrt(n) spreads of zero. `widths` has one number for each of the state's.
static void check_noise(const char *settings, const char *twice, const double *widths, int count)
{
    enum
    {
        EPISODES = 500
    };
    scene noisy, still;
    static double sum[STATES], square[STATES];
    memset(sum, 0, sizeof sum);
    memset(square, 0, sizeof square);
    open_scene(&noisy, "legs:flat", NULL, twice);
    open_scene(&still, "legs:flat", NULL, settings);
    for (uint64_t seed = 0; seed < EPISODES; seed++)
    {
        assert_ok(sac_env_reset(noisy.env, seed, &noisy.row));
        assert_ok(sac_env_reset(still.env, seed, &still.row));
        const float *a = part(&noisy, "state"), *b = part(&still, "state");
        for (int i = 0; i < count; i++)
        {
            const double off = (double)a[i] - (double)b[i];
            sum[i] += off, square[i] += off * off;
        }
    }
    for (int i = 0; i < count; i++)
    {
        const double width = 2 * widths[i], spread = sqrt(square[i] / EPISODES), mean = sum[i] / EPISODES;
        if (fabs(spread - width) > 5 * width / sqrt(2 * EPISODES) || fabs(mean) > 5 * width / sqrt(EPISODES))
            fail_msg("number %d: %g +- %g, expected 0 +- %g", i, mean, spread, width);
    }
    close_scene(&noisy);
    close_scene(&still);
}

// Noise is a pure function of the seed and the step; twice the usual is told here, and none.
TEST(noise_is_as_wide_as_it_says)
{
    double generator[18] = {0.025, 0.025, 0.1, 0.1}, walker[STATES] = {0.025, 0.025, 0.1, 0.1};
    for (int i = 0; i < 12; i++) generator[4 + i] = 0.01, walker[4 + i] = i % 3 < 2 ? 0.0025 : 0.005;
    check_noise("noise=0", "noise=2", generator, 18);
    check_noise("noise=0,action=footholds", "noise=2,action=footholds", walker, STATES);
}

// --- late pictures

// Pictures of a world whose action lasts one control step, in every control step: `now` after so many of them.
static void step_to(scene *s, const scene *like, int *now, int step)
{
    memcpy(s->action, like->action, sizeof s->action);
    for (; *now < step; ++*now) assert_ok(sac_env_step(s->env, &s->row));
}

// A picture shows the robot as it was `late` control steps of 5 ms before the action ended. The same robot with actions
// of a single control step goes the same way, and shows each.
static void check_late(const char *variant, double camera_latency_ms, uint64_t seed)
{
    char settings[64];
    scene late, every;
    const legs_changes c = changes_of(variant, seed, "laikago");
    snprintf(settings, sizeof settings, "camera_latency_ms=%g", camera_latency_ms);
    open_scene(&late, "legs:stones", variant, settings);
    open_scene(&every, "legs:stones", variant, "camera_latency_ms=0,repeat=1");
    const int expected = (int)((camera_latency_ms / 1000 + c.camera_latency) / 0.005 + 0.5);
    const int own = (int)(c.camera_latency / 0.005 + 0.5) > 0; // an action of one step cuts the variant's part at it
    int now = 0;
    assert_true(expected <= 10);
    assert_ok(sac_env_reset(late.env, seed, &late.row));
    assert_ok(sac_env_reset(every.env, seed, &every.row));
    for (int i = 1; i <= 4; i++)
    {
        late.action[8] = 0.3f; // speed
        assert_ok(sac_env_step(late.env, &late.row));
        assert_false(late.terminated);
        step_to(&every, &late, &now, 10 * i - expected + own);
        assert_memory_equal(part(&late, "depth"), part(&every, "depth"), 2 * ROWS * PIXELS_ACROSS * sizeof(float));
        step_to(&every, &late, &now, 10 * i);
        assert_true(column(&late, X) == column(&every, X));
    }
    close_scene(&late);
    close_scene(&every);
}

TEST(pictures_are_as_late_as_is_said)
{
    const double latencies[] = {0, 5, 20, 30, 45};
    for (int i = 0; i < 5; i++) check_late("original", latencies[i], 3);
    for (uint64_t seed = 0; seed < SEEDS; seed++) check_late("latency", 30, seed);
}

// Among obstacles an action lasts 10 ms: with `latency` pictures are one action late where 5 ms or more are drawn,
// which the first picture after the start shows, and else they are not late.
TEST(pictures_among_obstacles_are_an_action_late)
{
    int late = 0;
    for (uint64_t seed = 0; seed < 4 * SEEDS; seed++)
    {
        scene s;
        float before[2 * ROWS * PIXELS_ACROSS];
        open_scene(&s, "legs:obstacles", "latency", "");
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        memcpy(before, part(&s, "depth"), sizeof before);
        assert_ok(sac_env_step(s.env, &s.row));
        const bool same = memcmp(before, part(&s, "depth"), sizeof before) == 0;
        assert_true(same == (changes_of("latency", seed, "go1").camera_latency >= 0.005));
        late += same;
        close_scene(&s);
    }
    assert_true(late > 0 && late < 4 * SEEDS);
}

// --- late joints

typedef struct rig
{
    legs_body *body;
    legs_drive *drive;
} rig;

static void open_rig(rig *r, const char *robot, double physics, bool told_speed)
{
    const legs_drive_def def = {.map = LEGS_PMTG,
                                .robot = sac_legs_robot(robot),
                                .physics = physics,
                                .control = 0.005,
                                .repeat = 1,
                                .period = 0.5,
                                .gait = SAC_PMTG_TROT,
                                .told_speed = told_speed};
    assert_ok(sac_legs_body_create(&r->body, def.robot, LEGS_FLAT, physics));
    assert_ok(sac_legs_drive_create(&r->drive, &def));
}

static void reset_rig(rig *r, const legs_changes *changes)
{
    const legs_terrain_def plane = {.course = LEGS_FLAT};
    assert_ok(sac_legs_body_reset(r->body, &plane, 1, changes));
    sac_legs_drive_reset(r->drive, r->body);
}

static void close_rig(rig *r)
{
    sac_legs_drive_destroy(r->drive);
    sac_legs_body_destroy(r->body);
}

// Each motor presses with kp (q* - q) - kd q', where q and q' are the joints of as many steps ago as it is late, and
// those of the start before there were so many.
static void check_motors(double physics, double latency)
{
    enum
    {
        STEPS = 200
    };
    static double q[STEPS][LEGS_MOTORS], rates[STEPS][LEGS_MOTORS];
    rig r;
    open_rig(&r, "go1", physics, false);
    reset_rig(&r, &(legs_changes){.friction = 1, .latency = latency});
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS] = {0};
    const legs_robot *robot = r.body->robot;
    const int late = (int)(latency / physics + 0.5);
    bool broken;
    for (int step = 0; step < STEPS; step++)
    {
        memcpy(q[step], r.body->data->qpos + 7, sizeof q[step]);
        memcpy(rates[step], r.body->data->qvel + 6, sizeof rates[step]);
        for (int i = 0; i < LEGS_MOTORS; i++)
            motors[i / 3][i % 3] =
                (sac_motor){.kp = 40, .kd = 0.5, .q = robot->home[i % 3] + 0.1 * sin(0.1 * step + i)};
        assert_ok(sac_legs_body_advance(r.body, motors, 1, &broken));
        const int then = step > late ? step - late : 0;
        for (int i = 0; i < LEGS_MOTORS; i++)
        {
            const double most = robot->torque[i % 3];
            const double asked = 40 * (motors[i / 3][i % 3].q - q[then][i]) - 0.5 * rates[then][i];
            assert_true(r.body->data->ctrl[i] == fmax(-most, fmin(most, asked)));
        }
    }
    close_rig(&r);
}

TEST(motors_know_joints_as_late_as_is_said)
{
    check_motors(0.0025, 0);
    check_motors(0.0025, 0.0061);
    check_motors(0.001, 0.008);
    check_motors(0.0001, 0.008); // eighty steps of physics
}

// --- the speed

// Ry(pitch) Rx(roll), by the definition
static void level_axes(double m[3][3], double roll, double pitch)
{
    const double a = sin(roll), b = cos(roll), c = sin(pitch), d = cos(pitch);
    const double rows[3][3] = {{d, c * a, c * b}, {0, b, -a}, {-c, d * a, d * b}};
    memcpy(m, rows, sizeof rows);
}

// The joints' rates with which a toe moves by `v` in the body's frame, by Cramer's rule.
static void rates_for(double rates[3], const sac_leg *leg, const double joints[3], const double v[3])
{
    double j[9], det = 0;
    sac_leg_jacobian(j, leg, joints);
    for (int k = 0; k < 3; k++)
        det += j[k] * (j[3 + (k + 1) % 3] * j[6 + (k + 2) % 3] - j[3 + (k + 2) % 3] * j[6 + (k + 1) % 3]);
    for (int k = 0; k < 3; k++)
    {
        double m[9], of = 0;
        memcpy(m, j, sizeof m);
        for (int i = 0; i < 3; i++) m[3 * i + k] = v[i];
        for (int i = 0; i < 3; i++)
            of += m[i] * (m[3 + (i + 1) % 3] * m[6 + (i + 2) % 3] - m[3 + (i + 2) % 3] * m[6 + (i + 1) % 3]);
        rates[k] = of / det;
    }
}

typedef struct motion
{
    double roll, pitch, yaw;
    double velocity[3], acceleration[3]; // of the trunk, along its heading, to its left and up
    bool touches[SAC_LEGS];
} motion;

// Puts a trunk into a motion, with feet that stand still on the ground where they touch it.
static void put_in_motion(legs_body *b, const motion *m)
{
    double axes[3][3], in_body[3] = {0}, felt[3] = {0};
    level_axes(axes, m->roll, m->pitch);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
        {
            in_body[i] += axes[k][i] * m->velocity[k];
            felt[i] += axes[k][i] * (m->acceleration[k] + (k == 2 ? 10 : 0));
        }
    const double r = m->roll / 2, p = m->pitch / 2, y = m->yaw / 2;
    const double quaternion[4] = {
        cos(r) * cos(p) * cos(y) + sin(r) * sin(p) * sin(y), sin(r) * cos(p) * cos(y) - cos(r) * sin(p) * sin(y),
        cos(r) * sin(p) * cos(y) + sin(r) * cos(p) * sin(y), cos(r) * cos(p) * sin(y) - sin(r) * sin(p) * cos(y)};
    memcpy(b->data->qpos + 3, quaternion, sizeof quaternion);
    b->data->qvel[0] = cos(m->yaw) * m->velocity[0] - sin(m->yaw) * m->velocity[1];
    b->data->qvel[1] = sin(m->yaw) * m->velocity[0] + cos(m->yaw) * m->velocity[1];
    b->data->qvel[2] = m->velocity[2];
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const double back[3] = {-in_body[0], -in_body[1], -in_body[2]};
        rates_for(b->data->qvel + 6 + (ptrdiff_t)3 * leg, &b->robot->legs[leg], b->data->qpos + 7 + (ptrdiff_t)3 * leg,
                  back);
        if (!m->touches[leg]) b->data->qvel[6 + 3 * leg] += 5; // a foot in the air goes where it likes
        b->data->sensordata[leg] = m->touches[leg] ? 30 : 0;
    }
    memcpy(b->data->sensordata + SAC_LEGS, felt, sizeof felt);
}

// A filter of one axis: its speed moves on with the accelerometer, whose variance is 0.1, and is corrected by the
// joints, whose variance is 0.1, where any foot touches. What the walker is told is the mean of a fifth of a second,
// 40 control steps, which begins with zeros.
TEST(the_filter_finds_the_speed)
{
    const motion motions[] = {{0, 0, 0, {0.3, 0.1, -0.05}, {0}, {true, true, true, true}},
                              {0.1, -0.2, 0.7, {0.3, -0.1, 0.05}, {1, -2, 0.5}, {true, false, false, true}},
                              {-0.2, 0.1, -2, {0.2, 0.1, 0}, {0.5, 0.3, -0.2}, {false, false, false, false}},
                              {0, 0.1, 1, {1.5, 0, 0}, {0}, {true, false, false, true}}};
    const float none[LEGS_MOST_ACTIONS] = {0};
    rig r;
    open_rig(&r, "laikago", 0.001, false);
    for (int w = 0; w < 4; w++)
    {
        const motion *m = &motions[w];
        const bool touches = m->touches[0];
        double speed[3] = {0}, variance = 0.1, past[60][3] = {0};
        sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
        reset_rig(&r, &(legs_changes){.friction = 1});
        put_in_motion(r.body, m);
        sac_legs_drive_act(r.drive, none);
        for (int step = 0; step < 60; step++)
        {
            sac_legs_drive_step(r.drive, r.body, motors);
            variance += 0.1;
            const double gain = touches ? variance / (variance + 0.1) : 0;
            variance *= 1 - gain;
            for (int i = 0; i < 3; i++)
            {
                double sum = 0;
                speed[i] += 0.005 * m->acceleration[i];
                speed[i] += gain * (m->velocity[i] - speed[i]);
                past[step][i] = speed[i];
                for (int k = step < 40 ? 0 : step - 39; k <= step; k++) sum += past[k][i];
                // some hundred roundings of numbers of the order of ten
                assert_near(r.drive->mean[i], fmax(-0.8, fmin(0.8, sum / 40)), 100 * 10 * DBL_EPSILON);
            }
        }
    }
    close_rig(&r);
}

// Who is told its speed is told the true one, in its own heading, whatever joints and accelerometer show.
TEST(a_told_speed_is_the_true_one)
{
    const motion m = {0.1, -0.1, 2, {0.3, -0.2, 0.1}, {3, 3, 3}, {true, false, true, false}};
    const float none[LEGS_MOST_ACTIONS] = {0};
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    rig r;
    open_rig(&r, "laikago", 0.001, true);
    reset_rig(&r, &(legs_changes){.friction = 1});
    put_in_motion(r.body, &m);
    sac_legs_drive_act(r.drive, none);
    for (int step = 1; step <= 50; step++)
    {
        sac_legs_drive_step(r.drive, r.body, motors);
        for (int i = 0; i < 3; i++)
            assert_near(r.drive->mean[i], m.velocity[i] * fmin(1, step / 40.0), 100 * DBL_EPSILON);
    }
    close_rig(&r);
}

// --- a camera that is moved

// Depth of a plane in a pixel of the front camera, which looks straight down when nothing is changed: its height over
// how steeply the pixel's ray goes down. It is moved in the trunk's frame and turned about its own x, y and z.
static double depth_of_plane(const legs_changes *c, int row, int across)
{
    const double t = tan(37.5 * 3.14159265358979323846 / 180), height = 0.48 - 0.115 + c->camera_shift[2];
    const double ray[3] = {(2 * across + 1 - PIXELS_ACROSS) * t / ROWS, (ROWS - 2 * row - 1) * t / ROWS, -1};
    double v[3] = {ray[0], ray[1], ray[2]};
    for (int axis = 2; axis >= 0; axis--)
    {
        const double s = sin(c->camera_tilt[axis]), o = cos(c->camera_tilt[axis]);
        const int i = (axis + 1) % 3, k = (axis + 2) % 3;
        const double a = v[i], b = v[k];
        v[i] = o * a - s * b;
        v[k] = s * a + o * b;
    }
    return height / -v[2];
}

// Where no leg is in the way, the picture of a moved camera is the one that its place and its axes give, and it differs
// from the plain world's. The rasteriser keeps depth in floats of a range of 0.005 to 20 m.
TEST(a_moved_camera_sees_what_its_place_gives)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        scene s;
        const legs_changes c = changes_of("camera", seed, "laikago"), plain = {0};
        open_scene(&s, "legs:flat", "camera", "robot=laikago,action=footholds");
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const float *depth = part(&s, "depth");
        int ground = 0, moved = 0;
        double worst = 0;
        for (int i = 0; i < ROWS * PIXELS_ACROSS; i++)
        {
            const double expected = depth_of_plane(&c, i / PIXELS_ACROSS, i % PIXELS_ACROSS);
            const double off = (double)depth[i] - expected;
            if (off > worst) worst = off;
            ground += fabs(off) < 1e-4;
            moved += fabs((double)depth[i] - depth_of_plane(&plain, 0, 0)) > 1e-3;
        }
        if (ground <= ROWS * PIXELS_ACROSS / 2 || worst > 1e-4) fail_msg("seed %d: %d %g", (int)seed, ground, worst);
        assert_true(moved > ROWS * PIXELS_ACROSS / 2);
        close_scene(&s);
    }
}

TESTS(noise_is_as_wide_as_it_says, pictures_are_as_late_as_is_said, pictures_among_obstacles_are_an_action_late,
      motors_know_joints_as_late_as_is_said, the_filter_finds_the_speed, a_told_speed_is_the_true_one,
      a_moved_camera_sees_what_its_place_gives)

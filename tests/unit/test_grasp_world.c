#include "env/grasp/attempt.h"
#include "failing_memory.h"
#include "saccade/play.h"
#include "saccade/viewer.h"
#include "world_scene.h"

/// The world `grasp`: things on a table and a hand in MuJoCo.

enum
{
    OBJECT, // columns
    X,
    Y,
    LIFT,
    OPENING,
    HELD,
    BLOCKED,
    UNSEEN,
    COLUMNS
};

static void act(scene *s, float x, float y, float z, float roll)
{
    const float action[7] = {x, y, z, 0, 0, -1, roll};
    memcpy(s->action, action, sizeof action);
}

static void push(scene *s, uint64_t seed, int step)
{
    sac_stream random = sac_stream_create(seed, 5, (uint64_t)step);
    for (int i = 0; i < s->spec->action_size; i++)
        s->action[i] =
            (float)sac_stream_uniform(&random, (double)s->spec->action_low[i], (double)s->spec->action_high[i]);
}

// with all pictures and numbers, whatever was played before
TEST(the_seed_and_the_actions_decide)
{
    static const char *const settings[] = {"attempts=3", "things=3,attempts=4,noise=1,objects=all", "objects=unseen"};
    for (int t = 0; t < 3; t++)
    {
        scene a, b;
        double x[COLUMNS], y[COLUMNS];
        open_scene(&a, "grasp", NULL, settings[t]);
        open_scene(&b, "grasp", NULL, settings[t]);
        assert_int_equal(a.spec->column_count, COLUMNS);
        assert_ok(sac_env_reset(b.env, 9, &b.row));
        push(&b, 1, 0);
        assert_ok(sac_env_step(b.env, &b.row));
        assert_ok(sac_env_reset(a.env, 4, &a.row));
        assert_ok(sac_env_reset(b.env, 4, &b.row));
        for (int i = 0;; i++)
        {
            for (int p = 0; p < a.spec->observation_count; p++)
                assert_memory_equal(a.parts[p], b.parts[p], sac_space_bytes(&a.spec->observations[p]));
            sac_env_state(a.env, x);
            sac_env_state(b.env, y);
            assert_memory_equal(x, y, sizeof x);
            assert_true(a.reward == b.reward);
            if (a.terminated || a.truncated) break;
            push(&a, 2, i);
            push(&b, 2, i);
            assert_ok(sac_env_step(a.env, &a.row));
            assert_ok(sac_env_step(b.env, &b.row));
        }
        close_scene(&a);
        close_scene(&b);
    }
}

// Which parts are wanted changes no state.
TEST(looking_changes_nothing)
{
    scene a, b;
    open_scene(&a, "grasp", NULL, "attempts=3,things=2");
    open_scene(&b, "grasp", NULL, "attempts=3,things=2");
    memset(b.parts, 0, sizeof b.parts);
    assert_ok(sac_env_reset(a.env, 4, &a.row));
    assert_ok(sac_env_reset(b.env, 4, &b.row));
    for (int i = 0; i < 3 && !a.terminated; i++)
    {
        push(&a, 3, i);
        push(&b, 3, i);
        assert_ok(sac_env_step(a.env, &a.row));
        assert_ok(sac_env_step(b.env, &b.row));
        for (int c = 0; c < COLUMNS; c++) assert_true(column(&a, c) == column(&b, c));
    }
    close_scene(&a);
    close_scene(&b);
}

// Where the thing is from what is seen, by the privileged part
static void tip_at_thing(scene *s, float up)
{
    const float *truth = part(s, "truth");
    act(s, truth[0], truth[1], truth[2] + up, 0);
}

// What the hand closes around is held for a second, ten centimetres up; a grasp in the air, and one beside the thing,
// holds nothing; and a thing that is too wide blocks the hand.
TEST(a_hand_holds_what_is_between_its_fingers)
{
    for (uint64_t seed = 1100; seed < 1110; seed++)
    {
        scene s;
        open_scene(&s, "grasp", NULL, "only=ball,attempts=3");
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        tip_at_thing(&s, 0.1f);
        assert_ok(sac_env_step(s.env, &s.row));
        assert_true(s.reward == 0 && !s.terminated && !s.truncated && column(&s, HELD) == 0);
        assert_true(column(&s, OPENING) < 0.001 && fabs(column(&s, LIFT)) < 0.001);
        tip_at_thing(&s, -0.01f);
        s.action[1] += 0.09f; // beside it
        assert_ok(sac_env_step(s.env, &s.row));
        assert_true(s.reward == 0 && !s.terminated && column(&s, OPENING) < 0.001);
        tip_at_thing(&s, -0.01f);
        assert_ok(sac_env_step(s.env, &s.row));
        if (s.reward != 1) fail_msg("seed %d: lift %g, opening %g", (int)seed, column(&s, LIFT), column(&s, OPENING));
        assert_true(s.terminated && column(&s, HELD) == 1);
        assert_true(column(&s, LIFT) >= 0.1 && column(&s, LIFT) < 0.14);
        assert_true(column(&s, OPENING) > 0.03 && column(&s, BLOCKED) == 0);
        close_scene(&s);
    }
}

// The criterion, by hand: a thing of weight m g between two fingers is held by friction while 2 mu F >= m g. Here mu is
// the larger of the finger's 1 and the thing's.
TEST(a_weight_beyond_friction_slips)
{
    enum
    {
        STEP_MS = 4
    };
    const grasp_model_def def = {.things = 1, .step = STEP_MS / 1000.0, .friction = 0.6, .force = 20, .fov = 42};
    const grasp_layout_def layout = {.things = 1, .first = 2 * GRASP_VARIANTS, .last = 2 * GRASP_VARIANTS};
    const double weights[2] = {0.5 * 2 * 20, 1.5 * 2 * 20}; // N
    for (int w = 0; w < 2; w++)
    {
        grasp_table *t;
        grasp_outcome outcome;
        double position[3], axes[9];
        assert_ok(sac_grasp_table_create(&t, &def));
        assert_ok(sac_grasp_table_reset(t, &layout, 3));
        const double mass = weights[w] / 9.81, ratio = mass / t->model->body_mass[t->things[0]];
        t->model->body_mass[t->things[0]] = mass;
        for (int i = 0; i < 3; i++) t->model->body_inertia[3 * t->things[0] + i] *= ratio;
        sac_grasp_table_pose(t, 0, position, axes);
        // across the eraser's shorter side, which is its y
        grasp_attempt attempt = {.hold = 1};
        double best = 0;
        for (int k = 0; k < 180; k++)
        {
            grasp_attempt other = {.hold = 1};
            const float action[7] = {0, 0, -0.02f, 0, 0, -1, (float)k * 0.0174533f};
            sac_grasp_aim(&other, position, action);
            double across = 0;
            for (int i = 0; i < 3; i++) across += other.axes[3 * i] * axes[3 * i + 1];
            if (fabs(across) > best) best = fabs(across), attempt = other;
        }
        assert_ok(sac_grasp_try(&outcome, t, &attempt));
        assert_false(outcome.broken || outcome.blocked);
        assert_int_equal(outcome.held, w == 0 ? 0 : -1);
        sac_grasp_table_destroy(t);
    }
}

// A hand that is sent into the table stays above it.
TEST(the_hand_stays_above_the_table)
{
    sac_stream random = sac_stream_create(8, 0, 0);
    for (int k = 0; k < 500; k++)
    {
        const double center[3] = {0, 0, 0.02};
        float action[7];
        for (int i = 0; i < 7; i++) action[i] = (float)sac_stream_uniform(&random, -1, 1) * (i < 3 ? 0.1f : 1);
        grasp_attempt a = {0};
        sac_grasp_aim(&a, center, action);
        const double depth = sac_grip_depth(a.axes), start = a.tip[2] - 0.15 * a.axes[8];
        assert_true(fmin(start, a.tip[2]) - depth > 0.0009);
        // and where there is room it is where it was sent
        if ((double)action[2] + 0.02 - depth > 0.16) assert_near(a.tip[2], 0.02 + (double)action[2], 1e-9);
    }
}

// The cloud is the visible surface of the thing: about its mean, above the table, no wider than the thing.
TEST(the_cloud_is_that_of_the_thing)
{
    int most = 0;
    for (uint64_t seed = 1100; seed < 1130; seed++)
    {
        scene s;
        open_scene(&s, "grasp", NULL, "points=400,objects=all");
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const float *cloud = part(&s, "cloud"), *center = part(&s, "center"), *truth = part(&s, "truth");
        grip_thing thing;
        sac_grip_read(&thing, part(&s, "shape"));
        double axes[9];
        for (int i = 0; i < 9; i++) axes[i] = (double)truth[3 + i];
        int count = 0;
        double sum[3] = {0};
        for (; count < 400 && isfinite(cloud[3 * count]); count++)
        {
            sac_stream random = sac_stream_create(1, 1, 1);
            for (int i = 0; i < 3; i++) sum[i] += (double)cloud[3 * count + i];
            assert_true(cloud[3 * count + 2] + center[2] > 0.004f);
            for (int k = 0; k < 8; k++)
            {
                double d[3], own[3], p[3];
                for (int i = 0; i < 3; i++) d[i] = sac_stream_uniform(&random, -1, 1);
                for (int i = 0; i < 3; i++) p[i] = (double)(cloud[3 * count + i] - truth[i]);
                grip_turn_back(own, axes, d);
                // a voxel's mean may lie outside by what the surface bends in it; 4 mm are its side
                assert_true(grip_dot(d, p) <= sac_grip_reach(&thing, own) + 0.002);
            }
        }
        for (int i = count; i < 400; i++) assert_true(isnan(cloud[3 * i]) && isnan(cloud[3 * i + 2]));
        if (count < 40) fail_msg("seed %d: %d points", (int)seed, count);
        most = count > most ? count : most;
        // where some were left out the mean is that of a part of them
        for (int i = 0; i < 3; i++) assert_near(sum[i] / count, 0, count < 400 ? 1e-5 : 0.005);
        close_scene(&s);
    }
    assert_true(most > 200);
}

TEST(random_actions_leave_nothing_that_is_not_finite)
{
    scene s;
    open_scene(&s, "grasp", NULL, "things=4,attempts=5,objects=all,hold_seconds=0.2");
    for (uint64_t seed = 1; seed <= 25; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        for (int i = 0; !s.terminated && !s.truncated; i++)
        {
            push(&s, seed, i);
            assert_ok(sac_env_step(s.env, &s.row));
            assert_true(isfinite(s.reward));
            for (int c = 0; c < COLUMNS; c++) assert_true(isfinite(column(&s, c)));
            for (int p = 1; p < s.spec->observation_count; p++)
                for (size_t k = 0; k < sac_space_size(&s.spec->observations[p]); k++)
                    assert_true(isfinite(((const float *)s.parts[p])[k]));
        }
    }
    close_scene(&s);
}

TEST(what_is_wrong_is_named)
{
    sac_env *env;
    assert_fails(env_create(&env, "grasp", "heavy", ""), SAC_ERROR_ARGUMENT, "grasp: unknown variant 'heavy'");
    assert_fails(env_create(&env, "grasp", NULL, "only=cup"), SAC_ERROR_ARGUMENT,
                 "only is cup, which is no family of the seen objects");
    assert_fails(env_create(&env, "grasp", NULL, "only=mug"), SAC_ERROR_ARGUMENT, "octopus");
    assert_fails(env_create(&env, "grasp", NULL, "force=100"), SAC_ERROR_ARGUMENT, "80");
    assert_fails(env_create(&env, "grasp", NULL, "things=6"), SAC_ERROR_ARGUMENT, "5");
    assert_ok(env_create(&env, "grasp", NULL, "only=cup,objects=unseen"));
    sac_env_destroy(env);
}

TEST(nothing_allocates_while_stepping)
{
    scene s;
    open_scene(&s, "grasp", NULL, "things=2,attempts=3,noise=1");
    assert_ok(sac_env_reset(s.env, 1, &s.row));
    failing.until_failure = 0;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    for (int i = 0; i < 3 && !s.terminated; i++)
    {
        push(&s, 1, i);
        assert_ok(sac_env_step(s.env, &s.row));
    }
    sac_set_allocator(NULL);
    close_scene(&s);
}

TEST(lack_of_memory_is_survived)
{
    sac_env *env;
    assert_survives_lack_of_memory(env_create(&env, "grasp", NULL, "noise=1"), sac_env_destroy(env));
}

enum
{
    POSTER_WIDTH = 64,
    POSTER_HEIGHT = 40,
    POSTER = POSTER_WIDTH * POSTER_HEIGHT * 3
};

static void poster(scene *s, int moment, uint8_t *rgb)
{
    assert_ok(moment < 0 ? sac_env_picture(s->env, rgb, POSTER_HEIGHT, POSTER_WIDTH)
                         : sac_env_picture_at(s->env, moment, rgb, POSTER_HEIGHT, POSTER_WIDTH));
}

static int changed(const uint8_t *a, const uint8_t *b)
{
    int count = 0;
    for (int i = 0; i < POSTER; i++) count += a[i] != b[i];
    return count;
}

// People can be shown what happens during a grasp: fifty pictures a second, from the hand that comes to the thing that
// is held up, which change neither the present nor anything that follows.
TEST(moments_of_a_grasp_can_be_drawn)
{
    static uint8_t first[POSTER], middle[POSTER], last[POSTER], present[POSTER], again[POSTER];
    scene s, other;
    void *saved;
    open_scene(&s, "grasp", NULL, "only=ball,attempts=3");
    open_scene(&other, "grasp", NULL, "only=ball,attempts=3");
    assert_int_equal(sac_env_moments(s.env), 0);
    assert_ok(sac_env_reset(s.env, 1100, &s.row));
    assert_ok(sac_env_reset(other.env, 1100, &other.row));
    assert_int_equal(sac_env_moments(s.env), 0);
    tip_at_thing(&s, 0.1f); // in the air
    tip_at_thing(&other, 0.1f);
    assert_ok(sac_env_step(s.env, &s.row));
    assert_ok(sac_env_step(other.env, &other.row));
    const int in_vain = sac_env_moments(s.env);
    assert_true(in_vain > 15 && in_vain < 50); // 0.3 s of approach, and what it takes to close
    for (int i = 0; i < in_vain; i += 7) poster(&s, i, first);
    tip_at_thing(&s, -0.01f);
    tip_at_thing(&other, -0.01f);
    assert_ok(sac_env_step(s.env, &s.row));
    assert_ok(sac_env_step(other.env, &other.row));
    assert_true(s.reward == 1);
    for (int c = 0; c < COLUMNS; c++) assert_true(column(&s, c) == column(&other, c));
    // 0.3 s of approach, 0.03 s at least of closing, 0.45 s up, 1 s of holding
    const int held = sac_env_moments(s.env);
    if (held < 89 || held > 120) fail_msg("%d moments", held);
    poster(&s, -1, present);
    poster(&s, 0, first);
    poster(&s, held / 3, middle);
    poster(&s, held - 1, last);
    assert_true(changed(first, middle) > 100 && changed(middle, last) > 100);
    assert_true(changed(last, present) < changed(middle, present) / 10); // a thing that is held hardly moves
    poster(&s, 0, again);
    assert_memory_equal(first, again, POSTER);
    poster(&s, -1, again);
    assert_memory_equal(present, again, POSTER);
    // what was saved has no moments of another episode's
    const size_t size = sac_env_snapshot_size(s.env);
    saved = malloc(size);
    assert_ok(sac_env_save(s.env, saved));
    assert_ok(sac_env_restore(s.env, saved, size));
    assert_int_equal(sac_env_moments(s.env), 0);
    free(saved);
    close_scene(&s);
    close_scene(&other);
}

// Things that lay inside of each other would be thrown apart. A few roll a little before they rest.
TEST(things_lie_apart_however_small_their_part_of_the_table)
{
    static const double spreads[] = {0, 0.01, 0.08};
    const grasp_model_def def = {.things = 5, .step = 0.004, .friction = 0.6, .force = 20, .fov = 42};
    grasp_table *t;
    assert_ok(sac_grasp_table_create(&t, &def));
    for (int seed = 0; seed < 60; seed++)
    {
        const grasp_layout_def layout = {
            .things = 5, .first = 0, .last = GRASP_OBJECTS - 1, .spread = spreads[seed % 3]};
        double rest[5][3], axes[9];
        assert_ok(sac_grasp_table_reset(t, &layout, (uint64_t)seed));
        for (int i = 0; i < 5; i++)
        {
            const double *drawn = t->placed[i].position;
            sac_grasp_table_pose(t, i, rest[i], axes);
            assert_true(hypot(rest[i][0] - drawn[0], rest[i][1] - drawn[1]) < 0.15);
            for (int j = 0; j < i; j++)
                assert_true(hypot(drawn[0] - t->placed[j].position[0], drawn[1] - t->placed[j].position[1]) > 0.03);
        }
    }
    sac_grasp_table_destroy(t);
}

// By physics: what is kept of an attempt is the hand's way, down to where it closes and up again.
TEST(moments_follow_the_hand)
{
    const grasp_model_def def = {.things = 1, .step = 0.004, .friction = 0.6, .force = 20, .fov = 42};
    const grasp_layout_def layout = {.things = 1, .first = 6 * GRASP_VARIANTS, .last = 6 * GRASP_VARIANTS};
    const float down[7] = {0, 0, -0.01f, 0, 0, -1, 0};
    grasp_table *t;
    grasp_moments moments = {0};
    grasp_outcome outcome;
    double position[3], axes[9];
    assert_ok(sac_grasp_table_create(&t, &def));
    assert_ok(sac_grasp_table_reset(t, &layout, 3));
    assert_ok(sac_grasp_moments_open(&moments, t, grasp_attempt_seconds + 0.2));
    sac_grasp_table_pose(t, 0, position, axes);
    grasp_attempt attempt = {.hold = 0.2, .moments = &moments};
    sac_grasp_aim(&attempt, position, down);
    assert_ok(sac_grasp_try(&outcome, t, &attempt));
    assert_int_equal(outcome.held, 0);
    int lowest = 0, widest = 0;
    const double *places = moments.places;
    for (int i = 0; i < moments.count; i++)
    {
        const double *p = places + (ptrdiff_t)i * moments.size;
        if (p[t->hand_at + 2] < places[lowest * moments.size + t->hand_at + 2]) lowest = i;
        if (p[t->finger_at[0]] > places[widest * moments.size + t->finger_at[0]]) widest = i;
    }
    const double *begin = places, *low = places + (ptrdiff_t)lowest * moments.size,
                 *end = places + (ptrdiff_t)(moments.count - 1) * moments.size;
    assert_near(begin[t->hand_at + 2], attempt.tip[2] + 0.15, 1e-6);
    assert_near(low[t->hand_at + 2], attempt.tip[2], 0.002);
    assert_near(end[t->hand_at + 2], attempt.tip[2] + 0.13, 0.002);
    assert_true(lowest >= 14 && lowest <= 16 && widest < lowest); // 0.3 s
    assert_true(end[t->finger_at[0]] < 0.8 * begin[t->finger_at[0]]);
    sac_grasp_moments_clear(&moments, t);
    sac_grasp_table_destroy(t);
}

// A viewer draws the moments beside what the policy saw before, and goes on as if it had not.
TEST(a_viewer_shows_a_grasp)
{
    enum
    {
        BYTES = 320 * 200 * 3
    };
    static uint8_t before[BYTES], during[BYTES];
    const sac_setting settings[] = {{"points", "64"}, {"hold_seconds", "0.2"}};
    const sac_env_def world = {.id = "grasp", .settings = settings, .setting_count = 2};
    sac_env *env;
    sac_policy *policy;
    sac_viewer *viewer, *other;
    const uint8_t *rgb;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_for(&policy, env, "point-cloud", NULL, 0));
    assert_ok(sac_viewer_create(&viewer, policy, &world, 320, 200));
    assert_ok(sac_viewer_create(&other, policy, &world, 320, 200));
    assert_ok(sac_viewer_reset(viewer, 1100));
    assert_ok(sac_viewer_reset(other, 1100));
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    assert_true(gaze && gaze->rows == 64 && gaze->columns == 1 && gaze->importance[0] > 0);
    assert_int_equal(sac_viewer_moments(viewer), 0);
    assert_ok(sac_viewer_draw(viewer, "", NULL, &rgb));
    memcpy(before, rgb, BYTES);
    assert_ok(sac_viewer_start(viewer, NULL));
    assert_true(sac_viewer_moments(viewer) > 10);
    assert_ok(sac_viewer_draw_moment(viewer, 12, "", NULL, &rgb));
    memcpy(during, rgb, BYTES);
    int world_differs = 0, panels_differ = 0;
    for (int i = 0; i < BYTES; i++)
        if (before[i] != during[i]) i / 3 % 320 < 210 ? world_differs++ : panels_differ++;
    assert_true(world_differs > 100);
    assert_int_equal(panels_differ, 0);
    assert_ok(sac_viewer_finish(viewer));
    assert_int_equal(sac_viewer_moments(viewer), 0);
    assert_ok(sac_viewer_step(other, NULL));
    assert_ok(sac_viewer_draw(viewer, "", NULL, &rgb));
    memcpy(during, rgb, BYTES);
    assert_ok(sac_viewer_draw(other, "", NULL, &rgb));
    assert_memory_equal(during, rgb, BYTES);
    sac_viewer_destroy(viewer);
    sac_viewer_destroy(other);
    sac_policy_destroy(policy);
    sac_env_destroy(env);
}

TESTS(the_seed_and_the_actions_decide, looking_changes_nothing, a_hand_holds_what_is_between_its_fingers,
      a_weight_beyond_friction_slips, the_hand_stays_above_the_table, the_cloud_is_that_of_the_thing,
      random_actions_leave_nothing_that_is_not_finite, what_is_wrong_is_named, nothing_allocates_while_stepping,
      lack_of_memory_is_survived, moments_of_a_grasp_can_be_drawn, moments_follow_the_hand,
      things_lie_apart_however_small_their_part_of_the_table, a_viewer_shows_a_grasp)

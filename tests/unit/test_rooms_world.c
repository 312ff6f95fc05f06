#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "env/rooms/house.h"
#include "env/rooms/robot.h"
#include "env/rooms/view.h"
#include "failing_memory.h"
#include "scratch.h"
#include "world_scene.h"

/// The world `rooms`: a robot on wheels in floor plans.

enum
{
    X,
    Y,
    COSINE,
    SINE,
    WAY,
    REACHED,
    COLLISIONS,
};

static void push(scene *s, uint64_t seed, int step)
{
    sac_stream random = sac_stream_create(seed, 5, (uint64_t)(step / 10));
    for (int i = 0; i < 2; i++) s->action[i] = (float)sac_stream_uniform(&random, i == 0 ? 0 : -1, 1);
}

static void push_and_step(scene *s, uint64_t seed, int step)
{
    push(s, seed, step);
    assert_ok(sac_env_step(s->env, &s->row));
}

// with all pictures and numbers, whatever was played before
TEST(the_seed_and_the_actions_decide)
{
    scene a, b;
    open_scene(&a, "rooms", "any", "least_level=5");
    open_scene(&b, "rooms", "any", "least_level=5");
    for (uint64_t seed = 0; seed < 12; seed++)
    {
        assert_ok(sac_env_reset(b.env, 77, &b.row));
        for (int i = 0; i < 3; i++) push_and_step(&b, 1, i);
        assert_ok(sac_env_reset(a.env, seed, &a.row));
        assert_ok(sac_env_reset(b.env, seed, &b.row));
        for (int i = 0; i < 40 && !a.terminated; i++)
        {
            for (int p = 0; p < a.spec->observation_count; p++)
                assert_memory_equal(a.parts[p], b.parts[p], sac_space_bytes(&a.spec->observations[p]));
            assert_true(a.reward == b.reward);
            push_and_step(&a, 2, i);
            push_and_step(&b, 2, i);
        }
    }
    close_scene(&a);
    close_scene(&b);
}

// Which parts are wanted changes no state.
TEST(looking_changes_nothing)
{
    scene a, b;
    open_scene(&a, "rooms", "camera+noise", "");
    open_scene(&b, "rooms", "camera+noise", "");
    memset(b.parts, 0, sizeof b.parts);
    assert_ok(sac_env_reset(a.env, 4, &a.row));
    assert_ok(sac_env_reset(b.env, 4, &b.row));
    for (int i = 0; i < 60 && !a.terminated; i++)
    {
        push_and_step(&a, 3, i);
        push_and_step(&b, 3, i);
        for (int c = 0; c <= COLLISIONS; c++) assert_true(column(&a, c) == column(&b, c));
    }
    close_scene(&a);
    close_scene(&b);
}

static double gap(const rooms_piece *p, double x, double y, bool round)
{
    const double dx = fabs(x - p->center[0]), dy = fabs(y - p->center[1]);
    if (round) return hypot(dx, dy) - p->half[0];
    return hypot(fmax(dx - p->half[0], 0), fmax(dy - p->half[1], 0));
}

// Whatever it is told to do, the robot passes no wall: it never comes nearer to anything than its radius, but for how
// far MuJoCo's soft contacts give in, which with wheels that grip with 59 N is less than a centimetre.
TEST(the_robot_passes_no_wall)
{
    const char *asked = getenv("EPISODES");
    const uint64_t episodes = asked ? strtoull(asked, NULL, 10) : 20;
    rooms_body *body;
    rooms_house *house;
    assert_ok(sac_rooms_body_create(&body, NULL, 0.01));
    assert_ok(sac_rooms_house_create(&house, 10, NULL));
    int bumps = 0;
    for (uint64_t seed = 0; seed < episodes; seed++)
    {
        const rooms_plan_def def = {.size = 10, .door_low = 0.8, .door_high = 1, .loops = 0.5, .furniture = 8};
        sac_rooms_house_draw(house, &def, 1, 10, seed);
        assert_ok(sac_rooms_body_reset(body, house->plan, house->start[0], house->start[1], house->start[2]));
        for (int i = 0; i < 400; i++)
        {
            sac_stream random = sac_stream_create(seed, 6, (uint64_t)(i / 20));
            const double ahead = sac_stream_uniform(&random, -0.6, 0.6), turn = sac_stream_uniform(&random, -0.3, 0.3);
            bool bumped, broken;
            assert_ok(sac_rooms_body_advance(body, (double[2]){ahead - turn, ahead + turn}, 10, &bumped, &broken));
            assert_false(broken);
            bumps += bumped;
            const rooms_place p = sac_rooms_body_place(body);
            double least = 1;
            for (int k = 0; k < house->plan->box_count; k++)
                least = fmin(least, gap(&house->plan->boxes[k], p.x, p.y, false));
            for (int k = 0; k < house->plan->round_count; k++)
                least = fmin(least, gap(&house->plan->rounds[k], p.x, p.y, true));
            if (least < ROOMS_RADIUS - 0.01) fail_msg("seed %d, step %d: %g m from a wall", (int)seed, i, least);
            if (least > ROOMS_RADIUS + 0.1) assert_false(bumped && i == 0);
        }
    }
    assert_true(bumps > 100); // it was tried
    sac_rooms_house_destroy(house);
    sac_rooms_body_destroy(body);
}

// On a free floor it goes as fast as it is told, ahead, and turns as fast as it is told, on the spot.
TEST(wheels_roll_as_they_are_told)
{
    static rooms_plan plan;
    rooms_body *body;
    bool bumped, broken;
    double ahead, turning;
    const rooms_plan_def def = {.size = 16};
    sac_rooms_plan_draw(&plan, &def, 0);
    plan.box_count = 0;
    assert_ok(sac_rooms_body_create(&body, NULL, 0.02));
    for (int way = 0; way < 8; way++)
    {
        const double yaw = way * 0.785;
        assert_ok(sac_rooms_body_reset(body, &plan, 8, 8, yaw));
        assert_ok(sac_rooms_body_advance(body, (double[2]){0.5, 0.5}, 150, &bumped, &broken));
        sac_rooms_body_speed(body, &ahead, &turning);
        const rooms_place p = sac_rooms_body_place(body);
        assert_near(ahead, 0.5, 1e-6);
        assert_near(turning, 0, 1e-9);
        // it lags behind by mass / 2 eagerness of its speed
        assert_near(hypot(p.x - 8, p.y - 8), 0.5 * (3 - ROOMS_MASS / (2 * ROOMS_EAGER)), 0.01);
        assert_near((p.x - 8) * sin(yaw) - (p.y - 8) * cos(yaw), 0, 1e-9);
        assert_ok(sac_rooms_body_reset(body, &plan, 8, 8, yaw));
        assert_ok(sac_rooms_body_advance(body, (double[2]){-0.15, 0.15}, 100, &bumped, &broken));
        sac_rooms_body_speed(body, &ahead, &turning);
        assert_near(turning, 0.3 / ROOMS_TRACK, 1e-3);
        assert_near(ahead, 0, 1e-9);
        assert_false(bumped || broken);
    }
    sac_rooms_body_destroy(body);
}

// Drives straight ahead until the world says that something is touched.
static bool drive_into(scene *s, uint64_t seed)
{
    assert_ok(sac_env_reset(s->env, seed, &s->row));
    s->action[0] = 1;
    s->action[1] = 0;
    for (int i = 0; i < 150 && !s->terminated; i++)
    {
        const double before = column(s, COLLISIONS);
        assert_ok(sac_env_step(s->env, &s->row));
        const float *state = part(s, "state");
        assert_true(state[7] == (column(s, COLLISIONS) > before ? 1.0f : 0.0f));
        if (state[7] == 1.0f) return true;
    }
    return false;
}

// What is straight ahead when the robot runs into it head on is as near as its radius less the camera's place. Walls
// that it meets aslant are farther ahead.
TEST(depth_is_metres_along_the_view)
{
    scene s;
    open_scene(&s, "rooms", NULL, "furniture=0,far=20,near=0.01");
    const double least = ROOMS_RADIUS - ROOMS_EYE_AHEAD;
    double nearest = 1;
    for (uint64_t seed = 0; seed < 40; seed++)
    {
        if (!drive_into(&s, seed)) continue;
        const float *depth = part(&s, "depth");
        const double middle = (double)depth[8 * 16 + 7];
        assert_true(middle > least - 0.01);
        nearest = fmin(nearest, middle);
        // the floor is seen where the lowest row of pixels meets it, unless something is before it
        const double floor = ROOMS_EYE_UP / (tan(3.14159265 / 6) * 15 / 16);
        for (int c = 0; c < 16; c++) assert_true((double)depth[15 * 16 + c] < floor + 1e-3);
    }
    assert_true(nearest < least + 0.03);
    close_scene(&s);
}

// Way, reward and end belong together: what was paid is the way that became shorter, as far as nothing was cut, and the
// goal; what is told of the goal is where it is.
TEST(who_follows_the_corners_comes_to_the_goal)
{
    scene s;
    open_scene(&s, "rooms", NULL, "");
    for (uint64_t seed = 0; seed < 20; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const double way = column(&s, WAY);
        double sum = 0;
        while (!s.terminated && !s.truncated)
        {
            const float *map = part(&s, "map"), *state = part(&s, "state");
            const double length = hypot((double)map[0], (double)map[1]);
            assert_near(hypot((double)state[1], (double)state[2]), 1, 1e-6);
            assert_near(map[2], column(&s, WAY), 1e-5);
            assert_true((double)state[0] * 10 <= column(&s, WAY) + 1e-3); // no way is shorter than the straight one
            s.action[1] = (float)fmax(-1, fmin(1, 2 * (double)map[1] / fmax(length, 1e-6)));
            s.action[0] = (double)map[0] > 0.8 * length ? 1 : 0;
            if (map[0] < 0) s.action[1] = map[1] > 0 ? 1 : -1;
            assert_ok(sac_env_step(s.env, &s.row));
            sum += s.reward;
        }
        assert_true(s.terminated && column(&s, REACHED) == 1);
        assert_near(sum, way - column(&s, WAY) + 10 - 0.1 * column(&s, COLLISIONS), 0.3);
    }
    close_scene(&s);
}

// An action towards where a robot goes by what it has seen
static void follow_seen(scene *s)
{
    const float *seen = part(s, "seen");
    const double length = hypot((double)seen[0], (double)seen[1]);
    s->action[1] = (float)fmax(-1, fmin(1, 2 * (double)seen[1] / fmax(length, 1e-6)));
    s->action[0] = (double)seen[0] > 0.8 * length ? 1 : 0;
    if (seen[0] < 0) s->action[1] = seen[1] > 0 ? 1 : -1;
}

// Plays an episode twice at once. The second one is asked what was seen after every thirtieth step alone.
static void ask_late(scene *a, scene *b, uint64_t seed, bool pushed)
{
    void *const place = b->parts[3];
    assert_ok(sac_env_reset(a->env, seed, &a->row));
    b->parts[3] = NULL;
    assert_ok(sac_env_reset(b->env, seed, &b->row));
    for (int i = 0; !a->terminated && !a->truncated; i++)
    {
        if (pushed)
            push(a, seed, i);
        else
            follow_seen(a);
        memcpy(b->action, a->action, sizeof b->action);
        b->parts[3] = i % 30 == 29 ? place : NULL;
        assert_ok(sac_env_step(a->env, &a->row));
        assert_ok(sac_env_step(b->env, &b->row));
        if (b->parts[3]) assert_memory_equal(part(a, "seen"), part(b, "seen"), 3 * sizeof(float));
    }
    b->parts[3] = place;
}

// What was seen may be asked for late: it is what it would be had it been asked for all the time, also where a robot
// has gone back. Who follows it comes to the goal as well.
TEST(what_was_seen_can_be_asked_for_late)
{
    scene a, b;
    open_scene(&a, "rooms", NULL, "");
    open_scene(&b, "rooms", NULL, "");
    for (uint64_t seed = 20; seed < 30; seed++)
    {
        ask_late(&a, &b, seed, false);
        assert_true(column(&a, REACHED) == 1);
        ask_late(&a, &b, seed, true);
    }
    close_scene(&a);
    close_scene(&b);
}

// Noise and a moved camera change pictures and nothing else of an episode; what is changed of a plan changes more.
TEST(variants_change_what_they_say)
{
    static const char *const words[] = {NULL, "noise", "camera", "furniture", "doors", "plan"};
    scene s[6];
    int other[6] = {0};
    for (int w = 0; w < 6; w++) open_scene(&s[w], "rooms", words[w], "");
    for (uint64_t seed = 0; seed < 10; seed++)
    {
        for (int w = 0; w < 6; w++) assert_ok(sac_env_reset(s[w].env, seed, &s[w].row));
        for (int w = 1; w < 6; w++)
        {
            for (int c = 0; c <= COLLISIONS; c++) other[w] += column(&s[w], c) != column(&s[0], c);
            assert_memory_not_equal(part(&s[w], "depth"), part(&s[0], "depth"), 256 * sizeof(float));
        }
    }
    for (int w = 1; w < 6; w++) assert_true((other[w] > 0) == (w > 2));
    for (int w = 0; w < 6; w++) close_scene(&s[w]);
}

TEST(what_is_wrong_is_named)
{
    static const struct
    {
        const char *variant, *settings, *said;
    } bad[] = {{"gravity", "", "unknown variant 'gravity', expected original, any, or some of furniture, doors"},
               {"doors+doors", "", "names 'doors' twice"},
               {NULL, "physics_ms=3", "physics_ms 3 does not go into control_ms 100"},
               {NULL, "nearest=4,farthest=3", "nearest is 4, expected at most farthest, 3"},
               {NULL, "level=5,least_level=6", "least_level is 6, expected at most level, 5"},
               {NULL, "levels=5", "level"},
               {NULL, "plan=missing.xml", "missing.xml"},
               {NULL, "plan=tests/data/rooms.xml,level=5", "'level' is for plans that are drawn"},
               {"doors", "plan=tests/data/rooms.xml", "has the variants noise, camera"},
               {NULL, "plan=tests/train/rooms.yaml", "rooms"}};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++)
    {
        sac_env *env;
        sac_status status = env_create(&env, "rooms", bad[i].variant, bad[i].settings);
        assert_true(status != SAC_OK);
        if (!strstr(sac_last_error(), bad[i].said)) fail_msg("'%s' lacks '%s'", sac_last_error(), bad[i].said);
        assert_true(strncmp(sac_last_error(), "rooms: ", 7) == 0);
    }
}

// In a user's model the robot finds its way as in a plan that is drawn.
TEST(a_plan_of_a_user_s_is_driven_through)
{
    scene s;
    open_scene(&s, "rooms", NULL, "plan=tests/data/rooms.xml,nearest=2");
    for (uint64_t seed = 0; seed < 10; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        while (!s.terminated && !s.truncated)
        {
            const float *map = part(&s, "map");
            const double length = hypot((double)map[0], (double)map[1]);
            s.action[1] = (float)fmax(-1, fmin(1, 2 * (double)map[1] / fmax(length, 1e-6)));
            s.action[0] = (double)map[0] > 0.8 * length ? 1 : 0;
            if (map[0] < 0) s.action[1] = map[1] > 0 ? 1 : -1;
            assert_ok(sac_env_step(s.env, &s.row));
        }
        assert_true(column(&s, REACHED) == 1);
    }
    close_scene(&s);
}

static void write_plan(const char *path, const rooms_plan *plan)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "<mujoco><worldbody><geom type='plane' size='20 20 1'/>\n");
    for (int i = 0; i < plan->box_count + plan->round_count; i++)
    {
        const bool round = i >= plan->box_count;
        const rooms_piece *p = round ? &plan->rounds[i - plan->box_count] : &plan->boxes[i];
        fprintf(f, "<geom type='%s' pos='%.17g %.17g %.17g' size='%.17g %.17g %.17g'/>\n", round ? "cylinder" : "box",
                p->center[0], p->center[1], p->height / 2, p->half[0], round ? p->height / 2 : p->half[1],
                round ? 0 : p->height / 2);
    }
    fprintf(f, "</worldbody></mujoco>\n");
    assert_int_equal(fclose(f), 0);
}

// A plan that is drawn looks, from wherever a robot stands and however its camera is moved, as it does when it is
// written to a file and read as a user's: what is left out because no camera can see it would not have been seen. Both
// draw the same solids from the same place, in floats: a depth of 4 m that is met at a slope of 100 differs by 4 m *
// 100
// * 2^-23 * a few; where two solids meet in a pixel's middle one or the other may be met.
TEST(a_plan_from_a_file_looks_as_it_does_when_drawn)
{
    static float drawn[256], read[256];
    const rooms_view_def eye = {.height = 16, .width = 16, .angle = 60, .near = 0.1, .far = 4};
    const rooms_plan_def def = {.size = 10, .door_low = 0.8, .door_high = 1, .loops = 0.5, .furniture = 5};
    rooms_house *house;
    assert_ok(sac_rooms_house_create(&house, 10, NULL));
    int other = 0, all = 0;
    for (uint64_t seed = 0; seed < 4; seed++)
    {
        rooms_body *bodies[2];
        rooms_view *views[2];
        scratch_open();
        const char *path = scratch_path("plan.xml");
        sac_rooms_house_draw(house, &def, 1, 10, seed);
        write_plan(path, house->plan);
        for (int i = 0; i < 2; i++)
        {
            assert_ok(sac_rooms_body_create(&bodies[i], i ? path : NULL, 0.01));
            assert_ok(sac_rooms_view_create(&views[i], bodies[i], &eye));
        }
        for (int k = 0; k < 40; k++)
        {
            sac_stream random = sac_stream_create(seed, 8, (uint64_t)k);
            rooms_camera camera;
            const double x = sac_stream_uniform(&random, 0.3, 9.7), y = sac_stream_uniform(&random, 0.3, 9.7);
            const double yaw = sac_stream_uniform(&random, -3, 3);
            for (int i = 0; i < 3; i++)
            {
                camera.shift[i] = sac_stream_uniform(&random, -0.05, 0.05);
                camera.tilt[i] = sac_stream_uniform(&random, -0.09, 0.09);
            }
            for (int i = 0; i < 2; i++)
            {
                assert_ok(sac_rooms_body_reset(bodies[i], i ? NULL : house->plan, x, y, yaw));
                assert_ok(sac_rooms_view_take(views[i], &camera, i ? read : drawn, NULL));
            }
            for (int i = 0; i < 256; i++, all++) other += fabs((double)drawn[i] - (double)read[i]) > 1e-3;
        }
        for (int i = 0; i < 2; i++) sac_rooms_view_destroy(views[i]), sac_rooms_body_destroy(bodies[i]);
    }
    if (other * 1000 > all) fail_msg("%d of %d pixels differ", other, all);
    sac_rooms_house_destroy(house);
}

TEST(nothing_allocates_while_stepping)
{
    static uint8_t rgb[64 * 64 * 3];
    scene s;
    open_scene(&s, "rooms", "any", "");
    assert_ok(sac_env_reset(s.env, 4, &s.row));
    assert_ok(sac_env_picture(s.env, rgb, 64, 64));
    failing.until_failure = 0;
    failing.failed = false;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    for (uint64_t seed = 0; seed < 3; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        for (int i = 0; i < 20 && !s.terminated; i++) push_and_step(&s, 3, i);
        assert_ok(sac_env_picture(s.env, rgb, 64, 64));
    }
    sac_set_allocator(NULL);
    assert_false(failing.failed);
    close_scene(&s);
}

TEST(lack_of_memory_is_survived)
{
    sac_env *env;
    assert_survives_lack_of_memory(env_create(&env, "rooms", "any", ""), sac_env_destroy(env));
    assert_survives_lack_of_memory(env_create(&env, "rooms", NULL, "plan=tests/data/rooms.xml"), sac_env_destroy(env));
}

TESTS(the_seed_and_the_actions_decide, looking_changes_nothing, the_robot_passes_no_wall, wheels_roll_as_they_are_told,
      depth_is_metres_along_the_view, who_follows_the_corners_comes_to_the_goal, what_was_seen_can_be_asked_for_late,
      variants_change_what_they_say, what_is_wrong_is_named, a_plan_of_a_user_s_is_driven_through,
      a_plan_from_a_file_looks_as_it_does_when_drawn, nothing_allocates_while_stepping, lack_of_memory_is_survived)

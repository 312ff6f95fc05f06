#include "env/legs/body.h"
#include "failing_memory.h"
#include "legs_scene.h"

/// The worlds `legs:*`: robots with four legs in MuJoCo.

static const char *const ids[] = {"legs:flat", "legs:obstacles", "legs:stones", "legs:grid", "legs:stairs"};

enum
{
    IDS = sizeof ids / sizeof *ids
};

// an action that is within its bounds everywhere, another one in each step
static void push(scene *s, uint64_t seed, int step)
{
    sac_stream random = sac_stream_create(seed, 5, (uint64_t)(step / 5));
    for (int i = 0; i < s->spec->action_size; i++)
        s->action[i] =
            (float)sac_stream_uniform(&random, (double)s->spec->action_low[i], (double)s->spec->action_high[i]);
}

static void push_and_step(scene *s, uint64_t seed, int step)
{
    push(s, seed, step);
    assert_ok(sac_env_step(s->env, &s->row));
}

// with all pictures and numbers, whatever was played before
TEST(the_seed_and_the_actions_decide)
{
    for (int t = 0; t < IDS; t++)
    {
        scene a, b;
        double x[COLUMNS], y[COLUMNS];
        open_scene(&a, ids[t], t % 2 ? "any" : NULL, "");
        open_scene(&b, ids[t], t % 2 ? "any" : NULL, "");
        assert_ok(sac_env_reset(b.env, 9, &b.row));
        for (int i = 0; i < 3; i++) push_and_step(&b, 1, i);
        assert_ok(sac_env_reset(a.env, 4, &a.row));
        assert_ok(sac_env_reset(b.env, 4, &b.row));
        for (int i = 0; i < 8 && !a.terminated; i++)
        {
            for (int p = 0; p < a.spec->observation_count; p++)
                assert_memory_equal(a.parts[p], b.parts[p], sac_space_bytes(&a.spec->observations[p]));
            sac_env_state(a.env, x);
            sac_env_state(b.env, y);
            assert_memory_equal(x, y, sizeof x);
            assert_true(a.reward == b.reward);
            push_and_step(&a, 2, i);
            push_and_step(&b, 2, i);
        }
        close_scene(&a);
        close_scene(&b);
    }
}

// Which parts are wanted changes no state.
TEST(looking_changes_nothing)
{
    for (int t = 0; t < IDS; t++)
    {
        scene a, b;
        open_scene(&a, ids[t], "camera", "");
        open_scene(&b, ids[t], "camera", "");
        memset(b.parts, 0, sizeof b.parts);
        assert_ok(sac_env_reset(a.env, 4, &a.row));
        assert_ok(sac_env_reset(b.env, 4, &b.row));
        for (int i = 0; i < 8 && !a.terminated; i++)
        {
            push_and_step(&a, 3, i);
            push_and_step(&b, 3, i);
            for (int c = 0; c < COLUMNS; c++) assert_true(column(&a, c) == column(&b, c));
        }
        close_scene(&a);
        close_scene(&b);
    }
}

// The speed of the released walk over 150 actions of 52 ms. Start 0 is the reference's; the others begin with ten
// actions whose footholds are drawn within a centimetre of what they are from then on.
static double released_speed(float ahead, uint64_t start)
{
    scene s;
    open_scene(&s, "legs:flat", NULL,
               "robot=laikago,action=released,physics_ms=1,control_ms=4,repeat=13,released_stance=true,seconds=20");
    memset(s.parts, 0, sizeof s.parts);
    assert_ok(sac_env_reset(s.env, 1000, &s.row));
    sac_stream random = sac_stream_create(start, 7, 8);
    for (int i = 0; i < 150; i++)
    {
        const double off = start > 0 && i < 10 ? 0.01 : 0;
        for (int leg = 0; leg < 4; leg++)
        {
            s.action[leg] = ahead + (float)sac_stream_uniform(&random, -off, off);
            s.action[4 + leg] = (float)sac_stream_uniform(&random, -off, off);
            s.action[8 + leg] = -0.01f; // height of footholds, and clearance
            s.action[12 + leg] = 0.07f;
        }
        assert_false(s.terminated);
        assert_ok(sac_env_step(s.env, &s.row));
    }
    const double speed = column(&s, X) / (150 * 0.052);
    assert_true(column(&s, UNSOLVED) == 0);
    close_scene(&s);
    return speed;
}

// PyBullet's environment walks on flat ground with constant footholds 0, 0.05 and 0.10 m ahead at -0.061, 0.463 and
// 1.008 m/s, over its first 150 actions. Ours is asked to be within 10 % of these, in the mean over four starts: on a
// plane a seed draws nothing that a walk would feel.
TEST(footholds_give_the_released_speeds)
{
    enum
    {
        STARTS = 4
    };
    const struct
    {
        float ahead;
        double speed;
    } walks[] = {{0, -0.061}, {0.05f, 0.463}, {0.1f, 1.008}};
    for (int w = 0; w < 3; w++)
    {
        double speed = 0;
        for (uint64_t start = 0; start < STARTS; start++) speed += released_speed(walks[w].ahead, start) / STARTS;
        if (fabs(speed / walks[w].speed - 1) > 0.1) fail_msg("%g ahead: %g m/s", (double)walks[w].ahead, speed);
    }
}

enum
{
    LEGS = 4,
    LIFTED = 24, // in the state of a walker: which feet have lifted off since the action before
    PLACES = 51 * 7
};

// An action about the two feet that lift off next, and the same for all feet, left and right alike
static void push_both(scene *next, scene *all, uint64_t seed, int step)
{
    push(next, seed, step);
    for (int row = 0; row < 2; row++)
        for (int leg = 0; leg < LEGS; leg++) all->action[4 * row + leg] = next->action[2 * row + leg / 2];
    for (int i = 0; i < 3; i++) all->action[8 + i] = next->action[4 + i];
}

// An action about the next two feet is the action about all feet that says the same to left and right, and the ground
// that is told is that of the feet which then lift off.
TEST(the_next_feet_are_those_that_lift_off)
{
    scene next, all;
    open_scene(&next, "legs:stones", "original", "feet=next,repeat=50,noise=0");
    open_scene(&all, "legs:stones", "original", "repeat=50,noise=0");
    assert_true(next.spec->action_size == 7 && all.spec->action_size == 11);
    float before[4 * PLACES], told[2 * PLACES];
    int lifts = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
    {
        assert_ok(sac_env_reset(next.env, seed, &next.row));
        assert_ok(sac_env_reset(all.env, seed, &all.row));
        for (int step = 0; step < 12 && !next.terminated; step++)
        {
            memcpy(before, part(&all, "ground"), sizeof before);
            memcpy(told, part(&next, "ground"), sizeof told);
            push_both(&next, &all, seed, step);
            assert_ok(sac_env_step(next.env, &next.row));
            assert_ok(sac_env_step(all.env, &all.row));
            assert_true(next.terminated == all.terminated && next.reward == all.reward);
            assert_memory_equal(part(&next, "depth"), part(&all, "depth"), 48 * 32 * sizeof(float));
            const float *state = part(&all, "state");
            assert_memory_equal(part(&next, "state"), state, 44 * sizeof *state);
            for (int leg = 0; leg < LEGS && !next.terminated; leg++)
                if (state[LIFTED + leg] > 0)
                {
                    lifts++;
                    assert_memory_equal(&told[leg / 2 * PLACES], &before[leg * PLACES], PLACES * sizeof *told);
                }
        }
    }
    assert_true(lifts >= 16);
    close_scene(&next);
    close_scene(&all);
}

// With a place behind and one ahead, the sign of a third number says which of the two is meant.
TEST(either_place_is_the_one_that_its_sign_says)
{
    scene next, either;
    open_scene(&next, "legs:stones", "original", "feet=next,repeat=50");
    open_scene(&either, "legs:stones", "original", "feet=either,repeat=50");
    assert_true(either.spec->action_size == 11);
    int ahead = 0, back = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
    {
        assert_ok(sac_env_reset(next.env, seed, &next.row));
        assert_ok(sac_env_reset(either.env, seed, &either.row));
        for (int step = 0; step < 12 && !next.terminated; step++)
        {
            push(&either, seed, step);
            const float *a = either.action;
            for (int foot = 0; foot < 2; foot++)
            {
                next.action[foot] = a[4 + foot] > 0 ? a[2 + foot] : -a[foot];
                next.action[2 + foot] = a[6 + foot];
                a[4 + foot] > 0 ? ahead++ : back++;
            }
            for (int i = 0; i < 3; i++) next.action[4 + i] = a[8 + i];
            assert_ok(sac_env_step(next.env, &next.row));
            assert_ok(sac_env_step(either.env, &either.row));
            assert_true(next.terminated == either.terminated && next.reward == either.reward);
            assert_memory_equal(part(&next, "state"), part(&either, "state"), 44 * sizeof(float));
        }
    }
    assert_true(ahead > 0 && back > 0);
    close_scene(&next);
    close_scene(&either);
}

static double generated_speed(const char *settings)
{
    scene s;
    open_scene(&s, "legs:flat", NULL, settings);
    memset(s.parts, 0, sizeof s.parts);
    assert_ok(sac_env_reset(s.env, 1000, &s.row));
    const float generator[4] = {3, 0.5f, -0.2f, 1};
    memcpy(s.action + 12, generator, sizeof generator);
    for (int i = 0; i < 500; i++) assert_ok(sac_env_step(s.env, &s.row));
    const double speed = column(&s, X) / 5;
    assert_true(column(&s, FELL) == 0);
    close_scene(&s);
    return speed;
}

// The generator alone walks: 3 Hz, intensity 0.5, height -0.2 and ratio 1 at a trot gave 0.53 m/s on the maker's own
// model of Go1, and give it here to these two digits. Physics by 1 ms walks as by 2 ms: two speeds of the same two
// digits differ by 0.01 at most.
TEST(the_generator_walks)
{
    const double speed = generated_speed(""), finer = generated_speed("physics_ms=1");
    if (fabs(speed - 0.53) > 0.005 || fabs(finer - speed) > 0.01) fail_msg("%g and %g m/s", speed, finer);
    assert_near(generated_speed("physics_ms=5"), 0.5, 0.005); // as docs/legs.md says
}

static void walk_ahead(scene *s, const char *settings, uint64_t seed)
{
    open_scene(s, "legs:stones", NULL, settings);
    memset(s->parts, 0, sizeof s->parts);
    assert_ok(sac_env_reset(s->env, seed, &s->row));
    s->action[8] = 0.3f; // speed
    double sum = 0;
    for (int i = 0; i < 400 && !s->terminated; i++)
    {
        assert_ok(sac_env_step(s->env, &s->row));
        sum += s->reward;
    }
    assert_true(s->terminated);
    // What counts is the way, cut at 0.375 m/s in each 5 ms; nothing is lost in the action that ends the episode.
    assert_true(sum <= column(s, X) + 1e-9 && sum > 0.8 * column(s, X));
}

// Who walks straight ahead falls at the first gaps, and crosses stones without gaps.
TEST(gaps_are_what_stops_a_blind_walk)
{
    for (uint64_t seed = 1000; seed < 1003; seed++)
    {
        scene s;
        walk_ahead(&s, "", seed);
        assert_true(column(&s, FELL) == 1 && column(&s, CROSSED) == 0 && column(&s, X) < 2);
        close_scene(&s);
        walk_ahead(&s, "level=0,length=2", seed);
        assert_true(column(&s, FELL) == 0 && column(&s, CROSSED) == 1 && column(&s, X) >= 2);
        close_scene(&s);
    }
}

// Boxes that are moved to their places carry a robot as the compiled plane does. As long as no toe comes to the edge of
// the platform at the start (0.375 m at least: 1.2 s), contacts are the same, and what differs is roundings, 1e-16
// each. A box that lay a nanometre higher, or were softer or smoother by so much, would show.
TEST(laid_out_boxes_carry_as_the_plane_does)
{
    static const char *const worlds[3][2] = {
        {"legs:flat", "robot=laikago,action=footholds,physics_ms=1,control_ms=5,repeat=10"},
        {"legs:stones", "level=0"},
        {"legs:stairs", "level=0,action=footholds"}};
    scene s[3];
    for (int w = 0; w < 3; w++)
    {
        open_scene(&s[w], worlds[w][0], NULL, worlds[w][1]);
        memset(s[w].parts, 0, sizeof s[w].parts);
        assert_ok(sac_env_reset(s[w].env, 1000, &s[w].row));
        s[w].action[8] = 0.2f; // speed
    }
    for (int i = 0; i < 24; i++)
        for (int w = 0; w < 3; w++)
        {
            assert_ok(sac_env_step(s[w].env, &s[w].row));
            for (int c = 0; c < FELL; c++) assert_near(column(&s[w], c), column(&s[0], c), 1e-9);
        }
    assert_true(column(&s[0], X) > 0.2 && column(&s[0], Z) > 0.4);
    for (int w = 0; w < 3; w++) close_scene(&s[w]);
}

// On a plane, depth along a camera that looks straight down is its height, wherever the robot's own legs are not.
TEST(depth_is_metres_along_the_view)
{
    scene s;
    open_scene(&s, "legs:flat", NULL, "robot=laikago,action=footholds,physics_ms=1,control_ms=5,repeat=10");
    assert_ok(sac_env_reset(s.env, 1000, &s.row));
    const float *depth = part(&s, "depth");
    const double expected = 0.48 - 0.115; // the front camera's, at the start
    int ground = 0;
    for (int i = 0; i < 24 * 32; i++)
    {
        assert_true(depth[i] > 0 && (double)depth[i] < expected + 1e-4);
        ground += fabs((double)depth[i] - expected) < 1e-4;
    }
    assert_true(ground > 24 * 32 / 2);
    close_scene(&s);
    open_scene(&s, "legs:stones", NULL, "");
    assert_ok(sac_env_reset(s.env, 1000, &s.row));
    depth = part(&s, "depth");
    int beyond = 0; // beside the platform, the floor is half a metre deeper
    for (int i = 0; i < 24 * 32; i++) beyond += fabs((double)depth[i] - (expected + 0.5)) < 1e-4;
    assert_true(beyond > 10);
    close_scene(&s);
}

// The height of a robot that stands for 100 steps in an episode of this seed.
static double stand(scene *s, uint64_t seed)
{
    assert_ok(sac_env_reset(s->env, seed, &s->row));
    memset(s->action, 0, sizeof s->action);
    const float generator[4] = {1, 0, 0, 1};
    memcpy(s->action + 12, generator, sizeof generator);
    for (int i = 0; i < 100; i++) assert_ok(sac_env_step(s->env, &s->row));
    return column(s, Z);
}

// A load presses a standing robot down by what its motors give.
TEST(loads_weigh)
{
    scene s;
    double heights[2];
    for (int w = 0; w < 2; w++)
    {
        open_scene(&s, "legs:flat", w == 1 ? "mass" : NULL, "noise=0");
        memset(s.parts, 0, sizeof s.parts);
        heights[w] = stand(&s, 3);
        close_scene(&s);
    }
    assert_true(heights[1] < heights[0] - 1e-4);
}

// Each episode draws a load and a friction of its own, and what an earlier one drew is taken off.
TEST(what_an_episode_drew_is_taken_off)
{
    scene used, fresh;
    open_scene(&used, "legs:flat", "any", "noise=0");
    memset(used.parts, 0, sizeof used.parts);
    double least = INFINITY, most = -INFINITY;
    for (uint64_t seed = 0; seed < 8; seed++)
    {
        open_scene(&fresh, "legs:flat", "any", "noise=0");
        memset(fresh.parts, 0, sizeof fresh.parts);
        const double height = stand(&used, seed);
        assert_true(height == stand(&fresh, seed));
        least = fmin(least, height), most = fmax(most, height);
        close_scene(&fresh);
    }
    close_scene(&used);
    assert_true(most > least + 1e-4); // loads did differ
}

static void assert_all_finite(const scene *s)
{
    assert_true(isfinite(s->reward));
    for (int c = 0; c < COLUMNS; c++) assert_true(isfinite(column(s, c)));
    for (int p = 1; p < s->spec->observation_count; p++)
        for (size_t k = 0; k < sac_space_size(&s->spec->observations[p]); k++)
            assert_true(isfinite(((const float *)s->parts[p])[k]));
}

#define EVERYTHING "friction+mass+latency+camera"

// Both robots, all maps of actions and courses, and what can be changed, each by itself or all together.
static const struct
{
    const char *id, *variant, *settings;
} manners[] = {{"legs:flat", "any", ""},
               {"legs:flat", EVERYTHING, "robot=laikago,heights=4,gait=walk"},
               {"legs:flat", EVERYTHING, "action=footholds,control_ms=4,repeat=13"},
               {"legs:flat", EVERYTHING, "action=climbing,robot=laikago,instant=true,control_ms=4,repeat=13"},
               {"legs:flat", "any", "action=released,robot=laikago,released_stance=true,control_ms=4,repeat=13"},
               {"legs:flat", "mass", "action=released,told_speed=true,control_ms=4,repeat=13"},
               {"legs:obstacles", "any", "walls=varied"},
               {"legs:obstacles", EVERYTHING "+terrain", "robot=laikago"},
               {"legs:obstacles", EVERYTHING, "action=climbing,repeat=5"},
               {"legs:stones", "any", ""},
               {"legs:stones", EVERYTHING "+terrain", "robot=go1,feet=either,period=0.24,repeat=24"},
               {"legs:stones", "latency", "action=released,stones=released"},
               {"legs:grid", "any", "least_level=0"},
               {"legs:grid", EVERYTHING "+terrain", "robot=go1,action=pmtg,level=0"},
               {"legs:stairs", "any", "level=5"},
               {"legs:stairs", EVERYTHING "+terrain", "robot=go1,feet=next,level=2"}};

// Random actions leave nothing that is not finite. $MINUTES of each; `make check`: 30.
TEST(random_actions_leave_nothing_that_is_not_finite)
{
    const char *asked = getenv("MINUTES");
    const double minutes = asked ? atof(asked) : 0.05, lasts = 20; // seconds of an episode
    for (int t = 0; t < (int)(sizeof manners / sizeof *manners); t++)
    {
        scene s;
        char settings[128];
        snprintf(settings, sizeof settings, "%s%sseconds=%g", manners[t].settings, *manners[t].settings ? "," : "",
                 lasts);
        open_scene(&s, manners[t].id, manners[t].variant, settings);
        const double per_step = lasts / s.spec->max_steps;
        double seconds = 0;
        for (uint64_t seed = 1000000; seconds < 60 * minutes; seed++)
        {
            assert_ok(sac_env_reset(s.env, seed, &s.row));
            for (int i = 0; !s.terminated && !s.truncated && seconds < 60 * minutes; i++, seconds += per_step)
            {
                push_and_step(&s, seed, i);
                assert_all_finite(&s);
            }
        }
        if (asked) printf("%s %s: %.0f minutes\n", manners[t].id, manners[t].settings, seconds / 60);
        close_scene(&s);
    }
}

// A robot that slides is slowed down by friction times what presses it to the ground, which is its weight and what it
// is thrown upwards by: the change of its speed along the ground is friction (g t + the change of its speed upwards).
// Feet at 10 m/s slide all the time. Speeds are those of the centre of mass over a step of 0.25 ms, in which joints
// turn by at most 10 rad/s on 0.2 m: off by 100 * 0.2 * 0.25 ms / 2 = 2.5 mm/s, beside the 0.17 m/s and more that it is
// pressed by.
TEST(friction_slows_down_by_what_it_says)
{
    const double step = 0.00025, frictions[] = {0.5, 0.65, 0.85};
    const legs_terrain_def plane = {.course = LEGS_FLAT};
    for (int f = 0; f < 3; f++)
    {
        legs_body *b;
        bool broken;
        double speeds[2][3];
        sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
        assert_ok(sac_legs_body_create(&b, sac_legs_robot("go1"), LEGS_FLAT, step));
        assert_ok(sac_legs_body_reset(b, &plane, 1, &(legs_changes){.friction = frictions[f]}));
        for (int i = 0; i < LEGS_MOTORS; i++)
            motors[i / 3][i % 3] = (sac_motor){.kp = 300, .kd = 5, .q = b->robot->home[i % 3]};
        assert_ok(sac_legs_body_advance(b, motors, 4000, &broken)); // it comes to rest
        b->data->qvel[0] = 10;
        for (int k = 0; k < 2; k++)
        {
            double before[3];
            const double *center = b->data->subtree_com + (ptrdiff_t)3 * b->trunk;
            assert_ok(sac_legs_body_settle(b));
            memcpy(before, center, sizeof before);
            assert_ok(sac_legs_body_advance(b, motors, 1, &broken));
            assert_ok(sac_legs_body_settle(b));
            for (int i = 0; i < 3; i++) speeds[k][i] = (center[i] - before[i]) / step;
            if (k == 0) assert_ok(sac_legs_body_advance(b, motors, 79, &broken));
        }
        const double pressed = 10 * 80 * step + speeds[1][2] - speeds[0][2];
        assert_true(pressed > 0.17);
        assert_near((speeds[0][0] - speeds[1][0]) / pressed, frictions[f], 0.0025 / 0.17);
        assert_near((speeds[0][1] - speeds[1][1]) / pressed, 0, 0.0025 / 0.17);
        sac_legs_body_destroy(b);
    }
}

// The released defect of stance control lifts the trunk: in a trot, in which two feet stand, by the 1.9 cm that are
// between the heights at which the forces of two feet are the weight (tests/unit/test_stance.c). Heights are compared
// to the millimetre to which the sheet of the released controller gives them.
TEST(the_released_stance_lifts_the_trunk)
{
    double height[2] = {0};
    for (int w = 0; w < 2; w++)
    {
        scene s;
        open_scene(&s, "legs:flat", NULL,
                   w ? "robot=laikago,action=released,physics_ms=1,control_ms=4,repeat=13,released_stance=true"
                     : "robot=laikago,action=released,physics_ms=1,control_ms=4,repeat=13");
        memset(s.parts, 0, sizeof s.parts);
        assert_ok(sac_env_reset(s.env, 1000, &s.row));
        for (int leg = 0; leg < 4; leg++) s.action[8 + leg] = -0.01f, s.action[12 + leg] = 0.07f;
        for (int i = 0; i < 120; i++)
        {
            assert_ok(sac_env_step(s.env, &s.row));
            if (i >= 20) height[w] += column(&s, Z) / 100;
        }
        close_scene(&s);
    }
    assert_near(height[1] - height[0], 0.019, 0.0005);
}

TEST(nothing_allocates_while_stepping)
{
    for (int t = 0; t < IDS; t++)
    {
        scene s;
        open_scene(&s, ids[t], "any", "");
        assert_ok(sac_env_reset(s.env, 1, &s.row));
        failing.until_failure = 0;
        sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
        for (int i = 0; i < 5 && !s.terminated; i++)
        {
            push_and_step(&s, 1, i);
        }
        sac_set_allocator(NULL);
        close_scene(&s);
    }
}

TEST(lack_of_memory_is_survived)
{
    sac_env *env;
    assert_survives_lack_of_memory(env_create(&env, "legs:stones", "any", ""), sac_env_destroy(env));
}

TESTS(the_seed_and_the_actions_decide, looking_changes_nothing, footholds_give_the_released_speeds,
      the_next_feet_are_those_that_lift_off, either_place_is_the_one_that_its_sign_says, the_generator_walks,
      gaps_are_what_stops_a_blind_walk, laid_out_boxes_carry_as_the_plane_does, depth_is_metres_along_the_view,
      loads_weigh, what_an_episode_drew_is_taken_off, friction_slows_down_by_what_it_says,
      the_released_stance_lifts_the_trunk, random_actions_leave_nothing_that_is_not_finite,
      nothing_allocates_while_stepping, lack_of_memory_is_survived)

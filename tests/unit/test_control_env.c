#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "files/atomic.h"

#include "env_scene.h"
#include "failing_memory.h"
#include "scratch.h"

/// The control suite as environments.

static const char *const ids[] = {"cheetah-run",  "walker-walk", "cartpole-swingup", "ball-in-cup-catch",
                                  "reacher-easy", "finger-spin", "quadruped-walk"};

enum
{
    IDS = sizeof ids / sizeof *ids,
    ACTIONS = 16,
    GUARD = 64
};

typedef struct scene
{
    sac_env *env;
    const sac_env_spec *spec;
    float action[ACTIONS];
    uint8_t *picture; // with guards on both sides
    size_t size;
    double reward;
    uint8_t terminated, truncated;
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} scene;

static scene open_scene(const char *id, const char *variant, const char *settings)
{
    scene s = {0};
    assert_ok(env_create(&s.env, id, variant, settings));
    s.spec = sac_env_get_spec(s.env);
    s.size = (size_t)(s.spec->height * s.spec->width * s.spec->channels);
    s.picture = sac_alloc(s.size + 2 * GUARD);
    memset(s.picture, 77, s.size + 2 * GUARD);
    return s;
}

static void aim(scene *s)
{
    s->parts[0] = s->picture + GUARD;
    s->row = (sac_env_row){s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
}

static void close_scene(scene *s)
{
    for (size_t i = 0; i < GUARD; i++) assert_true(s->picture[i] == 77 && s->picture[GUARD + s->size + i] == 77);
    sac_env_destroy(s->env);
    sac_free(s->picture);
}

static void push(scene *s, int step)
{
    for (int i = 0; i < s->spec->action_size; i++) s->action[i] = 0.4f * (float)((step + i) % 5 - 2);
}

// one seed, one episode: pictures, rewards and states to the bit, whatever was played before
TEST(the_seed_and_the_actions_decide)
{
    for (int t = 0; t < IDS; t++)
    {
        const char *variant = t % 2 ? "camera:easy+color:easy+background:easy:dynamic" : NULL;
        scene a = open_scene(ids[t], variant, "height=40,width=60"),
              b = open_scene(ids[t], variant, "height=40,width=60");
        double x[128], y[128];
        assert_true(a.spec->column_count <= 128);
        aim(&a);
        aim(&b);
        assert_ok(sac_env_reset(b.env, 9, &b.row));
        for (int i = 0; i < 3; i++) assert_ok(sac_env_step(b.env, &b.row));
        assert_ok(sac_env_reset(a.env, 4, &a.row));
        assert_ok(sac_env_reset(b.env, 4, &b.row));
        for (int i = 0; i < 6; i++)
        {
            assert_memory_equal(a.picture, b.picture, a.size + 2 * GUARD);
            sac_env_state(a.env, x);
            sac_env_state(b.env, y);
            assert_memory_equal(x, y, (size_t)a.spec->column_count * sizeof *x);
            assert_true(a.reward == b.reward);
            push(&a, i);
            push(&b, i);
            assert_ok(sac_env_step(a.env, &a.row));
            assert_ok(sac_env_step(b.env, &b.row));
        }
        close_scene(&a);
        close_scene(&b);
    }
}

// rewards of repeated actions are added, and an episode ends after its control steps, the last action cut short
TEST(repeats_add_up)
{
    scene one = open_scene("walker-walk", NULL, "action_repeat=1,control_steps=10");
    scene four = open_scene("walker-walk", NULL, "action_repeat=4,control_steps=10");
    aim(&one);
    aim(&four);
    assert_int_equal(one.spec->max_steps, 10);
    assert_int_equal(four.spec->max_steps, 3);
    assert_ok(sac_env_reset(one.env, 1, &one.row));
    assert_ok(sac_env_reset(four.env, 1, &four.row));
    for (int step = 0; step < 3; step++)
    {
        double sum = 0;
        push(&four, step);
        assert_ok(sac_env_step(four.env, &four.row));
        for (int i = 0; i < (step < 2 ? 4 : 2); i++)
        {
            push(&one, step);
            assert_false(one.truncated);
            assert_ok(sac_env_step(one.env, &one.row));
            sum += one.reward;
        }
        assert_true(four.reward == sum);
        assert_memory_equal(one.picture, four.picture, one.size);
        assert_int_equal(four.truncated, step == 2);
        assert_false(four.terminated);
    }
    assert_true(one.truncated);
    close_scene(&one);
    close_scene(&four);
}

// doubles that no float holds make another episode than their floats, and a stored state goes on as the recorded one
TEST(replays_are_exact)
{
    scene s = open_scene("cheetah-run", NULL, "action_repeat=1"),
          r = open_scene("cheetah-run", NULL, "action_repeat=1");
    double action[6] = {0.1, -0.2, 0.3, -0.4, 0.5, -0.6}, x[18], y[18];
    sac_tensors *golden;
    aim(&s);
    aim(&r);
    assert_ok(sac_env_reset(s.env, 1, &s.row));
    assert_ok(sac_env_reset(r.env, 1, &r.row));
    for (int i = 0; i < 6; i++) s.action[i] = r.action[i] = (float)action[i];
    assert_true(sac_env_act_precisely(s.env, action));
    assert_ok(sac_env_step(s.env, &s.row));
    assert_ok(sac_env_step(r.env, &r.row));
    sac_env_state(s.env, x);
    sac_env_state(r.env, y);
    assert_memory_not_equal(x, y, sizeof x);

    // row 100 of the recording, then its actions
    assert_ok(sac_tensors_load(&golden, SAC_SOURCE_DIR "/tests/golden/data/control.safetensors", 1 << 20));
    const double *qpos = sac_tensors_find(golden, "cheetah_run.qpos")->data;
    const double *qvel = sac_tensors_find(golden, "cheetah_run.qvel")->data;
    const double *actions = sac_tensors_find(golden, "cheetah_run.action")->data;
    assert_ok(sac_env_reset(s.env, 1, &s.row));
    for (int i = 0; i < 100; i++)
    {
        sac_env_act_precisely(s.env, actions + 6 * i);
        assert_ok(sac_env_step(s.env, &s.row));
    }
    sac_env_state(s.env, x);
    assert_memory_equal(x, qpos + 9 * 100, 9 * sizeof(double));
    assert_memory_equal(x + 9, qvel + 9 * 100, 9 * sizeof(double));
    const sac_env_field parts[] = {{"qpos", x, 9}, {"qvel", x + 9, 9}, {"other", x, 1}};
    assert_ok(sac_env_set_state(r.env, parts, 3, &r.row));
    sac_env_state(r.env, y);
    assert_memory_equal(x, y, sizeof x);
    assert_memory_equal(s.picture, r.picture, s.size);
    assert_fails(sac_env_set_state(r.env, parts, 1, &r.row), SAC_ERROR_FORMAT, "needs qpos and qvel");
    const sac_env_field wrong[] = {{"qpos", x, 8}, {"qvel", x + 9, 9}};
    assert_fails(sac_env_set_state(r.env, wrong, 2, &r.row), SAC_ERROR_FORMAT, "'qpos' holds 8 numbers, expected 9");
    sac_tensors_destroy(golden);
    close_scene(&s);
    close_scene(&r);
}

// columns hold the numbers, the part `state` holds them as floats, and nothing else differs from the world that is
// seen, whose teachers are told the same numbers
TEST(states_are_observed_in_place_of_pictures)
{
    static const int counts[IDS] = {17, 24, 5, 8, 6, 9, 78};
    for (int t = 0; t < IDS; t++)
    {
        scene told = open_scene(ids[t], NULL, "observe=state"), seen = open_scene(ids[t], NULL, "height=16,width=16");
        double values[192], state[64];
        int states = seen.spec->column_count, count = counts[t];
        assert_int_equal(told.spec->column_count, states + count);
        assert_int_equal(told.spec->observation_count, 1);
        assert_int_equal(told.spec->height, 0);
        const sac_space *part = &told.spec->observations[0], *hidden = &seen.spec->observations[1];
        assert_string_equal(part->name, "state");
        assert_true(part->kind == SAC_SPACE_VECTOR && part->shape[0] == count && !part->privileged);
        assert_true(sac_space_same(part, hidden) && hidden->privileged);
        float numbers[96], privileged[96];
        aim(&told);
        aim(&seen);
        told.parts[0] = numbers;
        seen.parts[1] = privileged;
        assert_ok(sac_env_reset(told.env, 3, &told.row));
        assert_ok(sac_env_reset(seen.env, 3, &seen.row));
        for (int i = 0; i < 5; i++)
        {
            sac_env_state(told.env, values);
            sac_env_state(seen.env, state);
            assert_memory_equal(values, state, (size_t)states * sizeof *state);
            for (int k = 0; k < count; k++)
            {
                assert_true(numbers[k] == (float)values[states + k]);
                assert_true(privileged[k] == numbers[k]);
            }
            push(&told, i);
            push(&seen, i);
            assert_ok(sac_env_step(told.env, &told.row));
            assert_ok(sac_env_step(seen.env, &seen.row));
            assert_true(told.reward == seen.reward);
        }
        uint8_t rgb[24 * 32 * 3];
        assert_ok(sac_env_picture(told.env, rgb, 24, 32));
        close_scene(&told);
        close_scene(&seen);
    }
}

// the shoulder turns without limit and is told as a point of the circle; the wrist, which is limited, and all else
// stay; the cheetah's torso turns, and a world whose hinges are all limited, or that tells cosines anyway, is as it was
TEST(hinges_without_limits_are_told_as_points_of_a_circle)
{
    static const int more[IDS] = {1, 0, 0, 0, 1, 0, 0};
    for (int t = 0; t < IDS; t++)
    {
        scene plain = open_scene(ids[t], NULL, "observe=state"),
              circle = open_scene(ids[t], NULL, "observe=state,circular=true");
        assert_int_equal(circle.spec->observations[0].shape[0], plain.spec->observations[0].shape[0] + more[t]);
        close_scene(&plain);
        close_scene(&circle);
    }
    scene plain = open_scene("reacher-easy", NULL, "observe=state");
    scene circle = open_scene("reacher-easy", NULL, "observe=state,circular=true");
    float x[6], y[7];
    aim(&plain);
    aim(&circle);
    plain.parts[0] = x;
    circle.parts[0] = y;
    assert_ok(sac_env_reset(plain.env, 5, &plain.row));
    assert_ok(sac_env_reset(circle.env, 5, &circle.row));
    for (int i = 0; i < 30; i++)
    {
        // the angle stays below 16 here, where a float of it is at most 5e-7 from the double
        assert_near(y[0], cos((double)x[0]), 2e-6);
        assert_near(y[1], sin((double)x[0]), 2e-6);
        assert_memory_equal(y + 2, x + 1, 5 * sizeof(float));
        push(&plain, i);
        push(&circle, i);
        assert_ok(sac_env_step(plain.env, &plain.row));
        assert_ok(sac_env_step(circle.env, &circle.row));
    }
    close_scene(&plain);
    close_scene(&circle);
}

TEST(a_bad_action_ends_the_episode)
{
    scene s = open_scene("reacher-easy", NULL, "");
    aim(&s);
    assert_ok(sac_env_reset(s.env, 1, &s.row));
    s.action[1] = NAN;
    assert_ok(sac_env_step(s.env, &s.row));
    assert_true(isnan(s.reward) && s.terminated && !s.truncated);
    s.action[1] = 0;
    assert_ok(sac_env_reset(s.env, 1, &s.row));
    assert_ok(sac_env_step(s.env, &s.row));
    assert_true(isfinite(s.reward) && !s.terminated);
    close_scene(&s);
}

TEST(nothing_allocates_while_stepping)
{
    for (int t = 0; t < IDS; t++)
    {
        scene s = open_scene(ids[t], "camera:easy+color:easy+background:easy:dynamic", "height=64,width=48");
        aim(&s);
        assert_ok(sac_env_reset(s.env, 1, &s.row));
        failing.until_failure = 0;
        sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
        for (int i = 0; i < 5; i++)
        {
            push(&s, i);
            assert_ok(sac_env_step(s.env, &s.row));
        }
        sac_set_allocator(NULL);
        close_scene(&s);
    }
}

TEST(people_get_pictures_of_any_size)
{
    scene s = open_scene("cheetah-run", "background:easy", "");
    uint8_t rgb[30 * 50 * 3];
    aim(&s);
    assert_fails(sac_env_picture(s.env, rgb, 30, 50), SAC_ERROR_ARGUMENT, "picture before reset");
    assert_ok(sac_env_reset(s.env, 1, &s.row));
    assert_ok(sac_env_picture(s.env, rgb, 30, 50));
    assert_ok(sac_env_picture(s.env, rgb, 50, 30));
    close_scene(&s);
}

static uint8_t difference_of(uint8_t now, uint8_t first)
{
    int d = 128 + now - first;
    return (uint8_t)(d < 0 ? 0 : d > 255 ? 255 : d);
}

// subtract=first: 128 + now - first of what the same world shows without it, also after a second reset, after a
// snapshot is restored, and where nobody wanted the first picture
TEST(pictures_are_shown_as_differences_from_the_first)
{
    static const char *const variant = "camera:easy+color:easy+background:hard";
    scene plain = open_scene("cartpole-swingup", variant, "height=40,width=40");
    scene change = open_scene("cartpole-swingup", variant, "height=40,width=40,subtract=first");
    uint8_t *first = sac_alloc(plain.size), *snapshot = sac_alloc(sac_env_snapshot_size(change.env));
    int moved = 0;
    aim(&plain);
    aim(&change);
    for (uint64_t seed = 3; seed < 5; seed++)
    {
        assert_ok(sac_env_reset(plain.env, seed, &plain.row));
        memcpy(first, plain.picture + GUARD, plain.size);
        change.parts[0] = seed == 3 ? change.picture + GUARD : NULL;
        assert_ok(sac_env_reset(change.env, seed, &change.row));
        for (size_t i = 0; i < change.size && seed == 3; i++) assert_int_equal(change.picture[GUARD + i], 128);
        change.parts[0] = change.picture + GUARD;
        for (int step = 0; step < 8; step++)
        {
            if (step == 4) assert_ok(sac_env_save(change.env, snapshot));
            if (step == 5) // from another episode back into this one, and the step that was made once more
            {
                assert_ok(sac_env_reset(change.env, 77, &change.row));
                assert_ok(sac_env_restore(change.env, snapshot, sac_env_snapshot_size(change.env)));
                push(&change, 4);
                assert_ok(sac_env_step(change.env, &change.row));
            }
            push(&plain, step);
            push(&change, step);
            assert_ok(sac_env_step(plain.env, &plain.row));
            assert_ok(sac_env_step(change.env, &change.row));
            for (size_t i = 0; i < change.size; i++)
            {
                uint8_t now = plain.picture[GUARD + i], shown = change.picture[GUARD + i];
                assert_int_equal(shown, difference_of(now, first[i]));
                moved += shown != 128;
            }
        }
    }
    assert_true(moved > 0);
    sac_free(first);
    sac_free(snapshot);
    close_scene(&plain);
    close_scene(&change);
}

enum
{
    STACKED = 3,
    SHOWN = 8
};

// Each pixel of a stack holds what the plain world showed at `step`, before it, and so on, and the episode's first
// picture where there was none.
static void assert_stacked(const scene *stack, const uint8_t *shown, size_t size, int step)
{
    const uint8_t *picture = stack->picture + GUARD;
    for (size_t i = 0; i < size; i++)
        for (int k = 0; k < STACKED; k++)
        {
            int then = step >= k ? step - k : 0;
            assert_int_equal(picture[i / 3 * 3 * STACKED + (size_t)k * 3 + i % 3], shown[(size_t)then * size + i]);
        }
}

// frame_stack=3: the last three of what the same world shows without it, also after a second reset, after a snapshot is
// restored, and where nobody looked at some of them
TEST(the_last_pictures_are_shown_at_once)
{
    static const char *const variant = "camera:easy+color:easy+background:hard:dynamic";
    scene plain = open_scene("cartpole-swingup", variant, "height=30,width=40,subtract=first");
    scene stack = open_scene("cartpole-swingup", variant, "height=30,width=40,subtract=first,frame_stack=3");
    uint8_t *shown = sac_alloc(SHOWN * plain.size), *snapshot = sac_alloc(sac_env_snapshot_size(stack.env));
    assert_int_equal(stack.spec->channels, 3 * STACKED);
    aim(&plain);
    aim(&stack);
    for (uint64_t seed = 3; seed < 5; seed++)
    {
        assert_ok(sac_env_reset(plain.env, seed, &plain.row));
        stack.parts[0] = seed == 3 ? stack.picture + GUARD : NULL;
        assert_ok(sac_env_reset(stack.env, seed, &stack.row));
        memcpy(shown, plain.picture + GUARD, plain.size);
        if (seed == 3) assert_stacked(&stack, shown, plain.size, 0);
        for (int step = 1; step < SHOWN; step++)
        {
            if (step == 5) assert_ok(sac_env_save(stack.env, snapshot));
            if (step == 6) // from another episode back into this one, and the step that was made once more
            {
                assert_ok(sac_env_reset(stack.env, 77, &stack.row));
                assert_ok(sac_env_restore(stack.env, snapshot, sac_env_snapshot_size(stack.env)));
                push(&stack, 5);
                assert_ok(sac_env_step(stack.env, &stack.row));
            }
            stack.parts[0] = step == 2 ? NULL : stack.picture + GUARD;
            push(&plain, step);
            push(&stack, step);
            assert_ok(sac_env_step(plain.env, &plain.row));
            assert_ok(sac_env_step(stack.env, &stack.row));
            memcpy(shown + (size_t)step * plain.size, plain.picture + GUARD, plain.size);
            if (step != 2) assert_stacked(&stack, shown, plain.size, step);
        }
        assert_memory_not_equal(shown, shown + (SHOWN - 1) * plain.size, plain.size);
    }
    sac_free(shown);
    sac_free(snapshot);
    close_scene(&plain);
    close_scene(&stack);
}

// a pixel with smooth edges before a background is the mean of the four that a picture of twice the size has there
TEST(smooth_edges_mix_with_the_background)
{
    static const char *const variant = "camera:easy+color:easy+background:hard";
    scene smooth = open_scene("cheetah-run", variant, "height=20,width=30,antialias=true");
    scene large = open_scene("cheetah-run", variant, "height=40,width=60");
    aim(&smooth);
    aim(&large);
    assert_ok(sac_env_reset(smooth.env, 2, &smooth.row));
    assert_ok(sac_env_reset(large.env, 2, &large.row));
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 30; x++)
            for (int c = 0; c < 3; c++)
            {
                const uint8_t *p = large.picture + GUARD + 3 * (2 * y * 60 + 2 * x) + c;
                int sum = p[0] + p[3] + p[3 * 60] + p[3 * 60 + 3];
                assert_int_equal(smooth.picture[GUARD + 3 * (y * 30 + x) + c], (sum + 2) / 4);
            }
    close_scene(&smooth);
    close_scene(&large);
}

static void write_text(const char *name, const char *text)
{
    assert_ok(sac_write_file(scratch_path(name), text, strlen(text)));
}

TEST(what_is_missing_or_broken_is_named)
{
    sac_env *env;
    char settings[300];
    scratch_open();
    snprintf(settings, sizeof settings, "models=%s", scratch_path("nowhere"));
    assert_fails(env_create(&env, "cheetah-run", NULL, settings), SAC_ERROR_FILE,
                 "cheetah.xml: there is no such model");
    snprintf(settings, sizeof settings, "models=%s", scratch_path(""));
    write_text("cheetah.xml", "<mujoco><worldbody><geom type='plane'");
    assert_fails(env_create(&env, "cheetah-run", NULL, settings), SAC_ERROR_FORMAT, "cheetah.xml: XML parse error");
    write_text("walker.xml", "<mujoco><worldbody/></mujoco>");
    assert_fails(env_create(&env, "walker-walk", NULL, settings), SAC_ERROR_FORMAT, "walker.xml");
    write_text("reacher.xml", "<mujoco><option timestep='0.02'/><worldbody><body><joint name='j' type='hinge'/>"
                              "<geom size='1'/></body></worldbody><actuator><motor joint='j'/></actuator></mujoco>");
    assert_fails(env_create(&env, "reacher-easy", NULL, settings), SAC_ERROR_FORMAT, "has no element 'target'");
    write_text("finger.xml", "<mujoco><include file='missing.xml'/></mujoco>");
    assert_fails(env_create(&env, "finger-spin", NULL, settings), SAC_ERROR_FORMAT, "missing.xml");

    assert_fails(env_create(&env, "cheetah-run", NULL, "camera=9"), SAC_ERROR_ARGUMENT, "camera is 9");
    assert_fails(env_create(&env, "cheetah-run", "colr:easy", ""), SAC_ERROR_ARGUMENT, "did you mean 'color'");
    assert_fails(env_create(&env, "cheetah-run", "background:easy", "background=nowhere"), SAC_ERROR_FILE, "nowhere");
    assert_fails(env_create(&env, "cheetah-run", NULL, "subtract=frist"), SAC_ERROR_ARGUMENT, "did you mean 'first'");
    assert_fails(env_create(&env, "cheetah-run", NULL, "heigth=9"), SAC_ERROR_ARGUMENT, "did you mean 'height'");
}

TEST(every_listed_variant_exists)
{
    const char *const *variants = sac_env_find("reacher-easy")->variants;
    for (int i = 0; variants[i]; i++)
    {
        sac_env *env;
        assert_ok(env_create(&env, "reacher-easy", variants[i], "height=16,width=16"));
        sac_env_destroy(env);
    }
}

TEST(lack_of_memory_is_survived)
{
    sac_env *env = NULL;
    scene s = open_scene("cartpole-swingup", NULL, ""); // holds the model, which takes a while to read
    assert_survives_lack_of_memory(
        env_create(&env, "cartpole-swingup", "color:easy", "height=16,width=16,subtract=first,frame_stack=2"),
        sac_env_destroy(env));
    close_scene(&s);
}

TESTS(the_seed_and_the_actions_decide, repeats_add_up, replays_are_exact, states_are_observed_in_place_of_pictures,
      hinges_without_limits_are_told_as_points_of_a_circle, a_bad_action_ends_the_episode,
      nothing_allocates_while_stepping, pictures_are_shown_as_differences_from_the_first,
      the_last_pictures_are_shown_at_once, smooth_edges_mix_with_the_background, people_get_pictures_of_any_size,
      what_is_missing_or_broken_is_named, every_listed_variant_exists, lack_of_memory_is_survived)

#include <unistd.h>
#include <zlib.h>

#include "files/arrays/npz.h"
#include "saccade/env.h"

#include "test.h"

// take-cover in ViZDoom's engine, against what ViZDoom gave its own users

enum
{
    SIZE = 120 * 160 * 3,
    MAX_ROWS = 256
};

static const char *peer(void)
{
    const char *given = getenv("SACCADE_PEERS"), *python = given ? given : SAC_SOURCE_DIR "/.venv/bin/python";
    char command[512];
    snprintf(command, sizeof command, "'%s' -c 'import vizdoom' 2>/dev/null", python);
    return system(command) == 0 ? python : NULL;
}

#define NEEDS_PEER               \
    const char *python = peer(); \
    if (!python) skip_without("ViZDoom (make worlds)")

static sac_env *open_with(const char *python, const char *variant, const char *rules, const char *key,
                          const char *value)
{
    const sac_setting settings[] = {{"python", python}, {"rules", rules}, {"objects", "true"}, {key, value}};
    sac_env *env;
    assert_ok(sac_env_create(
        &env,
        &(sac_env_def){.id = "take-cover", .variant = variant, .settings = settings, .setting_count = key ? 4 : 3}));
    return env;
}

static sac_env *open_env(const char *python, const char *variant, const char *rules)
{
    return open_with(python, variant, rules, NULL, NULL);
}

/// One step's outcome.
typedef struct outcome
{
    double reward, columns[4];
    uint32_t picture;
    uint8_t terminated, truncated;
} outcome;

/// An episode: row 0 is the reset.
typedef struct episode
{
    int rows;
    outcome steps[MAX_ROWS];
} episode;

// held runs of 3 to 10 steps
static float held_action(uint64_t seed, int step)
{
    sac_stream stream = sac_stream_create(seed, 0, 0);
    for (int end = 0;;)
    {
        end += 3 + (int)(sac_stream_u32(&stream) % 8);
        float action = (float)(sac_stream_u32(&stream) % 3);
        if (step < end) return action;
    }
}

static void play(episode *e, sac_env *env, uint64_t seed, const float *actions, int count)
{
    static uint8_t observation[SIZE];
    float action;
    outcome now;
    memset(&now, 0, sizeof now); // outcomes are compared as bytes, so the gaps in them count
    sac_env_row row = {&action, (void *const[SAC_MAX_PARTS]){observation}, &now.reward, &now.terminated,
                       &now.truncated};
    assert_ok(sac_env_reset(env, seed, &row));
    e->rows = 0;
    for (int step = 0;; step++)
    {
        sac_env_state(env, now.columns);
        now.picture = (uint32_t)crc32(0, observation, SIZE);
        e->steps[e->rows++] = now;
        if (step == count || now.terminated || now.truncated) return;
        action = actions ? actions[step] : held_action(seed, step);
        assert_ok(sac_env_step(env, &row));
    }
}

static const void *data_of(const sac_tensors *tensors, const char *name)
{
    const sac_tensor *tensor = sac_tensors_find(tensors, name);
    assert_non_null(tensor);
    return tensor->data;
}

static void check_golden(sac_env *env, const char *path)
{
    sac_tensors *golden;
    assert_ok(sac_npz_load(&golden, path));
    const float *actions = data_of(golden, "action");
    const double *reward = data_of(golden, "reward"), *y = data_of(golden, "y"), *health = data_of(golden, "health");
    const int64_t *seed = data_of(golden, "seed"), *picture = data_of(golden, "picture");
    const int64_t *objects = data_of(golden, "objects"), *places = data_of(golden, "places");
    const uint8_t *done = data_of(golden, "done");
    int steps = (int)sac_tensor_count(sac_tensors_find(golden, "action"));
    int states = (int)sac_tensor_count(sac_tensors_find(golden, "y")); // there is none after death

    static episode e;
    play(&e, env, (uint64_t)*seed, actions, steps);
    assert_int_equal(e.rows, steps + 1);
    for (int i = 0; i <= steps; i++)
    {
        const outcome *o = &e.steps[i];
        assert_true(o->reward == (i > 0 ? reward[i - 1] : 0));
        assert_int_equal(o->terminated || o->truncated, i > 0 && done[i - 1]);
        if (i >= states) continue;
        assert_true(o->columns[0] == y[i]);
        assert_true(o->columns[1] == health[i]);
        assert_true(o->columns[2] == (double)objects[i]);
        assert_true(o->columns[3] == (double)places[i]);
        assert_int_equal(o->picture, picture[i]);
    }
    sac_tensors_destroy(golden);
}

TEST(recorded_episodes_come_out_to_the_last_pixel)
{
    NEEDS_PEER;
    sac_env *env = open_env(python, NULL, "vizdoom");
    check_golden(env, "tests/golden/data/take_cover_seed1.npz");
    check_golden(env, "tests/golden/data/take_cover_idle_seed1.npz");
    check_golden(env, "tests/golden/data/take_cover_seed1.npz"); // again, in an engine that has played others
    sac_env_destroy(env);
}

// the variants change what is seen and nothing else, under the released settings, tic by tic
TEST(variants_differ_in_the_picture_alone)
{
    NEEDS_PEER;
    static const char *const variants[] = {"walls", "floor", "text"};
    static episode original[3], changed;
    sac_env *env = open_env(python, NULL, "released");
    for (uint64_t seed = 0; seed < 3; seed++) play(&original[seed], env, seed, NULL, MAX_ROWS - 1);
    sac_env_destroy(env);
    for (int v = 0; v < 3; v++)
    {
        env = open_env(python, variants[v], "released");
        for (uint64_t seed = 0; seed < 3; seed++)
        {
            const episode *e = &original[seed];
            play(&changed, env, seed, NULL, MAX_ROWS - 1);
            assert_int_equal(changed.rows, e->rows);
            assert_true(e->rows > 20);
            for (int i = 0; i < e->rows; i++)
            {
                const outcome *a = &e->steps[i], *b = &changed.steps[i];
                assert_memory_equal(a->columns, b->columns, sizeof a->columns);
                assert_true(a->reward == b->reward && a->terminated == b->terminated && a->truncated == b->truncated);
                assert_int_not_equal(a->picture, b->picture);
            }
        }
        sac_env_destroy(env);
    }
}

static bool same_pictures(const episode *a, const episode *b)
{
    for (int i = 0; i < a->rows; i++)
        if (a->steps[i].picture != b->steps[i].picture) return false;
    return true;
}

static void check_same_events(const episode *a, const episode *b)
{
    assert_int_equal(a->rows, b->rows);
    for (int i = 0; i < a->rows; i++)
    {
        assert_memory_equal(a->steps[i].columns, b->steps[i].columns, sizeof a->steps[i].columns);
        assert_true(a->steps[i].reward == b->steps[i].reward && a->steps[i].terminated == b->steps[i].terminated);
    }
}

enum
{
    DRAWN = 24 // episodes
};

static void play_some(episode *episodes, const char *python, const char *variant)
{
    sac_env *env = open_env(python, variant, "released");
    for (uint64_t seed = 0; seed < DRAWN; seed++) play(&episodes[seed], env, seed, NULL, 30);
    sac_env_destroy(env);
}

// each episode of `any` is that of one of the variants, pixel by pixel; one of the kind `other` is that of none, and
// the same things happen in it
TEST(any_draws_a_variant_for_each_episode)
{
    NEEDS_PEER;
    static const char *const variants[] = {"original", "walls", "floor", "text"};
    static episode fixed[4][DRAWN], any[DRAWN], again[DRAWN], other[DRAWN];
    int met[4] = {0};
    for (int v = 0; v < 4; v++) play_some(fixed[v], python, variants[v]);
    play_some(any, python, "any=original+walls+floor+text");
    play_some(again, python, "any=original+walls+floor+text");
    play_some(other, python, "any=other");
    assert_memory_equal(any, again, sizeof any);
    for (int e = 0; e < DRAWN; e++)
    {
        int equal = 0;
        check_same_events(&any[e], &fixed[0][e]);
        check_same_events(&other[e], &fixed[0][e]);
        for (int v = 0; v < 4; v++)
        {
            bool same = same_pictures(&any[e], &fixed[v][e]);
            equal += same;
            met[v] += same;
            assert_false(same_pictures(&other[e], &fixed[v][e]));
        }
        assert_int_equal(equal, 1);
    }
    for (int v = 0; v < 4; v++) assert_true(met[v] > 0);
}

// an action that lasts four tics is the same action four times (but for the face on the released rules' HUD, which
// moves when it is drawn)
TEST(a_skip_is_the_same_action_again)
{
    NEEDS_PEER;
    enum
    {
        SKIP = 4,
        SEED = 5
    };
    static episode each, skipped;
    float actions[MAX_ROWS - 1];
    for (int i = 0; i < MAX_ROWS - 1; i++) actions[i] = held_action(SEED, i / SKIP);
    sac_env *env = open_env(python, NULL, "vizdoom");
    play(&each, env, SEED, actions, MAX_ROWS - 1);
    sac_env_destroy(env);
    env = open_with(python, NULL, "vizdoom", "skip", "4");
    assert_int_equal(sac_env_get_spec(env)->max_steps, 10000 / SKIP);
    play(&skipped, env, SEED, NULL, (each.rows - 1) / SKIP);
    sac_env_destroy(env);

    assert_true(skipped.rows > 20);
    double reward = 0;
    for (int i = 0, tic = 0; i < skipped.rows; i++)
    {
        const outcome *o = &skipped.steps[i];
        for (; tic <= i * SKIP; tic++) reward += each.steps[tic].reward;
        assert_true(o->reward == reward);
        assert_memory_equal(o->columns, each.steps[i * SKIP].columns, sizeof o->columns);
        assert_int_equal(o->picture, each.steps[i * SKIP].picture);
        reward = 0;
    }
}

// fireballs fly faster at the highest skill, where the rules' own is 5: whoever stands still is hit earlier
TEST(skill_overrules_the_rules)
{
    NEEDS_PEER;
    static const float idle[MAX_ROWS - 1] = {0};
    static episode own, same, easy;
    sac_env *env = open_env(python, NULL, "released");
    play(&own, env, 1, idle, MAX_ROWS - 1);
    sac_env_destroy(env);
    env = open_with(python, NULL, "released", "skill", "5");
    play(&same, env, 1, idle, MAX_ROWS - 1);
    sac_env_destroy(env);
    env = open_with(python, NULL, "released", "skill", "4");
    play(&easy, env, 1, idle, MAX_ROWS - 1);
    sac_env_destroy(env);
    assert_int_equal(same.rows, own.rows);
    assert_memory_equal(same.steps, own.steps, sizeof(outcome) * (size_t)own.rows);
    assert_true(easy.rows > own.rows);
}

enum
{
    BALLS = 16,
    MONSTERS = 8,
    MONSTERS_AT = 4 + 5 * BALLS,
    NUMBERS = MONSTERS_AT + 5 * MONSTERS, // of the part `objects`
    WATCHED = 130                         // steps
};

/// An episode of whoever stands still, with what the privileged part told, from some step on.
typedef struct told
{
    int rows;
    float numbers[WATCHED + 1][NUMBERS];
    uint32_t pictures[WATCHED + 1];
} told;

static void watch(told *t, sac_env *env, uint64_t seed, int first)
{
    static uint8_t observation[SIZE];
    float action = 0;
    double reward;
    uint8_t ends[2] = {0, 0};
    *t = (told){0};
    for (; t->rows <= WATCHED && !ends[0] && !ends[1]; t->rows++)
    {
        void *parts[SAC_MAX_PARTS] = {observation, t->rows >= first ? t->numbers[t->rows] : NULL};
        sac_env_row row = {&action, parts, &reward, &ends[0], &ends[1]};
        assert_ok(t->rows == 0 ? sac_env_reset(env, seed, &row) : sac_env_step(env, &row));
        t->pictures[t->rows] = (uint32_t)crc32(0, observation, SIZE);
    }
}

static int count_there(const float *things, int count)
{
    int there = 0;
    while (there < count && things[5 * there] == 1) there++;
    for (int i = 5 * there; i < 5 * count; i++) assert_true(things[i] == 0);
    return there;
}

// Whether something of the step before has come here by its velocity, as the engine moves things before it tells of
// them.
static bool has_come(const float *thing, const float *before, int count)
{
    // places are of the size of the map, under 2048 units, and each is a difference of two, rounded to 24 bits
    const double off = 4 * 2048 / 16777216.0;
    for (int i = 0; i < count; i++)
    {
        const float *was = before + 5 * i;
        if (fabs((double)thing[1] - (double)was[1] - (double)thing[3]) <= off &&
            fabs((double)thing[2] - (double)was[2] - (double)thing[4]) <= off)
            return true;
    }
    return false;
}

// without an option: the player, fireballs and monsters, each with its velocity
TEST(objects_are_told_with_velocities)
{
    NEEDS_PEER;
    static told t;
    const sac_setting settings[] = {{"python", python}, {"skill", "4"}};
    sac_env *env;
    assert_ok(sac_env_create(&env, &(sac_env_def){.id = "take-cover", .settings = settings, .setting_count = 2}));
    const sac_env_spec *spec = sac_env_get_spec(env);
    assert_int_equal(spec->observation_count, 2);
    assert_true(spec->observations[1].privileged && spec->observations[1].shape[0] == NUMBERS);
    assert_int_equal(spec->column_count, 2);
    int balls_seen = 0, balls_come = 0, fast = 0, monsters_seen = 0, monsters_come = 0;
    for (uint64_t seed = 0; seed < 3; seed++)
    {
        watch(&t, env, seed, 0);
        assert_true(t.rows > 30);
        for (int i = 1; i < t.rows; i++)
        {
            const float *now = t.numbers[i], *before = t.numbers[i - 1];
            if (now[0] != before[0] || now[1] != before[1]) continue; // pushed by a hit: places are as seen from there
            int balls = count_there(now + 4, BALLS), there = count_there(before + 4, BALLS);
            for (int b = 0; b < balls; b++)
            {
                const float *ball = now + 4 + 5 * b;
                balls_seen++;
                balls_come += has_come(ball, before + 4, there);
                fast += hypotf(ball[3], ball[4]) > 5;
            }
            const float *monsters = now + MONSTERS_AT, *were = before + MONSTERS_AT;
            int count = count_there(monsters, MONSTERS), known = count_there(were, MONSTERS);
            for (int m = 0; m < count; m++) monsters_come += has_come(monsters + 5 * m, were, known);
            monsters_seen += count;
        }
    }
    // things come from nowhere in the step of their throw or their arrival alone
    assert_true(monsters_seen > 50 && balls_seen > 50 && fast == balls_seen);
    assert_true(balls_seen - balls_come <= balls_seen / 10 && monsters_seen - monsters_come <= 6);
    sac_env_destroy(env);
}

// Whoever asks late gets what was there all along, in an episode that goes on as if nothing had happened.
static void ask_at_any_step(const char *python, const char *variant)
{
    static told early, late, never;
    const sac_setting settings[] = {{"python", python}};
    const sac_env_def def = {.id = "take-cover", .variant = variant, .settings = settings, .setting_count = 1};
    sac_env *a, *b;
    assert_ok(sac_env_create(&a, &def));
    assert_ok(sac_env_create(&b, &def));
    watch(&early, a, 7, 0);
    watch(&never, b, 7, WATCHED + 1);
    watch(&late, b, 7, 20);
    assert_true(early.rows > 25);
    assert_int_equal(late.rows, early.rows);
    assert_int_equal(never.rows, early.rows);
    assert_memory_equal(late.pictures, early.pictures, sizeof early.pictures);
    assert_memory_equal(never.pictures, early.pictures, sizeof early.pictures);
    for (int i = 0; i < early.rows; i++)
    {
        if (i >= 20) assert_memory_equal(late.numbers[i], early.numbers[i], sizeof *early.numbers);
        assert_true(early.numbers[i][MONSTERS_AT] == 1);
    }
    watch(&late, b, 8, 0); // and in the next episode from its start
    watch(&early, a, 8, 0);
    assert_memory_equal(&late, &early, sizeof late);
    sac_env_destroy(a);
    sac_env_destroy(b);
}

TEST(objects_may_be_asked_for_at_any_step)
{
    NEEDS_PEER;
    ask_at_any_step(python, "walls");
    ask_at_any_step(python, "any=other"); // the engine that takes over plays the same scene
}

TEST(the_spec_needs_no_engine)
{
    sac_env *env = open_env("/nonexistent", "text", "released");
    const sac_env_spec *spec = sac_env_get_spec(env);
    assert_int_equal(spec->height * spec->width * spec->channels, SIZE);
    assert_int_equal(spec->action_choices, 3);
    assert_int_equal(spec->max_steps, 2100);
    uint8_t observation[SIZE], ends[2];
    double reward;
    sac_env_row row = {NULL, (void *const[SAC_MAX_PARTS]){observation}, &reward, &ends[0], &ends[1]};
    assert_fails(sac_env_reset(env, 1, &row), SAC_ERROR_ENVIRONMENT, "/nonexistent");
    sac_env_destroy(env);
    assert_fails(sac_env_create(&env, &(sac_env_def){.id = "take-cover", .variant = "wall"}), SAC_ERROR_ARGUMENT,
                 "unknown variant");
}

TESTS(recorded_episodes_come_out_to_the_last_pixel, variants_differ_in_the_picture_alone,
      any_draws_a_variant_for_each_episode, a_skip_is_the_same_action_again, skill_overrules_the_rules,
      objects_are_told_with_velocities, objects_may_be_asked_for_at_any_step, the_spec_needs_no_engine)

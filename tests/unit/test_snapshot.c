#include "saccade/env.h"

#include "base/memory.h"
#include "failing_memory.h"
#include "test.h"

/// Snapshots: a world that is put back goes on as it went on before, to the bit and to the end of its episode, in all
/// that can be observed of it, in any order, in any environment of the same def, and several at once.
/// $EPISODES sets how many episodes of each world are tried, whole ones then; `make check`: 100, which are 1,000
/// snapshots of each.

enum
{
    EPISODES = 2,  // where $EPISODES is not set, and they are cut short
    BRANCHES = 10, // snapshots of each episode
    LANES = 18,    // environments that are stepped at once, at most; CarRacing solves 16 together
    FEW_LANES = 4,
    HELD = 6, // steps that an action is held
    ACTIONS = 22
};

/// A world with its variant; what cuts its episodes short is an option of each kind of world.
static const struct
{
    const char *id, *variant;
    const char *key, *value; // an option; NULL: none
} worlds[] = {
    {"toy", "original", NULL, NULL},
    {"toy", "noise", NULL, NULL},
    {"car-racing", "original", NULL, NULL},
    {"car-racing", "original", "rules", "v0"},
    {"car-racing", "color", NULL, NULL},
    {"car-racing", "bars", NULL, NULL},
    {"car-racing", "blob", NULL, NULL},
    {"car-racing", "noise", NULL, NULL},
    {"car-racing", "video=procedural", NULL, NULL},
    {"car-racing", "fake-lane", NULL, NULL},
    {"car-racing", "any", NULL, NULL},
    {"car-racing", "original", "action_repeat", "3"},
    {"cheetah-run", "original", NULL, NULL},
    {"walker-walk", "original", NULL, NULL},
    {"cartpole-swingup", "original", NULL, NULL},
    {"ball-in-cup-catch", "original", NULL, NULL},
    {"reacher-easy", "original", NULL, NULL},
    {"finger-spin", "original", NULL, NULL},
    {"quadruped-walk", "original", NULL, NULL},
    {"cheetah-run", "camera:hard+color:hard+background:hard:dynamic", NULL, NULL},
    {"walker-walk", "background:medium:dynamic", NULL, NULL},
    {"cartpole-swingup", "camera:hard+color:hard+background:easy:dynamic", NULL, NULL},
    {"cartpole-swingup", "camera:hard+color:hard+background:easy:dynamic", "weakest", "0"},
    {"ball-in-cup-catch", "camera:easy+color:easy", NULL, NULL},
    {"reacher-easy", "camera:medium+color:medium+background:medium", "redraw", "40"},
    {"finger-spin", "camera:medium+color:medium+background:easy", NULL, NULL},
    {"quadruped-walk", "color:hard:dynamic", NULL, NULL},
    {"legs:flat", "original", NULL, NULL},
    {"legs:flat", "any", "action", "released"},
    {"legs:obstacles", "any", NULL, NULL},
    {"legs:stones", "original", NULL, NULL},
    {"legs:stones", "friction+mass+latency+camera+terrain", NULL, NULL},
    {"legs:stones", "any", "feet", "either"},
    {"legs:grid", "any", NULL, NULL},
    {"legs:stairs", "original", "instant", "true"},
    {"legs:stairs", "original", "period", "0.24"},
    {"rooms", "original", NULL, NULL},
    {"rooms", "furniture+doors+noise+camera+plan", "least_level", "4"},
    {"rooms", "noise", "plan", "tests/data/rooms.xml"},
    {"rooms", "camera+noise", "things", "8"},
    {"grasp", "original", NULL, NULL},
    {"grasp", "original", "things", "3"},
    {"grasp", "original", "noise", "1"},
    {"grasp", "original", "meshes", "tests/data/bracket.obj"},
};

enum
{
    WORLDS = sizeof worlds / sizeof *worlds,
    FIRST_CAR = 2,
    FIRST_CONTROL = 12,
    FIRST_LEGS = 27,
    FIRST_ROOMS = 36,
    FIRST_GRASP = 40
};

typedef struct seat
{
    sac_env *env;
    const sac_env_spec *spec;
    size_t bytes[SAC_MAX_PARTS];
    float action[ACTIONS];
    double reward;
    uint8_t terminated, truncated;
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} seat;

static bool is_whole(void)
{
    return getenv("EPISODES") != NULL;
}

static bool sit(seat *s, int w)
{
    *s = (seat){0};
    sac_setting settings[4];
    int count = 0;
    if (worlds[w].key) settings[count++] = (sac_setting){worlds[w].key, worlds[w].value};
    const char *side = w >= FIRST_GRASP ? "96" : "32";
    if (w >= FIRST_CONTROL) settings[count++] = (sac_setting){"height", side};
    if (w >= FIRST_CONTROL) settings[count++] = (sac_setting){"width", side};
    if (w >= FIRST_CONTROL && w < FIRST_LEGS && !is_whole()) settings[count++] = (sac_setting){"control_steps", "120"};
    if (w >= FIRST_LEGS && w < FIRST_ROOMS && !is_whole()) settings[count++] = (sac_setting){"seconds", "2"};
    if (w >= FIRST_ROOMS && w < FIRST_GRASP && !is_whole()) settings[count++] = (sac_setting){"steps", "50"};
    if (w >= FIRST_GRASP) settings[count++] = (sac_setting){"attempts", "6"};
    if (w >= FIRST_CAR && w < FIRST_CONTROL && !is_whole()) settings[count++] = (sac_setting){"max_steps", "50"};
    sac_status status = sac_env_create(&s->env, &(sac_env_def){worlds[w].id, worlds[w].variant, settings, count});
    if (status == SAC_ERROR_UNAVAILABLE) return false;
    assert_ok(status);
    s->spec = sac_env_get_spec(s->env);
    assert_true(s->spec->action_size <= ACTIONS);
    for (int i = 0; i < s->spec->observation_count; i++)
    {
        s->bytes[i] = sac_space_bytes(&s->spec->observations[i]);
        s->parts[i] = sac_alloc(s->bytes[i]);
        assert_non_null(s->parts[i]);
    }
    s->row = (sac_env_row){s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
    return true;
}

static void rise(seat *s)
{
    for (int i = 0; s->spec && i < s->spec->observation_count; i++) sac_free(s->parts[i]);
    sac_env_destroy(s->env);
}

// The action of a step is a function of the episode and the step alone. A car brakes little, or it would stand.
static void choose(seat *s, uint64_t seed, int step)
{
    sac_stream stream = sac_stream_create(seed, 77, (uint64_t)(step / HELD));
    for (int i = 0; i < s->spec->action_size; i++)
    {
        double low = fmax(-1, (double)s->spec->action_low[i]), high = fmin(1, (double)s->spec->action_high[i]);
        s->action[i] = (float)sac_stream_uniform(&stream, low, high);
    }
    if (s->spec->action_size == 3) s->action[2] *= 0.05F;
}

// Each step maps the hash one to one, so that a single word that differs is always seen.
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (; size > 0; at += sizeof(uint64_t))
    {
        uint64_t word = 0;
        size_t now = size < sizeof word ? size : sizeof word;
        memcpy(&word, at, now);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        size -= now;
    }
    return hash;
}

// of all that a step gives: every part, privileged ones too, reward and ends
static uint64_t outcome(const seat *s)
{
    uint64_t hash = hash_bytes(1, &s->reward, sizeof s->reward);
    for (int i = 0; i < s->spec->observation_count; i++) hash = hash_bytes(hash, s->parts[i], s->bytes[i]);
    return sac_mix_seed(hash, s->terminated, s->truncated);
}

static bool ended(const seat *s)
{
    return s->terminated || s->truncated;
}

/// An episode as it went.
typedef struct episode
{
    uint64_t seed;
    int steps;
    uint64_t *outcomes; // [steps]
} episode;

typedef struct branch
{
    const episode *episode;
    int step; // that comes next
    uint8_t *snapshot;
} branch;

// Plays an episode once and keeps what came of each step.
static void record(seat *s, episode *e, uint64_t seed)
{
    *e = (episode){.seed = seed, .outcomes = SAC_NEW_ARRAY(uint64_t, (size_t)s->spec->max_steps)};
    assert_non_null(e->outcomes);
    assert_ok(sac_env_reset(s->env, seed, &s->row));
    do
    {
        choose(s, seed, e->steps);
        assert_ok(sac_env_step(s->env, &s->row));
        e->outcomes[e->steps++] = outcome(s);
    } while (!ended(s));
}

// Plays it again, which nothing may change, and takes snapshots before random steps.
static void take_snapshots(seat *s, const episode *e, branch *branches)
{
    sac_stream stream = sac_stream_create(e->seed, 78, 0);
    for (int b = 0; b < BRANCHES; b++)
    {
        branches[b].episode = e;
        branches[b].step = (int)sac_stream_below(&stream, (uint32_t)e->steps);
    }
    assert_ok(sac_env_reset(s->env, e->seed, &s->row));
    for (int step = 0; step < e->steps; step++)
    {
        for (int b = 0; b < BRANCHES; b++)
            if (branches[b].step == step) assert_ok(sac_env_save(s->env, branches[b].snapshot));
        choose(s, e->seed, step);
        assert_ok(sac_env_step(s->env, &s->row));
        assert_int_equal(outcome(s), e->outcomes[step]);
    }
    assert_true(ended(s));
}

// Plays several branches at once to their ends, one in each lane, from wherever the lanes' environments are.
static void play(seat *lanes, branch *const *chosen, int count, size_t size)
{
    int next[LANES], who[LANES], active = count;
    for (int i = 0; i < count; i++)
    {
        assert_ok(sac_env_restore(lanes[i].env, chosen[i]->snapshot, size));
        next[i] = chosen[i]->step;
        who[i] = i;
    }
    while (active > 0)
    {
        sac_env *envs[LANES];
        sac_env_row rows[LANES];
        for (int k = 0; k < active; k++)
        {
            choose(&lanes[who[k]], chosen[who[k]]->episode->seed, next[who[k]]);
            envs[k] = lanes[who[k]].env, rows[k] = lanes[who[k]].row;
        }
        assert_ok(count == 1 ? sac_env_step(envs[0], &rows[0]) : sac_env_step_batch(envs, rows, active));
        int going = 0;
        for (int k = 0; k < active; k++)
        {
            int i = who[k];
            const episode *e = chosen[i]->episode;
            assert_int_equal(outcome(&lanes[i]), e->outcomes[next[i]++]);
            assert_int_equal(ended(&lanes[i]), next[i] == e->steps);
            if (next[i] < e->steps) who[going++] = i;
        }
        active = going;
    }
}

static void shuffle(branch **order, int count)
{
    sac_stream stream = sac_stream_create(79, 0, 0);
    for (int i = count - 1; i > 0; i--)
    {
        int other = (int)sac_stream_below(&stream, (uint32_t)i + 1);
        branch *b = order[i];
        order[i] = order[other], order[other] = b;
    }
}

// Every branch is played once, in no order, in groups of random sizes: a quarter of them alone.
static void play_all(seat *lanes, int room, branch *branches, int count, size_t size)
{
    branch **order = SAC_NEW_ARRAY(branch *, (size_t)count);
    assert_non_null(order);
    for (int b = 0; b < count; b++) order[b] = &branches[b];
    shuffle(order, count);
    sac_stream stream = sac_stream_create(80, 0, 0);
    for (int first = 0, group; first < count; first += group)
    {
        group = sac_stream_below(&stream, 4) == 0 ? 1 : 1 + (int)sac_stream_below(&stream, (uint32_t)room);
        group = group < count - first ? group : count - first;
        play(lanes, order + first, group, size);
    }
    sac_free(order);
}

static void check_world(int w)
{
    // 16 cars are solved together; the others' worlds are stepped one by one, and take long to make
    seat lanes[LANES];
    const int room = w < FIRST_CONTROL ? LANES : FEW_LANES;
    const char *asked = getenv("EPISODES");
    int episodes = asked ? atoi(asked) : EPISODES, count = episodes * BRANCHES, steps = 0;
    assert_true(episodes > 0);
    if (!sit(&lanes[0], w)) skip_without("MuJoCo (make mujoco)");
    for (int i = 1; i < room; i++) assert_true(sit(&lanes[i], w));
    size_t size = sac_env_snapshot_size(lanes[0].env);
    assert_true(size > 0);
    episode *all = SAC_NEW_ARRAY(episode, (size_t)episodes);
    branch *branches = SAC_NEW_ARRAY(branch, (size_t)count);
    for (int b = 0; b < count; b++) branches[b].snapshot = sac_alloc(size);

    for (int e = 0; e < episodes; e++)
    {
        record(&lanes[0], &all[e], 1000000 + (uint64_t)e);
        take_snapshots(&lanes[0], &all[e], branches + (ptrdiff_t)e * BRANCHES);
        steps += all[e].steps;
    }
    play_all(lanes, room, branches, count, size);
    if (asked)
        printf("%s, %s%s%s: %d snapshots of %zu bytes in %d episodes of %d steps in all\n", worlds[w].id,
               worlds[w].variant, worlds[w].key ? ", rules " : "", worlds[w].key ? worlds[w].value : "", count, size,
               episodes, steps);

    for (int b = 0; b < count; b++) sac_free(branches[b].snapshot);
    for (int e = 0; e < episodes; e++) sac_free(all[e].outcomes);
    sac_free(branches);
    sac_free(all);
    for (int i = 0; i < room; i++) rise(&lanes[i]);
}

TEST(branches_of_toy_end_in_the_same_bits)
{
    for (int w = 0; w < FIRST_CAR; w++) check_world(w);
}

TEST(branches_of_car_racing_end_in_the_same_bits)
{
    for (int w = FIRST_CAR; w < FIRST_CONTROL; w++) check_world(w);
}

TEST(branches_of_the_control_suite_end_in_the_same_bits)
{
    for (int w = FIRST_CONTROL; w < FIRST_LEGS; w++) check_world(w);
}

TEST(branches_of_robots_with_four_legs_end_in_the_same_bits)
{
    for (int w = FIRST_LEGS; w < FIRST_ROOMS; w++) check_world(w);
}

TEST(branches_of_rooms_end_in_the_same_bits)
{
    for (int w = FIRST_ROOMS; w < FIRST_GRASP; w++) check_world(w);
}

TEST(branches_of_grasps_end_in_the_same_bits)
{
    for (int w = FIRST_GRASP; w < WORLDS; w++) check_world(w);
}

// the episode after this one is drawn from where the random numbers stood
TEST(next_episode_is_the_same)
{
    for (int w = 0; w < WORLDS; w++)
    {
        seat s;
        if (!sit(&s, w)) continue;
        uint8_t *snapshot = sac_alloc(sac_env_snapshot_size(s.env));
        assert_ok(sac_env_reset(s.env, 5, &s.row));
        assert_ok(sac_env_save(s.env, snapshot));
        assert_ok(sac_env_reset(s.env, SAC_SEED_NEXT, &s.row));
        uint64_t expected = outcome(&s);
        assert_ok(sac_env_reset(s.env, 6, &s.row));
        assert_ok(sac_env_restore(s.env, snapshot, sac_env_snapshot_size(s.env)));
        assert_ok(sac_env_reset(s.env, SAC_SEED_NEXT, &s.row));
        assert_int_equal(outcome(&s), expected);
        sac_free(snapshot);
        rise(&s);
    }
}

TEST(picture_is_that_of_the_moment)
{
    static uint8_t before[64 * 64 * 3], after[64 * 64 * 3];
    for (int w = FIRST_CAR; w < WORLDS; w++)
    {
        seat s;
        if (!sit(&s, w)) continue;
        uint8_t *snapshot = sac_alloc(sac_env_snapshot_size(s.env));
        assert_ok(sac_env_reset(s.env, 5, &s.row));
        for (int step = 0; step < 7; step++)
        {
            choose(&s, 5, step);
            assert_ok(sac_env_step(s.env, &s.row));
        }
        assert_ok(sac_env_save(s.env, snapshot));
        assert_ok(sac_env_picture(s.env, before, 64, 64));
        assert_ok(sac_env_reset(s.env, 6, &s.row));
        assert_ok(sac_env_restore(s.env, snapshot, sac_env_snapshot_size(s.env)));
        assert_ok(sac_env_picture(s.env, after, 64, 64));
        if (memcmp(before, after, sizeof before) != 0) fail_msg("%s, %s", worlds[w].id, worlds[w].variant);
        sac_free(snapshot);
        rise(&s);
    }
}

TEST(saving_and_restoring_never_allocate)
{
    seat s;
    assert_true(sit(&s, 2));
    size_t size = sac_env_snapshot_size(s.env);
    uint8_t *snapshot = sac_alloc(size), *copy = sac_alloc(size);
    assert_ok(sac_env_reset(s.env, 5, &s.row));
    assert_ok(sac_env_save(s.env, snapshot));
    assert_ok(sac_env_reset(s.env, 6, &s.row));
    failing.until_failure = 0;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    sac_status saved = sac_env_save(s.env, copy), restored = sac_env_restore(s.env, snapshot, size);
    sac_set_allocator(NULL);
    assert_false(failing.failed);
    assert_int_equal(saved, SAC_OK);
    assert_int_equal(restored, SAC_OK);
    sac_free(snapshot);
    sac_free(copy);
    rise(&s);
}

TEST(bytes_of_another_world_are_refused)
{
    seat toy, noise, car;
    assert_true(sit(&toy, 0) && sit(&noise, 1) && sit(&car, 2));
    size_t size = sac_env_snapshot_size(toy.env);
    uint8_t *snapshot = sac_alloc(size);
    assert_fails(sac_env_save(toy.env, snapshot), SAC_ERROR_ARGUMENT, "reset comes before save");
    assert_ok(sac_env_reset(toy.env, 5, &toy.row));
    assert_ok(sac_env_save(toy.env, snapshot));
    assert_fails(sac_env_restore(noise.env, snapshot, size), SAC_ERROR_FORMAT, "no snapshot of this world");
    assert_fails(sac_env_restore(car.env, snapshot, size), SAC_ERROR_FORMAT, "no snapshot of this world");
    assert_fails(sac_env_restore(toy.env, snapshot, size - 1), SAC_ERROR_FORMAT, "no snapshot of this world");
    for (size_t i = 0; i < size; i++)
    {
        snapshot[i] ^= 1;
        assert_fails(sac_env_restore(toy.env, snapshot, size), SAC_ERROR_FORMAT, "no snapshot of this world");
        snapshot[i] ^= 1;
    }
    assert_ok(sac_env_restore(toy.env, snapshot, size));
    snapshot[0] ^= 1;
    assert_fails(sac_env_restore(toy.env, snapshot, size), SAC_ERROR_FORMAT, "no snapshot of this world");
    sac_free(snapshot);
    rise(&toy), rise(&noise), rise(&car);
}

TESTS(branches_of_toy_end_in_the_same_bits, branches_of_car_racing_end_in_the_same_bits,
      branches_of_the_control_suite_end_in_the_same_bits, branches_of_robots_with_four_legs_end_in_the_same_bits,
      branches_of_rooms_end_in_the_same_bits, branches_of_grasps_end_in_the_same_bits, next_episode_is_the_same,
      picture_is_that_of_the_moment, saving_and_restoring_never_allocate, bytes_of_another_world_are_refused)

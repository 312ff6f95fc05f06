#include "saccade/env.h"

#include "base/memory.h"
#include "failing_memory.h"
#include "test.h"

/// Snapshots: a world that is put back goes on as it went on before, to the bit, also in another environment of the
/// same def, in any order, and several at once. $EPISODES sets how many episodes of each world are tried; `make check`:
/// 100.

enum
{
    STEPS = 40,    // of an episode that is watched
    BRANCHES = 10, // snapshots of each episode
    AHEAD = 12,    // steps that are played again from each
    LANES = 4,
    ACTIONS = 16,
    SIDE = 32
};

static const struct
{
    const char *id, *variant;
    bool small; // takes a height and a width
} worlds[] = {
    {"toy", "original", false},
    {"toy", "noise", false},
    {"car-racing", "original", false},
    {"car-racing", "color", false},
    {"car-racing", "noise", false},
    {"car-racing", "video=procedural", false},
    {"cheetah-run", "original", true},
    {"walker-walk", "original", true},
    {"cartpole-swingup", "camera:hard+color:hard+background:easy:dynamic", true},
    {"ball-in-cup-catch", "camera:easy+color:easy", true},
    {"reacher-easy", "original", true},
    {"finger-spin", "camera:medium+color:medium+background:easy", true},
    {"quadruped-walk", "color:hard:dynamic", true},
};

enum
{
    WORLDS = sizeof worlds / sizeof *worlds
};

typedef struct seat
{
    sac_env *env;
    const sac_env_spec *spec;
    size_t size;
    uint8_t *picture;
    float action[ACTIONS];
    double reward;
    uint8_t terminated, truncated;
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} seat;

static bool sit(seat *s, int w)
{
    *s = (seat){0};
    static const sac_setting sides[] = {{"height", "32"}, {"width", "32"}};
    sac_env_def def = {worlds[w].id, worlds[w].variant, sides, worlds[w].small ? 2 : 0};
    sac_status status = sac_env_create(&s->env, &def);
    if (status == SAC_ERROR_UNAVAILABLE) return false;
    assert_ok(status);
    s->spec = sac_env_get_spec(s->env);
    s->size = (size_t)(s->spec->height * s->spec->width * s->spec->channels);
    s->picture = sac_alloc(s->size);
    s->parts[0] = s->picture;
    s->row = (sac_env_row){s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
    return true;
}

static void rise(seat *s)
{
    sac_env_destroy(s->env);
    sac_free(s->picture);
}

// the action of a step is a function of the episode and the step alone
static void choose(seat *s, uint64_t seed, int step)
{
    sac_stream stream = sac_stream_create(seed, 77, (uint64_t)step);
    for (int i = 0; i < s->spec->action_size; i++)
    {
        double low = fmax(-1, (double)s->spec->action_low[i]), high = fmin(1, (double)s->spec->action_high[i]);
        s->action[i] = (float)sac_stream_uniform(&stream, low, high);
    }
}

// of all that a step gives
static uint64_t outcome(const seat *s)
{
    uint64_t hash = 0, bits;
    memcpy(&bits, &s->reward, sizeof bits);
    for (size_t i = 0; i < s->size; i++) hash = (hash ^ s->picture[i]) * 0x100000001b3;
    return sac_mix_seed(hash, bits, (uint64_t)(s->terminated * 2 + s->truncated));
}

typedef struct branch
{
    uint64_t seed;
    int step, length;
    uint64_t outcomes[AHEAD];
    uint8_t *snapshot;
} branch;

// one episode with snapshots at random steps; returns how many steps it had
static void record(seat *s, branch *branches, uint64_t seed)
{
    uint64_t outcomes[STEPS];
    int steps = 0;
    sac_stream stream = sac_stream_create(seed, 78, 0);
    for (int b = 0; b < BRANCHES; b++)
        branches[b].seed = seed, branches[b].step = (int)sac_stream_below(&stream, STEPS - AHEAD);
    assert_ok(sac_env_reset(s->env, seed, &s->row));
    for (bool ended = false; steps < STEPS && !ended; steps++)
    {
        for (int b = 0; b < BRANCHES; b++)
            if (branches[b].step == steps) assert_ok(sac_env_save(s->env, branches[b].snapshot));
        choose(s, seed, steps);
        assert_ok(sac_env_step(s->env, &s->row));
        outcomes[steps] = outcome(s);
        ended = s->terminated || s->truncated;
    }
    for (int b = 0; b < BRANCHES; b++)
    {
        int left = steps - branches[b].step;
        branches[b].length = left < 0 ? 0 : left < AHEAD ? left : AHEAD;
        for (int i = 0; i < branches[b].length; i++) branches[b].outcomes[i] = outcomes[branches[b].step + i];
    }
}

// several branches at once, one in each lane, from wherever the lanes' environments are
static void play(seat lanes[LANES], const branch *const chosen[LANES], size_t size)
{
    for (int i = 0; i < LANES; i++)
        if (chosen[i]->length) assert_ok(sac_env_restore(lanes[i].env, chosen[i]->snapshot, size));
    for (int step = 0; step < AHEAD; step++)
    {
        sac_env *envs[LANES];
        sac_env_row rows[LANES];
        int who[LANES], count = 0;
        for (int i = 0; i < LANES; i++)
        {
            if (step >= chosen[i]->length) continue;
            choose(&lanes[i], chosen[i]->seed, chosen[i]->step + step);
            envs[count] = lanes[i].env, rows[count] = lanes[i].row, who[count++] = i;
        }
        assert_ok(sac_env_step_batch(envs, rows, count));
        for (int k = 0; k < count; k++) assert_int_equal(outcome(&lanes[who[k]]), chosen[who[k]]->outcomes[step]);
    }
}

static int episode_count(void)
{
    const char *asked = getenv("EPISODES");
    return asked ? atoi(asked) : 4;
}

static void check_world(int w)
{
    seat first, lanes[LANES];
    int episodes = episode_count(), count = episodes * BRANCHES;
    if (!sit(&first, w)) skip_without("MuJoCo (make mujoco)");
    for (int i = 0; i < LANES; i++) assert_true(sit(&lanes[i], w));
    size_t size = sac_env_snapshot_size(first.env);
    assert_true(size > 0);
    branch *branches = SAC_NEW_ARRAY(branch, (size_t)count);
    for (int b = 0; b < count; b++) branches[b].snapshot = sac_alloc(size);

    for (int e = 0; e < episodes; e++) record(&first, branches + e * BRANCHES, 1000000 + (uint64_t)e);
    sac_stream stream = sac_stream_create(79, 0, 0);
    for (int round = 0; round < count; round++)
    {
        const branch *chosen[LANES];
        for (int i = 0; i < LANES; i++)
            chosen[i] = &branches[i == 0 ? round : (int)sac_stream_below(&stream, (uint32_t)count)];
        play(lanes, chosen, size);
    }

    for (int b = 0; b < count; b++) sac_free(branches[b].snapshot);
    sac_free(branches);
    rise(&first);
    for (int i = 0; i < LANES; i++) rise(&lanes[i]);
}

TEST(branches_of_toy_end_in_the_same_bits)
{
    for (int w = 0; w < 2; w++) check_world(w);
}

TEST(branches_of_car_racing_end_in_the_same_bits)
{
    for (int w = 2; w < 6; w++) check_world(w);
}

TEST(branches_of_the_control_suite_end_in_the_same_bits)
{
    for (int w = 6; w < WORLDS; w++) check_world(w);
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
    for (int w = 2; w < WORLDS; w++)
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
      branches_of_the_control_suite_end_in_the_same_bits, next_episode_is_the_same, picture_is_that_of_the_moment,
      saving_and_restoring_never_allocate, bytes_of_another_world_are_refused)

#include "test.h"

#include "env/carracing/car_racing.h"
#include "env/worlds/built_in.h"
#include "saccade/env.h"

// Rules and promises of the environment beside its equality with Gymnasium.

enum
{
    OBSERVATION = 96 * 96 * 3,
    CARS = 21
};

typedef struct seat
{
    sac_env *env;
    float action[3];
    double reward;
    uint8_t terminated, truncated;
    uint8_t observation[OBSERVATION];
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} seat;

static void sit(seat *s, const sac_setting *settings, int count)
{
    sac_env_def def = {.id = "car-racing", .settings = settings, .setting_count = count};
    assert_ok(sac_env_create(&s->env, &def));
    s->parts[0] = s->observation;
    s->row = (sac_env_row){s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
}

static void steer(seat *s, int car, int step)
{
    sac_stream random = sac_stream_create(9, (uint64_t)car, (uint64_t)step / 7);
    s->action[0] = (float)sac_stream_uniform(&random, -1, 1);
    s->action[1] = (float)sac_stream_uniform(&random, 0, 1);
    s->action[2] = (float)sac_stream_uniform(&random, -1, 1);
    if (s->action[2] < 0.6f) s->action[2] = 0;
}

// cars stepped together are cars stepped alone: rewards, ends, states, pictures
TEST(a_batch_equals_single_steps)
{
    static seat alone[CARS], together[CARS];
    sac_env *envs[CARS];
    sac_env_row rows[CARS];
    for (int i = 0; i < CARS; i++)
    {
        sit(&alone[i], NULL, 0);
        sit(&together[i], NULL, 0);
        assert_ok(sac_env_reset(alone[i].env, (uint64_t)i, &alone[i].row));
        assert_ok(sac_env_reset(together[i].env, (uint64_t)i, &together[i].row));
        envs[i] = together[i].env;
    }
    for (int step = 0; step < 120; step++)
    {
        for (int i = 0; i < CARS; i++)
        {
            steer(&alone[i], i, step);
            steer(&together[i], i, step);
            rows[i] = together[i].row;
            assert_ok(sac_env_step(alone[i].env, &alone[i].row));
        }
        assert_ok(sac_env_step_batch(envs, rows, CARS));
        for (int i = 0; i < CARS; i++)
        {
            double a[7], b[7];
            sac_env_state(alone[i].env, a);
            sac_env_state(together[i].env, b);
            assert_memory_equal(a, b, sizeof a);
            assert_true(alone[i].reward == together[i].reward && alone[i].terminated == together[i].terminated);
            assert_memory_equal(alone[i].observation, together[i].observation, OBSERVATION);
        }
    }
    for (int i = 0; i < CARS; i++)
    {
        sac_env_destroy(alone[i].env);
        sac_env_destroy(together[i].env);
    }
}

// the same seed gives the same episode, whatever was played before
TEST(a_seed_decides_the_episode)
{
    static seat s;
    static uint8_t first[OBSERVATION];
    double state_then[7], state_now[7], total[2] = {0};
    sit(&s, NULL, 0);
    for (int round = 0; round < 2; round++)
    {
        assert_ok(sac_env_reset(s.env, 4, &s.row));
        if (round == 0) memcpy(first, s.observation, sizeof first);
        assert_memory_equal(first, s.observation, sizeof first);
        assert_true(s.reward == 0 && !s.terminated && !s.truncated);
        for (int step = 0; step < 60; step++)
        {
            steer(&s, 0, step);
            assert_ok(sac_env_step(s.env, &s.row));
            total[round] += s.reward;
        }
        sac_env_state(s.env, round == 0 ? state_then : state_now);
    }
    assert_memory_equal(state_then, state_now, sizeof state_now);
    assert_true(total[0] == total[1]);
    sac_env_destroy(s.env);
}

TEST(the_time_limit_truncates)
{
    static seat s;
    sit(&s, (sac_setting[]){{"max_steps", "5"}}, 1);
    assert_int_equal(sac_env_get_spec(s.env)->max_steps, 5);
    for (int episode = 0; episode < 2; episode++)
    {
        assert_ok(sac_env_reset(s.env, 1, &s.row));
        for (int step = 1; step <= 5; step++)
        {
            assert_ok(sac_env_step(s.env, &s.row));
            assert_int_equal(s.truncated, step == 5);
            assert_int_equal(s.terminated, 0);
        }
    }
    sac_env_destroy(s.env);
}

// an action that lasts for three steps is three steps with that action: rewards, ends, states and the last picture
TEST(a_repeated_action_is_several_steps)
{
    static seat once[CARS], thrice[CARS];
    sac_env *envs[CARS];
    sac_env_row rows[CARS];
    bool ended[CARS] = {0};
    for (int i = 0; i < CARS; i++)
    {
        sit(&once[i], (sac_setting[]){{"max_steps", "100"}}, 1);
        sit(&thrice[i], (sac_setting[]){{"max_steps", "100"}, {"action_repeat", "3"}}, 2);
        assert_int_equal(sac_env_get_spec(thrice[i].env)->max_steps, 34);
        assert_ok(sac_env_reset(once[i].env, (uint64_t)i, &once[i].row));
        assert_ok(sac_env_reset(thrice[i].env, (uint64_t)i, &thrice[i].row));
        envs[i] = thrice[i].env;
        rows[i] = thrice[i].row;
    }
    for (int step = 0; step < 34; step++)
    {
        for (int i = 0; i < CARS; i++) steer(&thrice[i], i, step);
        if (step == 20) thrice[3].action[0] = NAN;
        assert_ok(sac_env_step_batch(envs, rows, CARS));
        for (int i = 0; i < CARS; i++)
        {
            double sum = 0, a[7], b[7];
            if (ended[i]) continue;
            memcpy(once[i].action, thrice[i].action, sizeof once[i].action);
            for (int k = 0; k < 3 && !ended[i]; k++)
            {
                assert_ok(sac_env_step(once[i].env, &once[i].row));
                sum += once[i].reward;
                ended[i] = once[i].terminated || once[i].truncated;
            }
            sac_env_state(once[i].env, a);
            sac_env_state(thrice[i].env, b);
            assert_memory_equal(a, b, sizeof a);
            assert_true(thrice[i].reward == sum || (isnan(sum) && isnan(thrice[i].reward)));
            assert_true(thrice[i].terminated == once[i].terminated && thrice[i].truncated == once[i].truncated);
            assert_memory_equal(once[i].observation, thrice[i].observation, OBSERVATION);
        }
    }
    for (int i = 0; i < CARS; i++)
    {
        assert_true(ended[i]);
        sac_env_destroy(once[i].env);
        sac_env_destroy(thrice[i].env);
    }
}

// a car that stands on the start with `unvisited` other tiles left to visit and the start itself not yet visited
static bool ends_at_the_start(const char *rules, int unvisited)
{
    car_racing_config config = {.max_steps = 1000, .action_repeat = 1};
    strcpy(config.rules, rules);
    static seat s;
    s.parts[0] = s.observation;
    s.row = (sac_env_row){s.action, s.parts, &s.reward, &s.terminated, &s.truncated};
    void *self;
    assert_ok(sac_car_racing_ops.create(&self, &config, "original"));
    assert_ok(sac_car_racing_ops.reset(self, 2, &s.row));
    car_racing *car = self;
    int count = car->track.count;
    for (int i = 0; i < count; i++) car->ground.visited[i] = i > 0 && (i < 50 || i >= 50 + unvisited);
    car->ground.visited_count = count - 1 - unvisited;
    assert_ok(sac_car_racing_ops.step(self, &s.row));
    assert_int_equal(car->ground.visited_count, count - unvisited);
    sac_car_racing_ops.destroy(self);
    return s.terminated;
}

// v3: the start visited with more than 95 % of the tiles ends the lap; v0: nothing but all tiles does
TEST(a_lap_ends_by_the_rules)
{
    assert_true(ends_at_the_start("v3", 0));
    assert_true(ends_at_the_start("v3", 10));
    assert_false(ends_at_the_start("v3", 30));
    assert_true(ends_at_the_start("v0", 0));
    assert_false(ends_at_the_start("v0", 10));
}

// the view follows the velocity under v0; the world is the same
TEST(rules_change_no_physics)
{
    static seat s[2];
    double states[2][7];
    for (int i = 0; i < 2; i++)
    {
        sit(&s[i], (sac_setting[]){{"rules", i ? "v0" : "v3"}}, 1);
        assert_ok(sac_env_reset(s[i].env, 6, &s[i].row));
        for (int step = 0; step < 80; step++)
        {
            s[i].action[0] = 0.5f;
            s[i].action[1] = 1;
            assert_ok(sac_env_step(s[i].env, &s[i].row));
        }
        sac_env_state(s[i].env, states[i]);
        sac_env_destroy(s[i].env);
    }
    assert_memory_equal(states[0], states[1], sizeof *states);
    assert_memory_not_equal(s[0].observation, s[1].observation, OBSERVATION);
}

// a variant is another look at the same episode, and the same look again for the same seed
TEST(variants_change_only_the_picture)
{
    static seat s;
    static uint8_t original[OBSERVATION], first[OBSERVATION];
    double states[2][7];
    for (int v = 0; sac_car_racing_ops.variants[v]; v++)
    {
        const char *name = sac_car_racing_ops.variants[v];
        if (strncmp(name, "video", 5) == 0) name = "video=procedural";
        sac_env_def def = {.id = "car-racing", .variant = name};
        s.parts[0] = s.observation;
        s.row = (sac_env_row){s.action, s.parts, &s.reward, &s.terminated, &s.truncated};
        assert_ok(sac_env_create(&s.env, &def));
        for (int round = 0; round < 2; round++)
        {
            assert_ok(sac_env_reset(s.env, 6, &s.row));
            for (int step = 0; step < 60; step++)
            {
                steer(&s, 3, step);
                assert_ok(sac_env_step(s.env, &s.row));
            }
            sac_env_state(s.env, states[v > 0]);
            if (v == 0) memcpy(original, s.observation, sizeof original);
            if (round == 0) memcpy(first, s.observation, sizeof first);
            assert_memory_equal(first, s.observation, OBSERVATION);
            assert_memory_equal(states[0], states[v > 0], sizeof *states);
        }
        // fake-lane and the like may be out of view, but not these
        bool seen = strcmp(name, "bars") == 0 || strcmp(name, "color") == 0 || strcmp(name, "noise") == 0;
        if (seen) assert_memory_not_equal(original, first, OBSERVATION);
        sac_env_destroy(s.env);
    }
}

// an allocator that counts, and fails when told to

static int allocations, allowed;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (allocations++ >= allowed) return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

TEST(nothing_allocates_after_create)
{
    static const sac_allocator counting = {counting_allocate, counting_release, NULL};
    static seat s;
    allocations = 0, allowed = 1000000;
    sac_set_allocator(&counting);
    sit(&s, NULL, 0);
    assert_true(allocations > 0);
    allowed = 0;
    assert_ok(sac_env_reset(s.env, 3, &s.row));
    for (int step = 0; step < 300; step++)
    {
        steer(&s, 1, step);
        assert_ok(sac_env_step(s.env, &s.row));
    }
    sac_env_destroy(s.env);
    sac_set_allocator(NULL);
}

// create with the n-th allocation failing: an error with a sentence, and nothing kept (the sanitizers look)
TEST(create_survives_a_lack_of_memory)
{
    static const sac_allocator counting = {counting_allocate, counting_release, NULL};
    sac_set_allocator(&counting);
    sac_env *env = NULL;
    sac_env_def def = {.id = "car-racing"};
    for (allowed = 0; !env && allowed < 100; allowed++)
    {
        allocations = 0;
        sac_status status = sac_env_create(&env, &def);
        assert_true(status == SAC_OK || status == SAC_ERROR_MEMORY);
        assert_true((status == SAC_OK) == (env != NULL));
    }
    assert_true(allowed > 2 && env);
    sac_env_destroy(env);
    sac_set_allocator(NULL);
}

// whatever a policy says: the car takes infinities as far as its pedals go, and NaN ends the episode visibly
TEST(odd_actions_do_no_harm)
{
    static const float odd[] = {INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 7};
    static seat s;
    sit(&s, NULL, 0);
    for (uint64_t seed = 0; seed < 4; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        sac_stream random = sac_stream_create(seed, 1, 0);
        double values[7];
        for (int step = 0; step < 60 && !s.terminated; step++)
        {
            for (int i = 0; i < 3; i++) s.action[i] = odd[sac_stream_below(&random, 6)];
            assert_ok(sac_env_step(s.env, &s.row));
            sac_env_state(s.env, values);
            for (int i = 0; i < 7; i++) assert_true(isfinite(values[i]));
            assert_true(isfinite(s.reward));
        }
        s.action[seed % 3] = NAN;
        assert_ok(sac_env_step(s.env, &s.row));
        assert_true(isnan(s.reward) && s.terminated && !s.truncated);
        sac_env_state(s.env, values);
        for (int i = 0; i < 7; i++) assert_true(isfinite(values[i]));
        memset(s.action, 0, sizeof s.action);
    }
    sac_env_destroy(s.env);
}

TEST(bad_options_are_named)
{
    sac_env *env;
    sac_env_def def = {.id = "car-racing", .variant = "colour"};
    assert_fails(sac_env_create(&env, &def), SAC_ERROR_ARGUMENT, "colour");
    assert_null(env);
    sac_setting setting = {"rules", "v4"};
    def = (sac_env_def){.id = "car-racing", .settings = &setting, .setting_count = 1};
    assert_fails(sac_env_create(&env, &def), SAC_ERROR_ARGUMENT, "v4");
}

TESTS(a_batch_equals_single_steps, a_seed_decides_the_episode, the_time_limit_truncates,
      a_repeated_action_is_several_steps, a_lap_ends_by_the_rules, rules_change_no_physics,
      variants_change_only_the_picture, nothing_allocates_after_create, create_survives_a_lack_of_memory,
      odd_actions_do_no_harm, bad_options_are_named)

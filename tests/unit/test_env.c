#include "saccade/env.h"
#include "saccade/train.h"
#include "test.h"

/// The environment layer, met by worlds of one's own: well made, and made as people make their first.

enum
{
    SIDE = 16,
    STEPS = 7
};

static const float low[] = {-1}, high[] = {1};

/// What the next created world does; each test sets what it needs.
static struct
{
    sac_status create, reset, step, picture;
    const char *sentence;    // NULL: it fails without a word
    int end_at;              // terminates with this step; 0: never
    volatile int *interrupt; // set with step interrupt_at
    int interrupt_at;
    sac_env_spec spec;
} script;

typedef struct own
{
    int step;
    uint64_t seed;
} own;

static const sac_env_spec good_spec = {.height = SIDE,
                                       .width = SIDE,
                                       .channels = 3,
                                       .action_size = 1,
                                       .action_low = low,
                                       .action_high = high,
                                       .max_steps = STEPS};

static sac_status say(sac_status status)
{
    return status && script.sentence ? sac_fail(status, "own: %s", script.sentence) : status;
}

static sac_status own_create(void **self, const void *config, const char *variant)
{
    (void)config, (void)variant;
    if (script.create) return say(script.create);
    *self = calloc(1, sizeof(own));
    return SAC_OK;
}

static void own_spec(const void *self, sac_env_spec *spec)
{
    (void)self;
    *spec = script.spec;
}

static sac_status own_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    *(own *)self = (own){.seed = seed};
    memset(row->parts[0], (int)(seed & 255), SIDE * SIDE * 3);
    return say(script.reset);
}

// writes what it must and never says that an episode is over, unless it terminates
static sac_status own_step(void *self, const sac_env_row *row)
{
    own *o = self;
    o->step++;
    if (o->step % 2) *row->reward = 1;
    if (o->step == script.end_at) *row->terminated = 1;
    if (script.interrupt && o->step == script.interrupt_at) *script.interrupt = 1;
    assert_true(!script.interrupt || o->step <= script.interrupt_at);
    return say(script.step);
}

static sac_status own_step_batch(void *const *selves, const sac_env_row *rows, int count)
{
    for (int i = 0; i < count; i++) (void)own_step(selves[i], &rows[i]);
    return say(script.step);
}

static const sac_env_column own_columns[] = {
    {"step", SAC_COLUMN_INT}, {"odd", SAC_COLUMN_FLAG}, {"twos", SAC_COLUMN_COUNT}};

static void own_state(const void *self, double *values)
{
    const own *o = self;
    values[0] = o->step;
    values[1] = (double)(o->seed % 2);
    values[2] = o->step / 2; // NOLINT(bugprone-integer-division): whole twos
}

static sac_status own_picture(void *self, uint8_t *rgb, int height, int width)
{
    (void)self, (void)rgb, (void)height, (void)width;
    return say(script.picture);
}

static void own_destroy(void *self)
{
    free(self);
}

static const sac_env_ops one_by_one = {.name = "own",
                                       .create = own_create,
                                       .spec = own_spec,
                                       .reset = own_reset,
                                       .step = own_step,
                                       .state = own_state,
                                       .picture = own_picture,
                                       .destroy = own_destroy};
static const sac_env_ops batched = {.name = "own-batched",
                                    .create = own_create,
                                    .spec = own_spec,
                                    .reset = own_reset,
                                    .step = own_step,
                                    .step_batch = own_step_batch,
                                    .destroy = own_destroy};
static const char *const worlds[] = {"own", "own-batched"};

static void begin(void)
{
    static bool registered;
    if (!registered) assert_ok(sac_env_register(&one_by_one));
    if (!registered) assert_ok(sac_env_register(&batched));
    registered = true;
    memset(&script, 0, sizeof script);
    script.spec = good_spec;
}

typedef struct seat
{
    float action;
    uint8_t observation[SIDE * SIDE * 3], terminated, truncated;
    double reward;
    void *parts[SAC_MAX_PARTS];
} seat;

static sac_env_row row_of(seat *s)
{
    s->parts[0] = s->observation;
    return (sac_env_row){&s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
}

TEST(a_world_that_never_ends_is_truncated_after_its_steps)
{
    for (int which = 0; which < 2; which++)
    {
        begin();
        sac_env *env;
        seat s = {0};
        sac_env_row row = row_of(&s);
        assert_ok(sac_env_create(&env, &(sac_env_def){.id = worlds[which]}));
        for (uint64_t episode = 0; episode < 3; episode++)
        {
            assert_ok(sac_env_reset(env, episode, &row));
            for (int step = 1; step <= STEPS; step++)
            {
                assert_ok(sac_env_step(env, &row));
                assert_int_equal(s.truncated, step == STEPS);
                assert_int_equal(s.terminated, 0);
                // a reward that the world did not write is 0 and not the last one
                assert_true(s.reward == step % 2);
            }
        }
        sac_env_destroy(env);
    }
}

TEST(a_batch_is_truncated_each_by_its_own_steps)
{
    for (int which = 0; which < 2; which++)
    {
        begin();
        sac_env *envs[3];
        seat seats[3] = {0};
        sac_env_row rows[3];
        for (int i = 0; i < 3; i++)
        {
            rows[i] = row_of(&seats[i]);
            assert_ok(sac_env_create(&envs[i], &(sac_env_def){.id = worlds[which]}));
            assert_ok(sac_env_reset(envs[i], 1, &rows[i]));
            for (int step = 0; step < i; step++) assert_ok(sac_env_step(envs[i], &rows[i]));
        }
        for (int step = 1; step <= STEPS - 2; step++) assert_ok(sac_env_step_batch(envs, rows, 3));
        for (int i = 0; i < 3; i++) assert_int_equal(seats[i].truncated, i == 2);
        assert_ok(sac_env_step_batch(envs, rows, 2));
        for (int i = 0; i < 2; i++) assert_int_equal(seats[i].truncated, i == 1);
        for (int i = 0; i < 3; i++) sac_env_destroy(envs[i]);
    }
}

TEST(an_end_in_the_last_step_stays_an_end)
{
    begin();
    script.end_at = STEPS;
    sac_env *env;
    seat s = {0};
    sac_env_row row = row_of(&s);
    assert_ok(sac_env_create(&env, &(sac_env_def){.id = "own"}));
    assert_ok(sac_env_reset(env, 0, &row));
    for (int step = 0; step < STEPS; step++) assert_ok(sac_env_step(env, &row));
    assert_int_equal(s.terminated, 1);
    assert_int_equal(s.truncated, 0);
    sac_env_destroy(env);
}

static sac_policy *fitting_policy(void)
{
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = (const sac_setting[]){{"top", "2"}},
                          .setting_count = 1,
                          .height = SIDE,
                          .width = SIDE,
                          .channels = 3,
                          .action_size = 1,
                          .action_low = low,
                          .action_high = high};
    sac_policy *policy;
    assert_ok(sac_policy_create(&policy, &def));
    return policy;
}

TEST(an_evaluation_in_a_world_that_never_ends_ends)
{
    begin();
    sac_policy *policy = fitting_policy();
    sac_episode episodes[5];
    assert_ok(sac_evaluate(policy, &(sac_env_def){.id = "own"}, 0, 5, 2, episodes));
    for (int i = 0; i < 5; i++)
    {
        assert_int_equal(episodes[i].steps, STEPS);
        assert_true(episodes[i].episode_return == 4);
    }
    sac_policy_destroy(policy);
}

// the same episodes as one after another, in the order of the list, for any number of threads
TEST(an_evaluation_takes_a_list_in_its_order)
{
    static const uint64_t seeds[] = {7, 1, 12345678901, 1, 0};
    const sac_setting settings[] = {{"max_steps", "9"}};
    const sac_env_def toy = {.id = "toy", .settings = settings, .setting_count = 1};
    static const float lows[] = {-1, -1}, highs[] = {1, 1};
    sac_policy_def def = {.kind = "attention-agent",
                          .height = 32,
                          .width = 32,
                          .channels = 3,
                          .action_size = 2,
                          .action_low = lows,
                          .action_high = highs};
    sac_policy *policy;
    assert_ok(sac_policy_create(&policy, &def));
    for (int threads = 1; threads <= 3; threads++)
    {
        sac_episode list[5], single;
        assert_ok(sac_evaluate_seeds(&(sac_evaluation_def){policy, &toy, seeds, 5, threads, NULL, NULL}, list));
        for (int i = 0; i < 5; i++)
        {
            assert_ok(sac_evaluate(policy, &toy, seeds[i], 1, 1, &single));
            assert_true(list[i].seed == seeds[i] && list[i].steps == 9);
            assert_true(list[i].episode_return == single.episode_return);
        }
        assert_true(list[0].episode_return != list[1].episode_return);
    }
    sac_policy_destroy(policy);
}

TEST(an_evaluation_counts_what_columns_say_in_the_end)
{
    enum
    {
        EPISODES = 5,
        COLUMNS = 3
    };
    const uint64_t seeds[EPISODES] = {4, 7, 5, 8, 7};
    sac_policy *policy = fitting_policy();
    for (int threads = 1; threads <= 3; threads++)
        for (int end = 4; end <= STEPS; end++) // by itself, or by its most steps
        {
            begin();
            script.end_at = end;
            script.spec.columns = own_columns;
            script.spec.column_count = COLUMNS;
            double ends[EPISODES][COLUMNS];
            sac_episode episodes[EPISODES];
            const sac_evaluation_def def = {policy, &(sac_env_def){.id = "own"}, seeds, EPISODES, threads, NULL,
                                            ends[0]};
            assert_ok(sac_evaluate_seeds(&def, episodes));
            for (int i = 0; i < EPISODES; i++)
            {
                assert_true(ends[i][0] == end && ends[i][1] == (double)(seeds[i] % 2));
                assert_true(ends[i][2] == end / 2); // NOLINT(bugprone-integer-division): whole twos
            }
            assert_true(sac_count_of(&script.spec, 0, ends[0], EPISODES) == 0);
            assert_true(sac_count_of(&script.spec, 1, ends[0], EPISODES) == 3);
            assert_true(sac_count_of(&script.spec, 2, ends[0], EPISODES) == EPISODES * (end / 2));
        }
    sac_policy_destroy(policy);
}

TEST(an_evaluation_ends_when_it_is_told)
{
    begin();
    script.spec.max_steps = 1 << 30; // hours
    sac_policy *policy = fitting_policy();
    sac_episode episode;
    volatile int interrupt = 0;
    script.interrupt = &interrupt;
    script.interrupt_at = 1000;
    const sac_evaluation_def def = {policy, &(sac_env_def){.id = "own"}, (const uint64_t[]){3}, 1, 1, script.interrupt,
                                    NULL};
    assert_int_equal(sac_evaluate_seeds(&def, &episode), SAC_ERROR_INTERRUPTED);
    sac_policy_destroy(policy);
}

TEST(its_own_sentence_reaches_the_caller)
{
    begin();
    script.create = SAC_ERROR_UNAVAILABLE;
    script.sentence = "the camera is not plugged in,\nsee the manual";
    sac_env *env;
    assert_int_equal(sac_env_create(&env, &(sac_env_def){.id = "own"}), SAC_ERROR_UNAVAILABLE);
    assert_null(env);
    assert_string_equal(sac_last_error(), "own: the camera is not plugged in,?see the manual");

    begin();
    script.sentence = "the arm is stuck";
    seat s = {0};
    sac_env_row row = row_of(&s);
    assert_ok(sac_env_create(&env, &(sac_env_def){.id = "own"}));
    assert_ok(sac_env_reset(env, 0, &row));
    script.step = SAC_ERROR_ENVIRONMENT;
    assert_int_equal(sac_env_step(env, &row), SAC_ERROR_ENVIRONMENT);
    assert_string_equal(sac_last_error(), "own: the arm is stuck");
    sac_env_destroy(env);

    // from a thread of an evaluation, too
    begin();
    script.sentence = "the arm is stuck again";
    script.step = SAC_ERROR_ENVIRONMENT;
    sac_policy *policy = fitting_policy();
    sac_episode episodes[4];
    assert_int_equal(sac_evaluate(policy, &(sac_env_def){.id = "own"}, 0, 4, 2, episodes), SAC_ERROR_ENVIRONMENT);
    assert_string_equal(sac_last_error(), "own: the arm is stuck again");
    sac_policy_destroy(policy);
}

// a failure without a word is not explained by somebody else's last sentence, and every status is one of the list
TEST(a_silent_failure_says_where_and_nothing_false)
{
    sac_env *env;
    assert_int_equal(sac_env_create(&env, &(sac_env_def){.id = "no such world"}), SAC_ERROR_ARGUMENT);
    begin();
    script.create = SAC_ERROR_MEMORY;
    assert_int_equal(sac_env_create(&env, &(sac_env_def){.id = "own"}), SAC_ERROR_MEMORY);
    assert_string_equal(sac_last_error(), "own: create failed with status 2 (out of memory) and gave no reason");

    begin();
    seat s = {0};
    sac_env_row row = row_of(&s);
    assert_ok(sac_env_create(&env, &(sac_env_def){.id = "own"}));
    script.reset = (sac_status)-1;
    assert_int_equal(sac_env_reset(env, 0, &row), SAC_ERROR_ENVIRONMENT);
    assert_string_equal(sac_last_error(), "own: reset failed with status -1 (unknown status) and gave no reason");
    script.reset = SAC_OK;
    assert_ok(sac_env_reset(env, 0, &row));
    script.step = (sac_status)42;
    assert_int_equal(sac_env_step(env, &row), SAC_ERROR_ENVIRONMENT);
    assert_string_equal(sac_last_error(), "own: step failed with status 42 (unknown status) and gave no reason");
    uint8_t rgb[12];
    script.picture = SAC_ERROR_FILE;
    assert_int_equal(sac_env_picture(env, rgb, 2, 2), SAC_ERROR_FILE);
    assert_non_null(strstr(sac_last_error(), "own: picture failed with status 3"));
    sac_env_destroy(env);
}

TEST(a_spec_that_nothing_can_drive_is_refused)
{
    static const float infinite[] = {INFINITY}, over[] = {2};
    const struct
    {
        sac_env_spec spec;
        const char *words;
    } cases[] = {
        {{.height = 0}, "has the shape [0, 16, 3], expected 1 to 16384 pixels a side"},
        {{.channels = -1}, "has the shape [16, 16, -1]"},
        {{.max_steps = 0}, "spec.max_steps is 0, expected 1 at least"},
        {{.action_size = 0}, "spec.action_size is 0"},
        {{.action_choices = -2}, "action_choices -2"},
        {{.action_low = NULL}, "spec.action_low and action_high are needed"},
        {{.action_high = infinite}, "number 0 of an action lies in -1..inf"},
        {{.action_low = over}, "number 0 of an action lies in 2..1"},
        {{.column_count = 3}, "spec.column_count is 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        begin();
        const sac_env_spec *c = &cases[i].spec;
        sac_env_spec *spec = &script.spec;
        switch (i)
        {
        case 0: spec->height = c->height; break;
        case 1: spec->channels = c->channels; break;
        case 2: spec->max_steps = c->max_steps; break;
        case 3: spec->action_size = c->action_size; break;
        case 4: spec->action_choices = c->action_choices; break;
        case 5: spec->action_low = c->action_low; break;
        case 6: spec->action_high = c->action_high; break;
        case 7: spec->action_low = c->action_low; break;
        default: spec->column_count = c->column_count; break;
        }
        sac_env *env;
        assert_int_equal(sac_env_create(&env, &(sac_env_def){.id = "own"}), SAC_ERROR_ENVIRONMENT);
        assert_null(env);
        if (!strstr(sac_last_error(), cases[i].words)) fail_msg("'%s' in '%s'", cases[i].words, sac_last_error());
    }
}

TEST(a_choice_needs_no_bounds)
{
    begin();
    script.spec.action_choices = 5;
    script.spec.action_low = script.spec.action_high = NULL;
    sac_env *env;
    assert_ok(sac_env_create(&env, &(sac_env_def){.id = "own"}));
    assert_true(sac_env_get_spec(env)->action_low[0] == 0 && sac_env_get_spec(env)->action_high[0] == 4);
    sac_env_destroy(env);
}

TEST(a_table_that_lacks_something_is_refused)
{
    static const sac_option options[] = {{"size", SAC_OPTION_INT, 8, "3", 0, 0, NULL, "an int at byte 8"}, {0}};
    sac_env_ops ops = one_by_one;
    begin();
    ops.name = NULL;
    assert_int_equal(sac_env_register(&ops), SAC_ERROR_ARGUMENT);
    assert_string_equal(sac_last_error(), "an environment has no name");
    ops.name = "two words";
    assert_int_equal(sac_env_register(&ops), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "no spaces"));
    ops.name = "toy";
    assert_int_equal(sac_env_register(&ops), SAC_ERROR_ARGUMENT);
    assert_string_equal(sac_last_error(), "environment 'toy': the name is taken");
    ops.name = "lacking";
    ops.step = NULL;
    assert_int_equal(sac_env_register(&ops), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "environment 'lacking' has no step"));
    ops.step = own_step;
    ops.options = options;
    ops.config_size = 8;
    assert_int_equal(sac_env_register(&ops), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "config_size is 8, its options reach to byte 12"));
    ops.config_size = 12;
    ops.name = "many:";
    assert_int_equal(sac_env_register(&ops), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "needs a text option 'name'"));
    assert_null(sac_env_find("lacking"));
    assert_null(sac_env_find("many:more"));
}

TESTS(a_world_that_never_ends_is_truncated_after_its_steps, a_batch_is_truncated_each_by_its_own_steps,
      an_end_in_the_last_step_stays_an_end, an_evaluation_in_a_world_that_never_ends_ends,
      an_evaluation_takes_a_list_in_its_order, an_evaluation_counts_what_columns_say_in_the_end,
      an_evaluation_ends_when_it_is_told, its_own_sentence_reaches_the_caller,
      a_silent_failure_says_where_and_nothing_false, a_spec_that_nothing_can_drive_is_refused, a_choice_needs_no_bounds,
      a_table_that_lacks_something_is_refused)

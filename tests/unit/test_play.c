#include "play/play.h"

#include <math.h>

#include "base/error.h"

#include "failing_memory.h"
#include "scratch.h"
#include "test.h"

/// Parts of observations: what a world lists, what a policy takes, and whether the two fit.

enum
{
    SIDE = 64,
    NUMBERS = 3
};

static const float nearest[] = {2}, farthest[] = {6};
static const sac_space all_parts[] = {
    {.name = "left", .kind = SAC_SPACE_PICTURE, .shape = {SIDE, SIDE, 3}},
    {.name = "right", .kind = SAC_SPACE_PICTURE, .shape = {SIDE, SIDE, 3}},
    {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {SIDE, SIDE}, .low = nearest, .high = farthest},
    {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {NUMBERS}},
    {.name = "secret", .kind = SAC_SPACE_VECTOR, .shape = {NUMBERS}, .privileged = true},
};

enum
{
    PARTS = sizeof all_parts / sizeof *all_parts
};

/// What the world of these tests offers and was asked for.
static struct
{
    const sac_space *parts;
    int count;
    bool wanted[PARTS];
    float number; // of the state
} script;

static sac_status world_create(void **self, const void *config, const char *variant)
{
    (void)config, (void)variant;
    *self = &script;
    return SAC_OK;
}

static void world_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {-1, -1}, high[] = {1, 1};
    (void)self;
    *spec = (sac_env_spec){.observations = script.parts,
                           .observation_count = script.count,
                           .action_size = 2,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = 9};
}

static void fill(void *part, const sac_space *space, int value)
{
    if (space->kind == SAC_SPACE_PICTURE)
        memset(part, 40 * value, sac_space_bytes(space));
    else
        for (size_t i = 0; i < sac_space_size(space); i++) ((float *)part)[i] = (float)value + script.number;
}

static sac_status world_step(void *self, const sac_env_row *row)
{
    (void)self;
    for (int i = 0; i < script.count; i++)
    {
        script.wanted[i] = row->parts[i] != NULL;
        if (row->parts[i]) fill(row->parts[i], &script.parts[i], i + 1);
    }
    return SAC_OK;
}

static sac_status world_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    (void)seed;
    return world_step(self, row);
}

static void world_destroy(void *self)
{
    (void)self;
}

static const sac_env_ops world_ops = {.name = "parts",
                                      .create = world_create,
                                      .spec = world_spec,
                                      .reset = world_reset,
                                      .step = world_step,
                                      .destroy = world_destroy};

static const sac_env_def world = {.id = "parts"};

static void begin(void)
{
    static bool registered;
    script.parts = all_parts;
    script.count = PARTS;
    script.number = 0;
    if (!registered) assert_ok(sac_env_register(&world_ops));
    registered = true;
}

// a policy for the world by "key=value" settings
static sac_status make(sac_policy **policy, const char *kind, const char *inputs, bool teacher)
{
    sac_env *env;
    const sac_setting settings[] = {
        {"inputs", inputs}, {"teacher", teacher ? "true" : "false"}, {"normaliser", "false"}};
    assert_ok(sac_env_create(&env, &world));
    sac_status status = sac_policy_create_for(policy, env, kind, settings, 3);
    sac_env_destroy(env);
    return status;
}

static void draw(sac_policy **policy)
{
    static float parameters[1 << 16];
    sac_policy *drawn;
    assert_in_range(sac_policy_parameter_count(*policy), 1, 1 << 16);
    sac_policy_draw(*policy, 3, parameters);
    assert_ok(sac_policy_create_with(&drawn, *policy, parameters));
    sac_policy_destroy(*policy);
    *policy = drawn;
}

TEST(a_policy_takes_what_it_names_and_nothing_else_is_computed)
{
    static const struct
    {
        const char *kind, *inputs, *taken;
        bool teacher;
    } cases[] = {
        {"attention-agent", "", "left", false},
        {"cnn", "", "left", false},
        {"mlp", "", "state", false},
        {"mlp", "", "state", true}, // a teacher is told what everyone is told, where there is such a thing
        {"mlp", "secret", "secret", true},
        {"attention-agent", "right state", "right state", false},
        {"attention-agent", "state right", "state right", false},
        {"iap-trans", "depth", "depth", false},
        {"cnn", "state depth secret", "state depth secret", true},
    };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        sac_policy *policy;
        assert_ok(make(&policy, cases[i].kind, cases[i].inputs, cases[i].teacher));
        const sac_policy_def *def = sac_policy_get_def(policy);
        char taken[64] = "";
        for (int k = 0; k < def->input_count; k++)
            sprintf(taken + strlen(taken), "%s%s", k ? " " : "", def->inputs[k].name);
        assert_string_equal(taken, cases[i].taken);
        sac_play play;
        assert_ok(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS));
        assert_ok(sac_play_reset(&play, 1));
        for (int k = 0; k < PARTS; k++)
            assert_int_equal(script.wanted[k], sac_space_find(def->inputs, def->input_count, all_parts[k].name) >= 0);
        sac_play_close(&play);
        sac_policy_destroy(policy);
    }
}

TEST(what_does_not_fit_is_named)
{
    sac_policy *policy;
    begin();
    assert_fails(make(&policy, "attention-agent", "lft", false), SAC_ERROR_ARGUMENT,
                 "no part 'lft', did you mean 'left'?");
    assert_fails(make(&policy, "mlp", "secret", false), SAC_ERROR_ARGUMENT, "'secret' of parts is privileged");
    assert_fails(make(&policy, "mlp", "state left", false), SAC_ERROR_ARGUMENT, "its input 'left' is a picture");
    assert_fails(make(&policy, "cnn", "left depth", false), SAC_ERROR_ARGUMENT, "looks at one picture");
    assert_fails(make(&policy, "cnn", "state", false), SAC_ERROR_ARGUMENT, "looks at one picture");
    assert_fails(make(&policy, "mlp", "state state", false), SAC_ERROR_ARGUMENT, "stands there twice");

    // a world that has changed since the policy was made
    sac_play play;
    assert_ok(make(&policy, "mlp", "secret", true));
    sac_space other[PARTS];
    memcpy(other, all_parts, sizeof other);
    script.parts = other;
    other[4].shape[0] = NUMBERS + 1;
    assert_fails(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS), SAC_ERROR_ARGUMENT,
                 "takes 'secret 3 numbers', but parts shows 'secret 4 numbers'");
    sac_play_close(&play);
    other[4].name = "other";
    assert_fails(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS), SAC_ERROR_ARGUMENT,
                 "which parts does not show");
    sac_play_close(&play);
    sac_policy_destroy(policy);
    // what was open to all when the policy was made is for teachers now
    script.parts = all_parts;
    assert_ok(make(&policy, "mlp", "state", false));
    memcpy(other, all_parts, sizeof other);
    other[3].privileged = true;
    script.parts = other;
    assert_fails(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS), SAC_ERROR_ARGUMENT, "privileged in parts");
    sac_play_close(&play);
    sac_policy_destroy(policy);
}

TEST(worlds_whose_parts_make_no_sense_are_refused)
{
    const struct
    {
        sac_space space;
        const char *words;
    } cases[] = {
        {{.name = "left", .kind = SAC_SPACE_PICTURE, .shape = {4, 4, 3}}, "two parts are called 'left'"},
        {{.name = "", .kind = SAC_SPACE_VECTOR, .shape = {4}}, "part 1 is called ''"},
        {{.name = "a b", .kind = SAC_SPACE_VECTOR, .shape = {4}}, "part 1 is called 'a b'"},
        {{.name = "v", .kind = SAC_SPACE_VECTOR, .shape = {0}}, "part 'v' has the shape [0, 0, 0]"},
        {{.name = "v", .kind = SAC_SPACE_VECTOR, .shape = {4, 4}}, "part 'v' has the shape [4, 4, 0]"},
        {{.name = "c", .kind = SAC_SPACE_CHOICE}, "part 'c'"},
        {{.name = "d", .kind = SAC_SPACE_DEPTH, .shape = {4, 4}, .low = farthest, .high = nearest}, "in 6..2"},
        {{.name = "d", .kind = SAC_SPACE_DEPTH, .shape = {4, 4, 3}}, "part 'd' has the shape [4, 4, 3]"},
        {{.name = "f", .kind = SAC_SPACE_FLOATS, .shape = {4, 4, 65}}, "part 'f' has the shape [4, 4, 65]"},
        {{.name = "f", .kind = SAC_SPACE_FLOATS, .shape = {4, 4, 3}, .low = farthest, .high = nearest}, "in 6..2"},
    };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const sac_space parts[] = {all_parts[0], cases[i].space};
        script.parts = parts;
        script.count = 2;
        sac_env *env;
        assert_fails(sac_env_create(&env, &world), SAC_ERROR_ENVIRONMENT, cases[i].words);
        assert_null(env);
    }
    script.parts = &all_parts[4];
    script.count = 1;
    sac_env *env;
    assert_fails(sac_env_create(&env, &world), SAC_ERROR_ENVIRONMENT, "privileged, so that a policy sees nothing");
}

// the numbers reach the controller behind the features, and one that is not finite counts as 0
TEST(numbers_reach_the_controller)
{
    static const char *const kinds[] = {"attention-agent", "iap-trans", "cnn", "mlp"};
    begin();
    for (int k = 0; k < 4; k++)
    {
        sac_policy *policy;
        assert_ok(make(&policy, kinds[k], k < 3 ? "left state" : "state", false));
        draw(&policy);
        sac_play play;
        assert_ok(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS));
        assert_ok(sac_play_reset(&play, 1));
        float first[2], second[2];
        sac_gaze gaze;
        for (int round = 0; round < 3; round++)
        {
            script.number = round == 2 ? NAN : (float)round;
            sac_policy_state_reset(play.state);
            assert_ok(sac_play_step(&play));
            assert_ok(sac_play_decide(&play));
            sac_policy_gaze(play.state, &gaze);
            const float *told = gaze.told + gaze.told_count - NUMBERS;
            for (int i = 0; i < NUMBERS; i++) assert_true(told[i] == (round == 2 ? 0 : 4 + script.number));
            memcpy(round == 0 ? first : second, play.action, sizeof first);
            assert_true(isfinite(play.action[0]) && isfinite(play.action[1]));
            if (round == 1) assert_memory_not_equal(first, second, sizeof first);
        }
        sac_play_close(&play);
        sac_policy_destroy(policy);
    }
}

// bytes stay as they are, and floats are painted between their bounds, or between the least and the greatest
TEST(pictures_of_floats_are_painted)
{
    const float floats[] = {2, 3, 4, 6, 8, 0}, bounds[] = {2, 6};
    const uint8_t bytes[] = {9, 8, 7, 6, 5, 4}, bounded[] = {0, 64, 128, 255, 255, 0},
                  free_floats[] = {64, 96, 128, 191, 255, 0};
    uint8_t painted[6];
    sac_space space = {.name = "f", .kind = SAC_SPACE_FLOATS, .shape = {1, 2, 3}, .low = bounds, .high = bounds + 1};
    sac_space_paint(&space, floats, painted);
    assert_memory_equal(painted, bounded, sizeof painted);
    space.low = space.high = NULL;
    sac_space_paint(&space, floats, painted);
    assert_memory_equal(painted, free_floats, sizeof painted);
    space.kind = SAC_SPACE_PICTURE;
    sac_space_paint(&space, bytes, painted);
    assert_memory_equal(painted, bytes, sizeof painted);
    // people are shown bytes where there are some, and else what is not privileged
    const sac_space list[] = {{.name = "a", .kind = SAC_SPACE_FLOATS, .shape = {1, 2, 3}, .privileged = true},
                              {.name = "b", .kind = SAC_SPACE_VECTOR, .shape = {3}},
                              {.name = "c", .kind = SAC_SPACE_FLOATS, .shape = {1, 2, 3}},
                              {.name = "d", .kind = SAC_SPACE_PICTURE, .shape = {1, 2, 3}}};
    assert_int_equal(sac_space_find_image(list, 2), -1);
    assert_int_equal(sac_space_find_image(list, 3), 2);
    assert_int_equal(sac_space_find_image(list, 4), 3);
    char text[SAC_SPACE_TEXT_SIZE];
    assert_string_equal(sac_space_format(&list[2], text), "c 1 x 2 x 3 floats");
}

// a depth picture is scaled from its bounds: what lies outside counts as the bound
TEST(depth_is_seen_within_its_bounds)
{
    begin();
    sac_policy *policy;
    sac_policy_state *state;
    assert_ok(make(&policy, "cnn", "depth", false));
    draw(&policy);
    assert_ok(sac_policy_state_create(&state, policy));
    const struct
    {
        float a, b;
        bool same;
    } cases[] = {{-5, 2, true}, {6, 99, true}, {NAN, 2, true}, {INFINITY, 6, true}, {3, 4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        float depth[SIDE * SIDE], action[2][2];
        for (int which = 0; which < 2; which++)
        {
            for (int p = 0; p < SIDE * SIDE; p++) depth[p] = which ? cases[i].b : cases[i].a;
            sac_policy_state_reset(state);
            sac_policy_act_on(state, (const void *const[]){depth}, action[which]);
        }
        assert_true((memcmp(action[0], action[1], sizeof action[0]) == 0) == cases[i].same);
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

// version 2 of a policy file holds the inputs; version 1 is still what one picture is written in
TEST(files_hold_the_inputs)
{
    begin();
    scratch_open();
    sac_policy *policy, *again;
    sac_policy_info info;
    assert_ok(make(&policy, "attention-agent", "secret depth state", true));
    draw(&policy);
    assert_ok(sac_policy_save(policy, NULL, NULL, scratch_path("p.safetensors")));
    assert_ok(sac_policy_load(&again, &info, scratch_path("p.safetensors")));
    const sac_policy_def *a = sac_policy_get_def(policy), *b = sac_policy_get_def(again);
    assert_int_equal(b->input_count, 3);
    for (int i = 0; i < 3; i++)
    {
        assert_string_equal(a->inputs[i].name, b->inputs[i].name);
        assert_true(sac_space_same(&a->inputs[i], &b->inputs[i]));
        assert_int_equal(a->inputs[i].privileged, b->inputs[i].privileged);
    }
    assert_true(b->inputs[1].low[0] == 2 && b->inputs[1].high[0] == 6);
    assert_null(b->inputs[2].low);
    assert_memory_equal(sac_policy_parameters(policy), sac_policy_parameters(again),
                        sizeof(float) * (size_t)sac_policy_parameter_count(policy));
    assert_int_equal(b->height, SIDE);
    assert_int_equal(b->channels, 1);
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
    sac_policy_destroy(again);
}

// without a policy nothing is done, all that everyone may see is observed, and steps are counted
TEST(idle_is_the_action_nearest_to_zero)
{
    begin();
    sac_play play;
    assert_ok(sac_play_open(&play, NULL, &world, SAC_PLAY_SEEN));
    for (int k = 0; k < PARTS; k++) assert_int_equal(play.parts[k] != NULL, k < 4);
    assert_ok(sac_play_reset(&play, 1));
    play.action[0] = 1;
    assert_ok(sac_play_decide(&play));
    assert_true(play.action[0] == 0 && play.action[1] == 0);
    int steps = 0;
    for (; !sac_play_ended(&play); steps++) assert_ok(sac_play_step(&play));
    assert_int_equal(steps, 9);
    assert_int_equal(play.steps, 9);
    sac_play_close(&play);
}

// what PPO does: observations land where the caller has them, and what has no memory is not asked for
TEST(an_aimed_play_observes_where_the_caller_says)
{
    begin();
    sac_play play, other;
    float state[2][NUMBERS] = {{0}};
    assert_ok(sac_play_open_def(&play, &(sac_play_def){.env = &world, .extra = SAC_PLAY_SEEN, .aimed = true}));
    assert_ok(sac_play_open(&other, NULL, &world, SAC_PLAY_SEEN));
    for (int k = 0; k < PARTS; k++) assert_null(play.parts[k]);
    sac_play_aim(&play, 3, state[0]);
    assert_ok(sac_play_reset(&play, 1));
    for (int k = 0; k < PARTS; k++) assert_int_equal(script.wanted[k], k == 3);
    assert_ok(sac_play_reset(&other, 1));
    assert_memory_equal(state[0], other.parts[3], sizeof state[0]);
    script.number = 7;
    sac_play_aim(&play, 3, state[1]);
    assert_ok(sac_play_step(&play));
    assert_memory_equal(state[0], other.parts[3], sizeof state[0]); // as it was
    assert_ok(sac_play_step(&other));
    assert_memory_equal(state[1], other.parts[3], sizeof state[1]);
    sac_play_aim(&play, 3, NULL);
    assert_ok(sac_play_step(&play));
    for (int k = 0; k < PARTS; k++) assert_false(script.wanted[k]);
    assert_int_equal(play.steps, 2);
    sac_play_close(&play);
    sac_play_close(&other);
}

// a policy on numbers and a depth picture, for a world that then shows a larger one
static sac_policy *make_with_depth(const char *image_size)
{
    const sac_setting settings[] = {{"inputs", "state depth"}, {"image_size", image_size}};
    sac_env *env;
    sac_policy *policy;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_for(&policy, env, "attention-agent", settings, 2));
    sac_env_destroy(env);
    draw(&policy);
    return policy;
}

TEST(a_policy_that_resizes_serves_images_of_any_size)
{
    begin();
    sac_policy *policy = make_with_depth("32"), *fixed = make_with_depth("0"), *resized;
    sac_env *env;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_resized(&resized, policy, env));
    assert_true(resized == NULL); // it fits as it is
    sac_env_destroy(env);

    sac_space larger[PARTS];
    memcpy(larger, all_parts, sizeof larger);
    larger[2].shape[0] = 2 * SIDE, larger[2].shape[1] = 3 * SIDE;
    script.parts = larger;
    assert_ok(sac_env_create(&env, &world));
    assert_fails(sac_policy_fits(policy, env, NULL), SAC_ERROR_ARGUMENT, "depth");
    assert_ok(sac_policy_create_resized(&resized, fixed, env));
    assert_true(resized == NULL);
    assert_ok(sac_policy_create_resized(&resized, policy, env));
    assert_non_null(resized);
    int parts[2];
    assert_ok(sac_policy_fits(resized, env, parts));
    assert_int_equal(parts[0], 3);
    assert_int_equal(parts[1], 2);
    assert_memory_equal(sac_policy_parameters(resized), sac_policy_parameters(policy),
                        sizeof(float) * (size_t)sac_policy_parameter_count(policy));
    sac_env_destroy(env);
    sac_policy_destroy(resized);
    sac_policy_destroy(fixed);
    sac_policy_destroy(policy);
}

// --- a planner: it tries each of three actions in its copy of the toy, and takes the last one ---

/// What the planner found, and how it is to go wrong.
static struct
{
    double promised; // what the action that it took returned in the copy
    int calls;
    bool fails;
} plan;

static sac_status planner_create(void **self, sac_policy *policy, const void *config)
{
    (void)config;
    *self = policy;
    return sac_policy_add_tensor(policy, "unused", 1, 1, (int[]){1}, NULL);
}

static void planner_destroy(void *self)
{
    (void)self;
}

static sac_status planner_state_create(void **state, const void *self)
{
    *state = (void *)self;
    return SAC_OK;
}

static void planner_set_parameters(void *state, const float *parameters)
{
    (void)state, (void)parameters;
}

static void planner_act(void *state, const void *const *inputs, float *action)
{
    (void)state, (void)inputs;
    action[0] = action[1] = 0;
}

static sac_status planner_plan(void *state, struct sac_env *copy, const void *now, size_t size,
                               const void *const *inputs, float *action)
{
    void *parts[SAC_MAX_PARTS] = {NULL};
    uint8_t terminated, truncated;
    const sac_env_row row = {action, parts, &plan.promised, &terminated, &truncated};
    (void)state, (void)inputs;
    plan.calls++;
    for (int i = 0; i < 3; i++)
    {
        action[0] = -0.5f * (float)i, action[1] = 0.5f;
        SAC_TRY(sac_env_restore(copy, now, size));
        SAC_TRY(sac_env_step(copy, &row));
    }
    return plan.fails ? sac_fail(SAC_ERROR_ENVIRONMENT, "test: no plan") : SAC_OK;
}

static const sac_policy_kind_ops planner_ops = {.name = "test-planner",
                                                .create = planner_create,
                                                .destroy = planner_destroy,
                                                .state_create = planner_state_create,
                                                .state_destroy = planner_destroy,
                                                .set_parameters = planner_set_parameters,
                                                .act = planner_act,
                                                .plan = planner_plan};

static const sac_env_def toy = {.id = "toy"};

static sac_policy *make_planner(void)
{
    static bool registered;
    sac_env *env;
    sac_policy *policy;
    if (!registered) assert_ok(sac_policy_register(&planner_ops));
    registered = true;
    plan.fails = false;
    plan.calls = 0;
    assert_ok(sac_env_create(&env, &toy));
    assert_ok(sac_policy_create_for(&policy, env, "test-planner", NULL, 0));
    sac_env_destroy(env);
    return policy;
}

// what an action returns in the copy is what it then returns in the world, which the tries leave as it was
TEST(a_planner_tries_actions_in_a_copy_of_the_world)
{
    sac_policy *policy = make_planner();
    sac_play play;
    assert_ok(sac_play_open(&play, policy, &toy, SAC_PLAY_INPUTS));
    assert_ok(sac_play_reset(&play, 1));
    int steps = 0;
    for (; !sac_play_ended(&play); steps++)
    {
        assert_ok(sac_play_decide(&play));
        assert_ok(sac_play_step(&play));
        assert_true(play.action[0] == -1 && play.reward == plan.promised);
    }
    assert_int_equal(plan.calls, steps);
    assert_ok(sac_play_decide(&play)); // the episode is over: nothing is tried
    assert_int_equal(plan.calls, steps);
    assert_ok(sac_play_reset(&play, 2));
    plan.fails = true;
    assert_fails(sac_play_decide(&play), SAC_ERROR_ENVIRONMENT, "test: no plan");
    sac_play_close(&play);
    sac_policy_destroy(policy);
}

TEST(a_planner_may_advise)
{
    sac_policy *policy = make_planner();
    sac_play play;
    assert_ok(sac_play_open_def(&play, &(sac_play_def){.adviser = policy, .env = &toy}));
    assert_ok(sac_play_reset(&play, 1));
    assert_ok(sac_play_decide(&play));
    assert_ok(sac_play_advise(&play));
    assert_true(play.action[0] == 0 && play.advice[0] == -1);
    sac_play_close(&play);
    sac_policy_destroy(policy);
}

TEST(a_planner_needs_a_world_that_can_be_saved)
{
    begin();
    sac_policy *policy = make_planner(), *other;
    sac_env *env;
    sac_play play;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_for(&other, env, "test-planner", NULL, 0));
    sac_env_destroy(env);
    assert_fails(sac_play_open(&play, other, &world, SAC_PLAY_INPUTS), SAC_ERROR_ARGUMENT, "parts cannot be saved");
    sac_play_close(&play);
    sac_policy_destroy(other);
    sac_policy_destroy(policy);
}

static sac_status open_planner(const sac_policy *policy)
{
    sac_play play;
    sac_status status = sac_play_open(&play, policy, &toy, SAC_PLAY_INPUTS);
    sac_play_close(&play);
    return status;
}

TEST(a_planner_survives_lack_of_memory)
{
    sac_policy *policy = make_planner();
    assert_survives_lack_of_memory(open_planner(policy), (void)0);
    sac_policy_destroy(policy);
}

static sac_status open_and_close(void)
{
    const sac_setting settings[] = {{"inputs", "state depth"}};
    sac_env *env;
    SAC_TRY(sac_env_create(&env, &world));
    sac_policy *policy = NULL;
    sac_status status = sac_policy_create_for(&policy, env, "cnn", settings, 1);
    sac_env_destroy(env);
    SAC_TRY(status);
    sac_play play;
    status = sac_play_open(&play, policy, &world, SAC_PLAY_SEEN);
    sac_play_close(&play);
    sac_policy_destroy(policy);
    return status;
}

TEST(lack_of_memory_leaves_nothing)
{
    begin();
    assert_survives_lack_of_memory(open_and_close(), (void)0);
}

TESTS(a_policy_takes_what_it_names_and_nothing_else_is_computed, what_does_not_fit_is_named,
      worlds_whose_parts_make_no_sense_are_refused, numbers_reach_the_controller, pictures_of_floats_are_painted,
      depth_is_seen_within_its_bounds, files_hold_the_inputs, a_policy_that_resizes_serves_images_of_any_size,
      idle_is_the_action_nearest_to_zero, an_aimed_play_observes_where_the_caller_says,
      a_planner_tries_actions_in_a_copy_of_the_world, a_planner_may_advise, a_planner_needs_a_world_that_can_be_saved,
      a_planner_survives_lack_of_memory, lack_of_memory_leaves_nothing)

#include <float.h>

#include "failing_memory.h"
#include "saccade/policy.h"
#include "scratch.h"
#include "test.h"

/// Kinds of policies of one's own: registered, held to what every policy promises, saved and read again.

enum
{
    SIDE = 8,
    IMAGE = SIDE * SIDE * 3
};

typedef struct config
{
    int extra;
} config;

static const sac_option options[] = {
    {"extra", SAC_OPTION_INT, offsetof(config, extra), "2", 0, 100, NULL, "numbers more in the vector"},
    {0},
};

typedef struct kind
{
    int size, choices;
} kind;

typedef struct state
{
    const kind *kind;
    float first, mean;
} state;

/// What the next creation does instead of going well.
static struct
{
    sac_status create, state_create;
    bool silent, no_views, bad_view;
} script;

static int made, states; // alive

static sac_status bad_view(sac_policy *policy)
{
    static const char *const words[] = {"without a name", "more than", "rank 5", "side 1 of tensor", "two tensors"};
    const int shape[] = {2, 0, 1, 1}, ones[] = {1, 1, 1, 1, 1};
    for (int i = 0; i < 5; i++)
    {
        sac_status status = SAC_OK;
        switch (i)
        {
        case 0: status = sac_policy_add_tensor(policy, "", 1, 1, ones, NULL); break;
        case 1: status = sac_policy_add_tensor(policy, "big", 1, 2, (int[]){1 << 13, 1 << 13}, NULL); break;
        case 2: status = sac_policy_add_tensor(policy, "deep", 1, 5, ones, NULL); break;
        case 3: status = sac_policy_add_tensor(policy, "flat", 1, 2, shape, NULL); break;
        default:
            assert_ok(sac_policy_add_tensor(policy, "twin", 1, 1, ones, NULL));
            status = sac_policy_add_tensor(policy, "twin", 1, 1, ones, NULL);
        }
        assert_int_equal(status, SAC_ERROR_ARGUMENT);
        if (!strstr(sac_last_error(), words[i])) fail_msg("'%s' in '%s'", words[i], sac_last_error());
    }
    return sac_fail(SAC_ERROR_ARGUMENT, "own: enough");
}

static sac_status own_create(void **self, sac_policy *policy, const void *settings)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    int size = def->action_size + ((const config *)settings)->extra;
    size_t offset = 99;
    if (script.silent) return script.create;
    if (script.create) return sac_fail(script.create, "own: not today");
    if (script.bad_view) return bad_view(policy);
    if (!script.no_views)
    {
        sac_status status = sac_policy_add_tensor(policy, "numbers", 0.5, 1, &size, &offset);
        if (status != SAC_OK) return status;
        assert_int_equal(offset, 0);
    }
    kind *k = malloc(sizeof *k);
    *k = (kind){def->action_size, def->action_choices};
    *self = k;
    made++;
    return SAC_OK;
}

static void own_destroy(void *self)
{
    made--;
    free(self);
}

static sac_status own_state_create(void **out, const void *self)
{
    if (script.state_create)
        return script.silent ? script.state_create : sac_fail(script.state_create, "own: no state");
    state *s = calloc(1, sizeof *s);
    s->kind = self;
    *out = s;
    states++;
    return SAC_OK;
}

static void own_state_destroy(void *self)
{
    states--;
    free(self);
}

static void own_set_parameters(void *self, const float *parameters)
{
    ((state *)self)->first = parameters[0];
}

// every action is the first parameter times the brightness of the first pixel
static void own_act(void *self, const void *const *inputs, float *action)
{
    state *s = self;
    for (int i = 0; i < s->kind->size; i++) action[i] = s->first * (float)((const uint8_t *)inputs[0])[0];
}

static const sac_policy_kind_ops ops = {.name = "own",
                                        .options = options,
                                        .config_size = sizeof(config),
                                        .create = own_create,
                                        .destroy = own_destroy,
                                        .state_create = own_state_create,
                                        .state_destroy = own_state_destroy,
                                        .set_parameters = own_set_parameters,
                                        .act = own_act};

static const float low[] = {-2, 0}, high[] = {2, 10};

static sac_status create(sac_policy **out, int choices, const sac_setting *settings, int count)
{
    static bool registered;
    if (!registered) assert_ok(sac_policy_register(&ops));
    registered = true;
    sac_policy_def def = {.kind = "own",
                          .settings = settings,
                          .setting_count = count,
                          .height = SIDE,
                          .width = SIDE,
                          .channels = 3,
                          .action_size = choices ? 1 : 2,
                          .action_choices = choices,
                          .action_low = low,
                          .action_high = high};
    return sac_policy_create(out, &def);
}

// acts with a first parameter on a picture of one shade
static void act(int choices, float first, uint8_t shade, bool floats, float action[2])
{
    static float parameters[4], pixels[IMAGE];
    static uint8_t image[IMAGE];
    memset(&script, 0, sizeof script);
    memset(image, shade, sizeof image);
    for (int i = 0; i < IMAGE; i++) pixels[i] = (float)shade / 255.0f;
    parameters[0] = first;
    sac_policy *policy;
    sac_policy_state *s;
    assert_ok(create(&policy, choices, NULL, 0));
    assert_ok(sac_policy_state_create(&s, policy));
    sac_policy_state_set_parameters(s, parameters);
    if (floats)
        sac_policy_act_float(s, pixels, action);
    else
        sac_policy_act(s, image, action);
    sac_policy_state_destroy(s);
    sac_policy_destroy(policy);
    assert_int_equal(made, 0);
    assert_int_equal(states, 0);
}

TEST(actions_keep_their_bounds_whatever_the_kind_writes)
{
    const struct
    {
        float first, box[2], choice;
    } cases[] = {
        {0.01f, {1, 1}, 1},     {-3, {-2, 0}, 0},        {3, {2, 10}, 4},           {NAN, {0, 5}, 0},
        {INFINITY, {2, 10}, 4}, {-INFINITY, {-2, 0}, 0}, {0.016f, {1.6f, 1.6f}, 2}, {FLT_MAX, {2, 10}, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int floats = 0; floats < 2; floats++)
        {
            float action[2];
            act(0, cases[i].first, 100, floats, action);
            assert_near(action[0], cases[i].box[0], 1e-6);
            assert_near(action[1], cases[i].box[1], 1e-6);
            act(5, cases[i].first, 100, floats, action);
            assert_true(action[0] == cases[i].choice);
        }
}

// without act_float, floats that were bytes become these bytes again
TEST(floats_become_the_bytes_that_they_were)
{
    for (int shade = 0; shade < 256; shade++)
    {
        float bytes[2], floats[2];
        act(0, 0.03f, (uint8_t)shade, false, bytes);
        act(0, 0.03f, (uint8_t)shade, true, floats);
        assert_memory_equal(bytes, floats, sizeof bytes);
    }
}

TEST(its_failures_have_a_sentence_and_leave_nothing)
{
    sac_policy *policy = NULL;
    sac_policy_state *s;
    memset(&script, 0, sizeof script);
    script.create = SAC_ERROR_UNAVAILABLE;
    assert_int_equal(create(&policy, 0, NULL, 0), SAC_ERROR_UNAVAILABLE);
    assert_string_equal(sac_last_error(), "own: not today");
    script.silent = true;
    assert_int_equal(create(&policy, 0, NULL, 0), SAC_ERROR_UNAVAILABLE);
    assert_non_null(strstr(sac_last_error(), "own: create failed with status 5"));
    script.create = (sac_status)77;
    assert_int_equal(create(&policy, 0, NULL, 0), SAC_ERROR_ENVIRONMENT);

    memset(&script, 0, sizeof script);
    script.no_views = true;
    assert_int_equal(create(&policy, 0, NULL, 0), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "declares no tensor"));
    memset(&script, 0, sizeof script);
    script.bad_view = true;
    assert_int_equal(create(&policy, 0, NULL, 0), SAC_ERROR_ARGUMENT);
    assert_string_equal(sac_last_error(), "own: enough");
    assert_null(policy);

    memset(&script, 0, sizeof script);
    assert_ok(create(&policy, 0, NULL, 0));
    script.state_create = SAC_ERROR_FILE;
    assert_int_equal(sac_policy_state_create(&s, policy), SAC_ERROR_FILE);
    assert_string_equal(sac_last_error(), "own: no state");
    assert_null(s);
    sac_policy_destroy(policy);
    assert_int_equal(made, 0);
    assert_int_equal(states, 0);

    const sac_setting wrong = {"extr", "3"};
    memset(&script, 0, sizeof script);
    assert_int_equal(create(&policy, 0, &wrong, 1), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "did you mean 'extra'"));
}

TEST(its_files_are_policy_files)
{
    const sac_setting setting = {"extra", "5"};
    sac_policy *policy, *filled, *read;
    memset(&script, 0, sizeof script);
    assert_ok(create(&policy, 0, &setting, 1));
    assert_int_equal(sac_policy_parameter_count(policy), 7);
    float parameters[7];
    sac_policy_draw(policy, 3, parameters);
    for (int i = 0; i < 7; i++) assert_true(parameters[i] != 0 && fabsf(parameters[i]) <= 0.5f);
    assert_ok(sac_policy_create_with(&filled, policy, parameters));
    scratch_open();
    const char *path = scratch_path("own.safetensors");
    assert_ok(sac_policy_save(filled, NULL, NULL, path));
    assert_ok(sac_policy_load(&read, NULL, path));
    assert_string_equal(sac_policy_kind(read), "own");
    assert_memory_equal(sac_policy_parameters(read), parameters, sizeof parameters);
    assert_string_equal(sac_policy_get_def(read)->settings[0].value, "5");
    // it looks at nothing in particular, and says so
    sac_policy_state *s;
    sac_gaze gaze;
    assert_ok(sac_policy_state_create(&s, read));
    sac_policy_gaze(s, &gaze);
    assert_null(gaze.importance);
    assert_false(sac_policy_patch(s, 0, parameters));
    assert_false(sac_policy_attention_row(s, 0, parameters));
    sac_policy_state_destroy(s);
    sac_policy_destroy(read);
    sac_policy_destroy(filled);
    sac_policy_destroy(policy);
    assert_int_equal(made, 0);
}

TEST(creation_survives_lack_of_memory)
{
    sac_policy *policy;
    sac_policy_state *s;
    memset(&script, 0, sizeof script);
    assert_survives_lack_of_memory(create(&policy, 0, NULL, 0), sac_policy_destroy(policy));
    assert_int_equal(made, 0);
    assert_ok(create(&policy, 0, NULL, 0));
    assert_survives_lack_of_memory(sac_policy_state_create(&s, policy), sac_policy_state_destroy(s));
    assert_int_equal(states, 0);
    sac_policy_destroy(policy);
}

TEST(a_table_that_lacks_something_is_refused)
{
    sac_policy_kind_ops copy = ops;
    copy.name = "cnn";
    assert_int_equal(sac_policy_register(&copy), SAC_ERROR_ARGUMENT);
    assert_string_equal(sac_last_error(), "policy kind 'cnn': the name is taken");
    copy.name = "own";
    assert_int_equal(sac_policy_register(&copy), SAC_ERROR_ARGUMENT);
    copy.name = NULL;
    assert_int_equal(sac_policy_register(&copy), SAC_ERROR_ARGUMENT);
    copy.name = "an other";
    assert_int_equal(sac_policy_register(&copy), SAC_ERROR_ARGUMENT);
    copy.name = "another";
    copy.act = NULL;
    assert_int_equal(sac_policy_register(&copy), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "policy kind 'another' has no act"));
    copy.act = own_act;
    copy.config_size = 0;
    assert_int_equal(sac_policy_register(&copy), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "config_size is 0"));
    for (int i = 0; sac_policy_kind_at(i, NULL); i++) assert_string_not_equal(sac_policy_kind_at(i, NULL), "another");
}

TESTS(actions_keep_their_bounds_whatever_the_kind_writes, floats_become_the_bytes_that_they_were,
      its_failures_have_a_sentence_and_leave_nothing, its_files_are_policy_files, creation_survives_lack_of_memory,
      a_table_that_lacks_something_is_refused)

#include <sys/stat.h>
#include <unistd.h>

#include "failing_memory.h"
#include "saccade/env.h"
#include "test.h"

// the bridge without any peer: workers that are shell scripts, which say what a worker must not say

static char folder[64];

// an interpreter that ignores its arguments and runs these commands; 3 is asked, 4 answers
static const char *liar(const char *commands)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/python", folder);
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", commands);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static sac_status open_env(sac_env **env, const char *python, const char *more, const char *value)
{
    const sac_setting settings[] = {{"python", python}, {"timeout", "0.3"}, {more, value}};
    return sac_env_create(env, &(sac_env_def){.id = "gym:Any-v0", .settings = settings, .setting_count = more ? 3 : 2});
}

#define PART(name, kind, shape) "{\"name\": \"" name "\", \"kind\": \"" kind "\", \"shape\": " shape "}"
#define CAMERA                  PART("camera", "picture", "[2, 2, 3]")
#define TOLD(parts)             "echo '{\"protocol\": 3, \"parts\": " parts "}' >&4; sleep 9"
#define START                   "{\"protocol\": 3, \"versions\": {\"gymnasium\": \"1\"}, \"parts\": [" CAMERA "], \"choices\": 2, "
#define REST                    "\"low\": [0], \"high\": [1], \"columns\": [\"a\"], \"max_steps\": 5}"

TEST(introductions_that_are_no_introductions_are_refused)
{
    static const struct
    {
        const char *commands, *words;
        sac_status status;
    } cases[] = {
        {"exit 3", "ended with code 3", SAC_ERROR_ENVIRONMENT},
        {"echo no such thing >&2; exit 1", "no such thing", SAC_ERROR_ENVIRONMENT},
        {"kill -9 $$", "killed by signal 9", SAC_ERROR_ENVIRONMENT},
        {"echo rubbish >&4; sleep 9", "not JSON", SAC_ERROR_FORMAT},
        {"echo '[]' >&4; sleep 9", "protocol", SAC_ERROR_UNAVAILABLE},
        {"echo '{\"protocol\": 1}' >&4; sleep 9", "protocol 1, expected 3", SAC_ERROR_UNAVAILABLE},
        {"echo '{\"protocol\": 3, \"error\": \"No module\"}' >&4", "No module", SAC_ERROR_UNAVAILABLE},
        {"echo '{\"protocol\": 3}' >&4; sleep 9", "the list of parts", SAC_ERROR_FORMAT},
        {TOLD("[]"), "the list of parts", SAC_ERROR_FORMAT},
        {TOLD("[{}]"), "the name of a part", SAC_ERROR_FORMAT},
        {TOLD("[" PART("camera", "smell", "[2, 2, 3]") "]"), "the kind of a part", SAC_ERROR_FORMAT},
        {TOLD("[" PART("camera", "picture", "[2, -1, 3]") "]"), "the shape of a part", SAC_ERROR_FORMAT},
        {TOLD("[" PART("camera", "picture", "[16000, 16000, 60]") "]"), "size", SAC_ERROR_FORMAT},
        {TOLD("[" CAMERA ", " CAMERA "]"), "two parts are called 'camera'", SAC_ERROR_ARGUMENT},
        {TOLD("[{\"name\": \"a\", \"kind\": \"vector\", \"shape\": [2, 1, 1], \"low\": [0], \"high\": [1]}]"),
         "the bounds of a part", SAC_ERROR_FORMAT},
        {"echo '" START "\"low\": [0], \"high\": []}' >&4; sleep 9", "action", SAC_ERROR_FORMAT},
        {"echo '" START "\"low\": [2], \"high\": [1]}' >&4; sleep 9", "bound", SAC_ERROR_FORMAT},
        {"echo '" START "\"low\": [0], \"high\": [1]}' >&4; sleep 9", "columns", SAC_ERROR_FORMAT},
        {"echo '" START "\"low\": [0], \"high\": [1], \"columns\": [7]}' >&4; sleep 9", "column", SAC_ERROR_FORMAT},
        {"echo '" START REST "' >&4; sleep 9", "shares 0 bytes", SAC_ERROR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        sac_env *env;
        assert_fails(open_env(&env, liar(cases[i].commands), NULL, NULL), cases[i].status, cases[i].words);
        assert_null(env);
    }
}

// 512 for the action, 64 for it and the column each, 12 for the picture
#define WORLD "truncate -s 652 /proc/self/fd/5; echo '" START REST "' >&4; "

TEST(answers_that_do_not_come_end_in_one_sentence)
{
    static const struct
    {
        const char *after, *words;
    } cases[] = {
        {"sleep 9", "episode 8, step 0: the worker did not answer in 0.3 s (failure 2, 1 allowed)"},
        {"head -c 1 <&3 >/dev/null; exit 7", "ended with code 7"},
        {"head -c 1 <&3 >/dev/null; printf e >&4; sleep 9", "(failure 2, 1 allowed)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char commands[1024];
        snprintf(commands, sizeof commands, WORLD "%s", cases[i].after);
        sac_env *env;
        assert_ok(open_env(&env, liar(commands), "restarts", "1"));
        uint8_t observation[12], terminated, truncated;
        double reward, column = 7;
        sac_env_row row = {NULL, (void *const[SAC_MAX_PARTS]){observation}, &reward, &terminated, &truncated};
        assert_fails(sac_env_reset(env, 8, &row), SAC_ERROR_ENVIRONMENT, cases[i].words);
        sac_env_state(env, &column);
        assert_true(column == 0);
        sac_env_destroy(env);
    }
}

TEST(a_world_of_shell)
{
    // two steps of a world that says nothing but "done"
    sac_env *env;
    assert_ok(open_env(&env, liar(WORLD "while head -c 1 <&3 >/dev/null; do printf k >&4; done"), NULL, NULL));
    const sac_env_spec *spec = sac_env_get_spec(env);
    assert_int_equal(spec->height, 2);
    assert_int_equal(spec->action_choices, 2);
    assert_int_equal(spec->max_steps, 5);
    assert_string_equal(spec->columns[0].name, "a");
    uint8_t observation[12], terminated, truncated = 0;
    double reward;
    float action = 1;
    sac_env_row row = {&action, (void *const[SAC_MAX_PARTS]){observation}, &reward, &terminated, &truncated};
    assert_ok(sac_env_reset(env, SAC_SEED_NEXT, &row));
    for (int i = 0; i < 5; i++)
    {
        assert_false(truncated);
        assert_ok(sac_env_step(env, &row));
    }
    assert_true(truncated);
    sac_env_destroy(env);
}

TEST(a_worker_that_dies_at_the_start_is_tried_again)
{
    sac_env *env;
    char commands[1024];
    snprintf(commands, sizeof commands, "mkdir %s/tried 2>/dev/null && kill -9 $$; rmdir %s/tried; " WORLD "sleep 9",
             folder, folder);
    assert_ok(open_env(&env, liar(commands), "restarts", "1"));
    sac_env_destroy(env);
    assert_fails(open_env(&env, liar(commands), "restarts", "0"), SAC_ERROR_ENVIRONMENT, "killed by signal 9");
    snprintf(commands, sizeof commands, "%s/tried", folder);
    assert_int_equal(rmdir(commands), 0);
}

TEST(lack_of_memory_is_reported_and_leaves_no_worker)
{
    sac_env *env;
    const char *python = liar(WORLD "while head -c 1 <&3 >/dev/null; do printf k >&4; done");
    assert_survives_lack_of_memory(open_env(&env, python, NULL, NULL), sac_env_destroy(env));
}

TEST(options_are_checked_before_anything_starts)
{
    sac_env *env;
    assert_fails(open_env(&env, "python3", "kwargs", "{"), SAC_ERROR_ARGUMENT, "kwargs");
    assert_fails(open_env(&env, "python3", "kwargs", "[1]"), SAC_ERROR_ARGUMENT, "expected a JSON object");
    assert_fails(open_env(&env, "python3", "observ", "x"), SAC_ERROR_ARGUMENT, "did you mean 'observe'");
    assert_fails(sac_env_create(&env, &(sac_env_def){.id = "gym:"}), SAC_ERROR_ARGUMENT, "a name must follow");
    assert_fails(sac_env_create(&env, &(sac_env_def){.id = "gym:A-v0", .variant = "noise"}), SAC_ERROR_ARGUMENT,
                 "unknown variant");
    assert_fails(open_env(&env, "/nonexistent", NULL, NULL), SAC_ERROR_ENVIRONMENT, "/nonexistent");
    assert_null(sac_env_find("gyn:CartPole-v1"));
    assert_non_null(sac_env_find("gym:CartPole-v1"));
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/saccade-bridge-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/python", folder);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(introductions_that_are_no_introductions_are_refused),
        cmocka_unit_test(answers_that_do_not_come_end_in_one_sentence),
        cmocka_unit_test(a_world_of_shell),
        cmocka_unit_test(a_worker_that_dies_at_the_start_is_tried_again),
        cmocka_unit_test(lack_of_memory_is_reported_and_leaves_no_worker),
        cmocka_unit_test(options_are_checked_before_anything_starts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

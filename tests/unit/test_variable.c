#include "files/module.h"
#include "files/variable.h"
#include "saccade/env.h"

#include "test.h"

TEST(a_variable_of_a_path_is_unset_or_holds_something)
{
    const char *value = "x";
    assert_int_equal(unsetenv("SACCADE_ZOO"), 0);
    assert_ok(sac_read_variable(&value, "SACCADE_ZOO"));
    assert_null(value);
    assert_int_equal(setenv("SACCADE_ZOO", "zoo", 1), 0);
    assert_ok(sac_read_variable(&value, "SACCADE_ZOO"));
    assert_string_equal(value, "zoo");
    assert_int_equal(setenv("SACCADE_ZOO", "", 1), 0);
    assert_fails(sac_read_variable(&value, "SACCADE_ZOO"), SAC_ERROR_ARGUMENT,
                 "SACCADE_ZOO is empty, expected a folder of trained policies");
    assert_fails(sac_check_variables(), SAC_ERROR_ARGUMENT, "SACCADE_ZOO is empty");
    assert_int_equal(unsetenv("SACCADE_ZOO"), 0);
    assert_ok(sac_check_variables());
}

static void assert_refused(const char *world, const char *name)
{
    char words[64];
    snprintf(words, sizeof words, "%s is empty, expected ", name);
    char *before = getenv(name) ? strdup(getenv(name)) : NULL;
    assert_int_equal(setenv(name, "", 1), 0);
    sac_env *env;
    assert_fails(sac_env_create(&env, &(sac_env_def){.id = world}), SAC_ERROR_ARGUMENT, words);
    assert_null(env);
    assert_int_equal(before ? setenv(name, before, 1) : unsetenv(name), 0);
    free(before);
}

TEST(worlds_refuse_an_empty_variable)
{
    assert_refused("gym:CartPole-v1", "SACCADE_PYTHON");
    assert_refused("gym:CartPole-v1", "SACCADE_MODULES");
    sac_env *env;
    sac_status status = sac_env_create(&env, &(sac_env_def){.id = "cartpole-swingup"});
    sac_env_destroy(env);
    if (status == SAC_OK) assert_refused("cartpole-swingup", "SACCADE_MODELS");
}

TEST(modules_are_not_looked_for_in_an_empty_folder)
{
    char path[SAC_MODULE_PATH_SIZE];
    const void *table;
    assert_int_equal(setenv("SACCADE_MODULES", "", 1), 0);
    assert_fails(sac_module_find(path, "saccade-worker.py"), SAC_ERROR_ARGUMENT, "SACCADE_MODULES is empty");
    assert_string_equal(path, "");
    assert_fails(sac_module_open(&table, "plot"), SAC_ERROR_ARGUMENT, "SACCADE_MODULES is empty");
    assert_int_equal(unsetenv("SACCADE_MODULES"), 0);
    assert_ok(sac_module_find(path, "saccade-worker.py"));
    assert_ok(sac_module_find(path, "no-such-file"));
    assert_string_equal(path, "");
}

TESTS(a_variable_of_a_path_is_unset_or_holds_something, worlds_refuse_an_empty_variable,
      modules_are_not_looked_for_in_an_empty_folder)

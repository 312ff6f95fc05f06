#include "files/arrays/npz.h"
#include "saccade/env.h"
#include "saccade/policy.h"
#include "scratch.h"
#include "test.h"

/// `saccade import` and `saccade zoo`, from outside.

static const char *path;

static int command(const char *words, const char *tail)
{
    char line[1024];
    snprintf(line, sizeof line, "SACCADE_ZOO=%s '%s' %s %s", scratch, SACCADE, words, tail);
    return WEXITSTATUS(system(line));
}

// the policy is for the pictures that its environment gives with the settings in its file
static void fits(const sac_policy *policy, const sac_policy_info *info)
{
    sac_env *env;
    assert_ok(sac_env_create(&env, &(sac_env_def){.id = info->environment,
                                                  .variant = info->variant,
                                                  .settings = info->settings,
                                                  .setting_count = info->setting_count}));
    const sac_env_spec *spec = sac_env_get_spec(env);
    const sac_policy_def *def = sac_policy_get_def(policy);
    assert_int_equal(def->height, spec->height);
    assert_int_equal(def->width, spec->width);
    assert_int_equal(def->action_choices, spec->action_choices);
    sac_env_destroy(env);
}

static void import(const char *npz, const char *environment, int count)
{
    char words[512];
    scratch_open();
    path = scratch_path("policy.safetensors");
    snprintf(words, sizeof words, "import attention-agent-npz %s %s", npz, path);
    assert_int_equal(command(words, ">/dev/null"), 0);

    sac_tensors *vector;
    sac_policy *policy;
    sac_policy_info info;
    assert_ok(sac_npz_load(&vector, npz));
    assert_ok(sac_policy_load(&policy, &info, path));
    assert_string_equal(info.environment, environment);
    assert_int_equal(sac_policy_parameter_count(policy), count);
    assert_memory_equal(sac_policy_parameters(policy), sac_tensors_find(vector, "params")->data,
                        (size_t)count * sizeof(float));
    fits(policy, &info);
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
    sac_tensors_destroy(vector);
}

TEST(a_vector_of_the_released_form_is_imported)
{
    import("tests/golden/data/agent_made_up.npz", "take-cover", 3633);
}

TEST(the_released_vectors_are_imported)
{
    if (access("../shared/golden/attention_agent", R_OK) != 0) skip_without("../shared/golden/attention_agent");
    import("../shared/golden/attention_agent/CarRacing_released.npz", "car-racing", 3667);
    import("../shared/golden/attention_agent/TakeCover_released.npz", "take-cover", 3633);
}

TEST(the_zoo_lists_it)
{
    import("tests/golden/data/agent_made_up.npz", "take-cover", 3633);
    assert_int_equal(
        command("zoo",
                "| grep -q 'policy.safetensors *take-cover *softmax *3633 *not evaluated *- *- *- *- *original'"),
        0);
    assert_int_equal(command("zoo --json", "| grep -q '\"parameters\": 3633'"), 0);
}

TEST(mistakes_are_named)
{
    char words[512];
    scratch_open();
    path = scratch_path("policy.safetensors");
    assert_int_equal(command("import attnetion-agent-npz a b", "2>&1 | grep -q \"did you mean\""), 0);
    assert_int_equal(command("import attnetion-agent-npz a b", "2>/dev/null"), 2);
    snprintf(words, sizeof words, "import attention-agent-npz /nowhere/a.npz %s", path);
    assert_int_equal(command(words, "2>/dev/null"), 1);
    snprintf(words, sizeof words, "import attention-agent-npz tests/golden/data/resize.safetensors %s", path);
    assert_int_equal(command(words, "2>/dev/null"), 1);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(words, sizeof words, "echo broken >%s", path);
    assert_int_equal(system(words), 0);
    assert_int_equal(command("zoo", "2>&1 | grep -q policy.safetensors"), 0);
    assert_int_equal(command("zoo", ">/dev/null 2>&1"), 1);
}

TESTS(a_vector_of_the_released_form_is_imported, the_released_vectors_are_imported, the_zoo_lists_it,
      mistakes_are_named)

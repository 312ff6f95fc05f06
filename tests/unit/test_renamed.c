#include "files/renamed.h"

#include <string.h>

#include "files/arrays/safetensors.h"
#include "policy_scene.h"
#include "saccade/result_plots.h"
#include "train_scene.h"

// options that had another name: read from what a person types with one line in the log, kept in policy files

typedef struct log_of
{
    int lines;
    char last[512];
} log_of;

static void keep_line(void *user, sac_log_level level, const char *line)
{
    log_of *log = user;
    log->lines += level == SAC_LOG_WARNING;
    snprintf(log->last, sizeof log->last, "%s", line);
}

static const char *setting(const sac_policy *policy, const char *name)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    for (int i = 0; i < def->setting_count; i++)
        if (strcmp(def->settings[i].key, name) == 0) return def->settings[i].value;
    return NULL;
}

TEST(a_former_name_is_read_and_the_new_one_is_said)
{
    static const struct
    {
        const char *typed, *name, *value;
    } cases[] = {
        {"normalize=true", "normalise_tokens", "true"},
        {"normalise=false", "normalise_positions", "false"},
        {"features=histogram", "patch_features", "histogram"},
        {"kind=iap-rank,normalize=false", "normalise_tokens", "false"},
        {"kind=iap-trans,normalize=false", "normalise_tokens", "false"},
        {"filter=true", "normaliser", "true"},
        {"kind=cnn,filter_limit=3", "normaliser_limit", "3"},
        {"kind=mlp,inputs=state,filter=false", "normaliser", "false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        log_of log = {0};
        sac_set_log(keep_line, &log);
        sac_policy *policy;
        sac_status status = scene_create(&policy, cases[i].typed);
        sac_set_log(NULL, NULL);
        assert_ok(status);
        assert_int_equal(log.lines, 1);
        assert_non_null(strstr(log.last, cases[i].name));
        assert_string_equal(setting(policy, cases[i].name), cases[i].value);
        sac_policy_destroy(policy);
    }
}

TEST(the_search_has_its_own)
{
    static const char *const methods[] = {"ars", "bgs"};
    for (int i = 0; i < 2; i++)
    {
        log_of log = {0};
        sac_set_log(keep_line, &log);
        sac_setting old = {"normalize", "sigma"};
        sac_search *search;
        sac_status status = sac_search_create(
            &search, &(sac_search_def){.method = methods[i], .dimension = 2, .settings = &old, .setting_count = 1});
        sac_set_log(NULL, NULL);
        assert_ok(status);
        assert_int_equal(log.lines, 1);
        assert_non_null(strstr(log.last, "'normalise'"));
        sac_search_destroy(search);
    }
}

// the text with the first occurrence of a word replaced by another one that is no longer
static void put(char *text, const char *word, const char *other)
{
    char *at = strstr(text, word);
    assert_non_null(at);
    size_t size = strlen(word), less = strlen(other);
    for (size_t i = 0; i < less; i++) at[i] = other[i];
    memmove(at + less, at + size, strlen(at + size) + 1);
}

static sac_policy *read_in_silence(const char *path)
{
    sac_policy *policy;
    log_of log = {0};
    sac_set_log(keep_line, &log);
    sac_status status = sac_policy_load(&policy, NULL, path);
    sac_set_log(NULL, NULL);
    assert_ok(status);
    assert_int_equal(log.lines, 0);
    return policy;
}

// every kind that is built in: files say filter, as they always have, and so do their tensors
TEST(policy_files_keep_the_filter)
{
    static const char *const kinds[] = {"", "kind=iap-trans,", "kind=cnn,", "kind=mlp,inputs=state,"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    {
        char settings[80], path[512];
        snprintf(settings, sizeof settings, "%snormaliser=true,normaliser_limit=2.5", kinds[i]);
        sac_policy *policy;
        assert_ok(scene_create(&policy, settings));
        path_in(path, "normaliser.safetensors");
        assert_ok(sac_policy_save(policy, NULL, NULL, path));
        sac_tensors *file;
        assert_ok(sac_tensors_load(&file, path, 1 << 20));
        const char *text = sac_tensors_metadata(file, "policy");
        assert_non_null(strstr(text, "\"filter\":\"true\""));
        assert_non_null(strstr(text, "\"filter_limit\":\"2.5\""));
        assert_null(strstr(text, "normaliser"));
        sac_tensors_destroy(file);
        sac_policy *again = read_in_silence(path);
        assert_string_equal(setting(again, "normaliser_limit"), "2.5");
        assert_true(sac_policy_normaliser_size(again) > 0);
        assert_string_equal(sac_policy_tensor_at(again, sac_policy_tensor_count(again) - 1)->name, "filter.deviation");
        sac_policy_destroy(again);
        sac_policy_destroy(policy);
    }
}

// a task of PPO and its run, as an earlier version wrote them
TEST(a_task_with_filters_is_the_same_task)
{
    static const char *const former = "env: {id: toy}\n"
                                      "policy: {kind: cnn, filter: true, filter_limit: 4}\n"
                                      "search: {method: ppo, critic_filter: false}\n",
                             *const now = "env: {id: toy}\n"
                                          "policy: {kind: cnn, normaliser: true, normaliser_limit: 4}\n"
                                          "search: {method: ppo, critic_normaliser: false}\n";
    log_of log = {0};
    char path[512], *text;
    sac_set_log(keep_line, &log);
    sac_task *before = load_task(former, NULL, 0);
    assert_int_equal(log.lines, 3);
    sac_task *after = load_task(now, NULL, 0);
    sac_set_log(NULL, NULL);
    assert_int_equal(log.lines, 3);
    assert_ok(sac_task_write(before, &text));
    assert_non_null(strstr(text, "critic_normaliser: false"));
    assert_null(strstr(text, "filter"));
    path_in(path, "filters.yaml");
    put(text, "normaliser:", "filter:");
    put(text, "normaliser_limit:", "filter_limit:");
    put(text, "critic_normaliser:", "critic_filter:");
    assert_ok(sac_write_file(path, text, strlen(text)));
    sac_free(text);
    assert_ok(sac_task_check_same(after, path));
    sac_task_destroy(before);
    sac_task_destroy(after);
}

TEST(names_that_never_were_are_unknown)
{
    sac_policy *policy;
    assert_fails(scene_create(&policy, "normalise_token=true"), SAC_ERROR_ARGUMENT, "did you mean 'normalise_tokens'?");
    assert_fails(scene_create(&policy, "patch_feature=conv"), SAC_ERROR_ARGUMENT, "did you mean 'patch_features'?");
    // iap-trans keeps no patches, so that it never had these
    assert_fails(scene_create(&policy, "kind=iap-trans,features=conv"), SAC_ERROR_ARGUMENT,
                 "unknown option 'features'");
    assert_fails(scene_create(&policy, "kind=iap-trans,normalise=true"), SAC_ERROR_ARGUMENT,
                 "unknown option 'normalise'");
}

TEST(an_own_option_comes_first)
{
    bool fields[2];
    const sac_option own[] = {
        {"normalise", SAC_OPTION_BOOL, 0, "true", 0, 0, NULL, "of this table alone"},
        {"normalise_positions", SAC_OPTION_BOOL, 1, "true", 0, 0, NULL, "of this table alone"},
        {0},
    };
    log_of log = {0};
    sac_set_log(keep_line, &log);
    sac_setting given = {"normalise", "false"};
    sac_status status = sac_options_read(own, fields, &given, 1, "here");
    sac_set_log(NULL, NULL);
    assert_ok(status);
    assert_int_equal(log.lines, 0);
    assert_true(!fields[0] && fields[1]);
    assert_string_equal(sac_option_first_name(own, "normalise_positions"), "normalise_positions");
}

// every policy file, whoever wrote it, has the names of the first version
TEST(policy_files_keep_the_first_names_and_are_read_in_silence)
{
    sac_policy *policy;
    assert_ok(scene_create(&policy, "normalise_tokens=true,normalise_positions=false,patch_features=positions+values"));
    char path[512];
    path_in(path, "policy.safetensors");
    assert_ok(sac_policy_save(policy, NULL, NULL, path));

    sac_tensors *file;
    assert_ok(sac_tensors_load(&file, path, 1 << 20));
    const char *text = sac_tensors_metadata(file, "policy");
    assert_non_null(strstr(text, "\"normalize\":\"true\""));
    assert_non_null(strstr(text, "\"normalise\":\"false\""));
    assert_non_null(strstr(text, "\"features\":\"positions+values\""));
    assert_null(strstr(text, "normalise_"));
    assert_null(strstr(text, "patch_features"));
    sac_tensors_destroy(file);

    sac_policy *again = read_in_silence(path);
    assert_string_equal(setting(again, "normalise_tokens"), "true");
    assert_string_equal(setting(again, "normalise_positions"), "false");
    assert_string_equal(setting(again, "patch_features"), "positions+values");
    sac_policy_destroy(again);
    sac_policy_destroy(policy);
}

static const char *const former_task =
    "env: {id: toy}\n"
    "policy: {kind: iap-rank, top: 4, stride: 5, normalize: true, normalise: false, features: positions+values}\n"
    "search: {method: ars, population: 8, normalize: sigma}\n"
    "train: {generations: 3}\nevaluation: {every: 3, episodes: 2}\n";

static const char *const task_now =
    "env: {id: toy}\n"
    "policy: {kind: iap-rank, top: 4, stride: 5, normalise_tokens: true, normalise_positions: false, "
    "patch_features: positions+values}\n"
    "search: {method: ars, population: 8, normalise: sigma}\n"
    "train: {generations: 3}\nevaluation: {every: 3, episodes: 2}\n";

TEST(a_task_with_former_names_is_the_same_task)
{
    log_of log = {0};
    sac_set_log(keep_line, &log);
    sac_task *before = load_task(former_task, NULL, 0);
    assert_int_equal(log.lines, 4); // one line an option that has another name
    sac_task *now = load_task(task_now, NULL, 0);
    assert_int_equal(log.lines, 4);
    char *texts[2];
    assert_ok(sac_task_write(before, &texts[0]));
    assert_ok(sac_task_write(now, &texts[1]));
    sac_set_log(NULL, NULL);
    assert_int_equal(log.lines, 4); // writing them says nothing more
    assert_string_equal(texts[0], texts[1]);
    sac_free(texts[0]);

    // the same as an earlier version has left it in a run folder
    char path[512];
    path_in(path, "former.yaml");
    put(texts[1], "normalise_tokens:", "normalize:");
    put(texts[1], "normalise_positions:", "normalise:");
    put(texts[1], "patch_features:", "features:");
    put(strstr(texts[1], "search:"), "normalise:", "normalize:");
    assert_ok(sac_write_file(path, texts[1], strlen(texts[1])));
    sac_free(texts[1]);

    // --set by the new name overrules the former one in the file
    sac_setting set = {"policy.normalise_tokens", "false"};
    sac_task *other = load_task(former_task, &set, 1);
    assert_ok(sac_task_write(other, &texts[0]));
    assert_non_null(strstr(texts[0], "normalise_tokens: false"));
    assert_null(strstr(texts[0], "normalize"));
    sac_free(texts[0]);
    sac_task_destroy(other);

    // a run whose task.yaml has the former names is this task's run, and not that of another value
    other = load_task(task_now, &set, 1);
    assert_ok(sac_task_check_same(now, path));
    assert_fails(sac_task_check_same(other, path), SAC_ERROR_ARGUMENT, "policy.normalise_tokens 'true'");
    sac_task_destroy(other);
    sac_task_destroy(now);
    sac_task_destroy(before);
}

// a run of an earlier version and one of now, which differ by their seeds alone, share a line of the plot
TEST(runs_of_both_are_seeds_of_one_task)
{
    static const char *const texts[] = {
        "policy:\n  normalize: true\n  features: conv\ntrain:\n  seed: 1\n",
        "policy:\n  normalise_tokens: true\n  patch_features: conv\ntrain:\n  seed: 2\n",
        "policy:\n  normalise_tokens: false\n  patch_features: conv\ntrain:\n  seed: 2\n"};
    char runs[3][512], path[512];
    for (int i = 0; i < 3; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "seed-%d", i);
        path_in(runs[i], name);
        assert_int_equal(mkdir(runs[i], 0755), 0);
        snprintf(name, sizeof name, "seed-%d/task.yaml", i);
        path_in(path, name);
        assert_ok(sac_write_file(path, texts[i], strlen(texts[i])));
    }
    assert_true(sac_plot_has_seeds((const char *const[]){runs[0], runs[1]}, 2));
    assert_false(sac_plot_has_seeds((const char *const[]){runs[0], runs[2]}, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_former_name_is_read_and_the_new_one_is_said),
        cmocka_unit_test(the_search_has_its_own),
        cmocka_unit_test(names_that_never_were_are_unknown),
        cmocka_unit_test(an_own_option_comes_first),
        cmocka_unit_test(policy_files_keep_the_first_names_and_are_read_in_silence),
        cmocka_unit_test(policy_files_keep_the_filter),
        cmocka_unit_test(a_task_with_filters_is_the_same_task),
        cmocka_unit_test(a_task_with_former_names_is_the_same_task),
        cmocka_unit_test(runs_of_both_are_seeds_of_one_task),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

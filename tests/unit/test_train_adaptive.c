#include "train_scene.h"

/// What depends on how a training goes, or on what it has seen: fresh starts, races, restarts, the observation
/// normaliser, chosen tensors. The bits depend on none of threads, lanes and interruptions here either.

// a start is given up at generation 4 (no candidate gets a million), and again at 8; then it goes on as usual
TEST(a_start_that_leads_nowhere_is_given_up_and_resumes_to_the_same_bytes)
{
    const sac_setting settings[] = {
        {"train.stages.0.above", "2000000"}, {"train.restart_after", "4"}, {"train.restart_below", "1000000"}};
    sac_task *task = load_task(task_text, settings, 3);
    assert_ok(train(task, "restarts", 2, false, &(watcher){0}));
    assert_goes_on(task, "restarts", 5, 8);
    assert_int_equal(events_that_say("restarts", "fresh start"), 2);
    sac_task_destroy(task);
}

// the toy's stage comes after the first generation
TEST(pairs_and_a_smaller_step_give_the_same_bytes_and_go_on_to_them)
{
    const sac_setting settings[] = {
        {"train.stages.0.fitness", "pair"}, {"search.mirrored", "true"}, {"train.stages.0.sigma", "0.5"}};
    sac_task *task = load_task(task_text, settings, 3);
    assert_same_for_threads(task);
    assert_goes_on(task, "one", 3, 6);
    crash_after_five(task);
    assert_ok(train(task, "crash", 2, true, &(watcher){0}));
    assert_same_run("one", "crash");
    sac_task_destroy(task);

    sac_task *without = load_task(task_text, settings, 1);
    assert_fails(train(without, "without", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT, "search.mirrored: true");
    sac_task_destroy(without);
}

static double last_sigma(const char *run)
{
    char name[64], path[512];
    size_t size;
    snprintf(name, sizeof name, "%s/metrics.csv", run);
    path_in(path, name);
    double sigma = 0;
    char *text = read_text(path, &size);
    for (const char *at = text; (at = strchr(at, ',')); at++) sigma = atof(at + 1);
    sac_free(text);
    return sigma;
}

// without step-size adaptation nothing else moves it
TEST(a_stage_scales_the_step_once)
{
    const sac_setting settings[] = {{"search.csa", "false"}, {"train.stages.0.sigma", "0.25"}};
    sac_task *plain = load_task(task_text, settings, 1), *scaled = load_task(task_text, settings, 2);
    assert_ok(train(plain, "plain", 1, false, &(watcher){0}));
    assert_ok(train(scaled, "scaled", 1, false, &(watcher){0}));
    assert_true(last_sigma("plain") > 0);
    assert_float_equal(last_sigma("scaled"), last_sigma("plain") / 4, 1e-9);
    sac_task_destroy(plain);
    sac_task_destroy(scaled);
}

// 2 to 5 episodes: whoever returns cannot tell from the best half gets more
static const sac_setting raced[] = {{"train.stages.0.race", "5"}, {"search.population", "12"}};

TEST(a_race_gives_the_same_bytes_for_any_number_of_threads_and_goes_on_to_them)
{
    sac_task *task = load_task(task_text, raced, 2);
    assert_same_for_threads(task);
    assert_goes_on(task, "one", 3, 6);
    sac_task_destroy(task);
}

TEST(a_race_after_a_crash_counts_its_steps_once)
{
    sac_task *task = load_task(task_text, raced, 2);
    assert_ok(train(task, "whole", 1, false, &(watcher){0}));
    // the returns of every round stay known until the checkpoint: take that away, and all but the last round is there
    crash_after_five(task);
    assert_ok(train(task, "crash", 2, true, &(watcher){0}));
    assert_same_run("whole", "crash");
    sac_task_destroy(task);
}

static uint64_t steps_of(const char *run)
{
    char dir[512];
    sac_run_summary summary;
    path_in(dir, run);
    assert_ok(sac_run_summarise(&summary, dir));
    return summary.steps;
}

// eight candidates with one episode in the first generation and two in the other eight; on the toy all have 12 steps
TEST(episodes_of_training_may_be_short)
{
    const sac_setting settings[] = {{"train.steps", "5"}, {"train.stages.0.steps", "0"}};
    const uint64_t expected[] = {(8 + 8 * 16) * 12, (8 + 8 * 16) * 5, 8 * 5 + 8 * 16 * 12};
    const char *const names[] = {"whole", "short", "longer"};
    for (int i = 0; i < 3; i++)
    {
        sac_task *task = load_task(task_text, settings, i);
        assert_ok(train(task, names[i], 1, false, &(watcher){0}));
        assert_true(steps_of(names[i]) == expected[i]);
        sac_task_destroy(task);
    }
    // a resumed run knows which rounds were which
    sac_task *task = load_task(task_text, settings, 2);
    watcher w = {.at = 3};
    assert_int_equal(train(task, "parts", 1, false, &w), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 2, true, &(watcher){0}));
    assert_same_run("longer", "parts");
    sac_task_destroy(task);
}

// nobody leaves a race without confidence: it is the mean over all episodes; with some, it costs less
TEST(a_race_without_confidence_is_the_mean_of_all_its_episodes)
{
    const sac_setting all[] = {{"train.stages.0.episodes", "5"}, {"search.population", "12"}};
    const sac_setting endless[] = {raced[0], raced[1], {"train.race_confidence", "100"}};
    sac_task *tasks[] = {load_task(task_text, all, 2), load_task(task_text, endless, 3),
                         load_task(task_text, raced, 2)};
    assert_ok(train(tasks[0], "all", 1, false, &(watcher){0}));
    assert_ok(train(tasks[1], "endless", 1, false, &(watcher){0}));
    assert_ok(train(tasks[2], "raced", 1, false, &(watcher){0}));
    assert_same_run("all", "endless");
    assert_true(steps_of("raced") < steps_of("all"));
    for (int i = 0; i < 3; i++) sac_task_destroy(tasks[i]);
}

// a search that restarts with a larger population, in a race, by itself and by its stagnation
TEST(a_search_that_restarts_gives_the_same_bytes_and_goes_on_to_them)
{
    const sac_setting settings[] = {raced[0],
                                    {"search.restarts", "5"},
                                    {"search.restart_stagnation", "2"},
                                    {"search.restart_spread", "0.1"},
                                    {"search.population", "4"}};
    sac_task *task = load_task(task_text, settings, 5);
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_goes_on(task, "one", 3, 7);
    assert_true(events_that_say("one", "not risen for many generations; population 8") > 0);
    sac_task_destroy(task);
}

// ARS V2 in a race: the normaliser is measured over all that candidates see, and none of it depends on who drives
TEST(a_normaliser_is_measured_to_the_same_bytes)
{
    const sac_setting settings[] = {{"policy.normaliser", "true"}, {"search.method", "ars"},
                                    {"search.population", "12"},   {"search.sigma", "0.1"},
                                    {"search.rate", "0.1"},        raced[0]};
    sac_task *task = load_task(task_text, settings, 6);
    assert_same_for_threads(task);
    assert_goes_on(task, "one", 3, 6);
    // the last checkpoint gone: the rounds since then bring what their candidates saw
    crash_after_five(task);
    assert_ok(train(task, "crash", 2, true, &(watcher){0}));
    assert_same_run("one", "crash");

    // it is part of the shipped policy: positions lie in 0..1, those of at least one patch move
    sac_policy *policy = load_mean("one");
    int size = sac_policy_normaliser_size(policy), moving = 0;
    assert_int_equal(size, 6);
    const float *mean = sac_policy_parameters(policy) + sac_policy_parameter_count(policy) - 2 * size;
    for (int i = 0; i < size; i++)
    {
        assert_true(mean[i] > 0 && mean[i] < 1);
        moving += mean[size + i] > 0;
    }
    assert_true(moving > 0);
    sac_policy_destroy(policy);
    sac_task_destroy(task);
}

TEST(the_search_moves_the_chosen_tensors_alone)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "all", 1, false, &(watcher){0}));
    const sac_setting named[] = {{"train.tune", "query key lstm output"}};
    sac_task *every = load_task(task_text, named, 1);
    assert_ok(train(every, "every", 1, false, &(watcher){0}));
    assert_same_run("all", "every");

    char start[512];
    path_in(start, "all/mean.safetensors");
    const sac_setting some[] = {{"train.tune", "lstm.bias output:0.25"}, {"train.start", start}};
    sac_task *part = load_task(task_text, some, 2);
    assert_ok(train(part, "part", 2, false, &(watcher){0}));
    sac_policy *before = load_mean("all"), *after = load_mean("part");
    for (int v = 0; v < sac_policy_tensor_count(before); v++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(before, v);
        bool tuned = strncmp(tensor->name, "lstm.bias", 9) == 0 || strncmp(tensor->name, "output", 6) == 0;
        int same = memcmp(sac_policy_parameters(before) + tensor->offset, sac_policy_parameters(after) + tensor->offset,
                          sac_policy_tensor_size(tensor) * sizeof(float));
        assert_int_equal(same != 0, tuned);
    }
    sac_policy_destroy(before);
    sac_policy_destroy(after);

    const sac_setting unknown[] = {{"train.tune", "lstm output.bais"}};
    sac_task *bad = load_task(task_text, unknown, 1);
    assert_fails(train(bad, "bad", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT, "did you mean");
    sac_task *tasks[] = {task, every, part, bad};
    for (int i = 0; i < 4; i++) sac_task_destroy(tasks[i]);
}

// With train.start: zeros, the tensors that train.take names begin at zero; the rest is as it is drawn.
TEST(a_start_may_be_zero_in_part)
{
    const sac_setting settings[] = {
        {"train.generations", "1"}, {"search.sigma", "1e-12"}, {"train.start", "zeros"}, {"train.take", "output"}};
    sac_task *draw = load_task(task_text, settings, 2), *part = load_task(task_text, settings, 4);
    assert_ok(train(draw, "draw", 1, false, &(watcher){0}));
    assert_ok(train(part, "part", 1, false, &(watcher){0}));
    sac_policy *drawn = load_mean("draw"), *to = load_mean("part");
    for (int v = 0; v < sac_policy_tensor_count(to); v++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(to, v);
        const float factor = strncmp(tensor->name, "output", 6) == 0 ? 0 : 1;
        for (size_t i = 0; i < sac_policy_tensor_size(tensor); i++)
            assert_true(fabsf(sac_policy_parameters(to)[tensor->offset + i] -
                              factor * sac_policy_parameters(drawn)[tensor->offset + i]) <= 1e-10f);
    }
    sac_policy_destroy(drawn);
    sac_policy_destroy(to);
    sac_task_destroy(draw);
    sac_task_destroy(part);
}

// A policy takes the tensors that train.take names from one with others beside them; the rest is as it is drawn.
TEST(a_start_may_be_taken_in_part)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "whole", 1, false, &(watcher){0}));
    char start[512];
    path_in(start, "whole/mean.safetensors");
    // One generation moves no number by more than a hundred of these steps.
    const sac_setting settings[] = {{"train.generations", "1"},
                                    {"search.sigma", "1e-12"},
                                    {"policy.key_size", "3"},
                                    {"train.start", start},
                                    {"train.take", "lstm output"}};
    sac_task *draw = load_task(task_text, settings, 3), *part = load_task(task_text, settings, 5);
    assert_ok(train(draw, "draw", 1, false, &(watcher){0}));
    assert_ok(train(part, "part", 1, false, &(watcher){0}));
    sac_policy *from = load_mean("whole"), *drawn = load_mean("draw"), *to = load_mean("part");
    int taken = 0;
    for (int v = 0; v < sac_policy_tensor_count(to); v++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(to, v), *theirs = sac_policy_tensor_at(from, v);
        const bool named = strncmp(tensor->name, "lstm", 4) == 0 || strncmp(tensor->name, "output", 6) == 0;
        assert_string_equal(tensor->name, theirs->name);
        const float *wanted =
            named ? sac_policy_parameters(from) + theirs->offset : sac_policy_parameters(drawn) + tensor->offset;
        for (size_t i = 0; i < sac_policy_tensor_size(tensor); i++)
            assert_true(fabsf(sac_policy_parameters(to)[tensor->offset + i] - wanted[i]) <= 1e-10f);
        taken += named;
    }
    assert_true(taken > 0 && taken < sac_policy_tensor_count(to));
    sac_policy *policies[] = {from, drawn, to};
    for (int i = 0; i < 3; i++) sac_policy_destroy(policies[i]);
    const sac_setting bad[][2] = {{{"train.take", "controller"}, {"train.start", start}},
                                  {{"train.take", "query"}, {"train.start", start}},
                                  {{"train.take", "query"}, {"train.start", "draw"}}};
    static const char *const words[] = {"train.take: no tensor of the policy begins with 'controller'",
                                        "has no tensor 'query.", "and train.start is 'draw'"};
    for (int i = 0; i < 3; i++)
    {
        const sac_setting all[] = {bad[i][0], bad[i][1], {"policy.key_size", "3"}};
        char name[32];
        snprintf(name, sizeof name, "wrong-%d", i);
        sac_task *wrong = load_task(task_text, all, 3);
        assert_fails(train(wrong, name, 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT, words[i]);
        sac_task_destroy(wrong);
    }
    sac_task_destroy(task);
    sac_task_destroy(draw);
    sac_task_destroy(part);
}

// What a run begins with may be the outcome of another one, which was forgotten.
TEST(a_start_that_is_not_there_is_to_be_trained_first)
{
    char nowhere[512], begun[512];
    path_in(nowhere, "nowhere.safetensors");
    path_in(begun, "unbegun");
    const sac_setting all[] = {{"train.start", nowhere}, {"train.take", "lstm"}};
    for (int count = 1; count <= 2; count++)
    {
        sac_task *task = load_task(task_text, all, count);
        assert_fails(train(task, "unbegun", 1, false, &(watcher){0}), SAC_ERROR_FILE, "train.start: ");
        assert_non_null(strstr(sac_last_error(), "nowhere.safetensors: cannot be read"));
        assert_non_null(strstr(sac_last_error(), "; train this policy first"));
        assert_int_equal(access(begun, F_OK), -1); // nothing is begun
        sac_task_destroy(task);
    }
    // one that is there and is no policy is not said to be missing
    assert_ok(sac_write_file(nowhere, "no policy", 9));
    sac_task *task = load_task(task_text, all, 1);
    assert_true(train(task, "unbegun", 1, false, &(watcher){0}) != SAC_OK);
    assert_null(strstr(sac_last_error(), "first"));
    sac_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_start_that_leads_nowhere_is_given_up_and_resumes_to_the_same_bytes),
        IN_FOLDER(pairs_and_a_smaller_step_give_the_same_bytes_and_go_on_to_them),
        IN_FOLDER(a_stage_scales_the_step_once),
        IN_FOLDER(a_race_gives_the_same_bytes_for_any_number_of_threads_and_goes_on_to_them),
        IN_FOLDER(a_race_after_a_crash_counts_its_steps_once),
        IN_FOLDER(a_start_may_be_zero_in_part),
        IN_FOLDER(a_start_may_be_taken_in_part),
        IN_FOLDER(a_start_that_is_not_there_is_to_be_trained_first),
        IN_FOLDER(episodes_of_training_may_be_short),
        IN_FOLDER(a_race_without_confidence_is_the_mean_of_all_its_episodes),
        IN_FOLDER(a_search_that_restarts_gives_the_same_bytes_and_goes_on_to_them),
        IN_FOLDER(a_normaliser_is_measured_to_the_same_bytes),
        IN_FOLDER(the_search_moves_the_chosen_tensors_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

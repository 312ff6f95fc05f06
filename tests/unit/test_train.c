#include "saccade/train.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#include "base/memory.h"
#include "files/atomic.h"
#include "train/task.h"

/// Training on the toy: the bits do not depend on threads, lanes or interruptions.

static const char task_text[] = "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
                                "policy:\n  kind: attention-agent\n  top: 3\n  hidden: 4\n"
                                "search:\n  method: sep-cma-es\n  population: 8\n"
                                "train:\n  generations: 9\n  checkpoint_every: 2\n  average: 0.3\n"
                                "  stages:\n    - above: -1000\n      episodes: 2\n"
                                "evaluation:\n  every: 3\n  episodes: 4\n";

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/saccade-train-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void path_in(char path[512], const char *name)
{
    snprintf(path, 512, "%s/%s", folder, name);
}

static sac_task *load_task(const char *text, const sac_setting *settings, int count)
{
    char path[512];
    path_in(path, "task.yaml");
    assert_ok(sac_write_file(path, text, strlen(text)));
    sac_task *task;
    assert_ok(sac_task_load(&task, path, settings, count));
    return task;
}

typedef struct watcher
{
    volatile int interrupt;
    uint64_t at; // generation to interrupt in; 0: never
    int rows;
} watcher;

static void watch(void *user, const sac_progress *p)
{
    watcher *w = user;
    w->rows++;
    if (w->at && p->generation >= w->at) w->interrupt = 1;
}

static sac_status train(const sac_task *task, const char *name, int threads, bool resume, watcher *w)
{
    char dir[512];
    path_in(dir, name);
    sac_train_def def = {.task = task,
                         .run_dir = dir,
                         .threads = threads,
                         .resume = resume,
                         .progress = watch,
                         .user = w,
                         .interrupt = &w->interrupt};
    return sac_train(&def);
}

// to be released by sac_free
static char *read_text(const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    assert_ok(sac_read_file(&bytes, size, path, 1 << 26));
    return (char *)bytes;
}

// how many times a run's events hold the words
static int events_that_say(const char *run, const char *words)
{
    char name[64], path[512];
    size_t size;
    snprintf(name, sizeof name, "%s/events.jsonl", run);
    path_in(path, name);
    char *text = read_text(path, &size);
    int count = 0;
    for (const char *at = text; (at = strstr(at, words)); at++) count++;
    sac_free(text);
    return count;
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    char path[512], *bytes[2];
    size_t sizes[2];
    snprintf(path, sizeof path, "%s/%s/%s", folder, a, name);
    bytes[0] = read_text(path, &sizes[0]);
    snprintf(path, sizeof path, "%s/%s/%s", folder, b, name);
    bytes[1] = read_text(path, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    sac_free(bytes[0]);
    sac_free(bytes[1]);
}

static void assert_same_run(const char *a, const char *b)
{
    assert_same_file(a, b, "checkpoints/00000009.safetensors");
    assert_same_file(a, b, "mean.safetensors");
    assert_same_file(a, b, "best.safetensors");
}

TEST(any_number_of_threads_and_lanes_gives_the_same_bytes)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_ok(train(task, "three", 3, false, &(watcher){0}));
    sac_task_destroy(task);
    sac_task *narrow = load_task(task_text, &(sac_setting){"train.lanes", "3"}, 1);
    assert_ok(train(narrow, "narrow", 2, false, &(watcher){0}));
    sac_task_destroy(narrow);
    assert_same_run("one", "three");
    assert_same_run("one", "narrow");
}

TEST(an_interrupted_run_goes_on_to_the_same_bytes)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "whole", 2, false, &(watcher){0}));
    watcher first = {.at = 3}, second = {.at = 6}, third = {0};
    assert_int_equal(train(task, "parts", 1, false, &first), SAC_ERROR_INTERRUPTED);
    assert_int_equal(train(task, "parts", 2, true, &second), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 3, true, &third));
    assert_same_run("whole", "parts");
    // every generation is reported once
    assert_int_equal(first.rows + second.rows + third.rows, 9);
    sac_task_destroy(task);
}

TEST(metrics_hold_every_generation_once_after_a_crash)
{
    sac_task *task = load_task(task_text, NULL, 0);
    watcher w = {.at = 5};
    assert_int_equal(train(task, "crash", 1, false, &w), SAC_ERROR_INTERRUPTED);
    // a crash after the checkpoint of generation 4: generation 5 is there as rows alone, and half a row more
    char path[512];
    path_in(path, "crash/checkpoints/00000005.safetensors");
    assert_int_equal(unlink(path), 0);
    path_in(path, "crash/metrics.csv");
    FILE *file = fopen(path, "a");
    fputs("6,123,4.", file);
    fclose(file);
    assert_ok(train(task, "crash", 1, true, &(watcher){0}));

    char *text;
    size_t size;
    text = read_text(path, &size);
    int row = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), row++)
        if (row > 0) assert_int_equal(atoi(line), row);
    assert_int_equal(row, 10);
    sac_free(text);
    sac_task_destroy(task);
}

TEST(an_existing_run_is_not_overwritten_and_another_task_is_refused)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "kept", 1, false, &(watcher){0}));
    assert_fails(train(task, "kept", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT, "--resume");
    sac_task_destroy(task);
    sac_task *other = load_task(task_text, &(sac_setting){"search.sigma", "0.2"}, 1);
    assert_fails(train(other, "kept", 1, true, &(watcher){0}), SAC_ERROR_ARGUMENT, "search.sigma");
    sac_task_destroy(other);
}

// a newer saccade may know options that an older run's task file does not name
TEST(a_run_from_before_an_option_existed_goes_on)
{
    sac_task *task = load_task(task_text, NULL, 0);
    watcher w = {.at = 4};
    assert_int_equal(train(task, "older", 1, false, &w), SAC_ERROR_INTERRUPTED);
    char command[128];
    snprintf(command, sizeof command, "sed -i '/fitness: return/d' '%s/older/task.yaml'", folder);
    assert_int_equal(system(command), 0);
    assert_ok(train(task, "older", 1, true, &(watcher){0}));
    sac_task_destroy(task);
}

TEST(resume_without_a_checkpoint_starts_from_the_beginning)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "plain", 1, false, &(watcher){0}));
    assert_ok(train(task, "fresh", 1, true, &(watcher){0}));
    assert_same_run("plain", "fresh");
    sac_task_destroy(task);
}

TEST(a_longer_run_goes_on_where_a_shorter_one_ended)
{
    sac_task *task = load_task(task_text, NULL, 0);
    sac_task *shorter = load_task(task_text, &(sac_setting){"train.generations", "4"}, 1);
    assert_ok(train(task, "long", 1, false, &(watcher){0}));
    assert_ok(train(shorter, "grown", 1, false, &(watcher){0}));
    assert_ok(train(task, "grown", 1, true, &(watcher){0}));
    // the shorter run evaluated at its end as well, which may have given it another best
    assert_same_file("long", "grown", "mean.safetensors");
    sac_task_destroy(task);
    sac_task_destroy(shorter);
}

static void assert_bad_task(const char *text, const char *words)
{
    char path[512];
    path_in(path, "bad.yaml");
    assert_ok(sac_write_file(path, text, strlen(text)));
    sac_task *task;
    assert_fails(sac_task_load(&task, path, NULL, 0), SAC_ERROR_ARGUMENT, words);
    assert_null(task);
}

TEST(a_bad_task_says_what_and_where)
{
    const char good[] = "env:\n  id: toy\npolicy:\n  kind: attention-agent\nsearch:\n  method: sep-cma-es\n";
    char text[512];
    assert_bad_task("env:\n  id: toy\n", "policy.kind is missing");
    assert_bad_task("env:\n  id: car-racin\npolicy:\n  kind: attention-agent\nsearch:\n  method: sep-cma-es\n",
                    "did you mean 'car-racing'?");
    snprintf(text, sizeof text, "%strain:\n  sead: 4\n", good);
    assert_bad_task(text, "bad.yaml:8: train: unknown option 'sead', did you mean 'seed'?");
    snprintf(text, sizeof text, "%sevaluaton:\n  every: 4\n", good);
    assert_bad_task(text, "did you mean 'evaluation'?");
    snprintf(text, sizeof text, "%strain:\n  patience: -3\n", good);
    assert_bad_task(text, "bad.yaml:8: train: patience is '-3', expected 0 to 1000000");
    snprintf(text, sizeof text, "%strain:\n  fitness: rank\n  common_episodes: false\n", good);
    assert_bad_task(text, "needs common_episodes");
    snprintf(text, sizeof text, "%strain:\n  screen: 4\n  common_episodes: false\n", good);
    assert_bad_task(text, "train.screen chooses");
    snprintf(text, sizeof text, "%strain:\n  race: 4\n  common_episodes: false\n", good);
    assert_bad_task(text, "train.race compares");
    snprintf(text, sizeof text, "%s  restarts: 2\ntrain:\n  fitness: rank\n", good);
    assert_bad_task(text, "never rises");
    snprintf(text, sizeof text, "%sevaluation:\n  first_seed: 999990\n", good);
    assert_bad_task(text, "below 1000000");
}

// an environment whose reward is not a number when the first action is positive

static sac_status broken_create(void **self, const void *config, const char *variant)
{
    (void)config, (void)variant;
    static int nothing;
    *self = &nothing;
    return SAC_OK;
}

static void broken_spec(const void *self, sac_env_spec *spec)
{
    (void)self;
    static const float low[] = {-1}, high[] = {1};
    *spec = (sac_env_spec){.height = 16,
                           .width = 16,
                           .channels = 3,
                           .action_size = 1,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = 3};
}

static sac_status broken_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    (void)self;
    memset(row->observation, (int)(seed & 255), 16 * 16 * 3);
    return SAC_OK;
}

static sac_status broken_step(void *self, const sac_env_row *row)
{
    (void)self;
    *row->reward = row->action[0] > 0 ? (double)NAN : 1;
    *row->terminated = 1;
    return SAC_OK;
}

static void broken_destroy(void *self)
{
    (void)self;
}

static const sac_env_ops broken_ops = {.name = "broken",
                                       .create = broken_create,
                                       .spec = broken_spec,
                                       .reset = broken_reset,
                                       .step = broken_step,
                                       .destroy = broken_destroy};

TEST(what_is_not_a_number_ranks_last_and_is_reported)
{
    static bool registered;
    if (!registered) assert_ok(sac_env_register(&broken_ops));
    registered = true;
    sac_task *task = load_task("env:\n  id: broken\npolicy:\n  kind: attention-agent\n  top: 2\n  hidden: 4\n"
                               "search:\n  method: sep-cma-es\n  population: 16\ntrain:\n  generations: 5\n"
                               "evaluation:\n  every: 0\n",
                               NULL, 0);
    assert_ok(train(task, "nan", 2, false, &(watcher){0}));
    char path[512], *text;
    size_t size;
    path_in(path, "nan/metrics.csv");
    text = read_text(path, &size);
    assert_null(strstr(text, "nan"));
    sac_free(text);
    assert_true(events_that_say("nan", "\"nan\"") > 0);
    assert_true(events_that_say("nan", "seed 1") > 0);
    sac_task_destroy(task);
}

TEST(evaluation_is_the_same_for_any_number_of_threads)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "policy", 1, false, &(watcher){0}));
    char path[512];
    path_in(path, "policy/best.safetensors");
    sac_policy *policy;
    assert_ok(sac_policy_load(&policy, NULL, path));
    sac_env_def env = sac_task_env_def(task);
    sac_episode one[40], three[40], single;
    assert_ok(sac_evaluate(policy, &env, 100, 40, 1, one));
    assert_ok(sac_evaluate(policy, &env, 100, 40, 3, three));
    for (int i = 0; i < 40; i++)
    {
        assert_int_equal(one[i].seed, 100 + i);
        assert_true(one[i].episode_return == three[i].episode_return && one[i].steps == three[i].steps);
    }
    // an episode alone is the episode among others
    assert_ok(sac_evaluate(policy, &env, 117, 1, 1, &single));
    assert_true(single.episode_return == one[17].episode_return);
    sac_policy_destroy(policy);
    sac_task_destroy(task);
}

TEST(score_is_the_sample_mean_and_deviation)
{
    const sac_episode episodes[] = {{.episode_return = 1}, {.episode_return = 2}, {.episode_return = 6}};
    sac_score score = sac_score_of(episodes, 3);
    assert_near(score.mean, 3, 0);
    assert_near(score.std, sqrt(7), 1e-15);
    assert_int_equal(score.episodes, 3);
    assert_near(sac_score_of(episodes, 1).std, 0, 0);
}

// with one episode a rank orders candidates as their returns do, so the search learns the same
TEST(ranks_of_one_episode_are_the_order_of_the_returns)
{
    const sac_setting one[] = {{"train.stages.0.episodes", "1"}};
    const sac_setting ranked[] = {{"train.stages.0.episodes", "1"}, {"train.fitness", "rank"}};
    sac_task *plain = load_task(task_text, one, 1), *ranks = load_task(task_text, ranked, 2);
    assert_ok(train(plain, "returns", 1, false, &(watcher){0}));
    assert_ok(train(ranks, "ranks", 1, false, &(watcher){0}));
    assert_same_run("returns", "ranks");
    sac_task_destroy(plain);
    sac_task_destroy(ranks);
}

// a start is given up at generation 4 (no candidate gets a million), and again at 8; then it goes on as usual
TEST(a_start_that_leads_nowhere_is_given_up_and_resumes_to_the_same_bytes)
{
    const sac_setting settings[] = {
        {"train.stages.0.above", "2000000"}, {"train.restart_after", "4"}, {"train.restart_below", "1000000"}};
    sac_task *task = load_task(task_text, settings, 3);
    assert_ok(train(task, "restarts", 2, false, &(watcher){0}));
    watcher first = {.at = 5}, second = {.at = 8};
    assert_int_equal(train(task, "again", 1, false, &first), SAC_ERROR_INTERRUPTED);
    assert_int_equal(train(task, "again", 1, true, &second), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "again", 2, true, &(watcher){0}));
    assert_same_run("restarts", "again");

    assert_int_equal(events_that_say("restarts", "fresh start"), 2);
    sac_task_destroy(task);
}

// 2 to 5 episodes: whoever returns cannot tell from the best half gets more
static const sac_setting raced[] = {{"train.stages.0.race", "5"}, {"search.population", "12"}};

TEST(a_race_gives_the_same_bytes_for_any_number_of_threads_and_goes_on_to_them)
{
    sac_task *task = load_task(task_text, raced, 2);
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_ok(train(task, "three", 3, false, &(watcher){0}));
    assert_same_run("one", "three");
    watcher first = {.at = 3}, second = {.at = 6};
    assert_int_equal(train(task, "parts", 1, false, &first), SAC_ERROR_INTERRUPTED);
    assert_int_equal(train(task, "parts", 2, true, &second), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 3, true, &(watcher){0}));
    assert_same_run("one", "parts");
    sac_task_destroy(task);
}

TEST(a_race_after_a_crash_counts_its_steps_once)
{
    sac_task *task = load_task(task_text, raced, 2);
    assert_ok(train(task, "whole", 1, false, &(watcher){0}));
    // the returns of every round stay known until the checkpoint: take that away, and all but the last round is there
    watcher w = {.at = 5};
    assert_int_equal(train(task, "crash", 1, false, &w), SAC_ERROR_INTERRUPTED);
    char path[512];
    path_in(path, "crash/checkpoints/00000005.safetensors");
    assert_int_equal(unlink(path), 0);
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
    watcher first = {.at = 3}, second = {.at = 7};
    assert_int_equal(train(task, "parts", 3, false, &first), SAC_ERROR_INTERRUPTED);
    assert_int_equal(train(task, "parts", 2, true, &second), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 1, true, &(watcher){0}));
    assert_same_run("one", "parts");
    assert_true(events_that_say("one", "not risen for many generations; population 8") > 0);
    sac_task_destroy(task);
}

static sac_policy *load_mean(const char *run)
{
    char path[512];
    sac_policy *policy;
    snprintf(path, sizeof path, "%s/%s/mean.safetensors", folder, run);
    assert_ok(sac_policy_load(&policy, NULL, path));
    return policy;
}

// ARS V2 in a race: the filter is measured over all that candidates see, and none of it depends on who drives
TEST(a_filter_is_measured_to_the_same_bytes)
{
    const sac_setting settings[] = {{"policy.filter", "true"}, {"search.method", "ars"}, {"search.population", "12"},
                                    {"search.sigma", "0.1"},   {"search.rate", "0.1"},   raced[0]};
    sac_task *task = load_task(task_text, settings, 6);
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_ok(train(task, "three", 3, false, &(watcher){0}));
    assert_same_run("one", "three");
    watcher first = {.at = 3}, second = {.at = 6};
    assert_int_equal(train(task, "parts", 1, false, &first), SAC_ERROR_INTERRUPTED);
    assert_int_equal(train(task, "parts", 2, true, &second), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 3, true, &(watcher){0}));
    assert_same_run("one", "parts");
    // the last checkpoint gone: the rounds since then bring what their candidates saw
    watcher fifth = {.at = 5};
    assert_int_equal(train(task, "crash", 2, false, &fifth), SAC_ERROR_INTERRUPTED);
    char path[512];
    path_in(path, "crash/checkpoints/00000005.safetensors");
    assert_int_equal(unlink(path), 0);
    assert_ok(train(task, "crash", 1, true, &(watcher){0}));
    assert_same_run("one", "crash");

    // it is part of the shipped policy: positions lie in 0..1, those of at least one patch move
    sac_policy *policy = load_mean("one");
    int size = sac_policy_filter_size(policy), moving = 0;
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
    for (int v = 0; v < sac_policy_view_count(before); v++)
    {
        const sac_view *view = sac_policy_view(before, v);
        bool tuned = strncmp(view->name, "lstm.bias", 9) == 0 || strncmp(view->name, "output", 6) == 0;
        int same = memcmp(sac_policy_parameters(before) + view->offset, sac_policy_parameters(after) + view->offset,
                          sac_view_size(view) * sizeof(float));
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

TEST(learning_improves_the_toy)
{
    const sac_setting settings[] = {
        {"train.generations", "40"}, {"search.population", "24"}, {"evaluation.every", "39"}};
    sac_task *task = load_task(task_text, settings, 3);
    assert_ok(train(task, "learn", 2, false, &(watcher){0}));
    char path[512], *text;
    path_in(path, "learn/metrics.csv");
    size_t size;
    text = read_text(path, &size);
    double first = NAN, last = NAN, mean;
    int generation;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (sscanf(line, "%d,%*d,%*f,%*f,%lf", &generation, &mean) == 2)
        {
            if (generation == 1) first = mean;
            last = mean;
        }
    assert_true(last > first + 1);
    sac_free(text);
    sac_task_destroy(task);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(any_number_of_threads_and_lanes_gives_the_same_bytes),
        ROW(an_interrupted_run_goes_on_to_the_same_bytes),
        ROW(metrics_hold_every_generation_once_after_a_crash),
        ROW(an_existing_run_is_not_overwritten_and_another_task_is_refused),
        ROW(a_run_from_before_an_option_existed_goes_on),
        ROW(resume_without_a_checkpoint_starts_from_the_beginning),
        ROW(a_longer_run_goes_on_where_a_shorter_one_ended),
        ROW(a_bad_task_says_what_and_where),
        ROW(what_is_not_a_number_ranks_last_and_is_reported),
        ROW(evaluation_is_the_same_for_any_number_of_threads),
        ROW(score_is_the_sample_mean_and_deviation),
        ROW(ranks_of_one_episode_are_the_order_of_the_returns),
        ROW(a_start_that_leads_nowhere_is_given_up_and_resumes_to_the_same_bytes),
        ROW(a_race_gives_the_same_bytes_for_any_number_of_threads_and_goes_on_to_them),
        ROW(a_race_after_a_crash_counts_its_steps_once),
        ROW(a_race_without_confidence_is_the_mean_of_all_its_episodes),
        ROW(a_search_that_restarts_gives_the_same_bytes_and_goes_on_to_them),
        ROW(a_filter_is_measured_to_the_same_bytes),
        ROW(the_search_moves_the_chosen_tensors_alone),
        ROW(learning_improves_the_toy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

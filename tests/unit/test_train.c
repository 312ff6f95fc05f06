#include "train_scene.h"

#include <signal.h>
#include <sys/wait.h>

/// Training on the toy: the bits do not depend on threads, lanes or interruptions.

TEST(any_number_of_threads_and_lanes_gives_the_same_bytes)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_same_for_threads(task);
    sac_task_destroy(task);
    sac_task *narrow = load_task(task_text, &(sac_setting){"train.lanes", "3"}, 1);
    assert_ok(train(narrow, "narrow", 2, false, &(watcher){0}));
    sac_task_destroy(narrow);
    assert_same_run("one", "narrow");
}

TEST(an_interrupted_run_goes_on_to_the_same_bytes)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "whole", 2, false, &(watcher){0}));
    assert_goes_on(task, "whole", 3, 6);
    sac_task_destroy(task);
}

static void assert_rows_of_nine_generations(const char *run)
{
    char name[64], path[512];
    snprintf(name, sizeof name, "%s/metrics.csv", run);
    path_in(path, name);
    size_t size;
    char *text = read_text(path, &size);
    int row = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), row++)
        if (row > 0) assert_int_equal(atoi(line), row);
    assert_int_equal(row, 10);
    sac_free(text);
}

TEST(metrics_hold_every_generation_once_after_a_crash)
{
    sac_task *task = load_task(task_text, NULL, 0);
    crash_after_five(task);
    // and half a row more
    char path[512];
    path_in(path, "crash/metrics.csv");
    FILE *file = fopen(path, "a");
    fputs("6,123,4.", file);
    fclose(file);
    assert_ok(train(task, "crash", 1, true, &(watcher){0}));

    assert_rows_of_nine_generations("crash");
    sac_task_destroy(task);
}

// an empty folder was the root folder, one that is longer than some text was another
TEST(a_run_lies_in_the_folder_that_was_named_or_nowhere)
{
    sac_task *task = load_task(task_text, NULL, 0);
    sac_train_def def = {.task = task, .run_dir = "", .threads = 1};
    assert_fails(sac_train(&def), SAC_ERROR_ARGUMENT, "a path is empty");
    assert_int_equal(access("/task.yaml", F_OK), -1);
    sac_run_summary summary;
    assert_fails(sac_run_summarise(&summary, ""), SAC_ERROR_ARGUMENT, "a path is empty");

    char deep[SAC_PATH_SIZE], path[SAC_PATH_SIZE];
    int length = snprintf(deep, sizeof deep, "%s", folder);
    while (length < 3900) length += snprintf(deep + length, sizeof deep - (size_t)length, "/%0100d", 0);
    def.run_dir = deep;
    assert_ok(sac_train(&def));
    assert_ok(sac_join_path(path, deep, "checkpoints/00000009.safetensors"));
    assert_int_equal(access(path, F_OK), 0);
    assert_ok(sac_run_summarise(&summary, deep));
    assert_string_equal(summary.state, "finished");

    snprintf(deep + length, sizeof deep - (size_t)length, "/%0150d", 0);
    assert_fails(sac_train(&def), SAC_ERROR_ARGUMENT, "longer than 4095");
    assert_int_equal(access(deep, F_OK), -1);
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

// what happened before the first generation was finished stays known
TEST(events_of_the_first_generation_stay)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_int_equal(train(task, "begun", 1, false, &(watcher){.interrupt = 1}), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "begun", 1, true, &(watcher){0}));
    assert_int_equal(events_that_say("begun", "\"started\""), 1);
    assert_int_equal(events_that_say("begun", "\"interrupted\""), 1);
    assert_int_equal(events_that_say("begun", "\"resumed\""), 1);
    assert_rows_of_nine_generations("begun");
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

// a byte of the newest checkpoint is another
static void damage_newest(const char *run)
{
    char command[512];
    snprintf(command, sizeof command,
             "file=$(ls '%s/%s'/checkpoints/*.safetensors | tail -n 1) && "
             "printf X | dd of=\"$file\" bs=1 seek=$(($(stat -c %%s \"$file\") / 2)) conv=notrunc status=none",
             folder, run);
    assert_int_equal(system(command), 0);
}

// the two that are kept are two that one can go on from, so that a second accident loses nothing either
TEST(a_damaged_checkpoint_is_not_among_those_that_are_kept)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_ok(train(task, "straight", 1, false, &(watcher){0}));
    assert_int_equal(train(task, "twice", 1, false, &(watcher){.at = 6}), SAC_ERROR_INTERRUPTED);
    damage_newest("twice");
    assert_int_equal(train(task, "twice", 1, true, &(watcher){.at = 5}), SAC_ERROR_INTERRUPTED);
    damage_newest("twice");
    assert_ok(train(task, "twice", 1, true, &(watcher){0}));
    assert_same_run("straight", "twice");
    sac_task_destroy(task);

    // what was damaged is there to be looked at, under a name that is no checkpoint's
    char path[512];
    path_in(path, "twice/checkpoints/00000006.safetensors.damaged");
    assert_int_equal(access(path, F_OK), 0);
}

typedef struct log_of
{
    int lines;
    char last[256];
} log_of;

static void keep_line(void *user, sac_log_level level, const char *line)
{
    log_of *log = user;
    (void)level;
    log->lines++;
    snprintf(log->last, sizeof log->last, "%s", line);
}

static void run_shell(const char *words)
{
    char command[256];
    snprintf(command, sizeof command, "cd '%s' && %s", folder, words);
    assert_int_equal(system(command), 0);
}

// a run that has had checkpoints is not begun anew, which would replace what is left of it
TEST(a_run_whose_checkpoints_are_gone_is_left_as_it_is)
{
    sac_task *task = load_task(task_text, NULL, 0);
    assert_int_equal(train(task, "gone", 1, false, &(watcher){.at = 2}), SAC_ERROR_INTERRUPTED);
    run_shell("mv gone/checkpoints away && cp gone/metrics.csv rows && cp gone/events.jsonl events");
    assert_fails(train(task, "gone", 1, true, &(watcher){0}), SAC_ERROR_FILE, "its checkpoints are gone");
    run_shell("cmp gone/metrics.csv rows && cmp gone/events.jsonl events");

    // with the last one, it goes on as if nothing had happened
    assert_ok(train(task, "unharmed", 1, false, &(watcher){0}));
    run_shell("cp \"$(ls away/*.safetensors | tail -n 1)\" gone/checkpoints");
    assert_ok(train(task, "gone", 1, true, &(watcher){0}));
    assert_same_run("gone", "unharmed");
    sac_task_destroy(task);
}

static void die_at_four(void *user, const sac_progress *p)
{
    (void)user;
    if (p->generation == 4) raise(SIGKILL);
}

// there is nothing to go on from in a run that was killed in its first generations: it begins anew, and says so
TEST(a_run_that_was_killed_before_its_first_checkpoint_begins_anew)
{
    sac_task *task = load_task(task_text, &(sac_setting){"train.checkpoint_every", "100"}, 1);
    assert_ok(train(task, "patient", 1, false, &(watcher){0}));
    char struck[512];
    path_in(struck, "struck");
    const pid_t child = fork();
    if (child == 0)
    {
        sac_train_def def = {.task = task, .run_dir = struck, .threads = 1, .progress = die_at_four};
        _exit(sac_train(&def) == SAC_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));

    log_of log = {0};
    sac_set_log(keep_line, &log);
    const sac_status resumed = train(task, "struck", 1, true, &(watcher){0});
    sac_set_log(NULL, NULL);
    assert_ok(resumed);
    assert_int_equal(log.lines, 1);
    assert_non_null(strstr(log.last, "the run begins anew"));
    assert_same_run("patient", "struck");
    assert_rows_of_nine_generations("struck");
    sac_task_destroy(task);
}

// where none is whole, none is touched and nothing is trained
TEST(a_run_without_a_whole_checkpoint_is_left_as_it_is)
{
    sac_task *task = load_task(task_text, NULL, 0);
    char path[512], command[512];
    assert_int_equal(train(task, "none", 1, false, &(watcher){.at = 6}), SAC_ERROR_INTERRUPTED);
    snprintf(command, sizeof command, "for f in '%s'/none/checkpoints/*.safetensors; do echo >\"$f\"; done", folder);
    assert_int_equal(system(command), 0);
    log_of log = {0};
    sac_set_log(keep_line, &log);
    assert_fails(train(task, "none", 1, true, &(watcher){0}), SAC_ERROR_FORMAT, "00000004.safetensors");
    sac_set_log(NULL, NULL);
    assert_int_equal(log.lines, 1); // each of the two is named once, the last by the failure
    assert_non_null(strstr(log.last, "00000006.safetensors"));
    path_in(path, "none/checkpoints/00000006.safetensors");
    assert_int_equal(access(path, F_OK), 0);
    sac_task_destroy(task);
}

// a run of so many generations, gone on with where the folder holds a shorter one
static void train_for(const char *run, int generations)
{
    char total[16];
    snprintf(total, sizeof total, "%d", generations);
    const sac_setting settings[] = {{"train.generations", total}, {"evaluation.every", "4"}};
    sac_task *task = load_task(task_text, settings, 2);
    assert_ok(train(task, run, 1, true, &(watcher){0}));
    sac_task_destroy(task);
}

static sac_run_summary summary_of(const char *run)
{
    char path[512];
    sac_run_summary summary;
    path_in(path, run);
    assert_ok(sac_run_summarise(&summary, path));
    return summary;
}

TEST(stopped_at_any_generation_a_run_ends_with_the_vectors_of_a_straight_one)
{
    for (int end = 3; end <= 9; end += 3) // before the first evaluation on schedule, between two, after the last
    {
        char straight[32], stopped[32];
        snprintf(straight, sizeof straight, "straight-%d", end);
        train_for(straight, end);
        for (int stop = 1; stop < end; stop++)
        {
            snprintf(stopped, sizeof stopped, "stopped-%d-%d", stop, end);
            train_for(stopped, stop);
            train_for(stopped, end);
            assert_same_file(straight, stopped, "mean.safetensors");
            assert_same_file(straight, stopped, "best.safetensors");
            sac_run_summary a = summary_of(straight), b = summary_of(stopped);
            assert_float_equal(a.best.mean, b.best.mean, 0);
            assert_int_equal(a.best_generation, b.best_generation);
        }
    }
}

// of a straight run that ended there: so whatever ends a run, a policy is there to go on with
TEST(an_interrupt_before_the_first_evaluation_leaves_the_vector)
{
    sac_task *task = load_task(task_text, &(sac_setting){"evaluation.every", "4"}, 1);
    assert_int_equal(train(task, "broken", 1, false, &(watcher){.at = 2}), SAC_ERROR_INTERRUPTED);
    sac_task_destroy(task);
    train_for("ended", 2);
    sac_policy *left = load_policy("broken", "best.safetensors"), *best = load_policy("ended", "best.safetensors");
    size_t bytes = (size_t)sac_policy_parameter_count(best) * sizeof(float);
    assert_memory_equal(sac_policy_parameters(left), sac_policy_parameters(best), bytes);
    sac_policy_destroy(left);
    sac_policy_destroy(best);
}

TEST(the_mean_is_what_is_evaluated)
{
    const sac_setting settings[] = {{"train.average", "0.3"}, {"evaluation.every", "1000"}};
    sac_task *task = load_task(task_text, settings, 2);
    assert_ok(train(task, "averaged", 1, false, &(watcher){0}));
    // evaluated once, at the end
    sac_policy *mean = load_mean("averaged"), *best = load_policy("averaged", "best.safetensors");
    size_t bytes = (size_t)sac_policy_parameter_count(mean) * sizeof(float);
    assert_memory_equal(sac_policy_parameters(mean), sac_policy_parameters(best), bytes);
    sac_policy_destroy(mean);
    sac_policy_destroy(best);
    sac_task_destroy(task);
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
    assert_bad_task(text, "bad.yaml:8: train: patience is '-3', expected a whole number from 0 to 1000000");
    snprintf(text, sizeof text, "%strain:\n  fitness: rank\n  common_episodes: false\n", good);
    assert_bad_task(text, "needs common_episodes");
    snprintf(text, sizeof text, "%strain:\n  screen: 4\n  common_episodes: false\n", good);
    assert_bad_task(text, "train.screen chooses");
    snprintf(text, sizeof text, "%strain:\n  race: 4\n  common_episodes: false\n", good);
    assert_bad_task(text, "train.race compares");
    snprintf(text, sizeof text, "%s  restarts: 2\ntrain:\n  fitness: rank\n", good);
    assert_bad_task(text, "never rises");
    snprintf(text, sizeof text, "%sevaluation:\n  first_seed: 99\n", good);
    assert_bad_task(text, "0..99 are for reporting alone");
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
    memset(row->parts[0], (int)(seed & 255), 16 * 16 * 3);
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
                               "search:\n  method: sep-cma-es\n  population: 64\ntrain:\n  generations: 5\n"
                               "evaluation:\n  every: 0\n",
                               NULL, 0);
    watcher w = {0};
    assert_ok(train(task, "nan", 2, false, &w));
    char path[512], *text;
    size_t size;
    path_in(path, "nan/metrics.csv");
    text = read_text(path, &size);
    assert_null(strstr(text, "nan"));
    sac_free(text);
    // a line for the first, the second, the fourth, the eighth ... of them, and their number in the end
    int lines = events_that_say("nan", "\"nan\"");
    assert_true(w.bad_episodes > 20);
    assert_int_equal(lines, 1 + (int)floor(log2((double)w.bad_episodes)));
    char words[96];
    snprintf(words, sizeof words, "all generations are done; %d episodes gave no number", (int)w.bad_episodes);
    assert_int_equal(events_that_say("nan", words), 1);
    assert_true(events_that_say("nan", "seed 1") > 0);
    sac_task_destroy(task);
}

// A world that gives nothing but NaN fails at once, rather than filling the disk and ending well; once it is mended,
// the run goes on to what it would have been.
static bool hopeless;

static sac_status mended_step(void *self, const sac_env_row *row)
{
    (void)self;
    *row->reward = hopeless ? (double)NAN : (double)row->action[0];
    *row->terminated = 1;
    return SAC_OK;
}

static const char mended_text[] = "env:\n  id: mended\npolicy:\n  kind: attention-agent\n  top: 2\n  hidden: 4\n"
                                  "search:\n  method: sep-cma-es\n  population: 16\ntrain:\n  generations: 9\n"
                                  "  checkpoint_every: 2\nevaluation:\n  every: 3\n  episodes: 2\n";

TEST(a_generation_without_a_number_fails_and_a_resume_drives_it_anew)
{
    static bool registered;
    static sac_env_ops ops;
    ops = broken_ops;
    ops.name = "mended";
    ops.step = mended_step;
    if (!registered) assert_ok(sac_env_register(&ops));
    registered = true;
    sac_task *task = load_task(mended_text, NULL, 0), *part = load_task(mended_text, NULL, 0);
    part->train.generations = 3;
    hopeless = false;
    assert_ok(train(task, "well", 2, false, &(watcher){0}));
    assert_ok(train(part, "ill", 2, false, &(watcher){0}));
    hopeless = true;
    watcher w = {0};
    assert_fails(train(task, "ill", 2, true, &w), SAC_ERROR_ENVIRONMENT,
                 "no candidate of generation 4 has a return that is a number: candidate 0, episode seed ");
    assert_int_equal(w.rows, 0);
    assert_int_equal(events_that_say("ill", "\"failed\""), 1);
    sac_run_summary summary;
    char dir[512];
    path_in(dir, "ill");
    assert_ok(sac_run_summarise(&summary, dir));
    assert_string_equal(summary.state, "failed");
    hopeless = false;
    assert_ok(train(task, "ill", 2, true, &(watcher){0}));
    assert_same_run("well", "ill");
    sac_task_destroy(part);
    sac_task_destroy(task);
}

// A run that is interrupted in an evaluation, goes on, and is then killed before its next checkpoint has written the
// row of that generation already when it evaluates it again.
static volatile int *interrupted;
static int steps_left; // to the interruption

static sac_status interrupting_step(void *self, const sac_env_row *row)
{
    (void)self;
    *row->reward = (double)row->action[0];
    if (interrupted && steps_left-- == 0) *interrupted = 1;
    return SAC_OK;
}

TEST(a_generation_that_is_evaluated_twice_has_one_row)
{
    static sac_env_ops ops;
    ops = broken_ops;
    ops.name = "interrupting";
    ops.step = interrupting_step;
    assert_ok(sac_env_register(&ops));
    sac_task *task = load_task(mended_text, &(sac_setting){"env.id", "interrupting"}, 1);
    assert_ok(train(task, "straight", 1, false, &(watcher){0}));
    watcher first = {0}, second = {.at = 4};
    interrupted = &first.interrupt, steps_left = 3 * 16 * 3; // three generations, and a step of the evaluation
    assert_int_equal(train(task, "twice", 1, false, &first), SAC_ERROR_INTERRUPTED);
    interrupted = NULL;
    assert_int_equal(first.rows, 2);
    assert_int_equal(train(task, "twice", 1, true, &second), SAC_ERROR_INTERRUPTED);
    char path[512];
    path_in(path, "twice/checkpoints/00000004.safetensors");
    assert_int_equal(unlink(path), 0);
    path_in(path, "twice/checkpoints/00000003.safetensors");
    assert_int_equal(access(path, F_OK), 0);
    assert_ok(train(task, "twice", 1, true, &(watcher){0}));
    assert_same_run("straight", "twice");
    assert_rows_of_nine_generations("twice");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(any_number_of_threads_and_lanes_gives_the_same_bytes),
        IN_FOLDER(an_interrupted_run_goes_on_to_the_same_bytes),
        IN_FOLDER(metrics_hold_every_generation_once_after_a_crash),
        IN_FOLDER(a_run_lies_in_the_folder_that_was_named_or_nowhere),
        IN_FOLDER(an_existing_run_is_not_overwritten_and_another_task_is_refused),
        IN_FOLDER(a_run_from_before_an_option_existed_goes_on),
        IN_FOLDER(events_of_the_first_generation_stay),
        IN_FOLDER(resume_without_a_checkpoint_starts_from_the_beginning),
        IN_FOLDER(a_damaged_checkpoint_is_not_among_those_that_are_kept),
        IN_FOLDER(a_run_without_a_whole_checkpoint_is_left_as_it_is),
        IN_FOLDER(stopped_at_any_generation_a_run_ends_with_the_vectors_of_a_straight_one),
        IN_FOLDER(an_interrupt_before_the_first_evaluation_leaves_the_vector),
        IN_FOLDER(the_mean_is_what_is_evaluated),
        IN_FOLDER(a_bad_task_says_what_and_where),
        IN_FOLDER(what_is_not_a_number_ranks_last_and_is_reported),
        IN_FOLDER(a_generation_without_a_number_fails_and_a_resume_drives_it_anew),
        IN_FOLDER(a_run_whose_checkpoints_are_gone_is_left_as_it_is),
        IN_FOLDER(a_run_that_was_killed_before_its_first_checkpoint_begins_anew),
        IN_FOLDER(a_generation_that_is_evaluated_twice_has_one_row),
        IN_FOLDER(evaluation_is_the_same_for_any_number_of_threads),
        IN_FOLDER(score_is_the_sample_mean_and_deviation),
        IN_FOLDER(ranks_of_one_episode_are_the_order_of_the_returns),
        IN_FOLDER(learning_improves_the_toy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

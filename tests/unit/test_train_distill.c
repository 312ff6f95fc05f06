#include "train_scene.h"

#include "failing_memory.h"
#include "saccade/demonstrations.h"
#include "saccade/play.h"

// distillation: a policy learns what a teacher does, the mixture is the one that was asked for, and the bytes depend on
// neither threads nor interruptions, nor on where the frames lie

enum
{
    STEPS = 12 // of an episode
};

static const sac_setting toy_settings[] = {{"size", "24"}, {"max_steps", "12"}};
static const sac_env_def toy = {.id = "toy", .settings = toy_settings, .setting_count = 2};

// a policy of the toy whose parameters are zeros
static sac_policy *toy_policy(const char *kind, const sac_setting *settings, int count)
{
    sac_env *env;
    sac_policy *policy;
    assert_ok(sac_env_create(&env, &toy));
    assert_ok(sac_policy_create_for(&policy, env, kind, settings, count));
    sac_env_destroy(env);
    return policy;
}

// the best there is: it is told where the square is, and moves the sight there (0.5 + 0.5 action)
static void write_teacher(const char *name, const char *world, float gain)
{
    static const sac_setting settings[] = {
        {"inputs", "state"}, {"teacher", "true"}, {"controller", "linear"}, {"activation", "clip"}};
    sac_policy *policy = toy_policy("mlp", settings, 4);
    float *parameters = calloc((size_t)sac_policy_parameter_count(policy), sizeof *parameters);
    for (int i = 0; i < 2; i++)
        for (int v = 0; v < sac_policy_tensor_count(policy); v++)
        {
            const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, v);
            if (strcmp(tensor->name, "output.bias") == 0) parameters[tensor->offset + (size_t)i] = -gain;
            if (strcmp(tensor->name, "output.weight") == 0) parameters[tensor->offset + (size_t)(6 * i + i)] = 2 * gain;
        }
    char path[512];
    path_in(path, name);
    sac_policy_info info = {.score = NAN, .score_std = NAN};
    snprintf(info.environment, sizeof info.environment, "%s", world);
    assert_ok(sac_policy_save(policy, parameters, &info, path));
    free(parameters);
    sac_policy_destroy(policy);
}

// two rounds and a bit are kept, so that frames go; the teacher is in the folder of the test
static const char *task_of(const char *student, const char *search, const char *teacher)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "env:\n  id: toy\n  size: 24\n  max_steps: %d\n"
             "policy:\n%s"
             "search:\n  method: distill\n%s"
             "train:\n  generations: 9\n  checkpoint_every: 2\n"
             "evaluation:\n  every: 3\n  episodes: 4\n"
             "teacher:\n%s",
             STEPS, student, search, teacher);
    return text;
}

static const char *taught_by(const char *name)
{
    static char text[512];
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(text, sizeof text, "  policy: %s\n", path);
    return text;
}

static const char small[] =
    "  kind: iap-trans\n  attention: relu\n  attention_features: 0\n  patch: 6\n  stride: 0\n"
    "  key_size: 4\n  value_size: 4\n  rows: 4\n  controller: mlp\n  hidden: 8\n  normaliser: true\n";
static const char few[] = "  episodes: 5\n  share: 1 0.5 0.2\n  keep: 150\n  fit_steps: 7\n  batch: 16\n";

static double mean_return(const char *run, const char *name)
{
    sac_episode episodes[40];
    sac_policy *policy = load_policy(run, name);
    assert_ok(sac_evaluate(policy, &toy, 1000, 40, 1, episodes));
    sac_policy_destroy(policy);
    return sac_score_of(episodes, 40).mean;
}

/// One row of distill.csv.
typedef struct row
{
    int generation, episodes, frames;
    double share, loss[2], student, teacher;
} row;

static int read_rows(const char *run, row *rows, int room)
{
    char path[512], name[64];
    snprintf(name, sizeof name, "%s/distill.csv", run);
    path_in(path, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[512];
    int count = 0;
    assert_non_null(fgets(line, sizeof line, file)); // the head
    for (; count < room && fgets(line, sizeof line, file); count++)
    {
        row *r = &rows[count];
        assert_int_equal(sscanf(line, "%d,%lf,%d,%d,%lf,%lf,%lf,%lf", &r->generation, &r->share, &r->episodes,
                                &r->frames, &r->loss[0], &r->loss[1], &r->student, &r->teacher),
                         8);
    }
    fclose(file);
    return count;
}

TEST(a_policy_learns_what_its_teacher_does)
{
    write_teacher("teacher.safetensors", "toy", 1);
    static const char student[] = "  kind: iap-trans\n  attention: relu\n  attention_features: 0\n  patch: 4\n"
                                  "  stride: 0\n  controller: mlp\n  hidden: 32\n";
    static const char search[] = "  episodes: 16\n  share: 1 0.5 0.1\n  fit_steps: 150\n  batch: 64\n  rate: 0.005\n"
                                 "  fall: 9\n";
    sac_task *task = load_task(task_of(student, search, taught_by("teacher.safetensors")), NULL, 0);
    assert_ok(train(task, "run", 2, false, &(watcher){0}));
    const double teacher = mean_return(".", "teacher.safetensors"), learned = mean_return("run", "mean.safetensors");
    // who looks nowhere keeps the sight in the middle: a quarter of the picture off in both directions
    if (!(learned > 0.93 * teacher)) fail_msg("%g, and the teacher %g", learned, teacher);
    row rows[9];
    assert_int_equal(read_rows("run", rows, 9), 9);
    assert_true(rows[8].loss[1] < rows[0].loss[0] / 20);
    sac_task_destroy(task);
}

// of five episodes: all, half of them rounded up, one, one; the others are the student's, who looks nowhere at first
TEST(the_mixture_is_what_was_asked_for)
{
    write_teacher("teacher.safetensors", "toy", 1);
    static const int taught[] = {5, 3, 1, 1, 1, 1, 1, 1, 1}, frames[] = {60, 120, 150, 150, 150, 150, 150, 150, 150};
    const sac_setting settings[] = {{"train.start", "zeros"}, {"search.rate", "0"}};
    sac_task *task = load_task(task_of(small, few, taught_by("teacher.safetensors")), settings, 2);
    assert_ok(train(task, "run", 1, false, &(watcher){0}));
    row rows[9];
    assert_int_equal(read_rows("run", rows, 9), 9);
    for (int i = 0; i < 9; i++)
    {
        assert_int_equal(rows[i].generation, i + 1);
        assert_int_equal(rows[i].episodes, taught[i]);
        assert_int_equal(rows[i].frames, frames[i]);
        assert_near(rows[i].share, taught[i] / 5.0, 1e-6);
        // the teacher is at most a drift away, in either direction
        assert_true(rows[i].teacher > STEPS * (1 - 2 * 0.02) - 1e-3);
        if (taught[i] == 5)
            assert_true(isnan(rows[i].student));
        else
            assert_true(rows[i].student < rows[i].teacher - 1);
    }
    sac_task_destroy(task);
}

// noise and pushes change what is met and not what is learned
TEST(noise_and_pushes_disturb_the_drive)
{
    write_teacher("teacher.safetensors", "toy", 1);
    double means[3];
    static const char *const kinds[] = {"teacher.noise", "teacher.push"};
    for (int i = 0; i < 3; i++)
    {
        char run[16];
        snprintf(run, sizeof run, "run%d", i);
        const sac_setting settings[] = {{"search.share", "1"}, {i ? kinds[i - 1] : "teacher.noise", i ? "0.5" : "0"}};
        sac_task *task = load_task(task_of(small, few, taught_by("teacher.safetensors")), settings, 2);
        assert_ok(train(task, run, 1, false, &(watcher){0}));
        row rows[9];
        read_rows(run, rows, 9);
        means[i] = rows[8].teacher;
        sac_task_destroy(task);
    }
    assert_true(means[1] < means[0] - 1 && means[2] < means[0] - 1);
}

// a list for another world's actions, or for no flip, is refused before anything is trained
TEST(a_flip_fits_the_actions)
{
    static const char *const cases[][2] = {{"0 2 1", "'0 2 1' has 3 numbers, expected 2"},
                                           {"-1 x", "'-1 x', expected whole numbers"},
                                           {"1e9 1", "'1e9 1', expected whole numbers"},
                                           {"0 1", "factor 0 for number 0"}};
    write_teacher("teacher.safetensors", "toy", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const sac_setting setting = {"search.flip", cases[i][0]};
        sac_task *task = load_task(task_of(small, few, taught_by("teacher.safetensors")), &setting, 1);
        assert_fails(train(task, "flipped", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT, cases[i][1]);
        sac_task_destroy(task);
    }
}

static const char memory[] = "  kind: iap-trans\n  attention: relu\n  attention_features: 0\n  patch: 6\n  stride: 0\n"
                             "  key_size: 4\n  value_size: 4\n  rows: 4\n  controller: lstm\n  hidden: 5\n"
                             "  motion: true\n";
static const char sequences[] = "  episodes: 5\n  share: 1 0.5 0.2\n  keep: 130\n  fit_steps: 4\n  batch: 4\n"
                                "  steps: 6\n  lead: 3\n";

static sac_task *small_task(bool with_memory)
{
    const sac_setting settings[] = {{"teacher.noise", "0.1"}, {"teacher.push", "0.05"}, {"teacher.push_steps", "3"}};
    write_teacher("teacher.safetensors", "toy", 1);
    return load_task(with_memory ? task_of(memory, sequences, taught_by("teacher.safetensors"))
                                 : task_of(small, few, taught_by("teacher.safetensors")),
                     settings, 3);
}

TEST(any_number_of_threads_learns_the_same)
{
    for (int with_memory = 0; with_memory < 2; with_memory++)
    {
        sac_task *task = small_task(with_memory);
        char names[2][32];
        for (int i = 0; i < 2; i++)
        {
            snprintf(names[i], sizeof names[i], "%d-%d", with_memory, i);
            assert_ok(train(task, names[i], i ? 3 : 1, false, &(watcher){0}));
        }
        assert_same_run(names[0], names[1]);
        assert_same_file(names[0], names[1], "distill.csv");
        sac_task_destroy(task);
    }
}

// the teacher's file may be gone by then: the run has a copy
TEST(an_interrupted_run_goes_on_to_the_bit)
{
    sac_task *task = small_task(true);
    assert_ok(train(task, "whole", 1, false, &(watcher){0}));
    char path[512];
    watcher parts[] = {{.at = 3}, {.at = 7}, {0}};
    assert_int_equal(train(task, "parts", 1, false, &parts[0]), SAC_ERROR_INTERRUPTED);
    path_in(path, "teacher.safetensors");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(train(task, "parts", 2, true, &parts[1]), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 3, true, &parts[2]));
    assert_same_run("whole", "parts");
    assert_same_file("whole", "parts", "distill.csv");
    sac_task_destroy(task);
}

TEST(a_run_that_lost_its_newest_checkpoint_goes_on_to_the_bit)
{
    sac_task *task = small_task(false);
    assert_ok(train(task, "whole", 1, false, &(watcher){0}));
    crash_after_five(task);
    assert_ok(train(task, "crash", 2, true, &(watcher){0}));
    assert_same_run("whole", "crash");
    assert_same_file("whole", "crash", "distill.csv");
    sac_task_destroy(task);
}

TEST(frames_in_a_file_are_frames_in_memory)
{
    sac_task *task = small_task(false);
    assert_ok(train(task, "memory", 1, false, &(watcher){0}));
    sac_task_destroy(task);
    const sac_setting settings[] = {
        {"search.memory", "0"}, {"teacher.noise", "0.1"}, {"teacher.push", "0.05"}, {"teacher.push_steps", "3"}};
    task = load_task(task_of(small, few, taught_by("teacher.safetensors")), settings, 4);
    assert_ok(train(task, "file", 1, false, &(watcher){0}));
    assert_same_run("memory", "file");
    sac_task_destroy(task);
}

TEST(every_cpu_level_learns_the_same)
{
    const sac_cpu_level best = sac_get_cpu_level();
    sac_task *task = small_task(false);
    assert_ok(train(task, "best", 1, false, &(watcher){0}));
    sac_set_cpu_level(SAC_CPU_SCALAR);
    assert_ok(train(task, "scalar", 1, false, &(watcher){0}));
    sac_set_cpu_level(best);
    assert_same_file("best", "scalar", "mean.safetensors");
    assert_same_file("best", "scalar", "best.safetensors");
    sac_task_destroy(task);
}

// --- demonstrations ----------------------------------------------------------------------------------------------

static void record(const char *name, const char *parts)
{
    char path[512], teacher[512];
    uint64_t seeds[20];
    sac_episode episodes[20];
    sac_policy *policy;
    write_teacher("shown.safetensors", "toy", 1);
    path_in(teacher, "shown.safetensors");
    path_in(path, name);
    assert_ok(sac_policy_load(&policy, NULL, teacher));
    for (int i = 0; i < 20; i++) seeds[i] = 1000000 + (uint64_t)i;
    assert_ok(sac_record(
        &(sac_record_def){
            .path = path, .policy = policy, .env = &toy, .seeds = seeds, .count = 20, .parts = parts, .threads = 1},
        episodes));
    sac_policy_destroy(policy);
}

static const char *shown_by(const char *name)
{
    static char text[512];
    snprintf(text, sizeof text, "  demonstrations: %s/%s\n", folder, name);
    return text;
}

TEST(a_policy_learns_what_a_file_shows)
{
    record("shown", "camera");
    sac_task *task = load_task(task_of(small, few, shown_by("shown")), NULL, 0);
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_ok(train(task, "three", 3, false, &(watcher){0}));
    assert_same_run("one", "three");
    watcher parts[] = {{.at = 4}, {0}};
    assert_int_equal(train(task, "parts", 1, false, &parts[0]), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 2, true, &parts[1]));
    assert_same_run("one", "parts");
    row rows[9];
    assert_int_equal(read_rows("one", rows, 9), 9);
    assert_true(rows[8].loss[1] < rows[0].loss[0]);
    assert_int_equal(rows[0].frames, 20 * STEPS);
    sac_task_destroy(task);
}

// --- what cannot be ------------------------------------------------------------------------------------------------

static void assert_refused(const char *student, const char *search, const char *teacher, const char *words)
{
    char path[512];
    sac_task *task;
    path_in(path, "task.yaml");
    const char *text = task_of(student, search, teacher);
    assert_ok(sac_write_file(path, text, strlen(text)));
    sac_status status = sac_task_load(&task, path, NULL, 0);
    if (status == SAC_OK)
    {
        status = train(task, "refused", 1, false, &(watcher){0});
        sac_task_destroy(task);
    }
    assert_int_not_equal(status, SAC_OK);
    if (!strstr(sac_last_error(), words)) fail_msg("'%s' does not say '%s'", sac_last_error(), words);
    path_in(path, "refused");
    assert_int_equal(access(path, F_OK), -1); // nothing is begun
}

TEST(what_cannot_be_learned_is_said_before_anything_is_made)
{
    write_teacher("teacher.safetensors", "toy", 1);
    write_teacher("other.safetensors", "car-racing", 1);
    const char *good = taught_by("teacher.safetensors");
    char kept[512];
    snprintf(kept, sizeof kept, "%s", good);
    assert_refused(small, few, "  noise: 0\n", "teacher.policy is missing");
    assert_refused(small, few, "  policy: idle\n", "is no teacher");
    assert_refused(small, few, "  policy: nowhere.safetensors\n", "nowhere.safetensors: cannot be read");
    assert_non_null(strstr(sac_last_error(), "train the teacher first"));
    assert_refused(small, few, "  polcy: x\n", "did you mean 'policy'?");
    assert_refused(small, few, taught_by("other.safetensors"), "is of the world car-racing, and the task's is toy");
    assert_refused(small, "  share: 1 2\n", kept, "numbers in 0..1");
    assert_refused(small, "  shares: 1\n", kept, "did you mean 'share'?");
    assert_refused(small, "  loss: soft\n", kept, "a teacher that can say what each choice costs, which mlp cannot");
    assert_refused("  kind: iap-trans\n  inputs: camera state\n", few, kept, "'state' of toy is privileged");
    record("state", "state");
    assert_refused(small, few, shown_by("state"), "which is not recorded there");
    assert_refused(small, few, shown_by("teacher.safetensors"), "is no file of demonstrations");
    char both[1100];
    snprintf(both, sizeof both, "%s%s", kept, shown_by("state"));
    assert_refused(small, few, both, "one of the two");
}

TEST(another_teacher_cannot_take_over)
{
    sac_task *task = small_task(false);
    assert_int_equal(train(task, "run", 1, false, &(watcher){.at = 3}), SAC_ERROR_INTERRUPTED);
    write_teacher("run/teacher.safetensors", "toy", 0.5f);
    assert_fails(train(task, "run", 1, true, &(watcher){0}), SAC_ERROR_ARGUMENT, "other parameters of the teacher");
    sac_task_destroy(task);
}

static sac_status learn(const sac_task *task)
{
    char path[512], command[640];
    path_in(path, "again");
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    char dir[512];
    path_in(dir, "again");
    return sac_train(&(sac_train_def){.task = task, .run_dir = dir, .threads = 1, .generations = 2});
}

TEST(a_lack_of_memory_is_survived)
{
    sac_task *task = small_task(false);
    assert_survives_lack_of_memory(learn(task), (void)0);
    sac_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_policy_learns_what_its_teacher_does),
                                       IN_FOLDER(the_mixture_is_what_was_asked_for),
                                       IN_FOLDER(noise_and_pushes_disturb_the_drive),
                                       IN_FOLDER(any_number_of_threads_learns_the_same),
                                       IN_FOLDER(an_interrupted_run_goes_on_to_the_bit),
                                       IN_FOLDER(a_run_that_lost_its_newest_checkpoint_goes_on_to_the_bit),
                                       IN_FOLDER(frames_in_a_file_are_frames_in_memory),
                                       IN_FOLDER(every_cpu_level_learns_the_same),
                                       IN_FOLDER(a_flip_fits_the_actions),
                                       IN_FOLDER(a_policy_learns_what_a_file_shows),
                                       IN_FOLDER(what_cannot_be_learned_is_said_before_anything_is_made),
                                       IN_FOLDER(another_teacher_cannot_take_over),
                                       IN_FOLDER(a_lack_of_memory_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <unistd.h>

#include "test.h"

#include "scratch.h"

#include "base/memory.h"
#include "files/atomic.h"
#include "train/plan.h"

/// Sweeps: a grid has every combination once, draws are a pure function of the file, what is done is not done again.

static void write_text(const char *name, const char *text)
{
    assert_ok(sac_write_file(scratch_path(name), text, strlen(text)));
}

static const char task_text[] = "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
                                "policy:\n  kind: attention-agent\n  top: 3\n  hidden: 4\n"
                                "search:\n  method: sep-cma-es\n  population: 8\n"
                                "train:\n  generations: 3\n"
                                "evaluation:\n  every: 2\n  episodes: 4\n";

static void write_sweep(const char *rest)
{
    char text[1024];
    write_text("task.yaml", task_text);
    snprintf(text, sizeof text, "task: %s\n%s", scratch_path("task.yaml"), rest);
    write_text("sweep.yaml", text);
}

static sac_plan *load(const char *rest)
{
    scratch_open();
    write_sweep(rest);
    sac_plan *plan;
    assert_ok(sac_plan_load(&plan, scratch_path("sweep.yaml")));
    return plan;
}

TEST(a_grid_holds_every_combination_once)
{
    sac_plan *plan = load("fields:\n  search:\n    sigma: [0.1, 0.2]\n    population: [8, 16, 32]\n"
                          "  policy:\n    attention: [softmax, relu]\nseeds: [4, 9]\n");
    assert_int_equal(sac_plan_points(plan), 12);
    assert_int_equal(plan->seed_count, 2);
    assert_int_equal(plan->seeds[1], 9);
    char seen[12][3 * SAC_TEXT_SIZE], text[SAC_TEXT_SIZE];
    for (int p = 0; p < 12; p++)
    {
        seen[p][0] = 0;
        for (int f = 0; f < 3; f++)
        {
            sac_plan_value(plan, p, f, text);
            strcat(strcat(seen[p], text), " ");
        }
        for (int q = 0; q < p; q++) assert_string_not_equal(seen[p], seen[q]);
    }
    assert_string_equal(seen[0], "0.1 8 softmax ");
    assert_string_equal(seen[1], "0.1 8 relu ");
    assert_string_equal(seen[11], "0.2 32 relu ");
    sac_free(plan);
}

TEST(draws_lie_in_their_ranges_and_come_again)
{
    static const char text[] =
        "method: random\nsamples: 400\nseed: 3\nfields:\n  search:\n"
        "    sigma: {low: 0.01, high: 1, scale: log}\n"
        "    population: {low: 8, high: 11, scale: whole}\n    weight_decay: {low: -1, high: 3}\n"
        "  policy:\n    attention: [softmax, relu]\n";
    sac_plan *plan = load(text), *again = load(text);
    assert_int_equal(sac_plan_points(plan), 400);
    int small = 0, counts[4] = {0}, relu = 0;
    double sum = 0;
    for (int p = 0; p < 400; p++)
    {
        char values[4][SAC_TEXT_SIZE], same[SAC_TEXT_SIZE];
        for (int f = 0; f < 4; f++)
        {
            sac_plan_value(plan, p, f, values[f]);
            sac_plan_value(again, p, f, same);
            assert_string_equal(values[f], same);
        }
        double sigma = atof(values[0]), decay = atof(values[2]);
        assert_true(sigma >= 0.01 && sigma <= 1 && decay >= -1 && decay <= 3);
        int population = atoi(values[1]);
        assert_in_range(population, 8, 11);
        counts[population - 8]++;
        small += sigma < 0.1;
        relu += strcmp(values[3], "relu") == 0;
        sum += decay;
    }
    // half of a log range lies below its geometric mean; four standard deviations of 400 coins are 40
    assert_in_range(small, 160, 240);
    assert_in_range(relu, 160, 240);
    for (int i = 0; i < 4; i++) assert_in_range(counts[i], 65, 135); // 100 +- 4 sqrt(75)
    assert_near(sum / 400, 1, 4 * 4 / sqrt(12.0 * 400));
    sac_free(plan);
    sac_free(again);
}

TEST(a_bad_sweep_says_what_and_where)
{
    static const struct
    {
        const char *text, *words;
    } bad[] = {
        {"metod: grid\n", "did you mean 'method'?"},
        {"method: gird\n", "method"},
        {"fields:\n  sigma: [1, 2]\n", "expected a section and a key"},
        {"fields:\n  search:\n    sigma: {low: 1, high: 2}\n", "a grid needs a list"},
        {"method: random\nfields:\n  search:\n    sigma: {low: 2, high: 1}\n", "expected low < high"},
        {"method: random\nfields:\n  search:\n    sigma: {low: 0, high: 1, scale: log}\n", "both positive"},
        {"method: random\nfields:\n  search:\n    sigma: {low: 0, high: 1, scale: lgo}\n", "linear, log or whole"},
        {"method: random\nfields:\n  search:\n    sigma: {low: 0, hihg: 1}\n", "did you mean 'high'?"},
        {"seeds: [1, two]\n", "'two' is no seed"},
        {"method: random\nsamples: 10000\nseeds: [1, 2]\n", "at most 10000"}};
    scratch_open();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        write_sweep(bad[i].text);
        sac_plan *plan;
        sac_status status = sac_plan_load(&plan, scratch_path("sweep.yaml"));
        assert_true(status == SAC_ERROR_FORMAT || status == SAC_ERROR_ARGUMENT);
        assert_null(plan);
        if (!strstr(sac_last_error(), bad[i].words)) fail_msg("'%s' does not say '%s'", sac_last_error(), bad[i].words);
        assert_non_null(strstr(sac_last_error(), "sweep.yaml"));
    }
    write_text("sweep.yaml", "fields:\n  search:\n    sigma: [1]\n");
    sac_plan *plan;
    assert_fails(sac_plan_load(&plan, scratch_path("sweep.yaml")), SAC_ERROR_ARGUMENT, "task");
}

typedef struct watcher
{
    volatile int interrupt;
    int starts, rows, stop_after;
} watcher;

static void watch(void *user, int run, int count, const char *name, const sac_progress *p)
{
    watcher *w = user;
    assert_int_equal(count, 4);
    assert_non_null(strstr(name, "run-000"));
    assert_in_range(run, 0, 3);
    if (p)
        w->rows++;
    else
        w->starts++;
    if (w->stop_after && w->rows == w->stop_after) w->interrupt = 1;
}

static sac_status sweep(watcher *w)
{
    return sac_sweep(&(sac_sweep_def){.path = scratch_path("sweep.yaml"),
                                      .dir = scratch_path("runs"),
                                      .threads = 2,
                                      .report = watch,
                                      .user = w,
                                      .interrupt = &w->interrupt});
}

TEST(a_sweep_goes_on_where_it_was_interrupted)
{
    scratch_open();
    write_sweep("fields:\n  search:\n    sigma: [0.1, 0.2]\nseeds: [1, 2]\n");
    watcher first = {.stop_after = 4}, second = {0}, third = {0};
    assert_int_equal(sweep(&first), SAC_ERROR_INTERRUPTED);
    assert_ok(sweep(&second));
    assert_ok(sweep(&third));
    assert_int_equal(first.rows + second.rows, 4 * 3);
    assert_int_equal(first.starts, 2);
    assert_int_equal(second.starts, 3);
    assert_int_equal(third.starts, 0);

    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, scratch_path("runs/results.csv"), 1 << 20));
    int lines = 0;
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    assert_int_equal(lines, 5);
    assert_non_null(strstr((char *)bytes, "run,seed,state,search.sigma,generation"));
    assert_non_null(strstr((char *)bytes, "\nrun-0003,2,finished,0.2,3,"));
    sac_free(bytes);

    write_sweep("fields:\n  search:\n    sigma: [0.1, 0.3]\nseeds: [1, 2]\n");
    assert_fails(sweep(&third), SAC_ERROR_ARGUMENT, "another sweep");
    write_sweep("fields:\n  search:\n    sigmo: [0.1, 0.3]\nseeds: [1, 2]\n");
    assert_fails(sweep(&third), SAC_ERROR_ARGUMENT, "did you mean 'sigma'?");
}

// of a sweep over rates, one that is too large is a row of the table, and the next one follows
TEST(a_sweep_goes_on_after_a_run_that_diverged)
{
    scratch_open();
    write_text("task.yaml",
               "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
               "policy:\n  kind: mlp\n  inputs: state\n  teacher: true\n  controller: mlp\n  hidden: 8\n"
               "search:\n  method: ppo\n  worlds: 8\n  steps: 16\n  minibatch: 64\n  largest_norm: 0\n  anneal: false\n"
               "train:\n  generations: 3\nevaluation:\n  every: 0\n");
    char text[512];
    snprintf(text, sizeof text, "task: %s\nfields:\n  search:\n    rate: [10, 0.001]\nseeds: [1, 2]\n",
             scratch_path("task.yaml"));
    write_text("sweep.yaml", text);
    watcher w = {0};
    assert_ok(sweep(&w));
    assert_int_equal(w.starts, 4);
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, scratch_path("runs/results.csv"), 1 << 20));
    assert_non_null(strstr((char *)bytes, "\nrun-0000,1,failed,10,1,"));
    assert_non_null(strstr((char *)bytes, "\nrun-0001,2,failed,10,1,"));
    assert_non_null(strstr((char *)bytes, "\nrun-0003,2,finished,0.001,3,"));
    sac_free(bytes);
}

TEST(a_run_folder_tells_its_state)
{
    scratch_open();
    write_text("task.yaml", task_text);
    sac_task *task;
    assert_ok(sac_task_load(&task, scratch_path("task.yaml"), NULL, 0));
    assert_ok(sac_train(&(sac_train_def){.task = task, .run_dir = scratch_path("r"), .threads = 1, .generations = 4}));
    sac_task_destroy(task);
    sac_run_summary s;
    assert_ok(sac_run_summarise(&s, scratch_path("r")));
    assert_string_equal(s.state, "finished");
    assert_string_equal(s.environment, "toy");
    assert_string_equal(s.search, "sep-cma-es");
    assert_int_equal(s.generation, 4);
    assert_int_equal(s.generations, 4);
    assert_int_equal(s.evaluation.episodes, 4);
    assert_true(s.best.mean >= s.evaluation.mean && s.steps == 4 * 8 * 12);
    char name[256];
    assert_int_equal(gethostname(name, sizeof name), 0);
    assert_string_equal(s.host, name);

    // a kill leaves no last word
    write_text("r/events.jsonl", "{\"generation\": 0, \"event\": \"started\", \"text\": \"x\"}\n");
    assert_ok(sac_run_summarise(&s, scratch_path("r")));
    assert_string_equal(s.state, "broken off");
    assert_fails(sac_run_summarise(&s, scratch_path("nothing")), SAC_ERROR_FILE, "nothing");
}

TESTS(a_grid_holds_every_combination_once, draws_lie_in_their_ranges_and_come_again, a_bad_sweep_says_what_and_where,
      a_sweep_goes_on_where_it_was_interrupted, a_sweep_goes_on_after_a_run_that_diverged, a_run_folder_tells_its_state)

#pragma once

#include "saccade/train.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#include "base/memory.h"
#include "files/atomic.h"
#include "run/task.h"

/// Scenes for the tests of training: a small task on the toy, a folder for its runs, what runs leave.

static const char task_text[] = "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
                                "policy:\n  kind: attention-agent\n  top: 3\n  hidden: 4\n"
                                "search:\n  method: sep-cma-es\n  population: 8\n"
                                "train:\n  generations: 9\n  checkpoint_every: 2\n  average: 0.3\n"
                                "  stages:\n    - above: -1000\n      episodes: 2\n"
                                "evaluation:\n  every: 3\n  episodes: 4\n";

static char folder[64];

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/saccade-train-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static inline void path_in(char path[512], const char *name)
{
    snprintf(path, 512, "%s/%s", folder, name);
}

static inline sac_task *load_task(const char *text, const sac_setting *settings, int count)
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
    uint64_t bad_episodes;
} watcher;

static inline void watch(void *user, const sac_progress *p)
{
    watcher *w = user;
    w->rows++;
    w->bad_episodes = p->bad_episodes;
    if (w->at && p->generation >= w->at) w->interrupt = 1;
}

static inline sac_status train(const sac_task *task, const char *name, int threads, bool resume, watcher *w)
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
static inline char *read_text(const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    assert_ok(sac_read_file(&bytes, size, path, 1 << 26));
    return (char *)bytes;
}

// how many times a run's events hold the words
static inline int events_that_say(const char *run, const char *words)
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

static inline void assert_same_file(const char *a, const char *b, const char *name)
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

static inline void assert_same_run(const char *a, const char *b)
{
    assert_same_file(a, b, "checkpoints/00000009.safetensors");
    assert_same_file(a, b, "mean.safetensors");
    assert_same_file(a, b, "best.safetensors");
}

static inline sac_policy *load_policy(const char *run, const char *name)
{
    char path[512];
    sac_policy *policy;
    snprintf(path, sizeof path, "%s/%s/%s", folder, run, name);
    assert_ok(sac_policy_load(&policy, NULL, path));
    return policy;
}

static inline sac_policy *load_mean(const char *run)
{
    return load_policy(run, "mean.safetensors");
}

/// A run of one thread is that of three.
static inline void assert_same_for_threads(const sac_task *task)
{
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_ok(train(task, "three", 3, false, &(watcher){0}));
    assert_same_run("one", "three");
}

/// A run that is interrupted at two generations, each part with another number of threads, is the run `whole`.
static inline void assert_goes_on(const sac_task *task, const char *whole, uint64_t first, uint64_t second)
{
    watcher parts[] = {{.at = first}, {.at = second}, {0}};
    assert_int_equal(train(task, "parts", 1, false, &parts[0]), SAC_ERROR_INTERRUPTED);
    assert_int_equal(train(task, "parts", 2, true, &parts[1]), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 3, true, &parts[2]));
    assert_same_run(whole, "parts");
    // every generation is reported once
    assert_int_equal(parts[0].rows + parts[1].rows + parts[2].rows, 9);
}

/// A run that crashes after generation 5 and loses that checkpoint: the rounds since the one before are known.
static inline void crash_after_five(const sac_task *task)
{
    char path[512];
    assert_int_equal(train(task, "crash", 1, false, &(watcher){.at = 5}), SAC_ERROR_INTERRUPTED);
    path_in(path, "crash/checkpoints/00000005.safetensors");
    assert_int_equal(unlink(path), 0);
}

/// One test in a folder of its own.
#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

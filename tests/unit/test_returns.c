#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#include "scratch.h"

#include "base/memory.h"
#include "files/atomic.h"
#include "rollout/returns.h"
#include "run/task.h"
#include "saccade/train.h"

/// The returns since the last checkpoint: known again after a kill, never for another round, never when damaged.

static sac_unit some[] = {{.episode_return = 1.5, .steps = 3}, {.episode_return = NAN, .steps = 4}};
static sac_unit other[] = {{.episode_return = -2, .steps = 5}};

static sac_returns *open_returns(void)
{
    uint8_t *bytes;
    size_t size;
    sac_returns *known;
    assert_ok(sac_returns_load(scratch_path("run"), &bytes, &size));
    assert_ok(sac_returns_open(&known, scratch_path("run"), bytes, size));
    sac_free(bytes);
    return known;
}

static void write_two(void)
{
    scratch_open();
    assert_ok(sac_make_folders(scratch_path("run/checkpoints")));
    sac_returns *known = open_returns();
    assert_int_equal(sac_returns_count(known), 0);
    assert_ok(sac_returns_add(known, 7, &(sac_results){.units = some, .count = 2}, 0.25));
    assert_ok(sac_returns_add(known, 8, &(sac_results){.units = other, .count = 1}, 0.5));
    sac_returns_close(known);
}

static bool finds(const sac_returns *known, uint64_t fingerprint, int count)
{
    sac_unit units[2];
    double seconds;
    return sac_returns_find(known, fingerprint, &(sac_results){.units = units, .count = count}, &seconds);
}

TEST(a_round_is_known_by_its_fingerprint)
{
    write_two();
    sac_returns *known = open_returns();
    assert_int_equal(sac_returns_count(known), 2);
    sac_unit units[2];
    double seconds;
    assert_true(sac_returns_find(known, 7, &(sac_results){.units = units, .count = 2}, &seconds));
    assert_true(units[0].episode_return == 1.5 && isnan(units[1].episode_return));
    assert_int_equal(units[0].steps, 3);
    assert_int_equal(units[1].steps, 4);
    assert_near(seconds, 0.25, 0);
    assert_true(finds(known, 8, 1));
    assert_false(finds(known, 8, 2));
    assert_false(finds(known, 9, 1));
    assert_ok(sac_returns_clear(known));
    assert_false(finds(known, 7, 2));
    sac_returns_close(known);
    known = open_returns();
    assert_int_equal(sac_returns_count(known), 0);
    sac_returns_close(known);
}

// cut anywhere or with any byte changed: what is before it stays known, what comes of it never is wrong
TEST(what_is_not_whole_is_not_known)
{
    write_two();
    uint8_t *bytes;
    size_t size;
    sac_returns *known;
    assert_ok(sac_returns_load(scratch_path("run"), &bytes, &size));
    size_t first = 24 + 2 * 16;
    assert_int_equal(size, first + 24 + 16);
    for (size_t i = 0; i < size; i++)
    {
        assert_ok(sac_returns_open(&known, NULL, bytes, i));
        assert_int_equal(sac_returns_count(known), i >= first);
        sac_returns_close(known);
        bytes[i] ^= 1;
        assert_ok(sac_returns_open(&known, NULL, bytes, size));
        assert_int_equal(sac_returns_count(known), i >= first);
        sac_returns_close(known);
        bytes[i] ^= 1;
    }
    sac_free(bytes);
}

// --- a run that is killed ---------------------------------------------------------------------------------------

static const char task_text[] = "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
                                "policy:\n  kind: attention-agent\n  top: 3\n  hidden: 4\n"
                                "search:\n  method: sep-cma-es\n  population: 8\n"
                                "train:\n  generations: 12\n  checkpoint_every: 6\n"
                                "evaluation:\n  every: 4\n  episodes: 4\n";

static void die_at(void *user, const sac_progress *p)
{
    if (p->generation == *(const uint64_t *)user) _exit(0); // nothing is flushed, nothing is closed
}

static sac_status train(const char *name, uint64_t die)
{
    assert_ok(sac_write_file(scratch_path("task.yaml"), task_text, sizeof task_text - 1));
    sac_task *task;
    assert_ok(sac_task_load(&task, scratch_path("task.yaml"), NULL, 0));
    sac_train_def def = {
        .task = task, .run_dir = scratch_path(name), .resume = true, .threads = 1, .progress = die_at, .user = &die};
    sac_status status = sac_train(&def);
    sac_task_destroy(task);
    return status;
}

static char *text_of(const char *name)
{
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, scratch_path(name), 1 << 26));
    return (char *)bytes;
}

TEST(a_killed_run_loses_only_what_was_in_flight)
{
    scratch_open();
    assert_ok(train("whole", 0));
    static const uint64_t deaths[] = {3, 5, 6, 9};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
    {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
        {
            (void)train("killed", deaths[i]);
            _exit(1);
        }
        int ended;
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_int_equal(ended, 0);
    }
    assert_ok(train("killed", 0));
    char *events = text_of("killed/events.jsonl"), *last = NULL;
    for (char *at = events; (at = strstr(at, "\"resumed\"")); at++) last = at;
    assert_non_null(last);
    // generation 6 is in the checkpoint; 7, 8 with its evaluation, and 9 need not be driven again
    assert_non_null(strstr(last, "at generation 6 with 1 thread,"));
    assert_non_null(strstr(last, "4 finished rounds are known"));
    sac_free(events);
    uint8_t *bytes[2];
    size_t sizes[2];
    assert_ok(sac_read_file(&bytes[0], &sizes[0], scratch_path("whole/checkpoints/00000012.safetensors"), 1 << 26));
    assert_ok(sac_read_file(&bytes[1], &sizes[1], scratch_path("killed/checkpoints/00000012.safetensors"), 1 << 26));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    sac_free(bytes[0]);
    sac_free(bytes[1]);
}

TESTS(a_round_is_known_by_its_fingerprint, what_is_not_whole_is_not_known, a_killed_run_loses_only_what_was_in_flight)

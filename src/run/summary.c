#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "files/atomic.h"
#include "files/yaml.h"
#include "run/journal.h"

/// What a run folder tells, read by someone who did not train it.

enum
{
    LINE_SIZE = 4096
};

typedef struct reader
{
    sac_run_summary *summary;
    uint64_t every;  ///< generations between the evaluations of the task's schedule
    bool has_chosen; ///< whether `best` is of one of those
} reader;

// Reads every whole line of a text file of the folder, one by one, in the same memory however long the file is.
static sac_status read_lines(reader *r, const char *run_dir, const char *name,
                             void (*take)(reader *r, const char *line), char last[LINE_SIZE])
{
    char path[SAC_PATH_SIZE], line[LINE_SIZE];
    last[0] = 0;
    SAC_TRY(sac_join_path(path, run_dir, name));
    if (access(path, F_OK) != 0) return SAC_OK;
    FILE *file = fopen(path, "re");
    if (!file) return sac_fail(SAC_ERROR_FILE, "%.200s cannot be read: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file))
    {
        char *end = strchr(line, '\n');
        if (!end) continue;
        *end = 0;
        if (take) take(r, line);
        memcpy(last, line, (size_t)(end - line) + 1);
    }
    bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? sac_fail(SAC_ERROR_FILE, "%.200s cannot be read", path) : SAC_OK;
}

static void copy_entry(char out[SAC_TEXT_SIZE], const sac_yaml *yaml, const char *key)
{
    const sac_yaml_entry *entry = sac_yaml_find(yaml, key);
    snprintf(out, SAC_TEXT_SIZE, "%s", entry ? entry->value : "");
}

static sac_status read_task(reader *r, const char *run_dir)
{
    sac_run_summary *s = r->summary;
    char path[SAC_PATH_SIZE], text[SAC_TEXT_SIZE];
    SAC_TRY(sac_join_path(path, run_dir, "task.yaml"));
    sac_yaml *yaml;
    SAC_TRY(sac_yaml_load(&yaml, path));
    copy_entry(s->environment, yaml, "env.id");
    copy_entry(s->policy, yaml, "policy.kind");
    copy_entry(s->search, yaml, "search.method");
    copy_entry(s->net, yaml, "net.kind");
    copy_entry(text, yaml, "train.seed");
    s->seed = strtoull(text, NULL, 10);
    copy_entry(text, yaml, s->net[0] ? "train.epochs" : "train.generations");
    s->generations = strtoull(text, NULL, 10);
    copy_entry(text, yaml, "evaluation.every");
    r->every = strtoull(text, NULL, 10);
    sac_yaml_destroy(yaml);
    return SAC_OK;
}

// Scheduled evaluations choose best.safetensors. A short run's final evaluation counts only until there is a scheduled
// one.
static void take_evaluation(reader *r, const sac_progress *p)
{
    sac_run_summary *s = r->summary;
    bool chooses = r->every > 0 && p->generation % r->every == 0;
    s->evaluation = p->evaluation;
    if (r->has_chosen && !(chooses && p->evaluation.mean > s->best.mean)) return;
    s->best = p->evaluation;
    s->best_generation = p->generation;
    r->has_chosen |= chooses;
}

static void take_row(reader *r, const char *row)
{
    sac_run_summary *s = r->summary;
    sac_progress p;
    if (!sac_journal_parse_row(row, &p)) return;
    s->generation = p.generation;
    s->steps = p.steps;
    s->seconds = p.seconds;
    s->mean = p.mean;
    if (p.evaluated) take_evaluation(r, &p);
}

// A row of a net's run: epoch, steps, seconds, rate, loss and accuracy, then the loss and the accuracy over the test
// pictures, where it was evaluated.
static void take_epoch(reader *r, const char *row)
{
    sac_run_summary *s = r->summary;
    uint64_t epoch, steps;
    double seconds, right;
    const int found = sscanf(row, "%" SCNu64 ",%" SCNu64 ",%lf,%*f,%*f,%*f,%*f,%lf", &epoch, &steps, &seconds, &right);
    if (found < 3) return;
    if (found == 4) s->test_accuracy = right;
    s->generation = epoch;
    s->steps = steps;
    s->seconds = seconds;
}

// Finds the state that the last line of events.jsonl tells.
static void take_last_event(sac_run_summary *s, const char *line)
{
    json_t *root = line[0] ? json_loads(line, 0, NULL) : NULL;
    const char *event = json_string_value(json_object_get(root, "event"));
    const char *words = json_string_value(json_object_get(root, "text"));
    static const char *const states[] = {"finished", "stopped", "interrupted", "failed", "paused", "pruned"};
    s->state = "broken off";
    // fits of before they told of events end with their last epoch
    if (!event && s->net[0] && s->generations > 0 && s->generation == s->generations) s->state = "finished";
    for (size_t i = 0; event && i < sizeof states / sizeof *states; i++)
        if (strcmp(event, states[i]) == 0) s->state = states[i];
    snprintf(s->reason, sizeof s->reason, "%s", words ? words : "");
    json_decref(root);
}

static sac_status read_host(sac_run_summary *s, const char *run_dir)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, run_dir, "host.json"));
    json_t *root = json_load_file(path, 0, NULL);
    const char *host = json_string_value(json_object_get(root, "host"));
    json_int_t generations = json_integer_value(json_object_get(root, "generations"));
    snprintf(s->host, sizeof s->host, "%s", host ? host : "");
    if (generations > 0) s->generations = (uint64_t)generations;
    json_decref(root);
    return SAC_OK;
}

// Tells whether a process holds the folder.
static bool is_locked(const char *run_dir)
{
    char path[SAC_PATH_SIZE];
    if (sac_join_path(path, run_dir, "checkpoints/lock") != SAC_OK) return false;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0;
    if (file >= 0) close(file);
    return locked;
}

sac_status sac_run_summarise(sac_run_summary *s, const char *run_dir)
{
    *s = (sac_run_summary){.mean = NAN, .test_accuracy = NAN, .state = "broken off"};
    reader r = {.summary = s};
    char last[LINE_SIZE];
    SAC_TRY(read_task(&r, run_dir));
    SAC_TRY(read_lines(&r, run_dir, "metrics.csv", s->net[0] ? take_epoch : take_row, last));
    SAC_TRY(read_lines(&r, run_dir, "events.jsonl", NULL, last));
    SAC_TRY(read_host(s, run_dir));
    take_last_event(s, last);
    if (is_locked(run_dir)) s->state = "running";
    return SAC_OK;
}

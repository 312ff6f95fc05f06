#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/yaml.h"
#include "train/journal.h"

/// What a run folder tells, read by someone who did not train it.

enum
{
    FILE_LIMIT = 1 << 30
};

// a text file of the folder; "" where it is missing; to be released by sac_free
static sac_status read_text(char **text, const char *run_dir, const char *name)
{
    char path[SAC_PATH_SIZE];
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_join_path(path, run_dir, name));
    if (access(path, F_OK) != 0)
    {
        *text = sac_copy_text("");
        return *text ? SAC_OK : sac_fail_memory("a run's files");
    }
    SAC_TRY(sac_read_file(&bytes, &size, path, FILE_LIMIT));
    *text = (char *)bytes;
    return SAC_OK;
}

static void copy_entry(char out[SAC_TEXT_SIZE], const sac_yaml *yaml, const char *key)
{
    const sac_yaml_entry *entry = sac_yaml_find(yaml, key);
    snprintf(out, SAC_TEXT_SIZE, "%s", entry ? entry->value : "");
}

static sac_status read_task(sac_run_summary *s, const char *run_dir)
{
    char path[SAC_PATH_SIZE], text[SAC_TEXT_SIZE];
    SAC_TRY(sac_join_path(path, run_dir, "task.yaml"));
    sac_yaml *yaml;
    SAC_TRY(sac_yaml_load(&yaml, path));
    copy_entry(s->environment, yaml, "env.id");
    copy_entry(s->policy, yaml, "policy.kind");
    copy_entry(s->search, yaml, "search.method");
    copy_entry(text, yaml, "train.seed");
    s->seed = strtoull(text, NULL, 10);
    copy_entry(text, yaml, "train.generations");
    s->generations = strtoull(text, NULL, 10);
    sac_yaml_destroy(yaml);
    return SAC_OK;
}

static void read_rows(sac_run_summary *s, char *text)
{
    for (char *row = text, *end; (end = strchr(row, '\n')); row = end + 1)
    {
        sac_progress p;
        *end = 0;
        if (!sac_journal_parse_row(row, &p)) continue;
        s->generation = p.generation;
        s->steps = p.steps;
        s->seconds = p.seconds;
        s->mean = p.mean;
        if (!p.evaluated) continue;
        s->evaluation = p.evaluation;
        if (s->best.episodes && !(p.evaluation.mean > s->best.mean)) continue;
        s->best = p.evaluation;
        s->best_generation = p.generation;
    }
}

// the state that the last whole line of events.jsonl tells
static void read_last_event(sac_run_summary *s, char *text)
{
    char *last = NULL;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) *end = 0, last = line;
    json_t *root = last ? json_loads(last, 0, NULL) : NULL;
    const char *event = json_string_value(json_object_get(root, "event"));
    const char *words = json_string_value(json_object_get(root, "text"));
    static const char *const states[] = {"finished", "stopped", "interrupted"};
    s->state = "broken off";
    for (int i = 0; event && i < 3; i++)
        if (strcmp(event, states[i]) == 0) s->state = states[i];
    snprintf(s->reason, sizeof s->reason, "%s", words ? words : "");
    json_decref(root);
}

static void read_host(sac_run_summary *s, const char *text)
{
    json_t *root = json_loads(text, 0, NULL);
    const char *host = json_string_value(json_object_get(root, "host"));
    json_int_t generations = json_integer_value(json_object_get(root, "generations"));
    snprintf(s->host, sizeof s->host, "%s", host ? host : "");
    if (generations > 0) s->generations = (uint64_t)generations;
    json_decref(root);
}

// whether a process holds the folder
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
    *s = (sac_run_summary){.mean = NAN, .state = "broken off"};
    SAC_TRY(read_task(s, run_dir));
    static const char *const names[] = {"metrics.csv", "events.jsonl", "host.json"};
    for (int i = 0; i < 3; i++)
    {
        char *text;
        SAC_TRY(read_text(&text, run_dir, names[i]));
        if (i == 0) read_rows(s, text);
        if (i == 1) read_last_event(s, text);
        if (i == 2) read_host(s, text);
        sac_free(text);
    }
    if (is_locked(run_dir)) s->state = "running";
    return SAC_OK;
}

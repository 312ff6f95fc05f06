#include "dash/watched.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

enum
{
    CHUNK = 1 << 16,
    BETWEEN = 2, // seconds between two reads of the whole folder,
    SHARE = 50   // or so many times the duration of a read
};

sac_status sac_watched_open(sac_watched *w, const char *run_dir)
{
    *w = (sac_watched){.edition = 1};
    w->summary.state = "waiting";
    SAC_TRY(sac_check_path(run_dir));
    snprintf(w->run_dir, sizeof w->run_dir, "%s", run_dir);
    return SAC_OK;
}

void sac_watched_forget(sac_watched *w)
{
    w->edition++;
    w->event_offset = w->event_count = 0;
}

// --- lines and events -------------------------------------------------------------------------------------------

bool sac_watched_read_lines(const sac_watched *w, const char *name, uint64_t *offset,
                            bool (*add)(void *user, const char *line), void *user, bool *changed)
{
    char path[SAC_PATH_SIZE], bytes[CHUNK + 1];
    struct stat status;
    if (sac_join_path(path, w->run_dir, name) != SAC_OK) return true;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return *offset == 0;
    bool whole = fstat(file, &status) == 0 && (uint64_t)status.st_size >= *offset;
    for (bool more = whole; more;)
    {
        ssize_t size = pread(file, bytes, CHUNK, (off_t)*offset);
        bytes[size > 0 ? size : 0] = 0;
        char *line = bytes;
        for (char *end; (end = strchr(line, '\n')); line = end + 1)
        {
            *end = 0;
            if (add(user, line)) *changed = true;
        }
        *offset += (uint64_t)(line - bytes);
        more = line > bytes && size == CHUNK;
    }
    close(file);
    return whole;
}

// A line of events.jsonl is passed on unchanged once it is known to be JSON.
static bool add_event(void *user, const char *line)
{
    sac_watched *w = user;
    json_t *root = json_loads(line, 0, NULL);
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    bool fits = text && strlen(text) < SAC_WATCHED_EVENT_SIZE;
    if (fits) strcpy(w->events[w->event_count++ % SAC_WATCHED_EVENTS], text);
    free(text);
    json_decref(root);
    return fits;
}

bool sac_watched_read_events(sac_watched *w, bool *changed)
{
    return sac_watched_read_lines(w, "events.jsonl", &w->event_offset, add_event, w, changed);
}

// --- what a run does --------------------------------------------------------------------------------------------

static bool read_progress(sac_watched *w)
{
    char path[SAC_PATH_SIZE], text[sizeof w->progress] = "";
    uint8_t *bytes;
    size_t size;
    if (sac_join_path(path, w->run_dir, "progress.json") != SAC_OK || access(path, F_OK) != 0) return false;
    if (sac_read_file(&bytes, &size, path, sizeof text - 1) != SAC_OK) return false;
    json_t *root = json_loadb((const char *)bytes, size, 0, NULL);
    if (root)
    {
        char *line = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
        snprintf(text, sizeof text, "%s", line ? line : "");
        free(line);
    }
    json_decref(root);
    sac_free(bytes);
    if (!text[0] || strcmp(text, w->progress) == 0) return false;
    strcpy(w->progress, text);
    return true;
}

static bool read_summary(sac_watched *w)
{
    sac_run_summary s;
    double begin = sac_clock();
    sac_status status = sac_run_summarise(&s, w->run_dir);
    double took = sac_clock() - begin;
    w->summarise_at = begin + (SHARE * took > BETWEEN ? SHARE * took : BETWEEN);
    if (status != SAC_OK)
    {
        w->summarise_at = 0; // there is no run yet, so looking again costs nothing
        return false;
    }
    bool changed = strcmp(s.state, w->summary.state) != 0 || strcmp(s.reason, w->summary.reason) != 0 ||
                   s.generation != w->summary.generation || s.generations != w->summary.generations;
    w->summary = s;
    return changed;
}

bool sac_watched_read_now(sac_watched *w)
{
    bool told = read_progress(w);
    if (sac_clock() > w->summarise_at) told |= read_summary(w);
    w->told += told;
    return told;
}

// --- telling ----------------------------------------------------------------------------------------------------

void sac_grow_number(sac_growing *text, const char *before, double x)
{
    if (isfinite(x))
        sac_grow_text(text, "%s%.6g", before, x);
    else
        sac_grow_text(text, "%snull", before);
}

static void tell_events(const sac_watched *w, uint64_t from, sac_growing *text)
{
    if (w->event_count > SAC_WATCHED_EVENTS && from < w->event_count - SAC_WATCHED_EVENTS)
        from = w->event_count - SAC_WATCHED_EVENTS;
    sac_grow_text(text, "event: events\ndata: [");
    for (uint64_t i = from; i < w->event_count; i++)
        sac_grow_text(text, "%s%s", i > from ? "," : "", w->events[i % SAC_WATCHED_EVENTS]);
    sac_grow_text(text, "]\n\n");
}

void sac_watched_grow_event(sac_growing *text, const char *event, json_t *root)
{
    char *line = root ? json_dumps(root, JSON_COMPACT) : NULL;
    if (line)
    {
        sac_grow_text(text, "event: %s\ndata: ", event);
        sac_grow(text, line, strlen(line));
        sac_grow_text(text, "\n\n");
    }
    free(line);
    json_decref(root);
}

static void tell_now(const sac_watched *w, sac_growing *text)
{
    const sac_run_summary *s = &w->summary;
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "run", w->run_dir, "state",
                             s->state, "reason", s->reason, "env", s->environment, "policy", s->policy, "search",
                             s->search, "net", s->net, "host", s->host, "seed", (json_int_t)s->seed, "generation",
                             (json_int_t)s->generation, "generations", (json_int_t)s->generations);
    if (w->progress[0]) json_object_set_new(root, "live", json_loads(w->progress, 0, NULL));
    sac_watched_grow_event(text, "now", root);
}

void sac_watched_tell(const sac_watched *w, sac_feed_cursor *c, sac_growing *text)
{
    if (c->events < w->event_count) tell_events(w, c->events, text);
    if (c->told != w->told) tell_now(w, text);
    c->events = w->event_count;
    c->told = w->told;
}

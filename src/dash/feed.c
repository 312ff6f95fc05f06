#include "dash/feed.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "run/journal.h"

enum
{
    CHUNK = 1 << 16,
    BETWEEN = 2, // seconds between two reads of the whole folder,
    SHARE = 50   // or so many times the duration of a read
};

sac_status sac_feed_open(sac_feed *f, const char *run_dir)
{
    *f = (sac_feed){.epoch = 1, .merged = 1};
    f->summary.state = "waiting";
    SAC_TRY(sac_check_path(run_dir));
    snprintf(f->run_dir, sizeof f->run_dir, "%s", run_dir);
    return SAC_OK;
}

// --- rows -------------------------------------------------------------------------------------------------------

static void forget(sac_feed *f)
{
    f->epoch++;
    f->offset = f->event_offset = f->event_count = 0;
    f->point_count = f->pending = f->score_count = 0;
    f->merged = 1;
    f->last_steps = f->last_seconds = f->last_rate = 0;
}

static sac_feed_point mean_of(const sac_feed_point *a, const sac_feed_point *b)
{
    sac_feed_point p = *b;
    p.best = 0.5 * (a->best + b->best);
    p.mean = 0.5 * (a->mean + b->mean);
    p.std = 0.5 * (a->std + b->std);
    p.rate = 0.5 * (a->rate + b->rate);
    return p;
}

static void halve_points(sac_feed *f)
{
    for (int i = 0; i < SAC_FEED_POINTS / 2; i++) f->points[i] = mean_of(&f->points[2 * i], &f->points[2 * i + 1]);
    f->point_count = SAC_FEED_POINTS / 2;
    f->merged *= 2;
    f->epoch++;
}

static void add_point(sac_feed *f, const sac_progress *p)
{
    double steps = (double)p->steps, seconds = p->seconds - f->last_seconds;
    // The seconds of a row with an evaluation are not only those of its steps, so they give no rate.
    double rate =
        seconds > 0 && (!p->evaluated || f->last_rate == 0) ? (steps - f->last_steps) / seconds : f->last_rate;
    f->last_rate = rate;
    f->last_steps = steps;
    f->last_seconds = p->seconds;
    sac_feed_point *at = &f->points[f->point_count];
    if (f->pending == 0) *at = (sac_feed_point){0};
    at->generation = (double)p->generation;
    at->steps = steps;
    at->seconds = p->seconds;
    at->best += p->best / f->merged;
    at->mean += p->mean / f->merged;
    at->std += p->std / f->merged;
    at->rate += rate / f->merged;
    if (++f->pending < f->merged) return;
    f->pending = 0;
    if (++f->point_count == SAC_FEED_POINTS) halve_points(f);
}

// When there are too many evaluations, every other one is dropped, but never the best.
static void halve_scores(sac_feed *f)
{
    int best = 0, kept = 0;
    for (int i = 1; i < f->score_count; i++)
        if (f->scores[i].mean > f->scores[best].mean) best = i;
    for (int i = 0; i < f->score_count; i++)
        if (i % 2 == 1 || i == best) f->scores[kept++] = f->scores[i];
    f->score_count = kept;
    f->epoch++;
}

static bool add_row(sac_feed *f, const char *line)
{
    sac_progress p;
    if (!sac_journal_parse_row(line, &p)) return false;
    add_point(f, &p);
    if (!p.evaluated) return true;
    if (f->score_count == SAC_FEED_SCORES) halve_scores(f);
    f->scores[f->score_count++] = (sac_feed_score){(double)p.generation, (double)p.steps,  p.seconds,
                                                   p.evaluation.mean,    p.evaluation.std, p.evaluation.episodes};
    return true;
}

// A line of events.jsonl is passed on unchanged once it is known to be JSON.
static bool add_event(sac_feed *f, const char *line)
{
    json_t *root = json_loads(line, 0, NULL);
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    bool fits = text && strlen(text) < SAC_FEED_EVENT_SIZE;
    if (fits) strcpy(f->events[f->event_count++ % SAC_FEED_EVENTS], text);
    free(text);
    json_decref(root);
    return fits;
}

// Read the whole lines that a file has gained; false where the file is shorter than before.
static bool read_lines(sac_feed *f, const char *name, uint64_t *offset, bool (*add)(sac_feed *, const char *),
                       bool *changed)
{
    char path[SAC_PATH_SIZE], bytes[CHUNK + 1];
    struct stat status;
    if (sac_join_path(path, f->run_dir, name) != SAC_OK) return true;
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
            if (add(f, line)) *changed = true;
        }
        *offset += (uint64_t)(line - bytes);
        more = line > bytes && size == CHUNK;
    }
    close(file);
    return whole;
}

static bool read_progress(sac_feed *f)
{
    char path[SAC_PATH_SIZE], text[sizeof f->progress] = "";
    uint8_t *bytes;
    size_t size;
    if (sac_join_path(path, f->run_dir, "progress.json") != SAC_OK || access(path, F_OK) != 0) return false;
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
    if (!text[0] || strcmp(text, f->progress) == 0) return false;
    strcpy(f->progress, text);
    return true;
}

static bool read_summary(sac_feed *f)
{
    sac_run_summary s;
    double begin = sac_clock();
    sac_status status = sac_run_summarise(&s, f->run_dir);
    double took = sac_clock() - begin;
    f->summarise_at = begin + (SHARE * took > BETWEEN ? SHARE * took : BETWEEN);
    if (status != SAC_OK)
    {
        f->summarise_at = 0; // there is no run yet, so looking again costs nothing
        return false;
    }
    bool changed = strcmp(s.state, f->summary.state) != 0 || strcmp(s.reason, f->summary.reason) != 0 ||
                   s.generation != f->summary.generation || s.generations != f->summary.generations;
    f->summary = s;
    return changed;
}

bool sac_feed_poll(sac_feed *f)
{
    bool changed = false, told = false;
    if (!read_lines(f, "metrics.csv", &f->offset, add_row, &changed) ||
        !read_lines(f, "events.jsonl", &f->event_offset, add_event, &changed))
    {
        forget(f);
        changed = true;
    }
    told |= read_progress(f);
    if (sac_clock() > f->summarise_at) told |= read_summary(f);
    f->told += told;
    return changed || told;
}

// --- telling ----------------------------------------------------------------------------------------------------

// Numbers that JSON cannot express become null.
static void add_number(sac_growing *text, const char *before, double x)
{
    if (isfinite(x))
        sac_grow_text(text, "%s%.6g", before, x);
    else
        sac_grow_text(text, "%snull", before);
}

static void tell_points(const sac_feed *f, int from, sac_growing *text)
{
    sac_grow_text(text, "event: points\ndata: [");
    for (int i = from; i < f->point_count; i++)
    {
        const sac_feed_point *p = &f->points[i];
        sac_grow_text(text, "%s[%.0f,%.0f", i > from ? "," : "", p->generation, p->steps);
        const double rest[] = {p->seconds, p->best, p->mean, p->std, p->rate};
        for (int k = 0; k < 5; k++) add_number(text, ",", rest[k]);
        sac_grow_text(text, "]");
    }
    sac_grow_text(text, "]\n\n");
}

static void tell_scores(const sac_feed *f, int from, sac_growing *text)
{
    sac_grow_text(text, "event: scores\ndata: [");
    for (int i = from; i < f->score_count; i++)
    {
        const sac_feed_score *s = &f->scores[i];
        sac_grow_text(text, "%s[%.0f,%.0f", i > from ? "," : "", s->generation, s->steps);
        const double rest[] = {s->seconds, s->mean, s->std};
        for (int k = 0; k < 3; k++) add_number(text, ",", rest[k]);
        sac_grow_text(text, ",%d]", s->episodes);
    }
    sac_grow_text(text, "]\n\n");
}

static void tell_events(const sac_feed *f, uint64_t from, sac_growing *text)
{
    if (f->event_count > SAC_FEED_EVENTS && from < f->event_count - SAC_FEED_EVENTS)
        from = f->event_count - SAC_FEED_EVENTS;
    sac_grow_text(text, "event: events\ndata: [");
    for (uint64_t i = from; i < f->event_count; i++)
        sac_grow_text(text, "%s%s", i > from ? "," : "", f->events[i % SAC_FEED_EVENTS]);
    sac_grow_text(text, "]\n\n");
}

static void tell_now(const sac_feed *f, sac_growing *text)
{
    const sac_run_summary *s = &f->summary;
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "run", f->run_dir, "state", s->state,
                             "reason", s->reason, "env", s->environment, "policy", s->policy, "search", s->search,
                             "host", s->host, "seed", (json_int_t)s->seed, "generation", (json_int_t)s->generation,
                             "generations", (json_int_t)s->generations);
    if (f->progress[0]) json_object_set_new(root, "live", json_loads(f->progress, 0, NULL));
    char *line = root ? json_dumps(root, JSON_COMPACT) : NULL;
    if (line)
    {
        sac_grow_text(text, "event: now\ndata: ");
        sac_grow(text, line, strlen(line));
        sac_grow_text(text, "\n\n");
    }
    free(line);
    json_decref(root);
}

void sac_feed_tell(const sac_feed *f, sac_feed_cursor *c, sac_growing *text)
{
    if (c->epoch != f->epoch)
    {
        *c = (sac_feed_cursor){.epoch = f->epoch, .told = f->told + 1};
        sac_grow_text(text, "event: anew\ndata: 0\n\n");
    }
    if (c->points < f->point_count) tell_points(f, c->points, text);
    if (c->scores < f->score_count) tell_scores(f, c->scores, text);
    if (c->events < f->event_count) tell_events(f, c->events, text);
    if (c->told != f->told) tell_now(f, text);
    c->points = f->point_count;
    c->scores = f->score_count;
    c->events = f->event_count;
    c->told = f->told;
}

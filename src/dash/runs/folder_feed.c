#include "dash/runs/folder_feed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "files/checksum.h"
#include "files/json.h"
#include "run/tree.h"

static const double READING = 0.01; // seconds that one poll reads runs,
static const double BETWEEN = 2;    // seconds between two searches of the folder,
static const double SHARE = 50;     // or so many times the duration of one

sac_status sac_folder_feed_create(sac_folder_feed **out, const char *dir)
{
    *out = NULL;
    SAC_TRY(sac_check_path(dir));
    sac_folder_feed *f = SAC_NEW(sac_folder_feed);
    if (!f) return sac_fail_memory("the live page");
    snprintf(f->dir, sizeof f->dir, "%s", dir);
    for (size_t end = strlen(f->dir); end > 1 && f->dir[end - 1] == '/';) f->dir[--end] = 0;
    *out = f;
    return SAC_OK;
}

static void destroy_run(sac_folder_run *run)
{
    if (run) sac_yaml_destroy(run->settings);
    sac_free(run);
}

void sac_folder_feed_destroy(sac_folder_feed *f)
{
    if (!f) return;
    for (int i = 0; i < f->count; i++) destroy_run(f->runs[i]);
    sac_free(f);
}

// --- which runs there are ---------------------------------------------------------------------------------------

static sac_status create_run(sac_folder_run **out, const char *path, const char *name)
{
    char task[SAC_PATH_SIZE];
    *out = NULL;
    SAC_TRY(sac_join_path(task, path, "task.yaml"));
    sac_folder_run *run = SAC_NEW(sac_folder_run);
    if (!run) return sac_fail_memory("the live page");
    sac_status status = sac_feed_open(&run->feed, path);
    run->feed.limit = SAC_FOLDER_POINTS;
    if (status == SAC_OK) status = sac_yaml_load(&run->settings, task);
    if (status == SAC_OK)
    {
        snprintf(run->name, sizeof run->name, "%s", name);
        snprintf(run->id, sizeof run->id, "%08" PRIx32, sac_crc32c(0, name, strlen(name)));
        *out = run;
    }
    else
        destroy_run(run);
    return status;
}

static bool is_known(const sac_folder_feed *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->runs[i]->name, name) == 0) return true;
    return false;
}

// A run whose task cannot be read yet is met again in the next search.
static bool meet(void *user, const char *path)
{
    sac_folder_feed *f = user;
    const char *name = path + strlen(f->dir);
    while (*name == '/') name++;
    if (f->count == SAC_FOLDER_RUNS || strlen(name) >= SAC_TEXT_SIZE || is_known(f, name)) return true;
    sac_folder_run *run;
    if (create_run(&run, path, name) == SAC_OK) f->runs[f->count++] = run;
    return true;
}

static const char *value_of(const sac_folder_run *run, const char *key)
{
    const sac_yaml_entry *entry = sac_yaml_find(run->settings, key);
    return entry ? entry->value : "";
}

static bool differs(const sac_folder_feed *f, const char *key)
{
    for (int i = 1; i < f->count; i++)
        if (strcmp(value_of(f->runs[i], key), value_of(f->runs[0], key)) != 0) return true;
    return false;
}

static void add_key(sac_folder_feed *f, const char *key)
{
    for (int i = 0; i < f->key_count; i++)
        if (strcmp(f->keys[i], key) == 0) return;
    if (!differs(f, key)) return;
    if (f->key_count < SAC_FOLDER_KEYS)
        f->keys[f->key_count++] = key;
    else
        f->more_keys++;
}

// The keys stand in the order of the tasks. Those that the first run has not follow those that it has.
static void find_keys(sac_folder_feed *f)
{
    f->key_count = f->more_keys = 0;
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < sac_yaml_count(f->runs[i]->settings); k++)
        {
            const char *key = sac_yaml_at(f->runs[i]->settings, k)->key;
            if (i == 0 || !sac_yaml_find(f->runs[0]->settings, key)) add_key(f, key);
        }
}

static bool search(sac_folder_feed *f)
{
    double begin = sac_clock();
    int count = f->count, found = sac_run_tree_visit(f->dir, meet, f);
    double took = sac_clock() - begin;
    f->scan_at = begin + (SHARE * took > BETWEEN ? SHARE * took : BETWEEN);
    bool changed = count != f->count || found != f->found;
    f->found = found;
    if (count != f->count) find_keys(f);
    return changed;
}

// --- reading ----------------------------------------------------------------------------------------------------

// Of a net's run only the state is read: its rows are others.
static bool read_run(sac_folder_feed *f, sac_folder_run *run)
{
    const bool is_net = sac_yaml_find(run->settings, "net.kind") != NULL;
    const uint64_t told = run->feed.watched.told;
    bool changed = is_net ? sac_watched_read_now(&run->feed.watched) : sac_feed_poll(&run->feed);
    f->told += told != run->feed.watched.told;
    return changed;
}

bool sac_folder_feed_poll(sac_folder_feed *f)
{
    bool changed = sac_clock() > f->scan_at && search(f);
    f->told += changed;
    const double until = sac_clock() + READING;
    for (int i = 0; i < f->count && sac_clock() < until; i++)
    {
        changed |= read_run(f, f->runs[f->next % f->count]);
        f->next = (f->next + 1) % f->count;
    }
    return changed;
}

// --- telling ----------------------------------------------------------------------------------------------------

static json_t *score_of(const sac_score *score)
{
    if (score->episodes == 0) return json_null();
    return json_pack("[o, o, i]", sac_json_number(score->mean), sac_json_number(score->std), score->episodes);
}

static json_t *row_of(const sac_folder_feed *f, int number)
{
    const sac_folder_run *run = f->runs[number];
    const sac_run_summary *s = &run->feed.watched.summary;
    json_t *values = json_array();
    for (int k = 0; k < f->key_count; k++) json_array_append_new(values, json_string(value_of(run, f->keys[k])));
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:o, s:o}", "run", number,
                     "id", run->id, "name", run->name, "state", s->state, "reason", s->reason, "env", s->environment,
                     "net", s->net, "generation", (json_int_t)s->generation, "generations", (json_int_t)s->generations,
                     "steps", (json_int_t)s->steps, "seconds", sac_json_number(s->seconds), "last",
                     score_of(&s->evaluation), "best", score_of(&s->best), "best_generation",
                     (json_int_t)s->best_generation, "accuracy", sac_json_number(s->test_accuracy), "values", values);
}

static void tell_table(const sac_folder_feed *f, sac_growing *text)
{
    json_t *keys = json_array(), *rows = json_array();
    for (int k = 0; k < f->key_count; k++) json_array_append_new(keys, json_string(f->keys[k]));
    for (int i = 0; i < f->count; i++) json_array_append_new(rows, row_of(f, i));
    json_t *root = json_pack("{s:s, s:i, s:i, s:o, s:o}", "folder", f->dir, "found", f->found, "more_keys",
                             f->more_keys, "keys", keys, "runs", rows);
    sac_watched_grow_event(text, "runs", root);
}

static void tell_curve(const sac_folder_feed *f, int number, sac_feed_cursor *c, sac_growing *text)
{
    const sac_feed *feed = &f->runs[number]->feed;
    const bool anew = c->edition != feed->watched.edition;
    if (anew) *c = (sac_feed_cursor){.edition = feed->watched.edition};
    if (!anew && c->points == feed->point_count && c->scores == feed->score_count) return;
    sac_grow_text(text, "event: curve\ndata: {\"run\":%d,\"anew\":%s,\"points\":", number, anew ? "true" : "false");
    sac_feed_grow_points(feed, c->points, text);
    sac_grow_text(text, ",\"scores\":");
    sac_feed_grow_scores(feed, c->scores, text);
    sac_grow_text(text, "}\n\n");
    c->points = feed->point_count;
    c->scores = feed->score_count;
}

void sac_folder_feed_tell(const sac_folder_feed *f, sac_folder_cursor *c, sac_growing *text)
{
    if (c->told == 0) sac_grow_text(text, "event: anew\ndata: 0\n\n");
    // a folder whose first search found nothing is told, too
    if (c->told != f->told + 1) tell_table(f, text);
    c->told = f->told + 1;
    for (int i = 0; i < f->count; i++) tell_curve(f, i, &c->runs[i], text);
}

int sac_folder_feed_best(const sac_folder_feed *f, int *runs, int most)
{
    int count = 0;
    for (int i = 0; i < f->count; i++)
    {
        const sac_run_summary *s = &f->runs[i]->feed.watched.summary;
        if (s->best.episodes == 0 || !isfinite(s->best.mean)) continue;
        int at = count < most ? count++ : most;
        for (; at > 0 && f->runs[runs[at - 1]]->feed.watched.summary.best.mean < s->best.mean; at--)
            if (at < most) runs[at] = runs[at - 1];
        if (at < most) runs[at] = i;
    }
    return count;
}

// --- as a feed among others -------------------------------------------------------------------------------------

static sac_status create(void **out, const char *run_dir)
{
    sac_folder_feed *f;
    sac_status status = sac_folder_feed_create(&f, run_dir);
    *out = f;
    return status;
}

static bool poll_feed(void *feed)
{
    return sac_folder_feed_poll(feed);
}

static void tell(const void *feed, void *cursor, sac_growing *text)
{
    sac_folder_feed_tell(feed, cursor, text);
}

static void destroy(void *feed)
{
    sac_folder_feed_destroy(feed);
}

const sac_feed_calls sac_folder_feed_calls = {create, poll_feed, tell, destroy, sizeof(sac_folder_cursor)};

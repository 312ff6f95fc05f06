#include "dash/feed.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/journal.h"

sac_status sac_feed_open(sac_feed *f, const char *run_dir)
{
    *f = (sac_feed){.merged = 1, .limit = SAC_FEED_POINTS};
    return sac_watched_open(&f->watched, run_dir);
}

// --- rows -------------------------------------------------------------------------------------------------------

static void forget(sac_feed *f)
{
    sac_watched_forget(&f->watched);
    f->offset = 0;
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
    for (int i = 0; i < f->limit / 2; i++) f->points[i] = mean_of(&f->points[2 * i], &f->points[2 * i + 1]);
    f->point_count = f->limit / 2;
    f->merged *= 2;
    f->watched.edition++;
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
    if (++f->point_count == f->limit) halve_points(f);
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
    f->watched.edition++;
}

static bool add_row(void *user, const char *line)
{
    sac_feed *f = user;
    sac_progress p;
    if (!sac_journal_parse_row(line, &p)) return false;
    add_point(f, &p);
    if (!p.evaluated) return true;
    if (f->score_count == f->limit) halve_scores(f);
    f->scores[f->score_count++] = (sac_feed_score){(double)p.generation, (double)p.steps,  p.seconds,
                                                   p.evaluation.mean,    p.evaluation.std, p.evaluation.episodes};
    return true;
}

bool sac_feed_poll(sac_feed *f)
{
    bool changed = false;
    if (!sac_watched_read_lines(&f->watched, "metrics.csv", &f->offset, add_row, f, &changed) ||
        !sac_watched_read_events(&f->watched, &changed))
    {
        forget(f);
        changed = true;
    }
    return sac_watched_read_now(&f->watched) || changed;
}

// --- telling ----------------------------------------------------------------------------------------------------

void sac_feed_grow_points(const sac_feed *f, int from, sac_growing *text)
{
    sac_grow_text(text, "[");
    for (int i = from; i < f->point_count; i++)
    {
        const sac_feed_point *p = &f->points[i];
        sac_grow_text(text, "%s[%.0f,%.0f", i > from ? "," : "", p->generation, p->steps);
        const double rest[] = {p->seconds, p->best, p->mean, p->std, p->rate};
        for (int k = 0; k < 5; k++) sac_grow_number(text, ",", rest[k]);
        sac_grow_text(text, "]");
    }
    sac_grow_text(text, "]");
}

void sac_feed_grow_scores(const sac_feed *f, int from, sac_growing *text)
{
    sac_grow_text(text, "[");
    for (int i = from; i < f->score_count; i++)
    {
        const sac_feed_score *s = &f->scores[i];
        sac_grow_text(text, "%s[%.0f,%.0f", i > from ? "," : "", s->generation, s->steps);
        const double rest[] = {s->seconds, s->mean, s->std};
        for (int k = 0; k < 3; k++) sac_grow_number(text, ",", rest[k]);
        sac_grow_text(text, ",%d]", s->episodes);
    }
    sac_grow_text(text, "]");
}

static void tell_list(const sac_feed *f, const char *event, int from, sac_growing *text,
                      void (*grow)(const sac_feed *feed, int from, sac_growing *text))
{
    sac_grow_text(text, "event: %s\ndata: ", event);
    grow(f, from, text);
    sac_grow_text(text, "\n\n");
}

void sac_feed_tell(const sac_feed *f, sac_feed_cursor *c, sac_growing *text)
{
    if (c->edition != f->watched.edition)
    {
        *c = (sac_feed_cursor){.edition = f->watched.edition, .told = f->watched.told + 1};
        sac_grow_text(text, "event: anew\ndata: 0\n\n");
    }
    if (c->points < f->point_count) tell_list(f, "points", c->points, text, sac_feed_grow_points);
    if (c->scores < f->score_count) tell_list(f, "scores", c->scores, text, sac_feed_grow_scores);
    c->points = f->point_count;
    c->scores = f->score_count;
    sac_watched_tell(&f->watched, c, text);
}

// --- as a feed among others -------------------------------------------------------------------------------------

static sac_status create(void **out, const char *run_dir)
{
    sac_feed *f = SAC_NEW(sac_feed);
    *out = f;
    if (!f) return sac_fail_memory("the live page");
    sac_status status = sac_feed_open(f, run_dir);
    if (status == SAC_OK) return SAC_OK;
    sac_free(f);
    *out = NULL;
    return status;
}

static bool poll_feed(void *feed)
{
    return sac_feed_poll(feed);
}

static void tell(const void *feed, void *cursor, sac_growing *text)
{
    sac_feed_tell(feed, cursor, text);
}

const sac_feed_calls sac_policy_feed = {create, poll_feed, tell, sac_free, sizeof(sac_feed_cursor)};

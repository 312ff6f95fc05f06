#include "dash/nets/net_feed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"

sac_status sac_net_feed_open(sac_net_feed *f, const char *run_dir)
{
    *f = (sac_net_feed){0};
    return sac_watched_open(&f->watched, run_dir);
}

static void forget_looks(sac_net_feed *f)
{
    for (int i = 0; i <= f->look_count && i <= SAC_NET_FEED_LOOKS; i++) sac_grow_clear(&f->looks[i].heads);
    f->look_count = 0;
    f->looks_size = 0;
    f->growing = false;
}

void sac_net_feed_close(sac_net_feed *f)
{
    forget_looks(f);
    sac_grow_clear(&f->confusion);
}

static void forget(sac_net_feed *f)
{
    sac_watched_forget(&f->watched);
    forget_looks(f);
    f->offset = f->heads_offset = 0;
    f->epoch_count = 0;
}

// --- epochs -----------------------------------------------------------------------------------------------------

static void halve_epochs(sac_net_feed *f)
{
    for (int i = 0; i < SAC_NET_FEED_EPOCHS / 2; i++) f->epochs[i] = f->epochs[2 * i + 1];
    f->epoch_count = SAC_NET_FEED_EPOCHS / 2;
    f->watched.edition++;
}

static bool add_epoch(void *user, const char *line)
{
    sac_net_feed *f = user;
    sac_net_feed_epoch e = {.test_loss = NAN, .test_accuracy = NAN};
    const int found = sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &e.epoch, &e.steps, &e.seconds, &e.rate, &e.loss,
                             &e.accuracy, &e.test_loss, &e.test_accuracy);
    if (found != 6 && found != 8) return false;
    if (f->epoch_count == SAC_NET_FEED_EPOCHS) halve_epochs(f);
    f->epochs[f->epoch_count++] = e;
    return true;
}

// --- heads ------------------------------------------------------------------------------------------------------

// Every other one is dropped, but neither the first, before training, nor the last.
static void halve_looks(sac_net_feed *f)
{
    int kept = 0;
    f->looks_size = 0;
    for (int i = 0; i < f->look_count; i++)
    {
        if (i % 2 == 1 && i < f->look_count - 1)
        {
            sac_grow_clear(&f->looks[i].heads);
            continue;
        }
        f->looks_size += f->looks[i].heads.size;
        f->looks[kept++] = f->looks[i];
    }
    for (int i = kept; i < f->look_count; i++) f->looks[i] = (sac_net_feed_look){0};
    f->look_count = kept;
    f->watched.edition++;
}

// Of the one that was growing all rows are there. Where memory ran out it is not shown.
static void end_look(sac_net_feed *f)
{
    if (!f->growing) return;
    f->growing = false;
    if (f->looks[f->look_count].heads.failed)
    {
        sac_grow_clear(&f->looks[f->look_count].heads);
        return;
    }
    f->looks_size += f->looks[f->look_count].heads.size;
    f->look_count++;
    while (f->look_count > 2 && (f->look_count == SAC_NET_FEED_LOOKS || f->looks_size > SAC_NET_FEED_LOOKS_SIZE))
        halve_looks(f);
}

// A head as the page wants it: layer, centre, covariance, share of attention on its shift, kind.
static bool add_head(void *user, const char *line)
{
    sac_net_feed *f = user;
    uint64_t epoch;
    int layer, head;
    double centre[2], covariance[3], spread, off, share;
    char kind[16];
    if (sscanf(line, "%" SCNu64 ",%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,%*d,%*d,%lf,%lf,%15[a-z]", &epoch, &layer, &head,
               &centre[0], &centre[1], &covariance[0], &covariance[1], &covariance[2], &spread, &off, &share,
               kind) != 12)
        return false;
    if (f->growing && f->looks[f->look_count].epoch != epoch) end_look(f);
    sac_net_feed_look *l = &f->looks[f->look_count];
    if (!f->growing) *l = (sac_net_feed_look){.epoch = epoch};
    f->growing = true;
    if (l->heads.size > SAC_NET_FEED_LOOKS_SIZE) return false;
    sac_grow_text(&l->heads, "%s[%d,%d", l->heads.size > 0 ? "," : "[", layer, head);
    const double rest[] = {centre[0], centre[1], covariance[0], covariance[1], covariance[2], share};
    for (int i = 0; i < 6; i++) sac_grow_number(&l->heads, ",", rest[i]);
    sac_grow_text(&l->heads, ",\"%s\"]", kind);
    return true;
}

// The rows of an evaluation are whole when the next one's begin, or when no more have come for a while.
static bool read_heads(sac_net_feed *f, bool *changed)
{
    bool more = false;
    const bool whole = sac_watched_read_lines(&f->watched, "heads.csv", &f->heads_offset, add_head, f, &more);
    *changed |= more || f->growing;
    if (whole && !more) end_look(f);
    return whole;
}

// --- the confusion table ----------------------------------------------------------------------------------------

// A line "class,count,count,..." as a row; the first line, which names the columns, is left out.
static void add_row(sac_growing *text, const char *line)
{
    const char *at = strchr(line, ',');
    sac_grow_text(text, "%s[", text->size > 1 ? "," : "");
    for (bool first = true; at; at = strchr(at + 1, ','), first = false)
        sac_grow_text(text, "%s%ld", first ? "" : ",", strtol(at + 1, NULL, 10));
    sac_grow_text(text, "]");
}

static bool read_confusion(sac_net_feed *f)
{
    char path[SAC_PATH_SIZE];
    struct stat status;
    uint8_t *bytes;
    size_t size;
    if (sac_join_path(path, f->watched.run_dir, "confusion.csv") != SAC_OK || stat(path, &status) != 0) return false;
    const int64_t stamp = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    if (stamp == f->confusion_stamp || sac_read_file(&bytes, &size, path, SAC_NET_FEED_CONFUSION_SIZE) != SAC_OK)
        return false;
    f->confusion_stamp = stamp;
    f->confusion_count++;
    sac_grow_clear(&f->confusion);
    sac_grow_text(&f->confusion, "[");
    char *line = strchr((char *)bytes, '\n');
    for (char *end; line && (end = strchr(line + 1, '\n')); line = end)
    {
        *end = 0;
        add_row(&f->confusion, line + 1);
        *end = '\n';
    }
    sac_grow_text(&f->confusion, "]");
    sac_free(bytes);
    return true;
}

// --- reading and telling ----------------------------------------------------------------------------------------

bool sac_net_feed_poll(sac_net_feed *f)
{
    bool changed = false;
    if (!sac_watched_read_lines(&f->watched, "metrics.csv", &f->offset, add_epoch, f, &changed) ||
        !read_heads(f, &changed) || !sac_watched_read_events(&f->watched, &changed))
    {
        forget(f);
        changed = true;
    }
    changed |= read_confusion(f);
    return sac_watched_read_now(&f->watched) || changed;
}

static void tell_epochs(const sac_net_feed *f, int from, sac_growing *text)
{
    sac_grow_text(text, "event: epochs\ndata: [");
    for (int i = from; i < f->epoch_count; i++)
    {
        const sac_net_feed_epoch *e = &f->epochs[i];
        const double rest[] = {e->seconds, e->rate, e->loss, e->accuracy, e->test_loss, e->test_accuracy};
        sac_grow_text(text, "%s[%.0f,%.0f", i > from ? "," : "", e->epoch, e->steps);
        for (int k = 0; k < 6; k++) sac_grow_number(text, ",", rest[k]);
        sac_grow_text(text, "]");
    }
    sac_grow_text(text, "]\n\n");
}

static void tell_looks(const sac_net_feed *f, int from, sac_growing *text)
{
    sac_grow_text(text, "event: looks\ndata: [");
    for (int i = from; i < f->look_count; i++)
    {
        const sac_net_feed_look *l = &f->looks[i];
        sac_grow_text(text, "%s{\"epoch\":%" PRIu64 ",\"heads\":", i > from ? "," : "", l->epoch);
        sac_grow(text, l->heads.bytes, l->heads.size);
        sac_grow_text(text, "]}");
    }
    sac_grow_text(text, "]\n\n");
}

void sac_net_feed_tell(const sac_net_feed *f, sac_feed_cursor *c, sac_growing *text)
{
    if (c->edition != f->watched.edition)
    {
        *c = (sac_feed_cursor){.edition = f->watched.edition, .told = f->watched.told + 1};
        sac_grow_text(text, "event: anew\ndata: 0\n\n");
    }
    if (c->points < f->epoch_count) tell_epochs(f, c->points, text);
    if (c->scores < f->look_count) tell_looks(f, c->scores, text);
    if (c->table != f->confusion_count)
    {
        sac_grow_text(text, "event: confusion\ndata: ");
        sac_grow(text, f->confusion.bytes, f->confusion.size);
        sac_grow_text(text, "\n\n");
    }
    c->points = f->epoch_count;
    c->scores = f->look_count;
    c->table = f->confusion_count;
    sac_watched_tell(&f->watched, c, text);
}

// --- as a feed among others -------------------------------------------------------------------------------------

static sac_status create(void **out, const char *run_dir)
{
    sac_net_feed *f = SAC_NEW(sac_net_feed);
    *out = f;
    if (!f) return sac_fail_memory("the live page");
    sac_status status = sac_net_feed_open(f, run_dir);
    if (status == SAC_OK) return SAC_OK;
    sac_free(f);
    *out = NULL;
    return status;
}

static bool poll_feed(void *feed)
{
    return sac_net_feed_poll(feed);
}

static void tell(const void *feed, void *cursor, sac_growing *text)
{
    sac_net_feed_tell(feed, cursor, text);
}

static void destroy(void *feed)
{
    if (feed) sac_net_feed_close(feed);
    sac_free(feed);
}

const sac_feed_calls sac_net_feed_calls = {create, poll_feed, tell, destroy, sizeof(sac_feed_cursor)};

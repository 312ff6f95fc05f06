#include "saccade/dash.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/feed.h"
#include "dash/nets/net_feed.h"
#include "dash/player.h"
#include "dash/taken.h"
#include "dash/web_module.h"
#include "files/module.h"

/// One thread reads the folder and runs the agent, where the run trains one, and the thread of each listener is told
/// what is new. All share one lock.

enum
{
    LISTENERS = 16,
    PATIENCE = 4, // seconds until a silent stream sends a sign of life
    FRAME = 40,   // milliseconds of a frame
    POLL = 12,    // frames between two reads of the folder
    PAGES = 5
};

/// What a run may train: how its folder is read, and the page that shows it.
typedef struct subject
{
    const sac_feed_calls *feed;
    const char *page, *script, *drawing; // page.html and what it includes beside page.css and live.js
    bool plays;                          // an agent
} subject;

static const subject policy_subject = {&sac_policy_feed, "page.html", "page.js", "scene.js", true};
static const subject net_subject = {&sac_net_feed_calls, "net.html", "net.js", "heads.js", false};

struct sac_dash
{
    const subject *subject;
    const sac_web_calls *calls;
    sac_web_page pages[PAGES];
    sac_web_site site;
    void *web;
    pthread_t thread;
    bool running;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closing;
    int listeners;
    void *feed;
    sac_growing frame; // the newest, as an event
    uint64_t frame_count;

    sac_player player; // only the thread uses it
};

// --- the thread that reads and drives ---------------------------------------------------------------------------

static void show_frame(sac_dash *d)
{
    bool there;
    sac_status status = sac_player_step(&d->player, &there);
    if (status != SAC_OK || !there) return;
    sac_growing frame = {0};
    sac_grow_text(&frame, "event: frame\ndata: ");
    sac_player_tell(&d->player, &frame);
    sac_grow_text(&frame, "\n\n");
    pthread_mutex_lock(&d->lock);
    sac_grow_clear(&d->frame);
    d->frame = frame;
    d->frame_count++;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static void *run(void *user)
{
    sac_dash *d = user;
    pthread_mutex_lock(&d->lock);
    for (int tick = 0; !d->closing; tick++)
    {
        bool plays = d->subject->plays && d->listeners > 0;
        if (tick % POLL == 0 && d->subject->feed->poll(d->feed)) pthread_cond_broadcast(&d->changed);
        pthread_mutex_unlock(&d->lock);
        if (plays) show_frame(d);
        nanosleep(&(struct timespec){.tv_nsec = FRAME * 1000000}, NULL);
        pthread_mutex_lock(&d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

// --- listeners --------------------------------------------------------------------------------------------------

typedef struct listener
{
    sac_dash *dash;
    sac_feed_cursor cursor;
    uint64_t frame;
    sac_growing text; // what is to be sent
    size_t sent;
} listener;

static void *open_listener(void *user)
{
    sac_dash *d = user;
    listener *l = SAC_NEW(listener);
    pthread_mutex_lock(&d->lock);
    bool welcome = l && d->listeners < LISTENERS && !d->closing;
    if (welcome) d->listeners++;
    pthread_mutex_unlock(&d->lock);
    if (welcome)
    {
        l->dash = d;
        return l;
    }
    sac_free(l);
    return NULL;
}

static void close_listener(void *stream)
{
    listener *l = stream;
    pthread_mutex_lock(&l->dash->lock);
    l->dash->listeners--;
    pthread_mutex_unlock(&l->dash->lock);
    sac_grow_clear(&l->text);
    sac_free(l);
}

// The caller holds the lock.
static void gather(listener *l)
{
    const sac_dash *d = l->dash;
    sac_grow_clear(&l->text);
    l->sent = 0;
    d->subject->feed->tell(d->feed, &l->cursor, &l->text);
    if (l->frame == d->frame_count) return;
    l->frame = d->frame_count;
    sac_grow(&l->text, d->frame.bytes, d->frame.size);
}

static long read_listener(void *stream, char *bytes, size_t size)
{
    listener *l = stream;
    sac_dash *d = l->dash;
    pthread_mutex_lock(&d->lock);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    bool late = false;
    while (!d->closing && l->sent == l->text.size)
    {
        gather(l);
        if (l->text.size > 0 || late) break;
        late = pthread_cond_timedwait(&d->changed, &d->lock, &until) != 0;
    }
    bool closing = d->closing || l->text.failed;
    pthread_mutex_unlock(&d->lock);
    if (closing) return -1;
    if (l->sent == l->text.size) sac_grow_text(&l->text, ": still here\n\n");
    size_t left = l->text.size - l->sent, count = left < size ? left : size;
    memcpy(bytes, l->text.bytes + l->sent, count);
    l->sent += count;
    return (long)count;
}

// --- from birth to death ----------------------------------------------------------------------------------------

static void add_page(sac_dash *d, const char *path, const char *file, const char *type)
{
    sac_web_page *page = &d->pages[d->site.page_count++];
    *page = (sac_web_page){.path = path, .type = type};
    page->body = sac_dash_file(file, &page->size);
}

static void fill_site(sac_dash *d)
{
    static const char script[] = "text/javascript; charset=utf-8";
    d->site = (sac_web_site){.pages = d->pages,
                             .stream_path = "/events",
                             .user = d,
                             .open = open_listener,
                             .read = read_listener,
                             .close = close_listener};
    add_page(d, "/", d->subject->page, "text/html; charset=utf-8");
    add_page(d, "/page.css", "page.css", "text/css; charset=utf-8");
    add_page(d, "/live.js", "live.js", script);
    add_page(d, "/drawing.js", d->subject->drawing, script);
    add_page(d, "/page.js", d->subject->script, script);
}

static sac_status open_parts(sac_dash *d, int port)
{
    const void *table;
    char error[SAC_WEB_ERROR_SIZE] = "";
    SAC_TRY(sac_module_open(&table, "web"));
    d->calls = table;
    fill_site(d);
    d->web = d->calls->create(&d->site, port, error);
    if (!d->web) return sac_fail(SAC_ERROR_UNAVAILABLE, "the live page cannot be served: %s", error);
    d->running = pthread_create(&d->thread, NULL, run, d) == 0;
    return d->running ? SAC_OK : sac_fail(SAC_ERROR_UNAVAILABLE, "the live page: no thread can be started");
}

static sac_status create(sac_dash **out, const char *run_dir, const subject *of, int port)
{
    *out = NULL;
    sac_dash *d = SAC_NEW(sac_dash);
    if (!d) return sac_fail_memory("the live page");
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    d->subject = of;
    sac_status status = of->feed->create(&d->feed, run_dir);
    if (status == SAC_OK && of->plays) status = sac_player_open(&d->player, run_dir, "mean.safetensors");
    if (status == SAC_OK) status = open_parts(d, port);
    if (status == SAC_OK)
        *out = d;
    else
        sac_dash_destroy(d);
    return status;
}

sac_status sac_dash_create(sac_dash **out, const char *run_dir, int port)
{
    sac_run_summary summary;
    const bool is_net = sac_run_summarise(&summary, run_dir) == SAC_OK && summary.net[0];
    return create(out, run_dir, is_net ? &net_subject : &policy_subject, port);
}

sac_status sac_dash_create_net(sac_dash **out, const char *run_dir, int port)
{
    return create(out, run_dir, &net_subject, port);
}

int sac_dash_port(const sac_dash *dash)
{
    return dash->calls->port(dash->web);
}

void sac_dash_destroy(sac_dash *d)
{
    if (!d) return;
    pthread_mutex_lock(&d->lock);
    d->closing = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->running) pthread_join(d->thread, NULL);
    if (d->web) d->calls->destroy(d->web);
    sac_player_close(&d->player);
    d->subject->feed->destroy(d->feed);
    sac_grow_clear(&d->frame);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    sac_free(d);
}

#include "saccade/dash.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/feed.h"
#include "dash/nets/net_feed.h"
#include "dash/runs/folder_feed.h"
#include "dash/stage.h"
#include "dash/taken.h"
#include "dash/web_module.h"
#include "files/module.h"
#include "run/tree.h"

/// One thread reads the folders and runs the agents, and the thread of each listener is told what is new. All share one
/// lock. What the thread reads it may look at without the lock, since nobody else changes it.

enum
{
    LISTENERS = 16,
    PATIENCE = 4, // seconds until a silent stream sends a sign of life
    FRAME = 40,   // milliseconds of a frame
    POLL = 12     // frames between two reads of the folders
};

static const char text_html[] = "text/html; charset=utf-8", text_css[] = "text/css; charset=utf-8",
                  text_script[] = "text/javascript; charset=utf-8";

/// What a page is about: how its folder is read, the page that shows it, and who plays there.
typedef struct subject
{
    const sac_feed_calls *feed;
    const char *page, *script, *drawing; // page.html and what it includes beside page.css and live.js
    const sac_stage_calls *stage;        // NULL: nobody
} subject;

static const subject policy_subject = {&sac_policy_feed, "page.html", "page.js", "scene.js", &sac_run_stage};
static const subject net_subject = {&sac_net_feed_calls, "net.html", "net.js", "heads.js", NULL};
static const subject folder_subject = {&sac_folder_feed_calls, "runs.html", "runs.js", "scene.js", &sac_folder_stage};

/// A page that is open: its subject, its feed, and what was seen last.
typedef struct exhibit
{
    const subject *subject;
    void *feed, *stage;
    int listeners;
    sac_growing frame; // the newest, as an event
    uint64_t frame_count;
} exhibit;

struct sac_dash
{
    const sac_web_calls *calls;
    sac_web_site site;
    void *web;
    pthread_t thread;
    bool running;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closing;
    int listeners;
    exhibit *root;                  // at "/"
    exhibit *runs[SAC_FOLDER_RUNS]; // of a folder, at "/runs/ID/"; NULL: nobody looks at it
};

static void close_exhibit(exhibit *e)
{
    if (!e) return;
    if (e->subject->stage) e->subject->stage->destroy(e->stage);
    e->subject->feed->destroy(e->feed);
    sac_grow_clear(&e->frame);
    sac_free(e);
}

static sac_status open_exhibit(exhibit **out, const subject *of, const char *dir)
{
    *out = NULL;
    exhibit *e = SAC_NEW(exhibit);
    if (!e) return sac_fail_memory("the live page");
    e->subject = of;
    sac_status status = of->feed->create(&e->feed, dir);
    if (status == SAC_OK && of->stage) status = of->stage->create(&e->stage, dir);
    if (status == SAC_OK)
        *out = e;
    else
        close_exhibit(e);
    return status;
}

// --- the thread that reads and drives ---------------------------------------------------------------------------

static void show_frame(sac_dash *d, exhibit *e)
{
    sac_growing frame = {0};
    e->subject->stage->show(e->stage, e->feed, &frame);
    if (frame.size == 0 || frame.failed)
    {
        sac_grow_clear(&frame);
        return;
    }
    pthread_mutex_lock(&d->lock);
    sac_grow_clear(&e->frame);
    e->frame = frame;
    e->frame_count++;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

// Read, and then play, for a page. The caller holds the lock, which is let go while an agent plays.
static void attend(sac_dash *d, exhibit *e, bool reads)
{
    if (reads && e->subject->feed->poll(e->feed)) pthread_cond_broadcast(&d->changed);
    if (!e->subject->stage || e->listeners == 0) return;
    pthread_mutex_unlock(&d->lock);
    show_frame(d, e);
    pthread_mutex_lock(&d->lock);
}

static void *run(void *user)
{
    sac_dash *d = user;
    pthread_mutex_lock(&d->lock);
    for (int tick = 0; !d->closing; tick++)
    {
        attend(d, d->root, tick % POLL == 0);
        for (int i = 0; i < SAC_FOLDER_RUNS && !d->closing; i++)
        {
            exhibit *e = d->runs[i];
            if (!e) continue;
            // Only this thread closes a page, so that none is closed while an agent plays there.
            if (e->listeners == 0)
            {
                d->runs[i] = NULL;
                close_exhibit(e);
            }
            else
                attend(d, e, tick % POLL == 0);
        }
        pthread_mutex_unlock(&d->lock);
        nanosleep(&(struct timespec){.tv_nsec = FRAME * 1000000}, NULL);
        pthread_mutex_lock(&d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

// --- pages ------------------------------------------------------------------------------------------------------

// The run that "/runs/ID/REST" is about; NULL, and nothing is set, where the server shows no folder or has no such
// run. The caller holds the lock.
static const sac_folder_run *find_run(const sac_dash *d, const char *path, int *number, const char **rest)
{
    static const char prefix[] = "/runs/";
    if (d->root->subject != &folder_subject || strncmp(path, prefix, sizeof prefix - 1) != 0) return NULL;
    const sac_folder_feed *folder = d->root->feed;
    const char *id = path + sizeof prefix - 1;
    const size_t length = strcspn(id, "/");
    for (int i = 0; i < folder->count; i++)
    {
        const sac_folder_run *run = folder->runs[i];
        if (length != strlen(run->id) || strncmp(id, run->id, length) != 0 || id[length] != '/') continue;
        *number = i;
        *rest = id + length;
        return run;
    }
    return NULL;
}

static const subject *subject_of(const sac_folder_run *run)
{
    return sac_yaml_find(run->settings, "net.kind") ? &net_subject : &policy_subject;
}

static bool find_file(const subject *of, const char *path, sac_web_page *page)
{
    const struct
    {
        const char *path, *file, *type;
    } files[] = {{"/", of->page, text_html},
                 {"/page.css", "page.css", text_css},
                 {"/live.js", "live.js", text_script},
                 {"/drawing.js", of->drawing, text_script},
                 {"/page.js", of->script, text_script}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    {
        if (strcmp(path, files[i].path) != 0) continue;
        page->type = files[i].type;
        page->body = sac_dash_file(files[i].file, &page->size);
        return true;
    }
    return false;
}

static bool find_page(void *user, const char *path, sac_web_page *page)
{
    sac_dash *d = user;
    int number;
    pthread_mutex_lock(&d->lock);
    const sac_folder_run *of = find_run(d, path, &number, &path);
    bool found = find_file(of ? subject_of(of) : d->root->subject, path, page);
    pthread_mutex_unlock(&d->lock);
    return found;
}

// --- listeners --------------------------------------------------------------------------------------------------

typedef struct listener
{
    sac_dash *dash;
    exhibit *exhibit;
    void *cursor;
    uint64_t frame;
    sac_growing text; // what is to be sent
    size_t sent;
} listener;

static bool streams(void *user, const char *path)
{
    sac_dash *d = user;
    int number;
    pthread_mutex_lock(&d->lock);
    (void)find_run(d, path, &number, &path);
    pthread_mutex_unlock(&d->lock);
    return strcmp(path, "/events") == 0;
}

// The page that a stream is of, opened if nobody looks at it yet; NULL where that fails. The caller holds the lock.
static exhibit *exhibit_of(sac_dash *d, const char *path)
{
    int number = 0;
    const sac_folder_run *of = find_run(d, path, &number, &path);
    if (!of) return strcmp(path, "/events") == 0 ? d->root : NULL;
    if (!d->runs[number] && open_exhibit(&d->runs[number], subject_of(of), of->feed.watched.run_dir) != SAC_OK)
        return NULL;
    return d->runs[number];
}

static void free_listener(listener *l)
{
    if (!l) return;
    sac_free(l->cursor);
    sac_grow_clear(&l->text);
    sac_free(l);
}

static void *open_listener(void *user, const char *path)
{
    sac_dash *d = user;
    listener *l = SAC_NEW(listener);
    bool welcome = false;
    pthread_mutex_lock(&d->lock);
    if (l && d->listeners < LISTENERS && !d->closing) l->exhibit = exhibit_of(d, path);
    if (l && l->exhibit) l->cursor = sac_alloc(l->exhibit->subject->feed->cursor_size);
    if (l && l->cursor)
    {
        welcome = true;
        l->dash = d;
        l->exhibit->listeners++;
        d->listeners++;
    }
    pthread_mutex_unlock(&d->lock);
    if (welcome) return l;
    free_listener(l);
    return NULL;
}

static void close_listener(void *stream)
{
    listener *l = stream;
    pthread_mutex_lock(&l->dash->lock);
    l->exhibit->listeners--;
    l->dash->listeners--;
    pthread_mutex_unlock(&l->dash->lock);
    free_listener(l);
}

// The caller holds the lock.
static void gather(listener *l)
{
    const exhibit *e = l->exhibit;
    sac_grow_clear(&l->text);
    l->sent = 0;
    e->subject->feed->tell(e->feed, l->cursor, &l->text);
    if (l->frame == e->frame_count) return;
    l->frame = e->frame_count;
    sac_grow(&l->text, e->frame.bytes, e->frame.size);
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

static sac_status open_parts(sac_dash *d, int port)
{
    const void *table;
    char error[SAC_WEB_ERROR_SIZE] = "";
    SAC_TRY(sac_module_open(&table, "web"));
    d->calls = table;
    d->site = (sac_web_site){.user = d,
                             .find = find_page,
                             .streams = streams,
                             .open = open_listener,
                             .read = read_listener,
                             .close = close_listener};
    d->web = d->calls->create(&d->site, port, error);
    if (!d->web) return sac_fail(SAC_ERROR_UNAVAILABLE, "the live page cannot be served: %s", error);
    d->running = pthread_create(&d->thread, NULL, run, d) == 0;
    return d->running ? SAC_OK : sac_fail(SAC_ERROR_UNAVAILABLE, "the live page: no thread can be started");
}

static sac_status create(sac_dash **out, const char *dir, const subject *of, int port)
{
    *out = NULL;
    sac_dash *d = SAC_NEW(sac_dash);
    if (!d) return sac_fail_memory("the live page");
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    sac_status status = open_exhibit(&d->root, of, dir);
    if (status == SAC_OK) status = open_parts(d, port);
    if (status == SAC_OK)
        *out = d;
    else
        sac_dash_destroy(d);
    return status;
}

static bool stop_at_first(void *user, const char *path)
{
    (void)user, (void)path;
    return false;
}

bool sac_dash_is_folder(const char *dir)
{
    char path[SAC_PATH_SIZE];
    if (sac_join_path(path, dir, "task.yaml") != SAC_OK || access(path, F_OK) == 0) return false;
    if (sac_join_path(path, dir, "sweep.yaml") == SAC_OK && access(path, F_OK) == 0) return true;
    return sac_run_tree_visit(dir, stop_at_first, NULL) > 0;
}

sac_status sac_dash_create(sac_dash **out, const char *run_dir, int port)
{
    if (sac_dash_is_folder(run_dir)) return create(out, run_dir, &folder_subject, port);
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
    close_exhibit(d->root);
    for (int i = 0; i < SAC_FOLDER_RUNS; i++) close_exhibit(d->runs[i]);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    sac_free(d);
}

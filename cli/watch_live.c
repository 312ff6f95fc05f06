#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "watch.h"

/// The live window: an episode at its own pace, in the hands of the policy or of a person.

typedef struct live_show
{
    watch_plan *watch;
    sac_window *window;
    sac_viewer *viewer;
    float *action; // a person's
    bool paused, by_hand, reset, quit, step;
    int moment; // of the step that is started; -1: none is
} live_show;

static const char help[] = "space pauses, right arrow steps, d drives by hand (arrows or WASD; m hands back), v next "
                           "variant, r again, n next seed, q quits";

void watch_title(const watch_plan *watch, char *title, size_t size)
{
    snprintf(title, size, "%s, %s, seed %" PRIu64, watch->target.env.id, cli_target_variant(&watch->target),
             watch->seed);
}

static sac_status open_viewer(live_show *l)
{
    const watch_plan *w = l->watch;
    sac_viewer *viewer;
    SAC_TRY(sac_viewer_create(&viewer, w->target.policy, &w->target.env, w->width, w->height));
    sac_viewer_destroy(l->viewer);
    l->viewer = viewer;
    l->moment = -1;
    l->reset = true;
    return SAC_OK;
}

// the next variant that can be created: some need a file
static void next_variant(live_show *l)
{
    sac_env_def *env = &l->watch->target.env;
    const char *const *variants = NULL;
    for (int i = 0; i < sac_env_count(); i++)
        if (strcmp(sac_env_at(i)->name, env->id) == 0) variants = sac_env_at(i)->variants;
    int count = 0, at = 0;
    while (variants && variants[count]) count++;
    while (at < count && strcmp(variants[at], cli_target_variant(&l->watch->target)) != 0) at++;
    const char *before = env->variant;
    for (int i = 1; i <= count; i++)
    {
        env->variant = variants[(at + i) % count];
        if (open_viewer(l) == SAC_OK) return;
    }
    env->variant = before;
}

static void obey(live_show *l, int key)
{
    switch (key)
    {
    case ' ': l->paused = !l->paused; break;
    case '>': l->step = l->paused; break;
    case 'm': // beside d, which drives to the right once driving
    case 'd':
        if (key == 'm' || !l->by_hand) l->by_hand = !l->by_hand;
        break;
    case 'v': next_variant(l); break;
    case 'n': l->watch->seed++; // fall through
    case 'r': l->reset = true; break;
    case 'q':
    case 27: l->quit = true; break;
    default: break;
    }
}

static void pace(struct timespec *next, int frames_per_second)
{
    next->tv_nsec += 1000000000L / frames_per_second;
    if (next->tv_nsec >= 1000000000L) next->tv_nsec -= 1000000000L, next->tv_sec++;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > next->tv_sec || (now.tv_sec == next->tv_sec && now.tv_nsec > next->tv_nsec))
        *next = now;
    else
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static void report(const live_show *l)
{
    char title[128];
    watch_title(l->watch, title, sizeof title);
    char value[SAC_VALUE_SIZE];
    sac_format_value(value, sac_viewer_return(l->viewer));
    printf("return %s after %d step%s (%s)\n", value, sac_viewer_steps(l->viewer),
           sac_plural(sac_viewer_steps(l->viewer)), title);
    fflush(stdout);
}

// To the next moment of the step that is started, or to its end
static sac_status move_on(live_show *l)
{
    if (l->paused && !l->step) return SAC_OK;
    if (++l->moment < sac_viewer_moments(l->viewer)) return SAC_OK;
    l->moment = -1;
    SAC_TRY(sac_viewer_finish(l->viewer));
    if (sac_viewer_ended(l->viewer)) report(l);
    return SAC_OK;
}

static sac_status show(live_show *l)
{
    char title[128];
    watch_title(l->watch, title, sizeof title);
    const bool over = l->moment < 0 && sac_viewer_ended(l->viewer);
    const char *note = over ? "over: r again, n next" : l->paused ? "paused" : l->by_hand ? "you drive" : NULL;
    const uint8_t *rgb;
    if (l->moment >= 0)
        SAC_TRY(sac_viewer_draw_moment(l->viewer, l->moment, title, note, &rgb));
    else
        SAC_TRY(sac_viewer_draw(l->viewer, title, note, &rgb));
    sac_window_show(l->window, rgb);
    return SAC_OK;
}

// one turn: keys, a step unless paused or over, the picture
static sac_status turn(live_show *l)
{
    for (int key; (key = sac_window_key(l->window)) != 0;) obey(l, key);
    if (l->reset)
    {
        l->reset = false;
        l->moment = -1;
        memset(l->action, 0, (size_t)sac_viewer_spec(l->viewer)->action_size * sizeof *l->action);
        SAC_TRY(sac_viewer_reset(l->viewer, l->watch->seed));
    }
    else if (l->moment >= 0)
        SAC_TRY(move_on(l));
    else if ((!l->paused || l->step) && !sac_viewer_ended(l->viewer) && sac_viewer_steps(l->viewer) < l->watch->steps)
    {
        if (l->by_hand) sac_window_drive(l->window, sac_viewer_spec(l->viewer), l->action);
        SAC_TRY(sac_viewer_start(l->viewer, l->by_hand ? l->action : NULL));
        SAC_TRY(move_on(l));
    }
    l->step = false;
    return show(l);
}

static sac_status play(live_show *l)
{
    SAC_TRY(open_viewer(l));
    SAC_TRY(sac_window_create(&l->window, "saccade", l->watch->width, l->watch->height));
    l->action = calloc((size_t)sac_viewer_spec(l->viewer)->action_size, sizeof *l->action);
    if (!l->action) return SAC_ERROR_MEMORY;
    l->by_hand = !l->watch->target.policy;
    puts(help);
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!l->quit)
    {
        SAC_TRY(turn(l));
        // --steps bounds a session as it bounds a film
        if (l->moment < 0 && sac_viewer_steps(l->viewer) >= l->watch->steps) l->quit = true;
        pace(&next, l->watch->frames_per_second);
    }
    if (!sac_viewer_ended(l->viewer)) report(l);
    return SAC_OK;
}

sac_status watch_live(watch_plan *watch)
{
    live_show live = {.watch = watch};
    sac_status status = play(&live);
    char reason[512];
    snprintf(reason, sizeof reason, "%s", sac_last_error());
    if (status == SAC_ERROR_UNAVAILABLE)
        status = sac_fail(status, "%s; for a film without a window use --video F.mp4 or --frames DIR", reason);
    sac_window_destroy(live.window);
    sac_viewer_destroy(live.viewer);
    free(live.action);
    return status;
}

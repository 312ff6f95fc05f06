#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/player.h"
#include "dash/runs/folder_feed.h"
#include "dash/stage.h"

/// The best agents of a folder's runs, next to each other: all play the episode of one seed, whoever has ended waits
/// for the others, and then comes the next seed, with the runs that are the best by then.

enum
{
    AGENTS = 4,
    PAUSE = 40, // frames after the last of them has ended
    SEEDS = 1000
};

typedef struct agent
{
    int run;
    char name[SAC_TEXT_SIZE]; ///< of the run; "": the place is empty
    sac_player player;
    bool plays; ///< false: it has no policy file, or cannot be played here
} agent;

typedef struct gallery
{
    agent agents[AGENTS];
    int count;
    uint64_t seed;
    int rest; ///< frames until the next episode; 0: under way
    bool begun;
} gallery;

static sac_status create(void **out, const char *dir)
{
    (void)dir;
    *out = SAC_NEW(gallery);
    return *out ? SAC_OK : sac_fail_memory("the live page");
}

static void leave(agent *a)
{
    sac_player_close(&a->player);
    *a = (agent){0};
}

static void destroy(void *stage)
{
    gallery *g = stage;
    for (int i = 0; g && i < g->count; i++) leave(&g->agents[i]);
    sac_free(g);
}

static void take(agent *a, const sac_folder_feed *feed, int run)
{
    if (a->name[0] && a->run == run) return; // its player begins anew only where the policy has changed
    leave(a);
    a->run = run;
    snprintf(a->name, sizeof a->name, "%s", feed->runs[run]->name);
    if (sac_player_open(&a->player, feed->runs[run]->feed.watched.run_dir, "best.safetensors") != SAC_OK) leave(a);
}

static void begin(gallery *g, const sac_folder_feed *feed)
{
    int runs[AGENTS], count = sac_folder_feed_best(feed, runs, AGENTS);
    for (int i = count; i < g->count; i++) leave(&g->agents[i]);
    g->count = count;
    for (int i = 0; i < count; i++)
    {
        agent *a = &g->agents[i];
        take(a, feed, runs[i]);
        a->player.seed = g->seed;
        a->plays = false;
        if (!a->name[0] || sac_player_begin(&a->player, &a->plays) != SAC_OK) a->plays = false;
    }
}

static bool has_ended(const agent *a)
{
    return !a->plays || sac_play_ended(&a->player.play);
}

static bool step(gallery *g)
{
    bool all = true;
    for (int i = 0; i < g->count; i++)
    {
        agent *a = &g->agents[i];
        bool there;
        if (has_ended(a)) continue;
        if (sac_player_step(&a->player, &there) != SAC_OK) a->plays = false;
        all &= has_ended(a);
    }
    return all;
}

// Go on by a frame: a step, a moment of rest, or the beginning of the next episode.
static void advance(gallery *g, const sac_folder_feed *feed)
{
    if (g->begun && g->rest == 0)
    {
        if (step(g)) g->rest = PAUSE;
        return;
    }
    if (g->rest > 0 && --g->rest > 0) return;
    if (g->begun) g->seed = (g->seed + 1) % SEEDS;
    begin(g, feed);
    g->begun = g->count > 0;
}

static void show(void *stage, const void *feed, sac_growing *text)
{
    gallery *g = stage;
    advance(g, feed);
    if (g->count == 0) return;
    sac_grow_text(text, "event: frames\ndata: [");
    const char *before = "";
    for (int i = 0; i < g->count; i++)
    {
        agent *a = &g->agents[i];
        if (!a->plays) continue;
        sac_grow_text(text, "%s{\"run\":%d,\"ended\":%s,\"frame\":", before, a->run, has_ended(a) ? "true" : "false");
        sac_player_tell(&a->player, text);
        sac_grow_text(text, "}");
        before = ",";
    }
    sac_grow_text(text, "]\n\n");
}

const sac_stage_calls sac_folder_stage = {create, show, destroy};

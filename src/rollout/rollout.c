#include "rollout/rollout.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "play/play.h"

enum
{
    NO_INDIVIDUAL = -1
};

/// An episode under way, and what it is for.
typedef struct lane
{
    sac_play *play;
    sac_unit *unit;
    int individual; // whose parameters the state holds
    int negative;   // rewards below zero in a row
    double *seen;   // [2 F] of the unit; NULL: not wanted
} lane;

/// One thread's episodes: the first `active` rows of each array are under way.
typedef struct crew
{
    int active;
    bool dry;        // nothing is left to take
    void *arena;     // holds all that follows, what the lanes' episodes need, and the scratch that their states share
    sac_play *plays; // [lanes] where they stay in memory; the lanes point to them
    lane *lanes;
    // What the lanes hold, as arrays, which is how the batch functions of worlds and policies want it.
    sac_env **envs;
    sac_env_row *rows;
    sac_policy_state **states;
    const void *const **inputs;
    float **actions;
    sac_policy_state **advisers;
    const void *const **adviser_inputs;
    float **advice;
    float *parameters;
    double acting, stepping; // seconds
} crew;

struct sac_rollouts
{
    const sac_policy *policy, *adviser;
    uint32_t parts;
    sac_comm *comm;
    sac_threads *pool; // the workers, and a server where the queue needs one
    int workers, lanes, action_size, normaliser_size;
    int room;    // lanes that the current job uses
    crew *crews; // one a worker
    const sac_rollout_job *job;
};

// Writes the arrays' entries of one lane.
static void gather(crew *c, int i)
{
    sac_play *play = c->lanes[i].play;
    c->envs[i] = play->env;
    c->rows[i] = play->row;
    c->states[i] = play->state;
    c->inputs[i] = play->inputs;
    c->actions[i] = play->action;
    c->advisers[i] = play->adviser;
    c->adviser_inputs[i] = play->adviser_inputs;
    c->advice[i] = play->advice;
}

static void swap_lanes(crew *c, int a, int b)
{
    lane l = c->lanes[a];
    c->lanes[a] = c->lanes[b];
    c->lanes[b] = l;
    gather(c, a);
    gather(c, b);
}

// Parameters are set only where the lane has held those of another individual; neighbouring units often share one.
static sac_status start_episode(sac_rollouts *r, crew *c, int i, sac_unit *unit)
{
    const sac_rollout_job *job = r->job;
    lane *l = &c->lanes[i];
    l->unit = unit;
    l->negative = 0;
    size_t seen = 2 * (size_t)r->normaliser_size;
    l->seen = job->seen ? job->seen + (size_t)(unit - job->units) * seen : NULL;
    if (l->seen) memset(l->seen, 0, seen * sizeof *l->seen);
    if (r->policy && l->individual != l->unit->individual)
    {
        if (job->parameters)
        {
            job->parameters(job->user, l->unit->individual, c->parameters);
            sac_policy_state_set_parameters(l->play->state, c->parameters);
        }
        else
            sac_policy_state_set_parameters(l->play->state, sac_policy_parameters(r->policy));
        l->individual = l->unit->individual;
    }
    return sac_play_reset(l->play, l->unit->seed);
}

// Takes units for the lanes that are free. A crew that has no episode under way waits for one.
static sac_status fill_lanes(sac_rollouts *r, crew *c)
{
    while (!c->dry && c->active < r->room)
    {
        int unit = sac_comm_take(r->comm, c->active == 0);
        if (unit == SAC_UNIT_LATER) break;
        c->dry = unit == SAC_UNIT_NONE;
        if (c->dry) break;
        SAC_TRY(start_episode(r, c, c->active, &r->job->units[unit]));
        c->active++;
    }
    return SAC_OK;
}

static bool is_number(const float *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// Keeps what the world's columns say at the end of a unit.
static void note_end(const sac_rollout_job *job, const lane *l)
{
    const int columns = sac_env_get_spec(l->play->env)->column_count;
    sac_env_state(l->play->env, job->ends + (l->unit - job->units) * columns);
}

// Adds a step to lane i's unit; `last` when its episode goes no further.
static sac_status take_step(sac_rollouts *r, crew *c, int i, bool *last)
{
    const sac_rollout_job *job = r->job;
    lane *l = &c->lanes[i];
    sac_play *play = l->play;
    sac_play_count(play);
    l->unit->episode_return = play->episode_return;
    l->unit->steps = play->steps;
    l->negative = play->reward < 0 ? l->negative + 1 : 0;
    bool impatient = job->patience > 0 && l->negative > job->patience;
    bool over = job->steps > 0 && play->steps >= job->steps;
    *last = sac_play_ended(play) || over || impatient || isnan(play->episode_return);
    if (*last && job->ends) note_end(job, l);
    if (!job->watch) return SAC_OK;
    return job->watch->stepped(job->watch->user, (int)(l->unit - job->units), play, *last);
}

// Adds what the normaliser was told in this step, and its squares, to the unit's sums.
static void note_seen(const sac_rollouts *r, lane *l)
{
    const float *seen = sac_policy_normaliser_input(l->play->state);
    int size = r->normaliser_size;
    for (int i = 0; i < size; i++)
    {
        l->seen[i] += (double)seen[i];
        l->seen[size + i] += (double)seen[i] * (double)seen[i];
    }
}

// All lanes act at once; planners one by one, each in its own copy of the world.
static sac_status act(const sac_rollouts *r, crew *c)
{
    if (r->policy && !sac_play_plans(r->policy)) sac_policy_act_batch(c->states, c->inputs, c->actions, c->active);
    for (int i = 0; sac_play_plans(r->policy) && i < c->active; i++) SAC_TRY(sac_play_decide(c->lanes[i].play));
    return SAC_OK;
}

static sac_status advise(const sac_rollouts *r, crew *c)
{
    if (!sac_play_plans(r->adviser)) sac_policy_act_batch(c->advisers, c->adviser_inputs, c->advice, c->active);
    for (int i = 0; sac_play_plans(r->adviser) && i < c->active; i++) SAC_TRY(sac_play_advise(c->lanes[i].play));
    return SAC_OK;
}

// Computes every lane's action from what it sees.
static sac_status decide(const sac_rollouts *r, crew *c)
{
    const sac_rollout_watch *watch = r->job->watch;
    SAC_TRY(act(r, c));
    if (r->adviser && watch) SAC_TRY(advise(r, c));
    for (int i = 0; i < c->active; i++)
    {
        lane *l = &c->lanes[i];
        if (l->seen) note_seen(r, l);
        if (watch)
            SAC_TRY(watch->decided(watch->user, (int)(l->unit - r->job->units), l->play));
        else if (r->parts == 0)
            sac_play_spare(l->play);
        // An action that is not a number never reaches the world: it becomes zero, and the return NaN.
        if (is_number(c->actions[i], r->action_size)) continue;
        l->play->episode_return = NAN;
        memset(c->actions[i], 0, sizeof(float) * (size_t)r->action_size);
    }
    return SAC_OK;
}

// one step of every episode of a crew
static sac_status step_crew(sac_rollouts *r, crew *c)
{
    double begin = sac_clock();
    SAC_TRY(decide(r, c));
    double decided = sac_clock();
    SAC_TRY(sac_env_step_batch(c->envs, c->rows, c->active));
    c->acting += decided - begin;
    c->stepping += sac_clock() - decided;
    for (int i = c->active - 1; i >= 0; i--)
    {
        bool last;
        SAC_TRY(take_step(r, c, i, &last));
        if (!last) continue;
        sac_comm_give(r->comm, (int)(c->lanes[i].unit - r->job->units));
        swap_lanes(c, i, --c->active);
    }
    return SAC_OK;
}

// One thread's loop: take what is free, let all policies decide, step all worlds, and give back what has ended.
// Finished lanes are swapped behind the active ones, from the last on, so that no lane that is still to be looked at
// moves.
static sac_status run_crew(sac_rollouts *r, crew *c)
{
    for (int i = 0; i < r->lanes; i++) c->lanes[i].individual = NO_INDIVIDUAL;
    c->active = 0;
    c->dry = false;
    for (;;)
    {
        SAC_TRY(fill_lanes(r, c));
        if (c->active == 0 || sac_comm_stopped(r->comm)) return SAC_OK;
        if (r->job->interrupt && *r->job->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");
        SAC_TRY(step_crew(r, c));
    }
}

// Where the queue needs a server, it is the calling thread, the only one that may use the transport.
static void work(void *user, int index)
{
    sac_rollouts *r = user;
    if (sac_comm_needs_server(r->comm) && index == 0)
    {
        sac_comm_serve(r->comm);
        return;
    }
    sac_status status = run_crew(r, &r->crews[index - sac_comm_needs_server(r->comm)]);
    if (status != SAC_OK) sac_comm_stop(r->comm, status);
}

sac_status sac_rollouts_run(sac_rollouts *r, const sac_rollout_job *job)
{
    // No thread uses more lanes than its share of the work, so that every thread gets some.
    int everyone = r->workers * sac_comm_size(r->comm), share = (job->unit_count + everyone - 1) / everyone;
    r->room = share < r->lanes ? share : r->lanes;
    r->job = job;
    SAC_TRY(sac_comm_begin(r->comm, &(sac_round){.units = job->units,
                                                 .unit_count = job->unit_count,
                                                 .seen = job->seen,
                                                 .seen_size = job->seen ? 2 * r->normaliser_size : 0,
                                                 .slots = r->room * r->workers,
                                                 .fingerprint = job->fingerprint,
                                                 .interrupt = job->interrupt}));
    sac_threads_run(r->pool, work, r);
    r->job = NULL;
    return sac_comm_verdict(r->comm);
}

void sac_rollouts_times(const sac_rollouts *r, double *acting, double *stepping)
{
    *acting = *stepping = 0;
    for (int i = 0; i < r->workers; i++)
    {
        *acting += r->crews[i].acting;
        *stepping += r->crews[i].stepping;
    }
}

// Cuts a crew's arrays from its arena.
static void place_crew(const sac_rollouts *r, crew *c, sac_workspace *arena)
{
    const size_t lanes = (size_t)r->lanes;
    c->plays = sac_take(arena, lanes, sizeof *c->plays);
    c->lanes = sac_take(arena, lanes, sizeof *c->lanes);
    c->envs = sac_take(arena, lanes, sizeof *c->envs);
    c->rows = sac_take(arena, lanes, sizeof *c->rows);
    c->states = sac_take(arena, lanes, sizeof(sac_policy_state *));
    c->inputs = sac_take(arena, lanes, sizeof *c->inputs);
    c->actions = sac_take(arena, lanes, sizeof *c->actions);
    c->advisers = sac_take(arena, lanes, sizeof(sac_policy_state *));
    c->adviser_inputs = sac_take(arena, lanes, sizeof *c->adviser_inputs);
    c->advice = sac_take(arena, lanes, sizeof *c->advice);
    c->parameters = sac_take(arena, r->policy ? (size_t)sac_policy_parameter_count(r->policy) : 0, sizeof(float));
}

// Measures a crew with its first episode, as all take the same, and takes the arena. One scratch serves all states:
// they act one after the other, and what each of them has alone then fits the second cache.
static sac_status take_arena(sac_rollouts *r, crew *c, sac_play *first, sac_workspace *arena)
{
    const sac_env_spec *spec = sac_env_get_spec(first->env);
    if (spec->lanes > 0 && spec->lanes < r->lanes) r->lanes = spec->lanes;
    r->action_size = spec->action_size;
    sac_workspace room = {.scratch = arena->scratch};
    place_crew(r, c, &room);
    for (int i = 0; i < r->lanes; i++) sac_play_place(first, &room);
    unsigned char *memory = c->arena = sac_alloc(room.used + room.scratch->used);
    if (!memory) return sac_fail_memory("rollouts");
    arena->memory = memory;
    arena->scratch->memory = memory + room.used;
    return SAC_OK;
}

static sac_status open_lane(crew *c, int i, sac_workspace *arena)
{
    sac_play *play = &c->plays[i];
    sac_play_place(play, arena);
    SAC_TRY(sac_play_finish(play));
    c->lanes[i].play = play;
    gather(c, i);
    return SAC_OK;
}

// The first world is made before the arena, because it says how many lanes there are and how large a lane is.
static sac_status create_crew(sac_rollouts *r, crew *c, const sac_env_def *env)
{
    const sac_play_def def = {.policy = r->policy, .adviser = r->adviser, .env = env, .parts = r->parts};
    sac_play first;
    sac_workspace scratch = {0}, arena = {.scratch = &scratch};
    sac_status status = sac_play_begin(&first, &def);
    if (status == SAC_OK) status = take_arena(r, c, &first, &arena);
    if (status != SAC_OK)
    {
        sac_play_close(&first);
        return status;
    }
    place_crew(r, c, &arena);
    c->plays[0] = first;
    SAC_TRY(open_lane(c, 0, &arena));
    for (int i = 1; i < r->lanes; i++)
    {
        SAC_TRY(sac_play_begin(&c->plays[i], &def));
        SAC_TRY(open_lane(c, i, &arena));
    }
    return SAC_OK;
}

static void destroy_crew(sac_rollouts *r, crew *c)
{
    for (int i = 0; c->arena && i < r->lanes; i++) sac_play_close(&c->plays[i]);
    sac_free(c->arena);
}

sac_status sac_rollouts_create_def(sac_rollouts **out, const sac_rollouts_def *def)
{
    *out = NULL;
    sac_rollouts *r = SAC_NEW(sac_rollouts);
    if (!r) return sac_fail_memory("rollouts");
    r->policy = def->policy;
    r->adviser = def->adviser;
    r->parts = def->parts;
    r->normaliser_size = def->policy ? sac_policy_normaliser_size(def->policy) : 0;
    r->comm = def->comm;
    r->workers = def->threads;
    r->lanes = def->lanes;
    r->crews = SAC_NEW_ARRAY(crew, (size_t)def->threads);
    sac_status status = r->crews ? SAC_OK : sac_fail_memory("rollouts");
    if (status == SAC_OK) status = sac_threads_create(&r->pool, def->threads + sac_comm_needs_server(def->comm));
    for (int i = 0; status == SAC_OK && i < def->threads; i++) status = create_crew(r, &r->crews[i], def->env);
    if (status != SAC_OK)
    {
        sac_rollouts_destroy(r);
        return status;
    }
    *out = r;
    return SAC_OK;
}

sac_status sac_rollouts_create(sac_rollouts **out, const sac_policy *policy, const sac_env_def *env, sac_comm *comm,
                               int threads, int lanes)
{
    return sac_rollouts_create_def(
        out, &(sac_rollouts_def){.policy = policy, .env = env, .comm = comm, .threads = threads, .lanes = lanes});
}

void sac_rollouts_destroy(sac_rollouts *r)
{
    if (!r) return;
    for (int i = 0; r->crews && i < r->workers; i++) destroy_crew(r, &r->crews[i]);
    sac_threads_destroy(r->pool);
    sac_free(r->crews);
    sac_free(r);
}

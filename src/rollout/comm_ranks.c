#include "rollout/comm_ranks.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

// --- a round ----------------------------------------------------------------------------------------------------

// Makes room for messages of so many bytes, and for an error's sentence at least.
static sac_status reserve_message(sac_ranks *r, size_t bytes)
{
    if (r->message && bytes <= r->room) return SAC_OK;
    sac_free(r->message);
    r->room = 0;
    r->message = sac_alloc(sizeof(sac_header) + bytes + sizeof r->base.sentence);
    if (!r->message) return sac_fail_memory("a round");
    r->room = bytes;
    return SAC_OK;
}

static sac_status reserve_units(sac_ranks *r, int units)
{
    if (units <= r->capacity) return SAC_OK;
    sac_free(r->granted);
    sac_free(r->done);
    r->capacity = 0;
    r->granted = SAC_NEW_ARRAY(int, (size_t)units);
    r->done = SAC_NEW_ARRAY(int, (size_t)units);
    if (!r->granted || !r->done) return sac_fail_memory("a round");
    r->capacity = units;
    return SAC_OK;
}

static void reset(sac_ranks *r)
{
    r->round_number++;
    r->over = r->told = r->dry = false;
    r->next = r->finished = r->ready = 0;
    r->first = r->last = r->done_count = r->asked = r->under_way = 0;
    r->last_news = sac_clock();
}

static sac_status begin(sac_comm *comm)
{
    sac_ranks *r = (sac_ranks *)comm;
    SAC_TRY(reserve_units(r, comm->round.unit_count));
    SAC_TRY(reserve_message(r, (size_t)comm->round.unit_count * sac_ranks_result_size(r)));
    reset(r);
    return SAC_OK;
}

// the mutex is held
static int next_unit(sac_ranks *r)
{
    bool first = r->base.rank == 0;
    bool none = first ? r->next == r->base.round.unit_count : r->dry && r->first == r->last;
    if (none || r->over || atomic_load(&r->base.stopped)) return SAC_UNIT_NONE;
    if (first) return r->next++;
    return r->first < r->last ? r->granted[r->first++] : SAC_UNIT_LATER;
}

static int take(sac_comm *comm, bool wait)
{
    sac_ranks *r = (sac_ranks *)comm;
    pthread_mutex_lock(&comm->mutex);
    int unit = next_unit(r);
    while (wait && unit == SAC_UNIT_LATER)
    {
        pthread_cond_wait(&r->changed, &comm->mutex);
        unit = next_unit(r);
    }
    pthread_mutex_unlock(&comm->mutex);
    return unit;
}

static void give(sac_comm *comm, int unit)
{
    sac_ranks *r = (sac_ranks *)comm;
    pthread_mutex_lock(&comm->mutex);
    if (comm->rank == 0)
        r->finished++;
    else
    {
        r->done[r->done_count++] = unit;
        r->under_way--;
    }
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&comm->mutex);
}

static void stop(sac_comm *comm)
{
    pthread_cond_broadcast(&((sac_ranks *)comm)->changed);
}

// the mutex is held
static void look_for_interrupt(sac_ranks *r)
{
    static const char sentence[] = "interrupted";
    if (r->base.round.interrupt && *r->base.round.interrupt)
        sac_ranks_stop_with(r, SAC_ERROR_INTERRUPTED, sentence, sizeof sentence);
}

static void serve_first(sac_ranks *r)
{
    while (!r->over)
    {
        look_for_interrupt(r);
        sac_ranks_receive(r);
        bool stopped = atomic_load(&r->base.stopped);
        r->over = stopped || r->finished == r->base.round.unit_count;
        if (stopped)
            sac_ranks_send_stop(r);
        else if (r->over)
            sac_ranks_send_done(r);
        else
            sac_ranks_nap(r, SAC_RANKS_LONGEST_NAP);
    }
}

static void serve_other(sac_ranks *r)
{
    while (!r->over)
    {
        look_for_interrupt(r);
        if (!atomic_load(&r->base.stopped))
            sac_ranks_send_ask(r);
        else if (!r->told)
        {
            sac_ranks_send_verdict(r, SAC_MESSAGE_FAIL, 0);
            r->told = true;
        }
        sac_ranks_receive(r);
        if (!r->over) sac_ranks_nap(r, r->asked > 0 || r->dry ? SAC_RANKS_LONGEST_NAP : SAC_RANKS_IDLE_NAP);
    }
}

static void serve(sac_comm *comm)
{
    sac_ranks *r = (sac_ranks *)comm;
    pthread_mutex_lock(&comm->mutex);
    if (comm->rank == 0)
        serve_first(r);
    else
        serve_other(r);
    pthread_cond_broadcast(&r->changed);
    // A rank that is ending must not wait for one that may be gone.
    if (!atomic_load(&comm->stopped)) sac_ranks_flush(r);
    pthread_mutex_unlock(&comm->mutex);
}

// --- what all must know -----------------------------------------------------------------------------------------

// Rank 0 tells the others why it has nothing to send, or sends the bytes in parts.
static void send_bytes(sac_ranks *r, const uint8_t *bytes, size_t size)
{
    if (atomic_load(&r->base.stopped)) sac_ranks_send_stop(r);
    sac_header h = {.kind = SAC_MESSAGE_BYTES, .round = r->round_number, .number = size};
    for (size_t at = 0; !atomic_load(&r->base.stopped) && (at < size || at == 0); at += SAC_RANKS_CHUNK)
    {
        size_t part = size - at < SAC_RANKS_CHUNK ? size - at : SAC_RANKS_CHUNK;
        memcpy(r->message, &h, sizeof h);
        if (part) memcpy(r->message + sizeof h, bytes + at, part);
        sac_ranks_pass_down(r, r->message, sizeof h + part);
        sac_ranks_flush(r);
    }
}

static void share_first(sac_ranks *r, const uint8_t *bytes, size_t size)
{
    while (r->ready < r->base.size - 1 && !atomic_load(&r->base.stopped))
    {
        sac_ranks_receive(r);
        sac_ranks_nap(r, SAC_RANKS_LONGEST_NAP);
    }
    send_bytes(r, bytes, size);
}

static void receive_bytes(sac_ranks *r)
{
    while (!r->over)
    {
        sac_ranks_receive(r);
        if (!r->over) sac_ranks_nap(r, SAC_RANKS_LONGEST_NAP);
    }
    sac_ranks_flush(r);
}

static void share_other(sac_ranks *r)
{
    bool failed = atomic_load(&r->base.stopped);
    if (failed)
        sac_ranks_send_verdict(r, SAC_MESSAGE_FAIL, 0);
    else
        sac_ranks_send(r, 0, (sac_header){.kind = SAC_MESSAGE_READY, .round = r->round_number}, NULL, 0);
    receive_bytes(r);
}

static sac_status share(sac_comm *comm, sac_status status, uint8_t **bytes, size_t *size)
{
    sac_ranks *r = (sac_ranks *)comm;
    comm->status = SAC_OK;
    atomic_store(&comm->stopped, false);
    if (status == SAC_OK) status = reserve_message(r, SAC_RANKS_CHUNK);
    reset(r);
    r->shared = NULL;
    r->shared_size = r->shared_done = 0;
    if (status != SAC_OK) sac_comm_stop(comm, status);
    pthread_mutex_lock(&comm->mutex);
    if (comm->rank == 0)
        share_first(r, *bytes, *size);
    else
        share_other(r);
    pthread_mutex_unlock(&comm->mutex);
    if (comm->rank != 0 && comm->status == SAC_OK)
    {
        *bytes = r->shared;
        *size = r->shared_size;
    }
    else
        sac_free(r->shared);
    return sac_comm_verdict(comm);
}

static void gather_first(sac_ranks *r, uint8_t *all, size_t own)
{
    r->shared_done = own;
    while (r->shared_done < r->shared_size && !atomic_load(&r->base.stopped))
    {
        sac_ranks_receive(r);
        if (r->shared_done < r->shared_size) sac_ranks_nap(r, SAC_RANKS_LONGEST_NAP);
    }
    send_bytes(r, all, r->shared_size);
}

static void gather_other(sac_ranks *r, const uint8_t *all, const size_t *sizes)
{
    size_t at = 0;
    for (int i = 0; i < r->base.rank; i++) at += sizes[i];
    const size_t end = at + sizes[r->base.rank];
    if (atomic_load(&r->base.stopped)) sac_ranks_send_verdict(r, SAC_MESSAGE_FAIL, 0);
    while (at < end && !atomic_load(&r->base.stopped))
    {
        size_t part = end - at < SAC_RANKS_CHUNK ? end - at : SAC_RANKS_CHUNK;
        sac_ranks_send(r, 0, (sac_header){.kind = SAC_MESSAGE_PART, .round = r->round_number, .number = at}, all + at,
                       part);
        at += part;
    }
    receive_bytes(r);
}

static sac_status gather(sac_comm *comm, sac_status status, uint8_t *all, const size_t *sizes)
{
    sac_ranks *r = (sac_ranks *)comm;
    comm->status = SAC_OK;
    atomic_store(&comm->stopped, false);
    if (status == SAC_OK) status = reserve_message(r, SAC_RANKS_CHUNK);
    reset(r);
    r->shared = all;
    r->shared_size = r->shared_done = 0;
    for (int i = 0; i < comm->size; i++) r->shared_size += sizes[i];
    if (status != SAC_OK) sac_comm_stop(comm, status);
    pthread_mutex_lock(&comm->mutex);
    if (comm->rank == 0)
        gather_first(r, all, sizes[0]);
    else
        gather_other(r, all, sizes);
    pthread_mutex_unlock(&comm->mutex);
    r->shared = NULL; // the caller's
    return sac_comm_verdict(comm);
}

// --- life -------------------------------------------------------------------------------------------------------

static void destroy(sac_comm *comm, sac_status status)
{
    sac_ranks *r = (sac_ranks *)comm;
    // The others may be waiting and do not know of this failure yet, so they are told.
    if (status != SAC_OK && !(atomic_load(&comm->stopped) && r->over))
    {
        comm->status = status;
        snprintf(comm->sentence, sizeof comm->sentence, "rank %d: %.480s", comm->rank, sac_last_error());
        if (comm->rank == 0)
            sac_ranks_send_stop(r);
        else
            sac_ranks_send_verdict(r, SAC_MESSAGE_FAIL, 0);
    }
    r->transport.close(r->transport.self);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&comm->mutex);
    sac_free(r->message);
    sac_free(r->granted);
    sac_free(r->done);
    sac_free(r);
}

sac_status sac_comm_create_ranks(sac_comm **out, const sac_transport *transport)
{
    static const sac_comm_ops ops = {.begin = begin,
                                     .take = take,
                                     .give = give,
                                     .stop = stop,
                                     .serve = serve,
                                     .share = share,
                                     .gather = gather,
                                     .close = destroy};
    *out = NULL;
    sac_ranks *r = SAC_NEW(sac_ranks);
    if (!r || reserve_message(r, 0) != SAC_OK)
    {
        sac_free(r);
        transport->close(transport->self);
        return sac_fail_memory("ranks");
    }
    r->base.ops = &ops;
    r->base.rank = transport->rank;
    r->base.size = transport->size;
    r->transport = *transport;
    pthread_mutex_init(&r->base.mutex, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &clock);
    pthread_condattr_destroy(&clock);
    *out = &r->base;
    return SAC_OK;
}

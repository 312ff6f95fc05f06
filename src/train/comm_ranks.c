#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "train/comm.h"

/// Ranks over a transport. In a round, a rank asks for as many units as it has room for and sends what came of the last
/// ones along; rank 0 grants from its counter. When all are finished, the results go down a tree to everyone. Only the
/// thread that serves touches the transport; while nothing arrives it naps longer and longer.

enum
{
    BRANCHES = 16,             ///< of the tree
    ANY_ROUND = 0x7fffffff,    ///< a message that holds whenever it arrives
    CHUNK = 4 << 20,           ///< bytes that are shared at once
    SHORTEST_NAP = 20 * 1000,  ///< nanoseconds
    LONGEST_NAP = 1000 * 1000, ///< while an answer is awaited
    IDLE_NAP = 10000 * 1000,   ///< while nothing but the end is awaited
};

typedef enum kind
{
    ASK,   ///< to rank 0: `a` more units are wanted; results of those that are finished
    GRANT, ///< from rank 0: units a .. a+b-1, `number` were asked for; b = 0: there are no more
    DONE,  ///< down the tree: the results of all units
    STOP,  ///< from rank 0: status a and its sentence
    FAIL,  ///< to rank 0: likewise
    READY, ///< to rank 0, before it shares
    BYTES, ///< down the tree: a part of what is shared; `number` is the size of the whole
} kind;

typedef struct header
{
    int32_t kind, round, a, b;
    uint64_t number; ///< ASK: the fingerprint
} header;

typedef struct result
{
    int32_t unit, steps;
    double episode_return;
} result;

typedef struct ranks
{
    sac_comm base;
    sac_transport transport;
    pthread_cond_t changed; // something for the server, or for a thread that waits for a unit
    int32_t round_number;
    bool over, told;  // the verdict is known; rank 0 knows of this rank's failure
    double last_news; // seconds
    uint8_t *message; // [header and room for all results]
    int capacity;     // units that there is room for
    size_t room;      // bytes after a message's header
    // rank 0
    int next, finished, ready;
    // the others: units first..last-1 are granted and not yet taken; done ones are not yet reported
    int *granted, *done;
    int first, last, done_count, asked, under_way;
    bool dry;
    // what is being shared
    uint8_t *shared;
    size_t shared_size, shared_done;
} ranks;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// sleeps until `changed` or a while that grows with the silence; the mutex is held
static void nap(ranks *r, long longest)
{
    double silence = (now() - r->last_news) / 16 * 1e9;
    long length = silence < SHORTEST_NAP ? SHORTEST_NAP : silence > (double)longest ? longest : (long)silence;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += length;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&r->changed, &r->base.mutex, &until) != ETIMEDOUT) r->last_news = now();
}

// --- sending ----------------------------------------------------------------------------------------------------

static void send(ranks *r, int to, header h, const void *payload, size_t size)
{
    memcpy(r->message, &h, sizeof h);
    if (size) memcpy(r->message + sizeof h, payload, size);
    r->transport.send(r->transport.self, to, r->message, sizeof h + size);
}

// a message as it is, to the ranks below this one in the tree
static void pass_down(ranks *r, const uint8_t *message, size_t size)
{
    for (int i = 1; i <= BRANCHES && BRANCHES * r->base.rank + i < r->base.size; i++)
        r->transport.send(r->transport.self, BRANCHES * r->base.rank + i, message, size);
}

// waits until everything is on its way
static void flush(ranks *r)
{
    r->last_news = now();
    while (r->transport.pending(r->transport.self) > 0) nap(r, LONGEST_NAP);
}

// a failure holds in whatever round it finds the others
static void send_verdict(ranks *r, kind what, int to)
{
    header h = {.kind = (int32_t)what, .round = ANY_ROUND, .a = (int32_t)r->base.status};
    send(r, to, h, r->base.sentence, strlen(r->base.sentence) + 1);
}

static void send_stop(ranks *r)
{
    for (int to = 1; to < r->base.size; to++) send_verdict(r, STOP, to);
}

// a result and the numbers that belong to it
static size_t result_size(const ranks *r)
{
    return sizeof(result) + (size_t)r->base.round.seen_size * sizeof(double);
}

static double *seen_of(const ranks *r, int unit)
{
    return r->base.round.seen + (size_t)unit * (size_t)r->base.round.seen_size;
}

// the i-th result of the message that is being made
static void put_result(ranks *r, int i, int unit)
{
    const sac_unit *u = &r->base.round.units[unit];
    const result put = {unit, u->steps, u->episode_return};
    uint8_t *at = r->message + sizeof(header) + (size_t)i * result_size(r);
    memcpy(at, &put, sizeof put);
    if (r->base.round.seen) memcpy(at + sizeof put, seen_of(r, unit), result_size(r) - sizeof put);
}

static void get_result(ranks *r, const result *given, const uint8_t *rest)
{
    r->base.round.units[given->unit].episode_return = given->episode_return;
    r->base.round.units[given->unit].steps = given->steps;
    if (r->base.round.seen) memcpy(seen_of(r, given->unit), rest, result_size(r) - sizeof *given);
}

static void send_ask(ranks *r)
{
    int room = r->base.round.slots - r->under_way - r->asked;
    if (r->dry || room < 0) room = 0;
    if (room == 0 && r->done_count == 0) return;
    header h = {.kind = ASK, .round = r->round_number, .a = room, .b = r->done_count};
    h.number = r->base.round.fingerprint;
    for (int i = 0; i < r->done_count; i++) put_result(r, i, r->done[i]);
    memcpy(r->message, &h, sizeof h);
    r->transport.send(r->transport.self, 0, r->message, sizeof h + (size_t)r->done_count * result_size(r));
    r->asked += room;
    r->done_count = 0;
}

static void send_done(ranks *r)
{
    header h = {.kind = DONE, .round = r->round_number, .b = r->base.round.unit_count};
    memcpy(r->message, &h, sizeof h);
    for (int i = 0; i < r->base.round.unit_count; i++) put_result(r, i, i);
    pass_down(r, r->message, sizeof h + (size_t)r->base.round.unit_count * result_size(r));
}

// --- receiving; the mutex is held -------------------------------------------------------------------------------

// stores results that have arrived; false where they make no sense
static bool store(ranks *r, const uint8_t *payload, size_t size, int count)
{
    if (count < 0 || size != (size_t)count * result_size(r)) return false;
    for (int i = 0; i < count; i++)
    {
        result given;
        const uint8_t *at = payload + (size_t)i * result_size(r);
        memcpy(&given, at, sizeof given);
        if (given.unit < 0 || given.unit >= r->base.round.unit_count) return false;
        get_result(r, &given, at + sizeof given);
    }
    return true;
}

// the verdict that has arrived; the first one counts
static void stop_with(ranks *r, int32_t status, const char *sentence, size_t size)
{
    if (atomic_load(&r->base.stopped)) return;
    r->base.status = status > 0 ? (sac_status)status : SAC_ERROR_UNAVAILABLE;
    snprintf(r->base.sentence, sizeof r->base.sentence, "%.*s", (int)size, sentence);
    atomic_store(&r->base.stopped, true);
    pthread_cond_broadcast(&r->changed);
}

static void stop_for(ranks *r, int from, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, "rank %d %s", from, why);
    stop_with(r, SAC_ERROR_ARGUMENT, text, sizeof text);
}

static void on_ask(ranks *r, int from, const header *h, const uint8_t *payload, size_t size)
{
    if (h->number != r->base.round.fingerprint)
    {
        stop_for(r, from,
                 "has computed something else than rank 0: all ranks need the same task, the same program and "
                 "processors of one kind (see docs/cluster.md)");
        return;
    }
    if (!store(r, payload, size, h->b))
    {
        stop_for(r, from, "has sent results that make no sense");
        return;
    }
    r->finished += h->b;
    if (h->a <= 0) return;
    int left = r->base.round.unit_count - r->next, count = h->a < left ? h->a : left;
    header grant = {.kind = GRANT, .round = r->round_number, .a = r->next, .b = count, .number = (uint64_t)h->a};
    send(r, from, grant, NULL, 0);
    r->next += count;
}

static void on_grant(ranks *r, const header *h)
{
    r->asked -= (int)h->number;
    r->dry = h->b == 0;
    for (int i = 0; i < h->b; i++) r->granted[r->last++] = h->a + i;
    r->under_way += h->b;
    pthread_cond_broadcast(&r->changed);
}

static void on_done(ranks *r, const uint8_t *message, size_t size, const header *h)
{
    pass_down(r, message, size);
    if (!store(r, message + sizeof *h, size - sizeof *h, h->b)) stop_for(r, 0, "has sent results that make no sense");
    r->over = true;
    pthread_cond_broadcast(&r->changed);
}

static void on_bytes(ranks *r, const uint8_t *message, size_t size, const header *h)
{
    size_t part = size - sizeof *h;
    pass_down(r, message, size);
    if (!r->shared && !(r->shared = sac_alloc((size_t)h->number + 1)))
    {
        (void)sac_fail_memory("what rank 0 shares");
        stop_with(r, SAC_ERROR_MEMORY, sac_last_error(), strlen(sac_last_error()) + 1);
        return;
    }
    r->shared_size = (size_t)h->number;
    if (part > r->shared_size - r->shared_done) part = r->shared_size - r->shared_done;
    memcpy(r->shared + r->shared_done, message + sizeof *h, part);
    r->shared_done += part;
    r->over = r->shared_done == r->shared_size;
}

static void dispatch(ranks *r, int from, const uint8_t *message, size_t size)
{
    header h;
    memcpy(&h, message, sizeof h);
    const uint8_t *payload = message + sizeof h;
    switch ((kind)h.kind)
    {
    case ASK: on_ask(r, from, &h, payload, size - sizeof h); break;
    case GRANT: on_grant(r, &h); break;
    case DONE: on_done(r, message, size, &h); break;
    case STOP: stop_with(r, h.a, (const char *)payload, size - sizeof h), r->over = true; break;
    case FAIL: stop_with(r, h.a, (const char *)payload, size - sizeof h); break;
    case READY: r->ready++; break;
    case BYTES: on_bytes(r, message, size, &h); break;
    }
}

// everything that has arrived; what belongs to an earlier round is dropped
static void receive(ranks *r)
{
    const uint8_t *message;
    int from;
    size_t size;
    while (!r->over && (message = r->transport.receive(r->transport.self, &from, &size)))
    {
        header h;
        r->last_news = now();
        if (size < sizeof h) continue;
        memcpy(&h, message, sizeof h);
        if (h.round == r->round_number || h.round == ANY_ROUND) dispatch(r, from, message, size);
    }
    (void)r->transport.pending(r->transport.self);
}

// --- a round ----------------------------------------------------------------------------------------------------

// room for messages of so many bytes, a sentence at least
static sac_status reserve_message(ranks *r, size_t bytes)
{
    if (r->message && bytes <= r->room) return SAC_OK;
    sac_free(r->message);
    r->room = 0;
    r->message = sac_alloc(sizeof(header) + bytes + sizeof r->base.sentence);
    if (!r->message) return sac_fail_memory("a round");
    r->room = bytes;
    return SAC_OK;
}

static sac_status reserve_units(ranks *r, int units)
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

static void reset(ranks *r)
{
    r->round_number++;
    r->over = r->told = r->dry = false;
    r->next = r->finished = r->ready = 0;
    r->first = r->last = r->done_count = r->asked = r->under_way = 0;
    r->last_news = now();
}

static sac_status begin(sac_comm *comm)
{
    ranks *r = (ranks *)comm;
    SAC_TRY(reserve_units(r, comm->round.unit_count));
    SAC_TRY(reserve_message(r, (size_t)comm->round.unit_count * result_size(r)));
    reset(r);
    return SAC_OK;
}

// the mutex is held
static int next_unit(ranks *r)
{
    bool first = r->base.rank == 0;
    bool none = first ? r->next == r->base.round.unit_count : r->dry && r->first == r->last;
    if (none || r->over || atomic_load(&r->base.stopped)) return SAC_UNIT_NONE;
    if (first) return r->next++;
    return r->first < r->last ? r->granted[r->first++] : SAC_UNIT_LATER;
}

static int take(sac_comm *comm, bool wait)
{
    ranks *r = (ranks *)comm;
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
    ranks *r = (ranks *)comm;
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
    pthread_cond_broadcast(&((ranks *)comm)->changed);
}

// the mutex is held
static void look_for_interrupt(ranks *r)
{
    static const char sentence[] = "interrupted";
    if (r->base.round.interrupt && *r->base.round.interrupt)
        stop_with(r, SAC_ERROR_INTERRUPTED, sentence, sizeof sentence);
}

static void serve_first(ranks *r)
{
    while (!r->over)
    {
        look_for_interrupt(r);
        receive(r);
        bool stopped = atomic_load(&r->base.stopped);
        r->over = stopped || r->finished == r->base.round.unit_count;
        if (stopped)
            send_stop(r);
        else if (r->over)
            send_done(r);
        else
            nap(r, LONGEST_NAP);
    }
}

static void serve_other(ranks *r)
{
    while (!r->over)
    {
        look_for_interrupt(r);
        if (!atomic_load(&r->base.stopped))
            send_ask(r);
        else if (!r->told)
        {
            send_verdict(r, FAIL, 0);
            r->told = true;
        }
        receive(r);
        if (!r->over) nap(r, r->asked > 0 || r->dry ? LONGEST_NAP : IDLE_NAP);
    }
}

static void serve(sac_comm *comm)
{
    ranks *r = (ranks *)comm;
    pthread_mutex_lock(&comm->mutex);
    if (comm->rank == 0)
        serve_first(r);
    else
        serve_other(r);
    pthread_cond_broadcast(&r->changed);
    // a rank that is ending must not wait for one that may be gone
    if (!atomic_load(&comm->stopped)) flush(r);
    pthread_mutex_unlock(&comm->mutex);
}

// --- what all must know -----------------------------------------------------------------------------------------

// rank 0 waits for the others, then tells them why not, or sends the bytes in parts
static void share_first(ranks *r, const uint8_t *bytes, size_t size)
{
    while (r->ready < r->base.size - 1 && !atomic_load(&r->base.stopped))
    {
        receive(r);
        nap(r, LONGEST_NAP);
    }
    if (atomic_load(&r->base.stopped)) send_stop(r);
    header h = {.kind = BYTES, .round = r->round_number, .number = size};
    for (size_t at = 0; !atomic_load(&r->base.stopped) && (at < size || at == 0); at += CHUNK)
    {
        size_t part = size - at < CHUNK ? size - at : CHUNK;
        memcpy(r->message, &h, sizeof h);
        if (part) memcpy(r->message + sizeof h, bytes + at, part);
        pass_down(r, r->message, sizeof h + part);
        flush(r);
    }
}

static void share_other(ranks *r)
{
    bool failed = atomic_load(&r->base.stopped);
    if (failed)
        send_verdict(r, FAIL, 0);
    else
        send(r, 0, (header){.kind = READY, .round = r->round_number}, NULL, 0);
    while (!r->over)
    {
        receive(r);
        if (!r->over) nap(r, LONGEST_NAP);
    }
    flush(r);
}

static sac_status share(sac_comm *comm, sac_status status, uint8_t **bytes, size_t *size)
{
    ranks *r = (ranks *)comm;
    comm->status = SAC_OK;
    atomic_store(&comm->stopped, false);
    if (status == SAC_OK) status = reserve_message(r, CHUNK);
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

// --- life -------------------------------------------------------------------------------------------------------

static void destroy(sac_comm *comm, sac_status status)
{
    ranks *r = (ranks *)comm;
    // a failure that the others do not know of yet; they may be waiting
    if (status != SAC_OK && !(atomic_load(&comm->stopped) && r->over))
    {
        comm->status = status;
        snprintf(comm->sentence, sizeof comm->sentence, "rank %d: %.480s", comm->rank, sac_last_error());
        if (comm->rank == 0)
            send_stop(r);
        else
            send_verdict(r, FAIL, 0);
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
    static const sac_comm_ops ops = {
        .begin = begin, .take = take, .give = give, .stop = stop, .serve = serve, .share = share, .close = destroy};
    *out = NULL;
    ranks *r = SAC_NEW(ranks);
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

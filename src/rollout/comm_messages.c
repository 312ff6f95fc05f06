#include "rollout/comm_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

enum
{
    BRANCHES = 16,            ///< of the tree
    SHORTEST_NAP = 20 * 1000, ///< nanoseconds
};

/// What came of a unit; the numbers that belong to it follow.
typedef struct result
{
    int32_t unit, steps;
    double episode_return;
} result;

void sac_ranks_nap(sac_ranks *r, long longest)
{
    double silence = (sac_clock() - r->last_news) / 16 * 1e9;
    long length = silence < SHORTEST_NAP ? SHORTEST_NAP : silence > (double)longest ? longest : (long)silence;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += length;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&r->changed, &r->base.mutex, &until) != ETIMEDOUT) r->last_news = sac_clock();
}

// --- sending ----------------------------------------------------------------------------------------------------

void sac_ranks_send(sac_ranks *r, int to, sac_header h, const void *payload, size_t size)
{
    memcpy(r->message, &h, sizeof h);
    if (size) memcpy(r->message + sizeof h, payload, size);
    r->transport.send(r->transport.self, to, r->message, sizeof h + size);
}

void sac_ranks_pass_down(sac_ranks *r, const uint8_t *message, size_t size)
{
    for (int i = 1; i <= BRANCHES && BRANCHES * r->base.rank + i < r->base.size; i++)
        r->transport.send(r->transport.self, BRANCHES * r->base.rank + i, message, size);
}

void sac_ranks_flush(sac_ranks *r)
{
    r->last_news = sac_clock();
    while (r->transport.pending(r->transport.self) > 0) sac_ranks_nap(r, SAC_RANKS_LONGEST_NAP);
}

void sac_ranks_send_verdict(sac_ranks *r, sac_message_kind what, int to)
{
    sac_header h = {.kind = (int32_t)what, .round = SAC_RANKS_ANY_ROUND, .a = (int32_t)r->base.status};
    sac_ranks_send(r, to, h, r->base.sentence, strlen(r->base.sentence) + 1);
}

void sac_ranks_send_stop(sac_ranks *r)
{
    for (int to = 1; to < r->base.size; to++) sac_ranks_send_verdict(r, SAC_MESSAGE_STOP, to);
}

size_t sac_ranks_result_size(const sac_ranks *r)
{
    return sizeof(result) + (size_t)r->base.round.seen_size * sizeof(double);
}

static double *seen_of(const sac_ranks *r, int unit)
{
    return r->base.round.seen + (size_t)unit * (size_t)r->base.round.seen_size;
}

// Finds the place of the i-th result in the message that is being made.
static void put_result(sac_ranks *r, int i, int unit)
{
    const sac_unit *u = &r->base.round.units[unit];
    const result put = {unit, u->steps, u->episode_return};
    uint8_t *at = r->message + sizeof(sac_header) + (size_t)i * sac_ranks_result_size(r);
    memcpy(at, &put, sizeof put);
    if (r->base.round.seen) memcpy(at + sizeof put, seen_of(r, unit), sac_ranks_result_size(r) - sizeof put);
}

static void get_result(sac_ranks *r, const result *given, const uint8_t *rest)
{
    r->base.round.units[given->unit].episode_return = given->episode_return;
    r->base.round.units[given->unit].steps = given->steps;
    if (r->base.round.seen) memcpy(seen_of(r, given->unit), rest, sac_ranks_result_size(r) - sizeof *given);
}

void sac_ranks_send_ask(sac_ranks *r)
{
    int room = r->base.round.slots - r->under_way - r->asked;
    if (r->dry || room < 0) room = 0;
    if (room == 0 && r->done_count == 0) return;
    sac_header h = {.kind = SAC_MESSAGE_ASK, .round = r->round_number, .a = room, .b = r->done_count};
    h.number = r->base.round.fingerprint;
    for (int i = 0; i < r->done_count; i++) put_result(r, i, r->done[i]);
    memcpy(r->message, &h, sizeof h);
    r->transport.send(r->transport.self, 0, r->message, sizeof h + (size_t)r->done_count * sac_ranks_result_size(r));
    r->asked += room;
    r->done_count = 0;
}

void sac_ranks_send_done(sac_ranks *r)
{
    sac_header h = {.kind = SAC_MESSAGE_DONE, .round = r->round_number, .b = r->base.round.unit_count};
    memcpy(r->message, &h, sizeof h);
    for (int i = 0; i < r->base.round.unit_count; i++) put_result(r, i, i);
    sac_ranks_pass_down(r, r->message, sizeof h + (size_t)r->base.round.unit_count * sac_ranks_result_size(r));
}

// --- receiving -------------------------------------------------------------------------------

// Stores results that have arrived; false where the message makes no sense.
static bool store(sac_ranks *r, const uint8_t *payload, size_t size, int count)
{
    if (count < 0 || size != (size_t)count * sac_ranks_result_size(r)) return false;
    for (int i = 0; i < count; i++)
    {
        result given;
        const uint8_t *at = payload + (size_t)i * sac_ranks_result_size(r);
        memcpy(&given, at, sizeof given);
        if (given.unit < 0 || given.unit >= r->base.round.unit_count) return false;
        get_result(r, &given, at + sizeof given);
    }
    return true;
}

void sac_ranks_stop_with(sac_ranks *r, int32_t status, const char *sentence, size_t size)
{
    if (atomic_load(&r->base.stopped)) return;
    r->base.status = status > 0 ? (sac_status)status : SAC_ERROR_UNAVAILABLE;
    snprintf(r->base.sentence, sizeof r->base.sentence, "%.*s", (int)size, sentence);
    atomic_store(&r->base.stopped, true);
    pthread_cond_broadcast(&r->changed);
}

static void stop_for(sac_ranks *r, int from, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, "rank %d %s", from, why);
    sac_ranks_stop_with(r, SAC_ERROR_ARGUMENT, text, sizeof text);
}

static void on_ask(sac_ranks *r, int from, const sac_header *h, const uint8_t *payload, size_t size)
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
    sac_header grant = {
        .kind = SAC_MESSAGE_GRANT, .round = r->round_number, .a = r->next, .b = count, .number = (uint64_t)h->a};
    sac_ranks_send(r, from, grant, NULL, 0);
    r->next += count;
}

static void on_grant(sac_ranks *r, const sac_header *h)
{
    r->asked -= (int)h->number;
    r->dry = h->b == 0;
    for (int i = 0; i < h->b; i++) r->granted[r->last++] = h->a + i;
    r->under_way += h->b;
    pthread_cond_broadcast(&r->changed);
}

static void on_done(sac_ranks *r, const uint8_t *message, size_t size, const sac_header *h)
{
    sac_ranks_pass_down(r, message, size);
    if (!store(r, message + sizeof *h, size - sizeof *h, h->b)) stop_for(r, 0, "has sent results that make no sense");
    r->over = true;
    pthread_cond_broadcast(&r->changed);
}

static void on_bytes(sac_ranks *r, const uint8_t *message, size_t size, const sac_header *h)
{
    size_t part = size - sizeof *h;
    sac_ranks_pass_down(r, message, size);
    if (!r->shared && !(r->shared = sac_alloc((size_t)h->number + 1)))
    {
        (void)sac_fail_memory("what rank 0 shares");
        sac_ranks_stop_with(r, SAC_ERROR_MEMORY, sac_last_error(), strlen(sac_last_error()) + 1);
        return;
    }
    r->shared_size = (size_t)h->number;
    if (part > r->shared_size - r->shared_done) part = r->shared_size - r->shared_done;
    memcpy(r->shared + r->shared_done, message + sizeof *h, part);
    r->shared_done += part;
    r->over = r->shared_done == r->shared_size;
}

// rank 0 alone gathers, into memory of the size that everyone knows
static void on_part(sac_ranks *r, int from, const sac_header *h, const uint8_t *payload, size_t size)
{
    if (!r->shared || h->number > r->shared_size || size > r->shared_size - h->number)
    {
        stop_for(r, from, "has sent bytes that make no sense");
        return;
    }
    memcpy(r->shared + h->number, payload, size);
    r->shared_done += size;
}

static void dispatch(sac_ranks *r, int from, const uint8_t *message, size_t size)
{
    sac_header h;
    memcpy(&h, message, sizeof h);
    const uint8_t *payload = message + sizeof h;
    switch ((sac_message_kind)h.kind)
    {
    case SAC_MESSAGE_ASK: on_ask(r, from, &h, payload, size - sizeof h); break;
    case SAC_MESSAGE_GRANT: on_grant(r, &h); break;
    case SAC_MESSAGE_DONE: on_done(r, message, size, &h); break;
    case SAC_MESSAGE_STOP: sac_ranks_stop_with(r, h.a, (const char *)payload, size - sizeof h), r->over = true; break;
    case SAC_MESSAGE_FAIL: sac_ranks_stop_with(r, h.a, (const char *)payload, size - sizeof h); break;
    case SAC_MESSAGE_READY: r->ready++; break;
    case SAC_MESSAGE_BYTES: on_bytes(r, message, size, &h); break;
    case SAC_MESSAGE_PART: on_part(r, from, &h, payload, size - sizeof h); break;
    }
}

void sac_ranks_receive(sac_ranks *r)
{
    const uint8_t *message;
    int from;
    size_t size;
    while (!r->over && (message = r->transport.receive(r->transport.self, &from, &size)))
    {
        sac_header h;
        r->last_news = sac_clock();
        if (size < sizeof h) continue;
        memcpy(&h, message, sizeof h);
        if (h.round == r->round_number || h.round == SAC_RANKS_ANY_ROUND) dispatch(r, from, message, size);
    }
    (void)r->transport.pending(r->transport.self);
}

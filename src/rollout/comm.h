#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "rollout/transport.h"
#include "saccade/rollout.h"

/// The ranks of a run, and the queue from which all their threads take work.
///
/// Every rank holds the whole search and tells itself the same fitness, so nothing travels but the numbers of units
/// that a rank may take and the returns that come of them: a generation costs kilobytes however many parameters there
/// are. A round is one list of units that every rank knows. Rank 0 hands them out one by one; what came of them goes to
/// rank 0 and from there, in the order of the list, to everyone.

/// One unit of work, an episode of an individual, and what came of it.
typedef struct sac_unit
{
    int individual;
    uint64_t seed;         ///< of the episode
    double episode_return; ///< sum of rewards; NaN when an action or a reward was not a number
    int steps;
} sac_unit;

enum
{
    SAC_UNIT_NONE = -1, ///< all are taken, or the round is over
    SAC_UNIT_LATER = -2 ///< none is here yet
};

/// A round: the list of units, the same on every rank.
typedef struct sac_round
{
    sac_unit *units;
    int unit_count;
    double *seen; ///< [unit_count, seen_size] numbers that belong to a unit's results; NULL: none
    int seen_size;
    int slots;                     ///< units that this rank can have under way at once
    uint64_t fingerprint;          ///< of all that decides the results: ranks that differ are found out
    const volatile int *interrupt; ///< nonzero: stop as soon as possible; NULL: never
} sac_round;

/// What a kind of comm supplies; see the functions below.
typedef struct sac_comm_ops
{
    sac_status (*begin)(sac_comm *comm);
    int (*take)(sac_comm *comm, bool wait);
    void (*give)(sac_comm *comm, int unit);
    void (*stop)(sac_comm *comm);  ///< the round has just been stopped, the mutex is held; NULL: nothing to do
    void (*serve)(sac_comm *comm); ///< NULL: needs none
    sac_status (*share)(sac_comm *comm, sac_status status, uint8_t **bytes, size_t *size);      ///< NULL: alone
    sac_status (*gather)(sac_comm *comm, sac_status status, uint8_t *all, const size_t *sizes); ///< NULL: alone
    void (*close)(sac_comm *comm, sac_status status);
} sac_comm_ops;

struct sac_comm
{
    const sac_comm_ops *ops;
    int rank, size;
    sac_round round;
    pthread_mutex_t mutex;
    atomic_bool stopped; ///< the round has failed: no thread goes on with it
    sac_status status;
    char sentence[512];
};

/// Begin a round; it is copied. Every rank calls this with the same list.
SAC_CHECKED sac_status sac_comm_begin(sac_comm *comm, const sac_round *round);

/// The next unit for the calling thread: its index, SAC_UNIT_NONE or, without `wait`, SAC_UNIT_LATER.
int sac_comm_take(sac_comm *comm, bool wait);

/// A unit that was taken is finished, its results are in the list.
void sac_comm_give(sac_comm *comm, int unit);

/// Stop the round on every rank with the calling thread's last error.
void sac_comm_stop(sac_comm *comm, sac_status status);

/// Tell whether the round has been stopped: cheap, for between two steps.
static inline bool sac_comm_stopped(const sac_comm *comm)
{
    return atomic_load_explicit(&comm->stopped, memory_order_relaxed);
}

/// Tell whether a thread must serve the queue while the others work.
bool sac_comm_needs_server(const sac_comm *comm);

/// Serve the queue until every unit of the round is finished on every rank, or the round was stopped.
void sac_comm_serve(sac_comm *comm);

/// What the round was stopped with, after all threads have come back.
SAC_CHECKED sac_status sac_comm_verdict(const sac_comm *comm);

/// Give every rank rank 0's bytes.
/// @param         status  how preparing them went: a failure of any rank fails on all
/// @param[in,out] bytes   read on rank 0, elsewhere written and to be released by sac_free
SAC_CHECKED sac_status sac_comm_share(sac_comm *comm, sac_status status, uint8_t **bytes, size_t *size);

/// Give every rank all ranks' bytes, the parts of ranks 0, 1, ... one behind the other.
/// @param         status  how preparing them went: a failure of any rank fails on all
/// @param[in,out] all     of its own part each rank has written the bytes; afterwards all are there
/// @param         sizes   [ranks] bytes of each part, the same list on every rank
SAC_CHECKED sac_status sac_comm_gather(sac_comm *comm, sac_status status, uint8_t *all, const size_t *sizes);

/// This process alone. Threads take units from a counter.
SAC_CHECKED sac_status sac_comm_create_self(sac_comm **out);

/// Ranks over a transport, which the comm closes, also when this fails.
SAC_CHECKED sac_status sac_comm_create_ranks(sac_comm **out, const sac_transport *transport);

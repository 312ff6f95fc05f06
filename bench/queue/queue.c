#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "rollout/comm.h"

/// This measures how well the queue keeps ranks busy, with episodes that sleep instead of computing, so that many ranks
/// fit on few cores. Run it as `mpirun -n RANKS build/queue [EPISODE_MS] [UNITS_A_RANK] [ROUNDS]`. It prints one line:
///
///     efficiency   the time that a queue without any cost would take for these episodes, over the time taken
///     busy         the share of all ranks' time that went into episodes; no queue can avoid the wait for the last
///                  episode of a generation
///     idle cpu     processor seconds for each rank and second of waiting
///
/// The lengths of episodes vary as those of CarRacing's population do: between a fifth of the mean and twice the mean.

typedef struct bench
{
    sac_comm *comm;
    sac_unit *units;
    int unit_count, rounds;
    double mean; // seconds of an episode
    double busy; // of this rank
} bench;

// The seconds of a unit: a third of the units are short failures, and the others last around 1.35 of the mean.
static double length_of(const bench *b, int round, int unit)
{
    sac_stream stream = sac_stream_create(1, (uint64_t)round, (uint64_t)unit);
    double u = sac_stream_uniform(&stream, 0, 1), v = sac_stream_uniform(&stream, 0, 1);
    return b->mean * (u < 1.0 / 3 ? 0.2 + 0.2 * v : 0.7 + 1.3 * v);
}

static void *work(void *user)
{
    bench *b = user;
    for (int unit; (unit = sac_comm_take(b->comm, true)) != SAC_UNIT_NONE;)
    {
        double length = b->units[unit].episode_return, begin = sac_clock();
        nanosleep(&(struct timespec){(time_t)length, (long)((length - (double)(time_t)length) * 1e9)}, NULL);
        b->busy += sac_clock() - begin;
        b->units[unit].steps++;
        sac_comm_give(b->comm, unit);
    }
    return NULL;
}

// The end of a round in which every rank takes the next unit the moment it is free.
static double without_cost(const bench *b, int ranks)
{
    double *free_at = calloc((size_t)ranks, sizeof *free_at), last = 0;
    for (int i = 0; free_at && i < b->unit_count; i++)
    {
        int first = 0;
        for (int r = 1; r < ranks; r++)
            if (free_at[r] < free_at[first]) first = r;
        free_at[first] += b->units[i].episode_return;
        if (free_at[first] > last) last = free_at[first];
    }
    free(free_at);
    return last;
}

static sac_status run_round(bench *b, int round, double *taken, double *ideal)
{
    for (int i = 0; i < b->unit_count; i++) b->units[i] = (sac_unit){.episode_return = length_of(b, round, i)};
    *ideal = without_cost(b, sac_comm_size(b->comm));
    double begin = sac_clock();
    SAC_TRY(sac_comm_begin(b->comm, &(sac_round){.units = b->units, .unit_count = b->unit_count, .slots = 1}));
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, b) != 0) return sac_fail(SAC_ERROR_MEMORY, "cannot start a thread");
    if (sac_comm_needs_server(b->comm)) sac_comm_serve(b->comm);
    pthread_join(thread, NULL);
    *taken = sac_clock() - begin;
    for (int i = 0; i < b->unit_count; i++)
        if (b->units[i].steps != 1) return sac_fail(SAC_ERROR_ENVIRONMENT, "unit %d was not done once", i);
    return sac_comm_verdict(b->comm);
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static sac_status measure(bench *b)
{
    double taken = 0, ideal = 0, ideal_busy = 0, first_taken = 0, first_ideal = 0, cpu = 0;
    for (int round = -1; round < b->rounds; round++)
    {
        // The first round is not counted, because the ranks have only just met.
        if (round == 0) b->busy = taken = ideal = ideal_busy = 0, cpu = cpu_seconds();
        SAC_TRY(run_round(b, round < 0 ? b->rounds : round, &first_taken, &first_ideal));
        taken += first_taken;
        ideal += first_ideal;
        for (int i = 0; i < b->unit_count; i++) ideal_busy += b->units[i].episode_return;
    }
    cpu = cpu_seconds() - cpu;
    int ranks = sac_comm_size(b->comm);
    if (sac_comm_rank(b->comm) == 0)
        printf("ranks %3d  episodes %4d of %5.1f ms  generation %8.2f ms  efficiency %5.1f %%  busy %5.1f %%  cpu of "
               "rank 0 %4.1f %%\n",
               ranks, b->unit_count, 1e3 * b->mean, 1e3 * taken / b->rounds, 100 * ideal / taken,
               100 * ideal_busy / (taken * ranks), 100 * cpu / taken);
    else if (sac_comm_rank(b->comm) == 1)
        printf("           cpu of rank 1 %4.1f %%\n", 100 * cpu / taken);
    return SAC_OK;
}

int main(int argc, char **argv)
{
    double milliseconds = argc > 1 ? atof(argv[1]) : 100;
    int each = argc > 2 ? atoi(argv[2]) : 8;
    bench b = {.mean = 1e-3 * milliseconds, .rounds = argc > 3 ? atoi(argv[3]) : 5};
    sac_status status = sac_comm_open(&b.comm);
    if (status == SAC_OK)
    {
        b.unit_count = each * sac_comm_size(b.comm);
        b.units = SAC_NEW_ARRAY(sac_unit, (size_t)b.unit_count);
        status = b.units ? measure(&b) : sac_fail_memory("units");
    }
    if (status != SAC_OK) fprintf(stderr, "queue: %s\n", sac_last_error());
    sac_free(b.units);
    sac_comm_close(b.comm, status);
    return status == SAC_OK ? 0 : 1;
}

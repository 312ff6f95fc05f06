#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "rollout/transport.h"

/// saccade-mpi.so: messages through MPI. An error of MPI ends the job: the run goes on from its checkpoint.

/// A message on its way.
typedef struct parcel
{
    struct parcel *next;
    MPI_Request request;
    unsigned char bytes[];
} parcel;

static parcel *parcels;
static unsigned char *buffer;
static size_t capacity;

static void no_memory(void)
{
    fputs("saccade: out of memory for a message\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send(void *self, int to, const void *bytes, size_t size)
{
    (void)self;
    parcel *p = malloc(sizeof *p + size);
    if (!p)
    {
        no_memory();
        return;
    }
    memcpy(p->bytes, bytes, size);
    p->next = parcels;
    parcels = p;
    MPI_Isend(p->bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &p->request);
}

static int pending(void *self)
{
    (void)self;
    int count = 0;
    for (parcel **at = &parcels; *at;)
    {
        parcel *p = *at;
        int sent = 0;
        MPI_Test(&p->request, &sent, MPI_STATUS_IGNORE);
        if (sent)
        {
            *at = p->next;
            free(p);
        }
        else
        {
            at = &p->next;
            count++;
        }
    }
    return count;
}

static const uint8_t *receive(void *self, int *from, size_t *size)
{
    (void)self;
    int there = 0, count = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (!there) return NULL;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if ((size_t)count > capacity)
    {
        free(buffer);
        capacity = (size_t)count;
        buffer = malloc(capacity);
        if (!buffer) no_memory();
    }
    MPI_Recv(buffer, count, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    *size = (size_t)count;
    return buffer;
}

static void close_all(void *self)
{
    (void)self;
    // Messages that nobody will receive any more are left to MPI.
    (void)pending(NULL);
    free(buffer);
    buffer = NULL;
    capacity = 0;
    MPI_Finalize();
}

static int open_all(sac_transport *transport, int expected, char *error, size_t error_size)
{
    // Messages are small, so they are copied through shared memory, which needs no permission to read other processes.
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int level, rank, size;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS || level < MPI_THREAD_FUNNELED)
    {
        snprintf(error, error_size, "cannot be started with threads");
        return -1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != expected)
    {
        snprintf(error, error_size,
                 "the launcher announces %d ranks, but they do not find each other (%d seen); start them with mpirun "
                 "or srun --mpi=pmix",
                 expected, size);
        MPI_Finalize();
        return -1;
    }
    *transport = (sac_transport){
        .rank = rank, .size = size, .send = send, .receive = receive, .pending = pending, .close = close_all};
    return 0;
}

__attribute__((visibility("default"))) const sac_mpi_calls sac_mpi_module = {.open = open_all};

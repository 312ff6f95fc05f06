#pragma once

#include <stddef.h>
#include <stdint.h>

/// How ranks send each other messages. Bytes arrive whole, unchanged, and in order between any two ranks. One thread
/// uses a transport. No function blocks: a caller that waits for a message sleeps for a moment and asks again.
typedef struct sac_transport
{
    void *self;
    int rank, size;
    void (*send)(void *self, int to, const void *bytes, size_t size); ///< copies
    const uint8_t *(*receive)(void *self, int *from, size_t *size);   ///< valid until the next call; NULL: none
    int (*pending)(void *self);                                       ///< messages that are not yet on their way
    void (*close)(void *self);                                        ///< may wait for the other ranks
} sac_transport;

/// The table that saccade-mpi.so exports as `sac_mpi_module`.
typedef struct sac_mpi_calls
{
    /// @param expected  ranks that the launcher has announced
    /// @return 0, or -1 with a sentence
    int (*open)(sac_transport *transport, int expected, char *error, size_t error_size);
} sac_mpi_calls;

#pragma once

#include "rollout/comm.h"

/// Ranks over a transport. In a round, a rank asks for as many units as it has room for and sends what came of the last
/// ones along; rank 0 grants from its counter. When all are finished, the results go down a tree to everyone. Only the
/// thread that serves touches the transport; while nothing arrives it naps longer and longer. comm_messages.c says
/// what the messages hold, and comm_ranks.c when they are sent. The mutex is held in all of it.

enum
{
    SAC_RANKS_ANY_ROUND = 0x7fffffff,    ///< a message that holds whenever it arrives
    SAC_RANKS_CHUNK = 4 << 20,           ///< bytes that are shared at once
    SAC_RANKS_LONGEST_NAP = 1000 * 1000, ///< nanoseconds, while an answer is awaited
    SAC_RANKS_IDLE_NAP = 10000 * 1000,   ///< while nothing but the end is awaited
};

typedef enum sac_message_kind
{
    SAC_MESSAGE_ASK,   ///< to rank 0: `a` more units are wanted; results of those that are finished
    SAC_MESSAGE_GRANT, ///< from rank 0: units a .. a+b-1, `number` were asked for; b = 0: there are no more
    SAC_MESSAGE_DONE,  ///< down the tree: the results of all units
    SAC_MESSAGE_STOP,  ///< from rank 0: status a and its sentence
    SAC_MESSAGE_FAIL,  ///< to rank 0: likewise
    SAC_MESSAGE_READY, ///< to rank 0, before it shares
    SAC_MESSAGE_BYTES, ///< down the tree: a part of what is shared; `number` is the size of the whole
    SAC_MESSAGE_PART,  ///< to rank 0: bytes of what is gathered; `number` is where they stand in it
} sac_message_kind;

typedef struct sac_header
{
    int32_t kind, round, a, b;
    uint64_t number; ///< ASK: the fingerprint
} sac_header;

typedef struct sac_ranks
{
    sac_comm base;
    sac_transport transport;
    pthread_cond_t changed; ///< something for the server, or for a thread that waits for a unit
    int32_t round_number;
    bool over, told;  // the verdict is known; rank 0 knows of this rank's failure
    double last_news; ///< seconds
    uint8_t *message; ///< [header and room for all results]
    int capacity;     // units that there is room for
    size_t room;      // bytes after a message's header
    // These fields are used by rank 0.
    int next, finished, ready;
    // These fields are used by the other ranks: units first..last-1 are granted and not yet taken; done ones are not
    // yet reported.
    int *granted, *done;
    int first, last, done_count, asked, under_way;
    bool dry;
    // What is being shared with all ranks.
    uint8_t *shared; ///< or gathered, in the caller's memory
    size_t shared_size, shared_done;
} sac_ranks;

/// Sleep until `changed`, or a while that grows with the silence, at most `longest` nanoseconds.
void sac_ranks_nap(sac_ranks *r, long longest);

/// A message of a header and a payload.
void sac_ranks_send(sac_ranks *r, int to, sac_header h, const void *payload, size_t size);

/// A message as it is, to the ranks below this one in the tree.
void sac_ranks_pass_down(sac_ranks *r, const uint8_t *message, size_t size);

/// Wait until everything is on its way.
void sac_ranks_flush(sac_ranks *r);

/// The verdict, as `what` says, to one rank; or to all others, to stop. It holds in whatever round it finds them.
void sac_ranks_send_verdict(sac_ranks *r, sac_message_kind what, int to);
void sac_ranks_send_stop(sac_ranks *r);

/// Ask for units, reporting those that are done; and tell everyone what came of all units.
void sac_ranks_send_ask(sac_ranks *r);
void sac_ranks_send_done(sac_ranks *r);

/// Bytes of one unit's result in a message.
size_t sac_ranks_result_size(const sac_ranks *r);

/// Take a verdict; the first one counts.
void sac_ranks_stop_with(sac_ranks *r, int32_t status, const char *sentence, size_t size);

/// Take everything that has arrived; what belongs to an earlier round is dropped.
void sac_ranks_receive(sac_ranks *r);

#pragma once

#include <sys/types.h>

#include "saccade/base.h"

/// A worker process: a Python interpreter with saccade-worker.py, in a session of its own, with two pipes and
/// memory.
///
/// Nothing of it can outlive either side. The end of this process, however sudden, closes a pipe whose signal kills
/// the worker and all that it has started; the memory has no name; what the worker prints goes to memory, too.

typedef struct sac_process
{
    pid_t pid;    ///< 0: none
    int ask[2];   ///< bytes there; this side keeps the reading end, so that writing never raises SIGPIPE
    int answer;   ///< bytes back
    int memory;   ///< what both see
    int scenario; ///< a file without a name for the worker to open
    int log;      ///< what the worker printed
    int life;     ///< held open while this process lives
} sac_process;

/// Why a worker did not answer, in words.
typedef struct sac_reason
{
    char text[512];
} sac_reason;

/// Start a worker; it has not said anything yet.
/// @param python  interpreter, a path or a name to be searched for
/// @param config  its argument
SAC_CHECKED sac_status sac_process_start(sac_process *process, const char *python, const char *script,
                                         const char *config);

/// Ask it to end, and make it end when it has not after two seconds. Harmless where there is none.
void sac_process_stop(sac_process *process);

/// End it and everything that it has started, at once.
void sac_process_kill(sac_process *process);

/// Send one byte. A worker that is gone is found out by the answer that does not come.
void sac_process_send(const sac_process *process, char byte);

/// Receive up to `size` bytes; waits until there is one.
/// @param seconds  to wait at most
/// @return the number of bytes; 0: the worker is gone or has not answered, and `reason` says so
size_t sac_process_receive(sac_process *process, void *bytes, size_t size, double seconds, sac_reason *reason);

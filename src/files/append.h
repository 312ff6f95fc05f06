#pragma once

#include "saccade/base.h"

/// Files that grow while a program runs: metrics, events, logs. Flushed bytes survive a crash. After a kill the file
/// may end in the middle of bytes that were not flushed, so a checkpoint notes the size, and a resumed run keeps
/// exactly that much.

typedef struct sac_append sac_append;

/// Open a file for appending.
/// @param[out] out   released by sac_append_close; NULL on failure
/// @param      keep  bytes of an existing file to keep, the rest is cut; 0 starts a new file
/// @return SAC_ERROR_FILE, also when the file is shorter than `keep`
SAC_CHECKED sac_status sac_append_open(sac_append **out, const char *path, uint64_t keep);

/// Add bytes, or text as printf makes it (at most 4,095 bytes a call). The bytes stay in memory until there are many of
/// them or the file is flushed.
SAC_CHECKED sac_status sac_append_bytes(sac_append *file, const void *bytes, size_t size);
SAC_CHECKED sac_status sac_append_print(sac_append *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Write everything and wait until it is on the disk.
SAC_CHECKED sac_status sac_append_flush(sac_append *file);

/// The bytes of the file, including those that are still in memory.
uint64_t sac_append_size(const sac_append *file);

/// Flush and close. NULL is ignored. The result tells whether everything was written.
sac_status sac_append_close(sac_append *file);

#pragma once

#include "saccade/base.h"

/// A file that is read as memory: what is not looked at is not read, and what is takes none of the process's own
/// memory. The file must not become shorter while it is mapped: reading what it has lost raises SIGBUS, which ends
/// a program that does not catch it. The command does (cli/frame/shrunk.c).
typedef struct sac_mapped
{
    const uint8_t *bytes; ///< [size], aligned to a page; NULL: nothing is mapped
    size_t size;
} sac_mapped;

/// @param[out] out  released by sac_unmap; {0} on failure
/// @return SAC_ERROR_FILE where there is no such file, or it is no ordinary one
SAC_CHECKED sac_status sac_map_file(sac_mapped *out, const char *path);

/// {0} is ignored.
void sac_unmap(sac_mapped *mapped);

#pragma once

#include "saccade/base.h"

/// Files are replaced as a whole: a reader sees the old file or the new one and never half of one, whatever happens in
/// between.
///
/// A file is written as PATH.tmp, flushed to the disk and renamed, and then its folder is flushed. A path that exists
/// and is no ordinary file (a pipe, /dev/stdout) is written directly.

/// Bytes of a path, terminator included.
#define SAC_PATH_SIZE 4096

/// Check a path. An empty path, which a script makes of a variable that is not set, is refused everywhere, because with
/// a name behind it, it would mean the root folder.
/// @return SAC_ERROR_ARGUMENT when it is empty or too long
SAC_CHECKED sac_status sac_check_path(const char *path);

/// Join a folder and a name with a slash.
/// @return SAC_ERROR_ARGUMENT when the folder is empty or the path would be too long
SAC_CHECKED sac_status sac_join_path(char path[SAC_PATH_SIZE], const char *folder, const char *name);

/// Create a folder and those above it; one that is there already is fine.
SAC_CHECKED sac_status sac_make_folders(const char *path);

/// Flush the folder that holds this path: a new name lasts only once its folder is on the disk.
SAC_CHECKED sac_status sac_flush_folder(const char *path);

/// Replace a file by `size` bytes; survives a crash of the machine.
/// @return SAC_ERROR_FILE when it cannot be written; the old file is then as it was
SAC_CHECKED sac_status sac_write_file(const char *path, const void *bytes, size_t size);

/// Read a whole file. A zero byte follows the data, so that text is a string.
/// @param[out] bytes  released by sac_free; NULL on failure
/// @param      limit  larger files are an error
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT (too large) or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_read_file(uint8_t **bytes, size_t *size, const char *path, size_t limit);

/// Check that a file can be written at this path, before the work whose result it is to hold. Nothing is left there.
/// @return as sac_atomic_begin
SAC_CHECKED sac_status sac_check_target(const char *path);

/// A file that is being written: begin, write any number of times, then commit or abort. Plain data; starts as {0}.
typedef struct sac_atomic
{
    char path[SAC_PATH_SIZE], aside[SAC_PATH_SIZE];
    int descriptor; ///< plus one, so that {0} is no file
    bool fast;      ///< leave out the flushes: whole after a kill, not after a loss of power
} sac_atomic;

/// @return SAC_ERROR_FILE when the folder is missing, not writable, or another process is writing this file
SAC_CHECKED sac_status sac_atomic_begin(sac_atomic *file, const char *path);

/// After a failure the file must be aborted.
SAC_CHECKED sac_status sac_atomic_write(sac_atomic *file, const void *bytes, size_t size);

/// Give the file `size` bytes, once, and map them into memory, to be written there in any order. The caller unmaps them
/// (munmap) before the file is committed or aborted.
/// @return SAC_ERROR_FILE when there is no room for them, or the path is no place for an ordinary file
SAC_CHECKED sac_status sac_atomic_map(sac_atomic *file, size_t size, uint8_t **bytes);

/// Put the file in its place. A failure aborts.
SAC_CHECKED sac_status sac_atomic_commit(sac_atomic *file);

/// Drop what was written. This is harmless after commit and on {0}.
void sac_atomic_abort(sac_atomic *file);

/// Tell whether there is a folder of this name.
bool sac_is_folder(const char *path);

/// Say that a path is no ordinary file, and which file of a run was meant where it is the folder of one.
sac_status sac_fail_not_a_file(const char *path);

/// Fail with "PATH: WHAT: " and what errno says.
sac_status sac_fail_file(const char *path, const char *what);

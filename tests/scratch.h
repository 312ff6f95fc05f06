#pragma once

#include <sys/types.h>

#include <fts.h>
#include <unistd.h>

#include "test.h"

#include "base/memory.h"
#include "files/atomic.h"

/// A folder for one test, removed with all it holds.

static char scratch[64];

static void scratch_close(void)
{
    char *roots[] = {scratch, NULL};
    FTS *tree = scratch[0] ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    for (FTSENT *entry; tree && (entry = fts_read(tree));)
        if (entry->fts_info != FTS_D) remove(entry->fts_path);
    if (tree) fts_close(tree);
    scratch[0] = 0;
}

/// Make an empty folder; it goes when the next one is made and when the program ends.
static inline void scratch_open(void)
{
    static bool registered;
    if (!registered) atexit(scratch_close);
    registered = true;
    scratch_close();
    strcpy(scratch, "/tmp/saccade-test-XXXXXX");
    assert_non_null(mkdtemp(scratch));
}

/// The path of a name in the folder, good for the next seven calls.
static inline const char *scratch_path(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

/// Whether two files of the folder are the same.
static inline bool same_bytes(const char *a, const char *b)
{
    uint8_t *bytes[2];
    size_t sizes[2];
    assert_ok(sac_read_file(&bytes[0], &sizes[0], scratch_path(a), 1 << 24));
    assert_ok(sac_read_file(&bytes[1], &sizes[1], scratch_path(b), 1 << 24));
    bool same = sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    sac_free(bytes[0]);
    sac_free(bytes[1]);
    return same;
}

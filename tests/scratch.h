#pragma once

#include <sys/types.h>

#include <fts.h>
#include <unistd.h>

#include "test.h"

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

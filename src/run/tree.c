#define _GNU_SOURCE
#include "run/tree.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum
{
    DEPTH = 4
};

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strverscmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_run(const char *dir)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/task.yaml", dir);
    bool task = length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
    if (!task) return false;
    length = snprintf(path, sizeof path, "%s/checkpoints", dir);
    return (size_t)length < sizeof path && access(path, F_OK) == 0;
}

int sac_run_tree_visit(const char *dir, bool (*visit)(void *user, const char *path), void *user)
{
    char *roots[] = {(char *)dir, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    int count = 0;
    bool more = tree != NULL;
    for (FTSENT *entry; more && (entry = fts_read(tree));)
    {
        if (entry->fts_level > DEPTH) fts_set(tree, entry, FTS_SKIP);
        if (entry->fts_info != FTS_D || !is_run(entry->fts_path)) continue;
        fts_set(tree, entry, FTS_SKIP);
        count++;
        more = visit(user, entry->fts_path);
    }
    if (tree) fts_close(tree);
    return count;
}

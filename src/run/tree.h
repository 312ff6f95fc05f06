#pragma once

#include "saccade/base.h"

/// The run folders below a folder, four levels deep at most, in the order in which people count: "run-2" comes before
/// "run-10". A run folder is one with task.yaml and checkpoints; what lies in it is not searched.

/// @param visit  called with the path of each, which begins with `dir`; returns whether to go on
/// @return how many were visited; 0 where there is no such folder
int sac_run_tree_visit(const char *dir, bool (*visit)(void *user, const char *path), void *user);

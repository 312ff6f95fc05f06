#pragma once

#include "saccade/options.h"

/// Ways to train, as a task names them by search.method, and what it can say of each. This room is below both those who
/// read tasks and those who train, so that the former need not know the latter: a run folder can be read by a program
/// that has no gradients.

/// The index-th name, the searches of evolution first; NULL past the end.
/// @param[out] summary  one line on the method, for listings; NULL: not wanted
/// @param[out] options  the table of what a task's `search` may hold; NULL: not wanted
const char *sac_method_at(int index, const char **summary, const sac_option **options);

#pragma once

#include "saccade/options.h"

/// What search.method may be: the searches of evolve, and ways to learn that are none.

/// The index-th name and its option table; NULL past the end.
const char *sac_method_at(int index, const sac_option **options);

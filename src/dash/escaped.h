#pragma once

#include "files/growing.h"

/// Words as HTML shows them.
void sac_grow_escaped(sac_growing *text, const char *words);

#include "base/lanes/neon.h"

#define LANES_VALUES lanes_values_neon
#include "lanes_values_of.h"

#include "base/lanes/plain.h"

#define LANES_VALUES lanes_values_scalar
#include "lanes_values_of.h"

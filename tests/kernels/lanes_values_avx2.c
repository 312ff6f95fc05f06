#include "base/lanes/avx2.h"

#define LANES_VALUES lanes_values_avx2
#include "lanes_values_of.h"

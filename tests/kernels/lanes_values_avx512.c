#include "base/lanes/avx512.h"

#define LANES_VALUES lanes_values_avx512
#include "lanes_values_of.h"

#define LANES_COUNT 16
#include "base/lanes/vectors.h"

#define VECTORS_VALUES     vectors_values
#define VECTORS_LESS(x, y) ((x) < (y))
#define VECTORS_SQUARE(x)  ((x) * (x))
#include "vectors_values_of.h"

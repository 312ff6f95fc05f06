#include "base/lanes/plain.h"

#define VECTORS_VALUES     vectors_values_plain
#define VECTORS_LESS(x, y) lanes_less(x, y)
#define VECTORS_SQUARE(x)  lanes_mul(x, x)
#include "vectors_values_of.h"

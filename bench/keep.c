#include "bench.h"

void bench_keep(bench_figure *figure, double value, bool larger_is_better)
{
    if (figure->runs++ == 0) figure->value = figure->worst = value;
    bool better = larger_is_better ? value > figure->value : value < figure->value;
    bool worse = larger_is_better ? value < figure->worst : value > figure->worst;
    if (better) figure->value = value;
    if (worse) figure->worst = value;
}

#include "ppo/moments.h"

#include <math.h>

void sac_moments_add(sac_moments *m, double count, double sum, double squares)
{
    if (!(count > 0)) return;
    double both = m->count + count, mean = sum / count, apart = mean - m->mean;
    m->squares += fmax(0, squares - count * mean * mean) + apart * apart * m->count * count / both;
    m->mean += apart * count / both;
    m->count = both;
}

double sac_moments_deviation(const sac_moments *m)
{
    double deviation = m->count > 1 ? sqrt(m->squares / (m->count - 1)) : 1;
    return deviation > 1e-8 ? deviation : 1;
}

#include "random.h"

#include <math.h>

#include "base/error.h"
#include "base/random.h"

enum
{
    PAIRS = 1000, // this stream is apart from those of others
    SPHERES,
    GAUSSIANS,
    MAX_SIZE = 256
};

double theory_length(const double *x, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

void theory_pair(double *x, double *y, int size, double x_length, double y_length, double angle, uint64_t seed,
                 uint64_t index)
{
    SAC_ASSERT(size >= 2 && size <= MAX_SIZE);
    double basis[2 * MAX_SIZE];
    sac_normals(basis, 2 * (size_t)size, seed, PAIRS, index);
    double *u = basis, *v = basis + size, norm = theory_length(u, size), along = 0;
    for (int i = 0; i < size; i++) u[i] /= norm;
    for (int i = 0; i < size; i++) along += u[i] * v[i];
    for (int i = 0; i < size; i++) v[i] -= along * u[i];
    norm = theory_length(v, size);
    double cosine = cos(angle), sine = sin(angle);
    for (int i = 0; i < size; i++)
    {
        x[i] = x_length * u[i];
        y[i] = y_length * (cosine * u[i] + sine * v[i] / norm);
    }
}

void theory_sphere(double *out, int count, int size, double length, uint64_t seed, uint64_t index)
{
    sac_normals(out, (size_t)count * (size_t)size, seed, SPHERES, index);
    for (int n = 0; n < count; n++, out += size)
    {
        double factor = length / theory_length(out, size);
        for (int i = 0; i < size; i++) out[i] *= factor;
    }
}

void theory_gaussian(double *out, int count, int size, uint64_t seed, uint64_t index)
{
    sac_normals(out, (size_t)count * (size_t)size, seed, GAUSSIANS, index);
}

void theory_top(int *top, int kept, const double *scores, int count)
{
    int held = 0;
    for (int i = 0; i < count; i++)
    {
        int place = held;
        while (place > 0 && scores[i] > scores[top[place - 1]]) place--;
        if (place == kept) continue;
        if (held < kept) held++;
        for (int j = held - 1; j > place; j--) top[j] = top[j - 1];
        top[place] = i;
    }
}

void theory_add(theory_moments *moments, double value)
{
    double before = value - moments->mean;
    moments->mean += before / (double)++moments->count;
    moments->squares += before * (value - moments->mean);
}

double theory_variance(const theory_moments *moments)
{
    return moments->count > 1 ? moments->squares / (double)(moments->count - 1) : 0;
}

double theory_error(const theory_moments *moments)
{
    return sqrt(theory_variance(moments) / (double)moments->count);
}

int theory_most_failures(int draws, double p)
{
    return (int)floor(draws * p + 3 * sqrt(draws * p * (1 - p)));
}

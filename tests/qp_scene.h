#pragma once

#include <math.h>

#include "base/random.h"
#include "saccade/qp.h"

/// Quadratic programs of any kind, for test_qp.c and for the comparison with other solvers (tests/qp).

enum
{
    QP_SCENE_VARIABLES = 40,
    QP_SCENE_ROWS = 90
};

typedef struct qp_scene
{
    sac_qp_problem def;
    double p[QP_SCENE_VARIABLES * QP_SCENE_VARIABLES], q[QP_SCENE_VARIABLES], a[QP_SCENE_ROWS * QP_SCENE_VARIABLES],
        lower[QP_SCENE_ROWS], upper[QP_SCENE_ROWS];
    int first[QP_SCENE_ROWS], end[QP_SCENE_ROWS];
} qp_scene;

static inline double qp_scene_draw(sac_stream *s)
{
    return sac_stream_uniform(s, -1, 1);
}

// P = F'F + 0.01: a condition of some thousands. Bounds are drawn around A times a point, so that it meets them.
static inline void qp_scene_make(qp_scene *t, uint64_t seed, int n, int m, bool banded)
{
    sac_stream s = sac_stream_create(seed, 1, 2);
    static double f[QP_SCENE_VARIABLES * QP_SCENE_VARIABLES];
    for (int i = 0; i < n * n; i++) f[i] = qp_scene_draw(&s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            double sum = i == j ? 0.01 : 0;
            for (int k = 0; k < n; k++) sum += f[k * n + i] * f[k * n + j];
            t->p[i * n + j] = sum;
        }
    double point[QP_SCENE_VARIABLES];
    for (int i = 0; i < n; i++) t->q[i] = 5 * qp_scene_draw(&s), point[i] = qp_scene_draw(&s);
    for (int i = 0; i < m; i++)
    {
        t->first[i] = banded ? (int)sac_stream_below(&s, (uint32_t)n) : 0;
        t->end[i] = banded ? t->first[i] + 1 + (int)sac_stream_below(&s, (uint32_t)(n - t->first[i])) : n;
        double value = 0;
        for (int j = 0; j < n; j++)
        {
            t->a[i * n + j] = j >= t->first[i] && j < t->end[i] ? qp_scene_draw(&s) : 0;
            value += t->a[i * n + j] * point[j];
        }
        const uint32_t kind = sac_stream_below(&s, 8);
        t->lower[i] = kind == 1 ? -INFINITY : value - 0.2 * (1 + qp_scene_draw(&s));
        t->upper[i] = kind == 2 ? INFINITY : value + 0.2 * (1 + qp_scene_draw(&s));
        if (kind == 3 && i < n / 2) t->lower[i] = t->upper[i] = value;
    }
    t->def = (sac_qp_problem){.variables = n,
                              .rows = m,
                              .p = t->p,
                              .q = t->q,
                              .a = t->a,
                              .lower = t->lower,
                              .upper = t->upper,
                              .first = banded ? t->first : NULL,
                              .end = banded ? t->end : NULL};
}

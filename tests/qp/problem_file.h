#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "saccade/qp.h"

/// Problems with our solutions on standard output, for peers.py, as doubles: n, m, P, q, A, lower, upper, x, our cost.

static inline void put(const double *numbers, int count)
{
    if (fwrite(numbers, sizeof *numbers, (size_t)count, stdout) != (size_t)count) exit(1);
}

static inline void put_problem(const sac_qp_problem *p, const double *x, double cost)
{
    const double sizes[] = {p->variables, p->rows};
    put(sizes, 2);
    put(p->p, p->variables * p->variables);
    put(p->q, p->variables);
    put(p->a, p->rows * p->variables);
    put(p->lower, p->rows);
    put(p->upper, p->rows);
    put(x, p->variables);
    put(&cost, 1);
}

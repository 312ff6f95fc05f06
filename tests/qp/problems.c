#include <stdio.h>
#include <stdlib.h>

#include "moment.h"
#include "problem_file.h"
#include "qp_scene.h"
#include "saccade/stance.h"

/// Problems as a trotting body meets them, with our solutions, for peers.py: problems COUNT. One in ten is none of a
/// body: dense rows of any kind.

enum
{
    MOST = 3 * SAC_LEGS * SAC_MAX_HORIZON
};

static void put_moment(sac_stance *stance, sac_stream *s)
{
    static const int feet[] = {2, 2, 3, 4};
    const sac_stance_input in = bench_moment(s, feet[sac_stream_below(s, 4)]);
    const sac_stance_output out = sac_stance_solve(stance, &in);
    if (out.solution.outcome != SAC_QP_SOLVED) exit(1);
    double x[MOST];
    const sac_qp_problem *problem = sac_stance_problem(stance, x);
    put_problem(problem, x, out.solution.cost);
}

static void put_any(sac_qp *qp, sac_stream *s)
{
    static qp_scene scene;
    double x[QP_SCENE_VARIABLES];
    const int n = 1 + (int)sac_stream_below(s, QP_SCENE_VARIABLES), m = 1 + (int)sac_stream_below(s, QP_SCENE_ROWS);
    qp_scene_make(&scene, sac_stream_u32(s), n, m, false);
    const sac_qp_solution solution = sac_qp_solve(qp, x, NULL, &scene.def, false);
    if (solution.outcome != SAC_QP_SOLVED) exit(1);
    put_problem(&scene.def, x, solution.cost);
}

int main(int argc, char **argv)
{
    const int count = argc == 2 ? atoi(argv[1]) : 0;
    if (count < 1) return fputs("usage: problems COUNT\n", stderr), 2;
    static sac_stance *stances[10];
    sac_qp *qp;
    for (int h = 0; h < 10; h++)
    {
        sac_stance_def def = sac_stance_default_def();
        def.horizon = h + 1;
        if (sac_stance_create(&stances[h], &def) != SAC_OK) return 1;
    }
    if (sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS) != SAC_OK) return 1;
    sac_stream s = sac_stream_create(1, 5, 6);
    for (int i = 0; i < count; i++)
    {
        if (i % 10 == 9)
            put_any(qp, &s);
        else
            put_moment(stances[sac_stream_below(&s, 10)], &s);
    }
    for (int h = 0; h < 10; h++) sac_stance_destroy(stances[h]);
    sac_qp_destroy(qp);
    return 0;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/random.h"
#include "env/legs/drive.h"
#include "problem_file.h"

/// Problems as a walk meets them, with our solutions, for peers.py: recorded COUNT. A Laikago walks in MuJoCo, over the
/// stones without gaps, with other footholds in each step, warm starts and all; where it falls, the next episode
/// begins. With --times it says instead how long a solver takes that starts from the problem before.

enum
{
    MOST = 3 * SAC_LEGS * SAC_MAX_HORIZON,
    STEPS = 400, // of an episode
    RUNS = 7,    // of which the least counts
    AIM = 250    // us, of a problem with four feet
};

typedef struct times
{
    sac_qp *qp;
    void *before;
    double *least;    // [count] microseconds
    int count, feet;  // that stood in the problem before
    char slowest[96]; // what the slowest problem was
    double longest;   // microseconds of it
} times;

static void open_times(times *t, int count)
{
    if (sac_qp_create(&t->qp, MOST, 10 * MOST) != SAC_OK) exit(1);
    t->before = malloc(sac_qp_state_size(t->qp));
    t->least = malloc((size_t)count * sizeof *t->least);
    if (!t->before || !t->least) exit(1);
}

// As stance control does, it starts from the problem before where the same feet stand.
static void time_problem(times *t, const sac_qp_problem *p, int feet)
{
    const bool warm = feet == t->feet;
    double x[MOST], least = 1e300;
    sac_qp_solution solution = {0};
    t->feet = feet;
    sac_qp_save(t->qp, t->before);
    for (int run = 0; run < RUNS; run++)
    {
        sac_qp_restore(t->qp, t->before);
        const double begin = sac_clock();
        solution = sac_qp_solve(t->qp, x, NULL, p, warm);
        if (solution.outcome != SAC_QP_SOLVED) exit(1);
        const double time = (sac_clock() - begin) * 1e6;
        if (time < least) least = time;
    }
    t->least[t->count++] = least;
    if (least <= t->longest) return;
    t->longest = least;
    snprintf(t->slowest, sizeof t->slowest, "%d variables, %s start, %d steps of the solver, %d active rows",
             p->variables, warm ? "warm" : "cold", solution.steps, solution.active);
}

static void close_times(times *t)
{
    double mean = 0;
    int late = 0;
    for (int i = 0; i < t->count; i++) mean += t->least[i] / t->count, late += t->least[i] > AIM;
    sac_sort_numbers(t->least, (size_t)t->count);
    printf("%d problems: mean %.1f us, median %.1f, 99th percentile %.1f, slowest %.1f\n", t->count, mean,
           t->least[t->count / 2], t->least[(int)(0.99 * t->count)], t->least[t->count - 1]);
    printf("the slowest: %s; %d took longer than %d us\n", t->slowest, late, AIM);
    sac_qp_destroy(t->qp);
    free(t->before);
    free(t->least);
}

static bool fallen(const legs_body *body)
{
    double place[4];
    sac_legs_body_place(body, place);
    return !(place[2] > 0.3);
}

static int feet_of(const sac_walk *walk)
{
    const sac_gait_feet feet = sac_walk_feet(walk);
    int bits = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++) bits |= feet.stands[leg] << leg;
    return bits;
}

static void write_problem(const legs_drive *drive)
{
    double x[MOST], cost = 0;
    const sac_qp_problem *p = sac_walk_problem(drive->walk, x);
    for (int i = 0; i < p->variables; i++)
    {
        cost += p->q[i] * x[i];
        for (int j = 0; j < p->variables; j++)
            cost += 0.5 * x[i] * p->p[(i < j ? i : j) * p->variables + (i < j ? j : i)] * x[j];
    }
    put_problem(p, x, cost);
}

// One action and its control steps; returns how many problems were written.
static int walk(legs_drive *drive, legs_body *body, sac_stream *random, int most, times *t)
{
    float action[LEGS_MOST_ACTIONS], low[LEGS_MOST_ACTIONS], high[LEGS_MOST_ACTIONS];
    const char *names[LEGS_MOST_ACTIONS];
    const int count = sac_legs_drive_actions(drive, low, high, names);
    for (int i = 0; i < count; i++)
        action[i] = 0.5f * (float)sac_stream_uniform(random, (double)low[i], (double)high[i]);
    sac_legs_drive_act(drive, action);
    int written = 0;
    for (; written < drive->def.repeat && written < most; written++)
    {
        sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
        bool broken;
        const int64_t unsolved = sac_walk_unsolved(drive->walk);
        sac_legs_drive_step(drive, body, motors);
        if (sac_walk_unsolved(drive->walk) != unsolved) exit(1);
        if (t->qp)
            time_problem(t, sac_walk_problem(drive->walk, NULL), feet_of(drive->walk));
        else
            write_problem(drive);
        if (sac_legs_body_advance(body, motors, drive->substeps, &broken) != SAC_OK || broken) exit(1);
    }
    return written;
}

int main(int argc, char **argv)
{
    const bool timed = argc == 3 && strcmp(argv[2], "--times") == 0;
    const int count = argc == 2 || timed ? atoi(argv[1]) : 0;
    if (count < 1) return fputs("usage: recorded COUNT [--times]\n", stderr), 2;
    times t = {0};
    const legs_robot *robot = sac_legs_robot("laikago");
    const legs_drive_def def = {
        .map = LEGS_FOOTHOLDS, .robot = robot, .physics = 0.001, .control = 0.005, .repeat = 10, .period = 0.5};
    const legs_terrain_def course = {.course = LEGS_STONES, .length = 60};
    const legs_changes none = {.friction = 1};
    legs_drive *drive;
    legs_body *body;
    if (sac_legs_drive_create(&drive, &def) != SAC_OK) return 1;
    const sac_status status = sac_legs_body_create(&body, robot, course.course, def.physics);
    if (status == SAC_ERROR_UNAVAILABLE) return fputs("skip: needs MuJoCo (make mujoco)\n", stderr), 77;
    if (status != SAC_OK) return 1;
    sac_stream random = sac_stream_create(1, 7, 8);
    if (timed) open_times(&t, count);
    for (int written = 0, step = STEPS, episode = 0; written < count; step++)
    {
        if (step == STEPS || fallen(body))
        {
            if (sac_legs_body_reset(body, &course, (uint64_t)episode++, &none) != SAC_OK) return 1;
            sac_legs_drive_reset(drive, body);
            t.feet = 0;
            step = 0;
        }
        written += walk(drive, body, &random, count - written, &t);
    }
    if (timed) close_times(&t);
    sac_legs_body_destroy(body);
    sac_legs_drive_destroy(drive);
    return 0;
}

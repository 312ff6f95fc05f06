#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "env/legs/drive.h"
#include "problem_file.h"

/// Problems as a walk meets them, with our solutions, for peers.py: recorded COUNT. A Laikago walks in MuJoCo, over the
/// stones without gaps, with other footholds in each step, warm starts and all; where it falls, the next episode
/// begins.

enum
{
    MOST = 3 * SAC_LEGS * SAC_MAX_HORIZON,
    STEPS = 400 // of an episode
};

static bool fallen(const legs_body *body)
{
    double place[4];
    sac_legs_body_place(body, place);
    return !(place[2] > 0.3);
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
static int walk(legs_drive *drive, legs_body *body, sac_stream *random, int most)
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
        write_problem(drive);
        if (sac_legs_body_advance(body, motors, drive->substeps, &broken) != SAC_OK || broken) exit(1);
    }
    return written;
}

int main(int argc, char **argv)
{
    const int count = argc == 2 ? atoi(argv[1]) : 0;
    if (count < 1) return fputs("usage: recorded COUNT\n", stderr), 2;
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
    for (int written = 0, step = STEPS, episode = 0; written < count; step++)
    {
        if (step == STEPS || fallen(body))
        {
            if (sac_legs_body_reset(body, &course, (uint64_t)episode++, &none) != SAC_OK) return 1;
            sac_legs_drive_reset(drive, body);
            step = 0;
        }
        written += walk(drive, body, &random, count - written);
    }
    sac_legs_body_destroy(body);
    sac_legs_drive_destroy(drive);
    return 0;
}

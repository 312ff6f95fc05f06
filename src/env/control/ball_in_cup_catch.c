#include <math.h>

#include "env/control/world.h"

/// ball-in-cup-catch: 1 while the ball is in the cup.

enum
{
    TARGET,
    BALL,
    BALL_GEOM,
    BALL_X,
    BALL_Z
};

static sac_status open(control_world *w)
{
    static const struct
    {
        mjtObj type;
        const char *name;
    } wanted[] = {{mjOBJ_SITE, "target"},
                  {mjOBJ_BODY, "ball"},
                  {mjOBJ_GEOM, "ball"},
                  {mjOBJ_JOINT, "ball_x"},
                  {mjOBJ_JOINT, "ball_z"}};
    sac_status status = SAC_OK;
    for (int i = 0; i < 5 && status == SAC_OK; i++) status = sac_world_find(w, i, wanted[i].type, wanted[i].name);
    return status;
}

// The ball starts anywhere above the cup where it touches nothing.
static sac_status reset(control_world *w)
{
    double *x = w->data->qpos + w->model->jnt_qposadr[w->ids[BALL_X]];
    double *z = w->data->qpos + w->model->jnt_qposadr[w->ids[BALL_Z]];
    do
    {
        *x = sac_mersenne_uniform(&w->random, -.2, .2);
        *z = sac_mersenne_uniform(&w->random, .2, .5);
        sac_world_forward(w);
    } while (w->data->ncon > 0);
    return SAC_OK;
}

// dm_control's ball_in_cup.py, in_target: the whole ball lies within the target's box, along x and z.
static double reward(const control_world *w)
{
    const double *target = w->data->site_xpos + 3 * w->ids[TARGET], *ball = w->data->xpos + 3 * w->ids[BALL];
    const double *box = w->model->site_size + 3 * w->ids[TARGET];
    double radius = w->model->geom_size[3 * w->ids[BALL_GEOM]];
    return fabs(target[0] - ball[0]) < box[0] - radius && fabs(target[2] - ball[2]) < box[2] - radius;
}

static void observe(const control_world *w, control_numbers *numbers)
{
    sac_world_observe_state(w, 0, numbers);
}

const control_task sac_ball_in_cup_catch = {
    .id = "ball-in-cup-catch",
    .model = "ball_in_cup.xml",
    .control_seconds = 0.02,
    .control_steps = 1000,
    .ground_opacity = 0.3f,
    .open = open,
    .reset = reset,
    .reward = reward,
    .observe = observe,
};

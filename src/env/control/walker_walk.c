#include <math.h>

#include "env/control/world.h"

/// walker-walk: the torso high and upright, at 1 m/s or faster.

enum
{
    TORSO,
    VELOCITY
};

static sac_status open(control_world *w)
{
    sac_status status = sac_world_find(w, TORSO, mjOBJ_BODY, "torso");
    return status != SAC_OK ? status : sac_world_find(w, VELOCITY, mjOBJ_SENSOR, "torso_subtreelinvel");
}

static sac_status reset(control_world *w)
{
    sac_world_draw_joints(w);
    return SAC_OK;
}

// dm_control's walker.py, PlanarWalker.get_reward: standing counts three times as much as upright, and moving at the
// wanted speed raises the reward from a sixth of that to all of it.
static double reward(const control_world *w)
{
    int torso = w->ids[TORSO];
    double height = w->data->xpos[3 * torso + 2], upright = w->data->xmat[9 * torso + 8];
    double standing = sac_tolerance(height, 1.2, INFINITY, 0.6, 0.1, CONTROL_GAUSSIAN);
    double stand = (3 * standing + (1 + upright) / 2) / 4;
    double move = sac_tolerance(sac_world_sensor(w, VELOCITY)[0], 1, INFINITY, 0.5, 0.5, CONTROL_LINEAR);
    return stand * (5 * move + 1) / 6;
}

static void observe(const control_world *w, control_numbers *numbers)
{
    for (int body = 1; body < w->model->nbody; body++)
    {
        sac_numbers_add_one(numbers, "orientations", w->data->xmat[9 * body]);
        sac_numbers_add_one(numbers, "orientations", w->data->xmat[9 * body + 2]);
    }
    sac_numbers_add_one(numbers, "height", w->data->xpos[3 * w->ids[TORSO] + 2]);
    sac_numbers_add(numbers, "velocity", w->data->qvel, (int)w->model->nv);
}

const control_task sac_walker_walk = {
    .id = "walker-walk",
    .model = "walker.xml",
    .control_seconds = 0.025,
    .control_steps = 1000,
    .ground_opacity = 1,
    .open = open,
    .reset = reset,
    .reward = reward,
    .observe = observe,
};

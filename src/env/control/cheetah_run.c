#include <math.h>

#include "env/control/world.h"

/// cheetah-run: speed of the torso up to 10 m/s.

enum
{
    VELOCITY
};

static sac_status open(control_world *w)
{
    return sac_world_find(w, VELOCITY, mjOBJ_SENSOR, "torso_subtreelinvel");
}

// Joints start anywhere in their ranges, and then have two seconds to come to rest.
static sac_status reset(control_world *w)
{
    for (int i = 0; i < w->model->njnt; i++)
        if (w->model->jnt_limited[i])
            w->data->qpos[i] =
                sac_mersenne_uniform(&w->random, w->model->jnt_range[2 * i], w->model->jnt_range[2 * i + 1]);
    sac_world_advance(w, 200);
    w->data->time = 0;
    return SAC_OK;
}

// dm_control's cheetah.py: the tolerance rises linearly from 0 at rest to 1 at 10 m/s.
static double reward(const control_world *w)
{
    return sac_tolerance(sac_world_sensor(w, VELOCITY)[0], 10, INFINITY, 10, 0, CONTROL_LINEAR);
}

// Its place along the floor is not told.
static void observe(const control_world *w, control_numbers *numbers)
{
    sac_world_observe_state(w, 1, numbers);
}

const control_task sac_cheetah_run = {
    .id = "cheetah-run",
    .model = "cheetah.xml",
    .control_seconds = 0.01,
    .control_steps = 1000,
    .ground_opacity = 1,
    .open = open,
    .reset = reset,
    .reward = reward,
    .observe = observe,
};

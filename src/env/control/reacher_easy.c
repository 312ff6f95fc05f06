#include <math.h>

#include "base/error.h"
#include "env/control/world.h"

/// reacher-easy: 1 while the finger is on the target.

enum
{
    TARGET,
    FINGER
};

static const double pi = 3.141592653589793;

static sac_status open(control_world *w)
{
    SAC_TRY(sac_world_find(w, TARGET, mjOBJ_GEOM, "target"));
    SAC_TRY(sac_world_find(w, FINGER, mjOBJ_GEOM, "finger"));
    w->model->geom_size[3 * w->ids[TARGET]] = .05;
    return SAC_OK;
}

// dm_control's reacher.py: a target in polar coordinates around the shoulder; the easy task's is 0.05 m large.
static sac_status reset(control_world *w)
{
    sac_world_draw_joints(w);
    double angle = sac_mersenne_uniform(&w->random, 0, 2 * pi);
    double radius = sac_mersenne_uniform(&w->random, .05, .20);
    double *target = w->model->geom_pos + 3 * w->ids[TARGET];
    target[0] = radius * sin(angle);
    target[1] = radius * cos(angle);
    return SAC_OK;
}

// 1 where the two discs overlap by their centres' distance, 0 elsewhere: a tolerance without a margin.
static double reward(const control_world *w)
{
    const double *target = w->data->geom_xpos + 3 * w->ids[TARGET], *finger = w->data->geom_xpos + 3 * w->ids[FINGER];
    double dx = target[0] - finger[0], dy = target[1] - finger[1];
    double radii = w->model->geom_size[3 * w->ids[TARGET]] + w->model->geom_size[3 * w->ids[FINGER]];
    return sac_tolerance(sqrt(dx * dx + dy * dy), 0, radii, 0, 0, CONTROL_GAUSSIAN);
}

static void observe(const control_world *w, control_numbers *numbers)
{
    const double *target = w->data->geom_xpos + 3 * w->ids[TARGET], *finger = w->data->geom_xpos + 3 * w->ids[FINGER];
    sac_world_observe_positions(w, 0, numbers);
    for (int k = 0; k < 2; k++) sac_numbers_add_one(numbers, "to_target", target[k] - finger[k]);
    sac_numbers_add(numbers, "velocity", w->data->qvel, (int)w->model->nv);
}

const control_task sac_reacher_easy = {
    .id = "reacher-easy",
    .model = "reacher.xml",
    .control_seconds = 0.02,
    .control_steps = 1000,
    .free_camera = true,
    .ground_opacity = 0,
    .open = open,
    .reset = reset,
    .reward = reward,
    .observe = observe,
};

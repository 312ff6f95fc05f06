#include "env/control/world.h"

/// cartpole-swingup: the pole up, the cart in the middle, little force, little spin.

enum
{
    POLE
};

static const double pi = 3.141592653589793;

static sac_status open(control_world *w)
{
    return sac_world_find(w, POLE, mjOBJ_BODY, "pole_1");
}

// The pole hangs down, and all coordinates and velocities are off by a small normal number.
static sac_status reset(control_world *w)
{
    w->data->qpos[0] = 0.01 * sac_mersenne_normal(&w->random);
    w->data->qpos[1] = pi + 0.01 * sac_mersenne_normal(&w->random);
    for (int i = 0; i < w->model->nv; i++) w->data->qvel[i] = 0.01 * sac_mersenne_normal(&w->random);
    return SAC_OK;
}

// dm_control's cartpole.py, Balance._get_reward in its smooth form: the product of four terms. Each of the last three
// is brought to the upper part of 0..1, so that none alone takes the reward away.
static double reward(const control_world *w)
{
    double upright = (w->data->xmat[9 * w->ids[POLE] + 8] + 1) / 2;
    double centered = (1 + sac_tolerance(w->data->qpos[0], 0, 0, 2, 0.1, CONTROL_GAUSSIAN)) / 2;
    double small_control = (4 + sac_tolerance(w->data->ctrl[0], 0, 0, 1, 0, CONTROL_QUADRATIC)) / 5;
    double small_velocity = (1 + sac_tolerance(w->data->qvel[1], 0, 0, 5, 0.1, CONTROL_GAUSSIAN)) / 2;
    return upright * small_control * small_velocity * centered;
}

// Tells the cart's place, then cosine and sine of each pole.
static void observe(const control_world *w, control_numbers *numbers)
{
    sac_numbers_add_one(numbers, "position", w->data->qpos[0]);
    for (int body = 2; body < w->model->nbody; body++)
    {
        sac_numbers_add_one(numbers, "position", w->data->xmat[9 * body + 8]);
        sac_numbers_add_one(numbers, "position", w->data->xmat[9 * body + 2]);
    }
    sac_numbers_add(numbers, "velocity", w->data->qvel, (int)w->model->nv);
}

const control_task sac_cartpole_swingup = {
    .id = "cartpole-swingup",
    .model = "cartpole.xml",
    .control_seconds = 0.01,
    .control_steps = 1000,
    .ground_opacity = 0.3f,
    .open = open,
    .reset = reset,
    .reward = reward,
    .observe = observe,
};

#include "base/error.h"
#include "env/control/world.h"

/// finger-spin: 1 while the spinner turns at 15 rad/s or faster.

enum
{
    VELOCITY,
    HINGE,
    TARGET,
    TIP
};

// the target and the tip are for other tasks, and this one has a looser hinge
static sac_status open(control_world *w)
{
    SAC_TRY(sac_world_find(w, VELOCITY, mjOBJ_SENSOR, "hinge_velocity"));
    SAC_TRY(sac_world_find(w, HINGE, mjOBJ_JOINT, "hinge"));
    SAC_TRY(sac_world_find(w, TARGET, mjOBJ_SITE, "target"));
    SAC_TRY(sac_world_find(w, TIP, mjOBJ_SITE, "tip"));
    w->model->site_rgba[4 * w->ids[TARGET] + 3] = 0;
    w->model->site_rgba[4 * w->ids[TIP] + 3] = 0;
    w->model->dof_damping[w->model->jnt_dofadr[w->ids[HINGE]]] = .03;
    return SAC_OK;
}

static sac_status reset(control_world *w)
{
    for (int attempt = 0; attempt < 1000; attempt++)
    {
        sac_world_draw_joints(w);
        sac_world_forward(w);
        if (w->data->ncon == 0) return SAC_OK;
    }
    return sac_fail(SAC_ERROR_ENVIRONMENT, "finger-spin: no start without contacts in 1000 draws");
}

static double reward(const control_world *w)
{
    return sac_world_sensor(w, VELOCITY)[0] <= -15;
}

const control_task sac_finger_spin = {
    .id = "finger-spin",
    .model = "finger.xml",
    .control_seconds = 0.02,
    .control_steps = 1000,
    .ground_opacity = 0.3f,
    .open = open,
    .reset = reset,
    .reward = reward,
};

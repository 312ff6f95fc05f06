#include <math.h>

#include "base/error.h"
#include "env/control/world.h"

/// finger-spin: 1 while the spinner turns at 15 rad/s or faster.

enum
{
    VELOCITY,
    PROXIMAL,
    DISTAL,
    TIP_PLACE,
    SPINNER_PLACE,
    PROXIMAL_VELOCITY,
    DISTAL_VELOCITY,
    TOUCH_TOP,
    TOUCH_BOTTOM,
    SENSORS,
    HINGE = SENSORS,
    TARGET,
    TIP
};

// Target and tip are for other tasks of this model and are hidden. This task has a looser hinge.
static sac_status open(control_world *w)
{
    static const char *const sensors[SENSORS] = {"hinge_velocity", "proximal",          "distal",          "tip",
                                                 "spinner",        "proximal_velocity", "distal_velocity", "touchtop",
                                                 "touchbottom"};
    for (int i = 0; i < SENSORS; i++) SAC_TRY(sac_world_find(w, i, mjOBJ_SENSOR, sensors[i]));
    SAC_TRY(sac_world_find(w, HINGE, mjOBJ_JOINT, "hinge"));
    SAC_TRY(sac_world_find(w, TARGET, mjOBJ_SITE, "target"));
    SAC_TRY(sac_world_find(w, TIP, mjOBJ_SITE, "tip"));
    w->model->site_rgba[4 * w->ids[TARGET] + 3] = 0;
    w->model->site_rgba[4 * w->ids[TIP] + 3] = 0;
    w->model->dof_damping[w->model->jnt_dofadr[w->ids[HINGE]]] = .03;
    return SAC_OK;
}

// dm_control's set_random_joint_angles: joints anywhere until nothing touches, a thousand draws at most.
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

// dm_control's finger.py: the hinge turns backwards, so that 15 rad/s are -15.
static double reward(const control_world *w)
{
    return sac_world_sensor(w, VELOCITY)[0] <= -15;
}

// The tip's place relative to the spinner is told, not the spinner's angle.
static void observe(const control_world *w, control_numbers *numbers)
{
    const double *tip = sac_world_sensor(w, TIP_PLACE), *spinner = sac_world_sensor(w, SPINNER_PLACE);
    sac_numbers_add(numbers, "position", sac_world_sensor(w, PROXIMAL), 1);
    sac_numbers_add(numbers, "position", sac_world_sensor(w, DISTAL), 1);
    sac_numbers_add_one(numbers, "position", tip[0] - spinner[0]);
    sac_numbers_add_one(numbers, "position", tip[2] - spinner[2]);
    sac_numbers_add(numbers, "velocity", sac_world_sensor(w, PROXIMAL_VELOCITY), 1);
    sac_numbers_add(numbers, "velocity", sac_world_sensor(w, DISTAL_VELOCITY), 1);
    sac_numbers_add(numbers, "velocity", sac_world_sensor(w, VELOCITY), 1);
    sac_numbers_add_one(numbers, "touch", log1p(sac_world_sensor(w, TOUCH_TOP)[0]));
    sac_numbers_add_one(numbers, "touch", log1p(sac_world_sensor(w, TOUCH_BOTTOM)[0]));
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
    .observe = observe,
};

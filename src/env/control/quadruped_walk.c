#include <math.h>

#include "base/error.h"
#include "env/control/world.h"

/// quadruped-walk: upright, at 0.5 m/s or faster.

#define SPEED 0.5

enum
{
    TORSO,
    VELOCITY,
    ROOT
};

static void remove_named(const sac_mujoco *mj, mjSpec *spec, mjtObj type, const char *name)
{
    mjsElement *element = mj->mjs_findElement(spec, type, name);
    if (element) mj->mjs_delete(spec, element);
}

// The model serves four tasks. This one has a floor of 20 m and no walls, ball, target, terrain or range finders.
static void edit(const sac_mujoco *mj, mjSpec *spec)
{
    static const char *const geoms[] = {"wall_px", "wall_py", "wall_nx", "wall_ny", "terrain"};
    mjsElement *floor = mj->mjs_findElement(spec, mjOBJ_GEOM, "floor");
    mjsGeom *geom = floor ? mj->mjs_asGeom(floor) : NULL;
    if (geom) geom->size[0] = geom->size[1] = 20 * SPEED;
    for (int i = 0; i < 5; i++) remove_named(mj, spec, mjOBJ_GEOM, geoms[i]);
    remove_named(mj, spec, mjOBJ_BODY, "ball");
    remove_named(mj, spec, mjOBJ_SITE, "target");
    for (mjsElement *next, *e = mj->mjs_firstElement(spec, mjOBJ_SENSOR); e; e = next)
    {
        next = mj->mjs_nextElement(spec, e);
        mjsSensor *sensor = mj->mjs_asSensor(e);
        if (sensor && sensor->type == mjSENS_RANGEFINDER) mj->mjs_delete(spec, e);
    }
}

static sac_status open(control_world *w)
{
    SAC_TRY(sac_world_find(w, TORSO, mjOBJ_BODY, "torso"));
    SAC_TRY(sac_world_find(w, VELOCITY, mjOBJ_SENSOR, "velocimeter"));
    return sac_world_find(w, ROOT, mjOBJ_JOINT, "root");
}

// It starts in any orientation, as low above the floor as whole centimetres without contact allow.
static sac_status reset(control_world *w)
{
    double turn[4], square = 0;
    for (int i = 0; i < 4; i++) turn[i] = sac_mersenne_normal(&w->random);
    for (int i = 0; i < 4; i++) square = fma(turn[i], turn[i], square); // as NumPy's BLAS adds them
    double norm = sqrt(square), height = 0;
    for (int attempt = 0; attempt < 10000; attempt++)
    {
        w->mj->mj_resetData(w->model, w->data);
        sac_world_forward(w);
        double *root = w->data->qpos + w->model->jnt_qposadr[w->ids[ROOT]];
        root[0] = root[1] = 0;
        root[2] = height;
        for (int i = 0; i < 4; i++) root[3 + i] = turn[i] / norm;
        sac_world_forward(w);
        if (w->data->ncon == 0) return SAC_OK;
        height += 0.01;
    }
    return sac_fail(SAC_ERROR_ENVIRONMENT, "quadruped-walk: no start without contacts below %g m", height);
}

static double reward(const control_world *w)
{
    double upright = sac_tolerance(w->data->xmat[9 * w->ids[TORSO] + 8], 1, INFINITY, 2, 0, CONTROL_LINEAR);
    double move = sac_tolerance(sac_world_sensor(w, VELOCITY)[0], SPEED, INFINITY, SPEED, 0.5, CONTROL_LINEAR);
    return upright * move;
}

// Tells a value of each hinge, its position or its velocity.
static void add_hinges(const control_world *w, const double *values, const int *address, control_numbers *numbers)
{
    for (int i = 0; i < w->model->njnt; i++)
        if (w->model->jnt_type[i] == mjJNT_HINGE) sac_numbers_add_one(numbers, "egocentric_state", values[address[i]]);
}

// Tells the readings of two kinds of sensors, through the function `bend` where there is one.
static void add_sensors(const control_world *w, const char *part, mjtSensor one, mjtSensor other,
                        double (*bend)(double), control_numbers *numbers)
{
    const mjModel *m = w->model;
    for (int i = 0; i < m->nsensor; i++)
        for (int k = 0; k < m->sensor_dim[i] && (m->sensor_type[i] == (int)one || m->sensor_type[i] == (int)other); k++)
        {
            double value = w->data->sensordata[m->sensor_adr[i] + k];
            sac_numbers_add_one(numbers, part, bend ? bend(value) : value);
        }
}

static void observe(const control_world *w, control_numbers *numbers)
{
    add_hinges(w, w->data->qpos, w->model->jnt_qposadr, numbers);
    add_hinges(w, w->data->qvel, w->model->jnt_dofadr, numbers);
    sac_numbers_add(numbers, "egocentric_state", w->data->act, (int)w->model->na);
    sac_numbers_add(numbers, "torso_velocity", sac_world_sensor(w, VELOCITY), 3);
    sac_numbers_add_one(numbers, "torso_upright", w->data->xmat[9 * w->ids[TORSO] + 8]);
    add_sensors(w, "imu", mjSENS_GYRO, mjSENS_ACCELEROMETER, NULL, numbers);
    add_sensors(w, "force_torque", mjSENS_FORCE, mjSENS_TORQUE, asinh, numbers);
}

const control_task sac_quadruped_walk = {
    .id = "quadruped-walk",
    .model = "quadruped.xml",
    .control_seconds = 0.02,
    .control_steps = 1000,
    .ground_opacity = 1,
    .edit = edit,
    .open = open,
    .reset = reset,
    .reward = reward,
    .observe = observe,
};

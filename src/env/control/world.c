#include "env/control/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/module.h"
#include "files/variable.h"
#include "saccade/env.h"

static const double pi = 3.141592653589793;

// ---- for tasks

// dm_control's `physics.after_reset`: forward with actuation off, as after a reset there are no controls yet.
void sac_world_forward(control_world *w)
{
    int flags = w->model->opt.disableflags;
    w->model->opt.disableflags |= mjDSBL_ACTUATION;
    w->mj->mj_forward(w->model, w->data);
    w->model->opt.disableflags = flags;
}

// dm_control's order of steps (`physics.step`): what mj_step1 computes is always that of the present state.
void sac_world_advance(control_world *w, int count)
{
    bool runge_kutta = w->model->opt.integrator == mjINT_RK4;
    if (!runge_kutta) w->mj->mj_step2(w->model, w->data);
    for (int i = runge_kutta ? 0 : 1; i < count; i++) w->mj->mj_step(w->model, w->data);
    w->mj->mj_step1(w->model, w->data);
}

sac_status sac_world_find(control_world *w, int index, mjtObj type, const char *name)
{
    SAC_ASSERT(index >= 0 && index < CONTROL_MAX_IDS);
    w->ids[index] = w->mj->mj_name2id(w->model, (int)type, name);
    if (w->ids[index] >= 0) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%s: the model %s has no element '%s'", w->task->id, w->task->model, name);
}

void sac_world_draw_joints(control_world *w)
{
    for (int i = 0; i < w->model->njnt; i++)
    {
        const double *range = w->model->jnt_range + 2 * i;
        double *q = w->data->qpos + w->model->jnt_qposadr[i];
        if (w->model->jnt_limited[i])
            *q = sac_mersenne_uniform(&w->random, range[0], range[1]);
        else if (w->model->jnt_type[i] == mjJNT_HINGE)
            *q = sac_mersenne_uniform(&w->random, -pi, pi);
    }
}

const double *sac_world_sensor(const control_world *w, int index)
{
    return w->data->sensordata + w->model->sensor_adr[w->ids[index]];
}

static bool turns_freely(const mjModel *m, int position)
{
    for (int j = 0; j < (int)m->njnt; j++)
        if (m->jnt_qposadr[j] == position) return m->jnt_type[j] == mjJNT_HINGE && !m->jnt_limited[j];
    return false;
}

void sac_world_observe_positions(const control_world *w, int first, control_numbers *numbers)
{
    for (int i = first; i < (int)w->model->nq; i++)
    {
        const double x = w->data->qpos[i];
        const bool circle = w->circular && turns_freely(w->model, i);
        sac_numbers_add_one(numbers, "position", circle ? cos(x) : x);
        if (circle) sac_numbers_add_one(numbers, "position", sin(x));
    }
}

void sac_world_observe_state(const control_world *w, int first, control_numbers *numbers)
{
    sac_world_observe_positions(w, first, numbers);
    sac_numbers_add(numbers, "velocity", w->data->qvel, (int)w->model->nv);
}

// ---- life

// The folder of the models: the one that was asked for, else the variable's, else the one that comes with saccade.
static sac_status find_models(char folder[SAC_MODULE_PATH_SIZE], const char *asked)
{
    const char *named;
    SAC_TRY(sac_read_variable(&named, "SACCADE_MODELS"));
    if (*asked) named = asked;
    if (!named) return sac_module_find(folder, "saccade-models");
    if (snprintf(folder, SAC_MODULE_PATH_SIZE, "%s", named) >= SAC_MODULE_PATH_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "the path of the folder of models is too long");
    return SAC_OK;
}

static sac_status check_model(control_world *w)
{
    const mjModel *m = w->model;
    w->substeps = (int)(w->task->control_seconds / m->opt.timestep + 0.5);
    if (w->substeps < 1 || fabs(w->substeps * m->opt.timestep - w->task->control_seconds) > 1e-9)
        return sac_fail(SAC_ERROR_FORMAT, "%s: steps of %g s do not fit into a control step of %g s", w->task->model,
                        m->opt.timestep, w->task->control_seconds);
    if (m->nu < 1 || m->nu > CONTROL_MAX_ACTIONS || m->nq + m->nv > CONTROL_MAX_COLUMNS)
        return sac_fail(SAC_ERROR_FORMAT, "%s: %d actuators and %d + %d coordinates, expected at most %d and %d",
                        w->task->model, (int)m->nu, (int)m->nq, (int)m->nv, CONTROL_MAX_ACTIONS, CONTROL_MAX_COLUMNS);
    return SAC_OK;
}

static sac_status open_world(control_world *w, const char *asked)
{
    char path[SAC_PATH_SIZE], folder[SAC_MODULE_PATH_SIZE];
    SAC_TRY(sac_mujoco_open(&w->mj));
    SAC_TRY(find_models(folder, asked));
    if (!*folder)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "the models of dm_control are not there: run 'make mujoco' and build "
                                               "again, or set SACCADE_MODELS to their folder");
    SAC_TRY(sac_join_path(path, folder, w->task->model));
    SAC_TRY(sac_mujoco_model_acquire(&w->shared, w->mj, path, w->task->edit));
    w->model = w->mj->mj_copyModel(NULL, w->shared->model);
    if (!w->model) return sac_fail_memory("a world's model");
    SAC_TRY(check_model(w));
    w->data = w->mj->mj_makeData(w->model);
    w->state = SAC_NEW_ARRAY(double, (size_t)w->mj->mj_stateSize(w->model, mjSTATE_INTEGRATION));
    if (!w->data || !w->state) return sac_fail_memory("a world's data");
    return w->task->open(w);
}

sac_status sac_world_create(control_world **out, const control_task *task, const char *folder)
{
    *out = NULL;
    control_world *w = SAC_NEW(control_world);
    if (!w) return sac_fail_memory("a world");
    w->task = task;
    sac_mersenne_seed(&w->random, 0);
    sac_status status = open_world(w, folder);
    if (status != SAC_OK)
    {
        sac_world_destroy(w);
        return sac_fail_in(status, "%s", task->id);
    }
    *out = w;
    return SAC_OK;
}

void sac_world_destroy(control_world *w)
{
    if (!w) return;
    if (w->data) w->mj->mj_deleteData(w->data);
    if (w->model) w->mj->mj_deleteModel(w->model);
    sac_mujoco_model_release(w->shared);
    sac_free(w->state);
    sac_free(w);
}

// ---- episodes

static sac_status start(void *self)
{
    control_world *w = self;
    w->mj->mj_resetData(w->model, w->data);
    sac_world_forward(w);
    SAC_TRY(w->task->reset(w));
    sac_world_forward(w);
    return SAC_OK;
}

sac_status sac_world_reset(control_world *w, uint64_t seed)
{
    if (seed != SAC_SEED_NEXT) sac_mersenne_seed(&w->random, seed);
    return sac_mujoco_guard(start, w);
}

static int broken(const control_world *w)
{
    const mjWarningStat *warnings = w->data->warning;
    return warnings[mjWARN_BADQPOS].number + warnings[mjWARN_BADQVEL].number + warnings[mjWARN_BADQACC].number +
           warnings[mjWARN_BADCTRL].number;
}

static sac_status advance(void *self)
{
    control_world *w = self;
    sac_world_advance(w, w->substeps);
    return SAC_OK;
}

sac_status sac_world_step(control_world *w, const double *control, double *reward)
{
    int before = broken(w);
    memcpy(w->data->ctrl, control, (size_t)w->model->nu * sizeof *control);
    SAC_TRY(sac_mujoco_guard(advance, w));
    *reward = broken(w) == before ? w->task->reward(w) : (double)NAN;
    return SAC_OK;
}

void sac_world_observe(const control_world *w, control_numbers *numbers)
{
    numbers->count = 0;
    w->task->observe(w, numbers);
}

static sac_status settle(void *self)
{
    control_world *w = self;
    w->mj->mj_forward(w->model, w->data);
    return SAC_OK;
}

sac_status sac_world_settle(control_world *w)
{
    return sac_mujoco_guard(settle, w);
}

// ---- snapshots

// Computes from the restored state what the step before would have left for the next one.
static sac_status derive(void *self)
{
    control_world *w = self;
    w->mj->mj_setState(w->model, w->data, w->state, mjSTATE_INTEGRATION);
    w->mj->mj_step1(w->model, w->data);
    return SAC_OK;
}

sac_status sac_world_snapshot(control_world *w, sac_snapshot *snapshot)
{
    const mjModel *m = w->model;
    if (snapshot->way == SAC_SNAPSHOT_SAVE) w->mj->mj_getState(m, w->data, w->state, mjSTATE_INTEGRATION);
    sac_snapshot_part(snapshot, w->state, (size_t)w->mj->mj_stateSize(m, mjSTATE_INTEGRATION) * sizeof *w->state);
    sac_snapshot_part(snapshot, &w->random, sizeof w->random);
    // Tasks move targets, which are geoms of the world's own model.
    sac_snapshot_part(snapshot, m->geom_pos, 3 * (size_t)m->ngeom * sizeof *m->geom_pos);
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) SAC_TRY(sac_mujoco_guard(derive, w));
    // Sensors of acceleration and force hold the last step's readings, which are observed and cannot be computed again.
    sac_snapshot_part(snapshot, w->data->sensordata, (size_t)m->nsensordata * sizeof *w->data->sensordata);
    return SAC_OK;
}

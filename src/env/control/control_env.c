#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/control/difference.h"
#include "env/control/frame_stack.h"
#include "env/control/suite.h"
#include "env/control/view.h"

enum
{
    NAME_SIZE = 32
};

typedef struct control_env
{
    control_config config;
    control_world *world;
    control_distraction *distraction; // NULL: none
    control_view *view, *poster;
    control_difference *difference; // NULL: pictures are shown as they are
    control_frame_stack *stack;     // NULL: one picture is shown at a time
    int poster_height, poster_width;
    uint64_t seed, episode;
    int step; // control steps of this episode
    bool started, has_precise;
    double precise[CONTROL_MAX_ACTIONS];
    float low[CONTROL_MAX_ACTIONS], high[CONTROL_MAX_ACTIONS];
    const char *action_names[CONTROL_MAX_ACTIONS];
    bool tells; // the state is an observation for everyone, and there is no picture
    control_numbers numbers;
    sac_space parts[2]; // camera and state, or state alone
    int column_count;
    sac_env_column columns[CONTROL_MAX_COLUMNS + CONTROL_MAX_NUMBERS];
    char names[CONTROL_MAX_COLUMNS + CONTROL_MAX_NUMBERS][NAME_SIZE];
} control_env;

// ---- life

static void add_column(control_env *e, const char *part, int place)
{
    char *name = e->names[e->column_count];
    snprintf(name, NAME_SIZE, "%s%d", part, place);
    e->columns[e->column_count++] = (sac_env_column){name, SAC_COLUMN_DOUBLE};
}

enum
{
    CAMERA,
    STATE
};

// The numbers that dm_control's agents are told are for teachers alone, unless the option asks for them.
static void describe_parts(control_env *e)
{
    const control_config *config = &e->config;
    e->parts[CAMERA] = (sac_space){
        .name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {config->height, config->width, 3 * config->frame_stack}};
    e->parts[STATE] =
        (sac_space){.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {e->numbers.count}, .privileged = !e->tells};
}

static void describe(control_env *e)
{
    const mjModel *m = e->world->model;
    for (int i = 0; i < m->nu; i++)
    {
        e->low[i] = m->actuator_ctrllimited[i] ? (float)m->actuator_ctrlrange[2 * i] : -INFINITY;
        e->high[i] = m->actuator_ctrllimited[i] ? (float)m->actuator_ctrlrange[2 * i + 1] : INFINITY;
        e->action_names[i] = m->names + m->name_actuatoradr[i];
    }
    for (int i = 0; i < m->nq; i++) add_column(e, "qpos", i);
    for (int i = 0; i < m->nv; i++) add_column(e, "qvel", i);
    sac_world_observe(e->world, &e->numbers);
    describe_parts(e);
    for (int i = 0; e->tells && i < e->numbers.count; i++) add_column(e, e->numbers.part[i], e->numbers.place[i]);
}

static sac_mujoco_view_def view_def(const control_config *config, int height, int width)
{
    return (sac_mujoco_view_def){.height = height,
                                 .width = width,
                                 .camera = config->camera,
                                 .shadows = config->shadows,
                                 .reflections = config->reflections,
                                 .antialias = config->antialias,
                                 .opengl = strcmp(config->renderer, "opengl") == 0};
}

// What is shown to agents: nothing where they are told the state instead.
static sac_status create_view(control_env *e, const char *variant)
{
    const control_config *config = &e->config;
    const bool background = strstr(variant, "background") != NULL;
    sac_mujoco_view_def def = view_def(config, config->height, config->width);
    if (def.opengl && background)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: renderer opengl shows no background, only camera and color",
                        e->world->task->id);
    if (e->tells) return SAC_OK;
    SAC_TRY(sac_control_view_create(&e->view, e->world, &def, background));
    const size_t pixels = (size_t)def.height * (size_t)def.width;
    if (config->frame_stack > 1) SAC_TRY(sac_frame_stack_create(&e->stack, config->frame_stack, pixels));
    return strcmp(config->subtract, "first") == 0 ? sac_difference_create(&e->difference, 3 * pixels) : SAC_OK;
}

static sac_status create_parts(control_env *e, const char *variant, const control_task *task)
{
    const control_config *config = &e->config;
    SAC_TRY(sac_world_create(&e->world, task, config->models));
    e->world->circular = config->circular;
    distraction_def distraction = {.variant = variant,
                                   .camera = config->camera,
                                   .pictures = config->background,
                                   .plain = !config->shadows && !config->reflections,
                                   .redraw = config->redraw,
                                   .weakest = config->weakest,
                                   .strongest = config->strongest};
    SAC_TRY(sac_distraction_create(&e->distraction, e->world, &distraction));
    SAC_TRY(create_view(e, variant));
    describe(e);
    return SAC_OK;
}

sac_status sac_control_create(void **self, const void *config, const char *variant, const control_task *task)
{
    control_env *e = SAC_NEW(control_env);
    if (!e) return sac_fail_memory(task->id);
    e->config = *(const control_config *)config;
    e->tells = strcmp(e->config.observe, "state") == 0;
    sac_status status = create_parts(e, variant, task);
    if (status != SAC_OK)
        sac_control_destroy(e);
    else
        *self = e;
    return status;
}

void sac_control_destroy(void *self)
{
    control_env *e = self;
    if (!e) return;
    sac_distraction_destroy(e->distraction);
    sac_control_view_destroy(e->view);
    sac_control_view_destroy(e->poster);
    sac_difference_destroy(e->difference);
    sac_frame_stack_destroy(e->stack);
    sac_world_destroy(e->world);
    sac_free(e);
}

void sac_control_spec(const void *self, sac_env_spec *spec)
{
    const control_env *e = self;
    const control_config *config = &e->config;
    const mjModel *m = e->world->model;
    *spec = (sac_env_spec){.observations = e->tells ? &e->parts[STATE] : e->parts,
                           .observation_count = e->tells ? 1 : 2,
                           .action_size = (int)m->nu,
                           .action_low = e->low,
                           .action_high = e->high,
                           .max_steps = (config->control_steps + config->action_repeat - 1) / config->action_repeat,
                           .columns = e->columns,
                           .column_count = e->column_count,
                           .lanes = 1, // a model each, and nothing to gain
                           .action_names = e->action_names,
                           .picture_aspect = (float)config->width / (float)config->height,
                           .picture_same_view = !e->tells};
}

// ---- episodes

// rgb may be NULL; an episode's first picture is drawn all the same where later ones are compared with it, and each
// where it is shown again beside the next.
static sac_status look(control_env *e, uint8_t *rgb)
{
    uint8_t *first = e->difference ? sac_difference_missing(e->difference) : NULL;
    if (first) SAC_TRY(sac_control_view_draw(e->view, e->world, e->distraction, first));
    uint8_t *now = e->stack ? sac_frame_stack_next(e->stack) : rgb;
    if (!now) return SAC_OK;
    SAC_TRY(sac_control_view_draw(e->view, e->world, e->distraction, now));
    if (e->difference) sac_difference_take(e->difference, now);
    if (e->stack) sac_frame_stack_take(e->stack, rgb);
    return SAC_OK;
}

static sac_status show(control_env *e, const sac_env_row *row)
{
    float *state = row->parts[e->tells ? 0 : STATE];
    if (e->tells || state) sac_world_observe(e->world, &e->numbers);
    for (int i = 0; state && i < e->numbers.count; i++) state[i] = (float)e->numbers.value[i];
    return e->tells ? SAC_OK : look(e, row->parts[CAMERA]);
}

// What is shown next is an episode's first picture.
static void forget_pictures(control_env *e)
{
    if (e->difference) sac_difference_restart(e->difference);
    if (e->stack) sac_frame_stack_restart(e->stack);
}

sac_status sac_control_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    control_env *e = self;
    e->episode = seed == SAC_SEED_NEXT ? e->episode + 1 : 0;
    if (seed != SAC_SEED_NEXT) e->seed = seed;
    e->step = 0;
    e->started = true;
    e->has_precise = false;
    SAC_TRY(sac_world_reset(e->world, seed));
    // Distractions draw from numbers of their own, so that they change no state.
    sac_distraction_reset(e->distraction, e->world, e->episode ? sac_mix_seed(e->seed, e->episode, 0) : e->seed);
    forget_pictures(e);
    return show(e, row);
}

void sac_control_precise(void *self, const double *action)
{
    control_env *e = self;
    memcpy(e->precise, action, (size_t)e->world->model->nu * sizeof *action);
    e->has_precise = true;
}

// Takes the action; false when it holds NaN, which never reaches the world.
static bool take_action(control_env *e, const float *action)
{
    bool good = true;
    for (int i = 0; i < e->world->model->nu; i++)
    {
        if (!e->has_precise) e->precise[i] = (double)action[i];
        good = good && !isnan(e->precise[i]);
    }
    e->has_precise = false;
    return good;
}

sac_status sac_control_step(void *self, const sac_env_row *row)
{
    control_env *e = self;
    double sum = take_action(e, row->action) ? 0 : (double)NAN;
    for (int i = 0; i < e->config.action_repeat && e->step < e->config.control_steps && !isnan(sum); i++)
    {
        double reward;
        SAC_TRY(sac_world_step(e->world, e->precise, &reward));
        sac_distraction_step(e->distraction, e->world);
        sum += reward;
        e->step++;
    }
    *row->reward = sum;
    *row->terminated = (uint8_t)isnan(sum);
    *row->truncated = !isnan(sum) && e->step >= e->config.control_steps;
    return show(e, row);
}

void sac_control_state(const void *self, double *values)
{
    const control_env *e = self;
    const mjModel *m = e->world->model;
    memcpy(values, e->world->data->qpos, (size_t)m->nq * sizeof *values);
    memcpy(values + m->nq, e->world->data->qvel, (size_t)m->nv * sizeof *values);
    if (e->tells) memcpy(values + m->nq + m->nv, e->numbers.value, (size_t)e->numbers.count * sizeof *values);
}

// Pictures for people are antialiased, and never differences.
sac_status sac_control_picture(void *self, uint8_t *rgb, int height, int width)
{
    control_env *e = self;
    if (!e->started) return sac_fail(SAC_ERROR_ARGUMENT, "%s: picture before reset", e->world->task->id);
    if (height != e->poster_height || width != e->poster_width)
    {
        sac_control_view_destroy(e->poster);
        e->poster = NULL;
        e->poster_height = e->poster_width = 0;
        sac_mujoco_view_def def = view_def(&e->config, height, width);
        def.antialias = true;
        SAC_TRY(sac_control_view_create(&e->poster, e->world, &def, sac_distraction_backdrop(e->distraction) != NULL));
        e->poster_height = height;
        e->poster_width = width;
    }
    return sac_control_view_draw(e->poster, e->world, e->distraction, rgb);
}

// ---- stored states

sac_status sac_control_snapshot(void *self, sac_snapshot *snapshot)
{
    control_env *e = self;
    sac_snapshot_part(snapshot, &e->seed, sizeof e->seed);
    sac_snapshot_part(snapshot, &e->episode, sizeof e->episode);
    sac_snapshot_part(snapshot, &e->step, sizeof e->step);
    SAC_TRY(sac_world_snapshot(e->world, snapshot));
    sac_distraction_snapshot(e->distraction, e->world, snapshot);
    if (e->difference) sac_difference_snapshot(e->difference, snapshot);
    if (e->stack) sac_frame_stack_snapshot(e->stack, snapshot);
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) e->has_precise = false, e->started = true;
    return SAC_OK;
}

static sac_status take_field(control_env *e, const sac_env_field *field, double *warmstart)
{
    const control_world *w = e->world;
    int target = w->mj->mj_name2id(w->model, mjOBJ_GEOM, "target");
    const struct
    {
        const char *name;
        double *to;
        mjtSize count;
    } places[] = {
        {"qpos", w->data->qpos, w->model->nq},
        {"qvel", w->data->qvel, w->model->nv},
        {"qacc_warmstart", warmstart, w->model->nv},
        {"target_geom_pos", target >= 0 ? w->model->geom_pos + 3 * target : NULL, 3},
    };
    for (int i = 0; i < 4; i++)
    {
        if (strcmp(field->name, places[i].name) != 0 || !places[i].to) continue;
        if (field->count != (size_t)places[i].count)
            return sac_fail(SAC_ERROR_FORMAT, "%s: '%s' holds %zu numbers, expected %d", w->task->id, field->name,
                            field->count, (int)places[i].count);
        memcpy(places[i].to, field->values, field->count * sizeof(double));
        return SAC_OK;
    }
    return SAC_OK; // whatever else is in the file is for others
}

static bool has(const sac_env_field *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0) return true;
    return false;
}

sac_status sac_control_set_state(void *self, const sac_env_field *fields, int count, const sac_env_row *row)
{
    control_env *e = self;
    const char *id = e->world->task->id;
    double warmstart[CONTROL_MAX_COLUMNS] = {0};
    if (!has(fields, count, "qpos") || !has(fields, count, "qvel"))
        return sac_fail(SAC_ERROR_FORMAT, "%s: a stored state needs qpos and qvel", id);
    for (int i = 0; i < count; i++) SAC_TRY(take_field(e, &fields[i], warmstart));
    SAC_TRY(sac_world_settle(e->world));
    memcpy(e->world->data->qacc_warmstart, warmstart, (size_t)e->world->model->nv * sizeof *warmstart);
    sac_distraction_reset(e->distraction, e->world, e->seed);
    forget_pictures(e);
    return show(e, row);
}

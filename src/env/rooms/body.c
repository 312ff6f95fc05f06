#include "env/rooms/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "env/mujoco/boxes.h"
#include "env/rooms/mjcf.h"
#include "env/rooms/robot.h"

// m around the robot in which pieces are in the model: its radius, and what an action takes it at most, 2 m/s for 0.2 s
static const double near_by = 0.6;

// --- life

static sac_status find(int *id, const rooms_body *b, mjtObj type, const char *name)
{
    *id = b->mj->mj_name2id(b->model, (int)type, name);
    return *id >= 0 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "the model has no element '%s'", name);
}

static sac_status find_all(rooms_body *b, bool drawn)
{
    int joint, y, turn;
    SAC_TRY(find(&b->robot, b, mjOBJ_BODY, "saccade-robot"));
    SAC_TRY(find(&joint, b, mjOBJ_JOINT, "saccade-x"));
    SAC_TRY(find(&y, b, mjOBJ_JOINT, "saccade-y"));
    SAC_TRY(find(&turn, b, mjOBJ_JOINT, "saccade-turn"));
    SAC_ASSERT(y == joint + 1 && turn == joint + 2);
    b->joints = b->model->jnt_qposadr[joint];
    b->rates = b->model->jnt_dofadr[joint];
    if (!drawn) return SAC_OK;
    SAC_TRY(find(&b->boxes, b, mjOBJ_BODY, "box0"));
    return find(&b->rounds, b, mjOBJ_BODY, "round0");
}

// Models are told apart by what they are made of.
static sac_status load(rooms_body *b, const char *file, double step)
{
    char name[SAC_TEXT_SIZE + 64];
    sac_growing text = {0};
    snprintf(name, sizeof name, "%s", file ? file : "rooms");
    if (!file) snprintf(name, sizeof name, "rooms: %.17g s", step);
    sac_rooms_mjcf(&text, file, step);
    sac_grow_text(&text, "%c", 0);
    sac_status status = text.failed ? sac_fail_memory("a robot's model")
                                    : sac_mujoco_model_acquire_text(&b->shared, b->mj, name, text.bytes);
    sac_grow_clear(&text);
    return status;
}

static sac_status make(rooms_body *b, const char *file, double step)
{
    SAC_TRY(sac_mujoco_open(&b->mj));
    SAC_TRY(load(b, file, step));
    b->model = b->mj->mj_copyModel(NULL, b->shared->model);
    if (!b->model) return sac_fail_memory("a robot's model");
    b->model->opt.timestep = step;
    b->data = b->mj->mj_makeData(b->model);
    b->state = SAC_NEW_ARRAY(double, (size_t)b->mj->mj_stateSize(b->model, mjSTATE_INTEGRATION));
    if (!b->data || !b->state) return sac_fail_memory("a robot's data");
    return find_all(b, !file);
}

sac_status sac_rooms_body_create(rooms_body **out, const char *file, double step)
{
    *out = NULL;
    rooms_body *b = SAC_NEW(rooms_body);
    if (!b) return sac_fail_memory("a robot");
    sac_status status = make(b, file && *file ? file : NULL, step);
    if (status != SAC_OK)
        sac_rooms_body_destroy(b);
    else
        *out = b;
    return status;
}

void sac_rooms_body_destroy(rooms_body *b)
{
    if (!b) return;
    if (b->data) b->mj->mj_deleteData(b->data);
    if (b->model) b->mj->mj_deleteModel(b->model);
    sac_mujoco_model_release(b->shared);
    sac_free(b->state);
    sac_free(b);
}

// --- the plan

static double away(const rooms_piece *p, double x, double y)
{
    const double right = fabs(x - p->center[0]) - p->half[0], up = fabs(y - p->center[1]) - p->half[1];
    return fmax(right, up);
}

// Lay the pieces of one kind that are near the robot out in the model; places that are left over are far below.
static void lay_out_kind(rooms_body *b, const rooms_piece *pieces, int count, int first, int room, double radius)
{
    static const double nowhere[3] = {0, 0, -100}, small[3] = {0.1, 0.1, 0.1};
    const double *at = b->data->qpos + b->joints;
    int used = 0;
    for (int i = 0; i < count && used < room; i++)
    {
        const rooms_piece *p = &pieces[i];
        if (away(p, at[0], at[1]) > radius) continue;
        const double center[3] = {p->center[0], p->center[1], p->height / 2};
        const double half[3] = {p->half[0], p->half[1], p->height / 2};
        sac_mujoco_put(b->model, first + used++, center, half, 0);
    }
    while (used < room) sac_mujoco_put(b->model, first + used++, nowhere, small, 0);
}

static void lay_out(rooms_body *b)
{
    if (!b->plan) return;
    lay_out_kind(b, b->plan->boxes, b->plan->box_count, b->boxes, ROOMS_NEAR_BOXES, near_by);
    lay_out_kind(b, b->plan->rounds, b->plan->round_count, b->rounds, ROOMS_NEAR_ROUNDS, near_by);
}

// --- episodes

static sac_status start(void *self)
{
    rooms_body *b = self;
    lay_out(b);
    b->mj->mj_forward(b->model, b->data);
    return SAC_OK;
}

sac_status sac_rooms_body_reset(rooms_body *b, const rooms_plan *plan, double x, double y, double yaw)
{
    b->plan = plan;
    b->mj->mj_resetData(b->model, b->data);
    double *at = b->data->qpos + b->joints;
    at[0] = x;
    at[1] = y;
    at[2] = yaw;
    return sac_mujoco_guard(start, b);
}

rooms_place sac_rooms_body_place(const rooms_body *b)
{
    const double *at = b->data->qpos + b->joints;
    rooms_place place = {.x = at[0], .y = at[1]};
    sac_series_sin_cos(at[2], &place.sine, &place.cosine);
    return place;
}

void sac_rooms_body_speed(const rooms_body *b, double *ahead, double *turning)
{
    const rooms_place place = sac_rooms_body_place(b);
    const double *v = b->data->qvel + b->rates;
    *ahead = place.cosine * v[0] + place.sine * v[1];
    *turning = v[2];
}

static double within(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

// Each wheel pushes by as much as it is slower than it is told to be, and both keep the base from sliding to the side,
// as far as they grip.
static void push(rooms_body *b, const double speeds[2])
{
    const rooms_place place = sac_rooms_body_place(b);
    const double *v = b->data->qvel + b->rates, grip = ROOMS_GRIP * ROOMS_MASS * 9.81 / 2;
    const double ahead = place.cosine * v[0] + place.sine * v[1], aside = place.cosine * v[1] - place.sine * v[0];
    const double left = within(ROOMS_EAGER * (speeds[0] - ahead + v[2] * ROOMS_TRACK / 2), grip);
    const double right = within(ROOMS_EAGER * (speeds[1] - ahead - v[2] * ROOMS_TRACK / 2), grip);
    const double forward = left + right, sideways = within(-ROOMS_SIDES * aside, 2 * grip);
    double *force = b->data->qfrc_applied + b->rates;
    force[0] = place.cosine * forward - place.sine * sideways;
    force[1] = place.sine * forward + place.cosine * sideways;
    force[2] = (right - left) * ROOMS_TRACK / 2;
}

static bool is_robot(const rooms_body *b, int geom)
{
    return geom >= 0 && b->model->geom_bodyid[geom] == b->robot;
}

// What it touches with its side counts, and not the floor of a user's model under it.
static bool touches(const rooms_body *b)
{
    for (int i = 0; i < b->data->ncon; i++)
    {
        const mjContact *c = &b->data->contact[i];
        if ((is_robot(b, c->geom[0]) || is_robot(b, c->geom[1])) && fabs(c->frame[2]) < 0.9) return true;
    }
    return false;
}

static int warnings(const rooms_body *b)
{
    const mjWarningStat *w = b->data->warning;
    return w[mjWARN_BADQPOS].number + w[mjWARN_BADQVEL].number + w[mjWARN_BADQACC].number + w[mjWARN_BADCTRL].number;
}

typedef struct advancing
{
    rooms_body *body;
    const double *speeds;
    int count;
    bool bumped;
} advancing;

static sac_status advance(void *self)
{
    advancing *a = self;
    rooms_body *b = a->body;
    lay_out(b);
    for (int i = 0; i < a->count; i++)
    {
        push(b, a->speeds);
        b->mj->mj_step(b->model, b->data);
        a->bumped = a->bumped || touches(b);
    }
    return SAC_OK;
}

sac_status sac_rooms_body_advance(rooms_body *b, const double speeds[2], int count, bool *bumped, bool *broken)
{
    const int before = warnings(b);
    advancing a = {.body = b, .speeds = speeds, .count = count};
    SAC_TRY(sac_mujoco_guard(advance, &a));
    *bumped = a.bumped;
    *broken = warnings(b) != before;
    return SAC_OK;
}

static sac_status settle(void *self)
{
    rooms_body *b = self;
    b->mj->mj_kinematics(b->model, b->data);
    b->mj->mj_comPos(b->model, b->data);
    b->mj->mj_camlight(b->model, b->data);
    return SAC_OK;
}

sac_status sac_rooms_body_settle(rooms_body *b)
{
    return sac_mujoco_guard(settle, b);
}

static sac_status collide(void *self)
{
    rooms_body *b = self;
    b->mj->mj_kinematics(b->model, b->data);
    b->mj->mj_comPos(b->model, b->data);
    b->mj->mj_collision(b->model, b->data);
    return SAC_OK;
}

sac_status sac_rooms_body_touches(rooms_body *b, double x, double y, double margin, bool *out)
{
    double *at = b->data->qpos + b->joints, kept[2] = {at[0], at[1]};
    const int geom = b->model->body_geomadr[b->robot];
    const double plain = b->model->geom_margin[geom];
    at[0] = x;
    at[1] = y;
    b->model->geom_margin[geom] = margin;
    sac_status status = sac_mujoco_guard(collide, b);
    *out = touches(b);
    b->model->geom_margin[geom] = plain;
    at[0] = kept[0];
    at[1] = kept[1];
    return status;
}

// --- snapshots

static sac_status derive(void *self)
{
    rooms_body *b = self;
    b->mj->mj_setState(b->model, b->data, b->state, mjSTATE_INTEGRATION);
    lay_out(b);
    b->mj->mj_forward(b->model, b->data);
    // mj_forward has moved the warm start on: the next step begins with what the saved world had
    b->mj->mj_setState(b->model, b->data, b->state, mjSTATE_INTEGRATION);
    return SAC_OK;
}

sac_status sac_rooms_body_snapshot(rooms_body *b, sac_snapshot *snapshot, const rooms_plan *plan)
{
    const mjModel *m = b->model;
    if (snapshot->way == SAC_SNAPSHOT_SAVE) b->mj->mj_getState(m, b->data, b->state, mjSTATE_INTEGRATION);
    sac_snapshot_part(snapshot, b->state, (size_t)b->mj->mj_stateSize(m, mjSTATE_INTEGRATION) * sizeof *b->state);
    if (snapshot->way != SAC_SNAPSHOT_RESTORE) return SAC_OK;
    b->plan = plan;
    return sac_mujoco_guard(derive, b);
}

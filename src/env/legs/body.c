#include "env/legs/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numerics/arc_tangent.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "env/legs/mjcf.h"
#include "env/mujoco/boxes.h"

enum
{
    FREE_POSITIONS = 7, // of the trunk: place and quaternion
    FREE_RATES = 6
};

// --- life

static sac_status find(int *id, const legs_body *b, mjtObj type, const char *name)
{
    *id = b->mj->mj_name2id(b->model, (int)type, name);
    return *id >= 0 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "the model has no element '%s'", name);
}

static sac_status find_all(legs_body *b)
{
    static const char *const cameras[LEGS_CAMERAS] = {"front", "belly", "ahead", "chase"};
    SAC_TRY(find(&b->trunk, b, mjOBJ_BODY, "trunk"));
    SAC_TRY(find(&b->trunk_geom, b, mjOBJ_GEOM, "trunk"));
    if (b->room > 0) SAC_TRY(find(&b->pieces, b, mjOBJ_BODY, "piece0"));
    for (int i = 0; i < LEGS_CAMERAS; i++) SAC_TRY(find(&b->cameras[i], b, mjOBJ_CAMERA, cameras[i]));
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        char name[32];
        snprintf(name, sizeof name, "%s-thigh", sac_legs_names[leg]);
        SAC_TRY(find(&b->thighs[leg], b, mjOBJ_GEOM, name));
    }
    return SAC_OK;
}

// Models are told apart by what they are made of.
static sac_status load(legs_body *b, legs_course course, double step)
{
    char name[128];
    sac_growing text = {0};
    const double floor = sac_legs_terrain_floor(course);
    snprintf(name, sizeof name, "legs: %s, %.17g s, %d boxes on %g", b->robot->name, step, b->room, floor);
    sac_legs_mjcf(&text, b->robot, step, b->room, floor);
    sac_grow_text(&text, "%c", 0);
    sac_status status = text.failed ? sac_fail_memory("a robot's model")
                                    : sac_mujoco_model_acquire_text(&b->shared, b->mj, name, text.bytes);
    sac_grow_clear(&text);
    return status;
}

static sac_status make(legs_body *b, legs_course course, double step)
{
    SAC_TRY(sac_mujoco_open(&b->mj));
    SAC_TRY(load(b, course, step));
    b->terrain = SAC_NEW(legs_terrain);
    b->model = b->mj->mj_copyModel(NULL, b->shared->model);
    if (!b->model || !b->terrain) return sac_fail_memory("a robot's model");
    b->data = b->mj->mj_makeData(b->model);
    b->state = SAC_NEW_ARRAY(double, (size_t)b->mj->mj_stateSize(b->model, mjSTATE_INTEGRATION));
    if (!b->data || !b->state) return sac_fail_memory("a robot's data");
    return find_all(b);
}

sac_status sac_legs_body_create(legs_body **out, const legs_robot *robot, legs_course course, double step)
{
    *out = NULL;
    legs_body *b = SAC_NEW(legs_body);
    if (!b) return sac_fail_memory("a robot");
    b->robot = robot;
    b->room = sac_legs_terrain_room(course);
    sac_status status = make(b, course, step);
    if (status != SAC_OK)
        sac_legs_body_destroy(b);
    else
        *out = b;
    return status;
}

void sac_legs_body_destroy(legs_body *b)
{
    if (!b) return;
    if (b->data) b->mj->mj_deleteData(b->data);
    if (b->model) b->mj->mj_deleteModel(b->model);
    sac_mujoco_model_release(b->shared);
    sac_free(b->terrain);
    sac_free(b->state);
    sac_free(b);
}

// --- the ground

static void put(legs_body *b, int place, const legs_piece *piece)
{
    const int body = b->pieces + place, geom = b->model->body_geomadr[body];
    static const legs_piece nowhere = {.center = {0, 0, -100}, .half = {0.1, 0.1, 0.1}};
    if (!piece) piece = &nowhere;
    sac_mujoco_put(b->model, body, piece->center, piece->half, piece->turn);
    memcpy(b->model->geom_rgba + (ptrdiff_t)4 * geom, piece->rgba, sizeof piece->rgba);
}

static void lay_out(legs_body *b, int first)
{
    b->first = first;
    for (int i = 0; i < b->room; i++) put(b, i, sac_legs_terrain_near(b->terrain, first, i));
}

static void lay_out_near(legs_body *b)
{
    const int first = sac_legs_terrain_first(b->terrain, b->room, b->data->qpos[0]);
    if (first != b->first) lay_out(b, first);
}

// --- what is changed in an episode

static void turn_camera(double quat[4], const double from[4], const double tilt[3])
{
    memcpy(quat, from, 4 * sizeof *quat);
    for (int axis = 0; axis < 3; axis++)
    {
        double s, c, q[4];
        sac_series_sin_cos(tilt[axis] / 2, &s, &c);
        const double r[4] = {c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0};
        q[0] = quat[0] * r[0] - quat[1] * r[1] - quat[2] * r[2] - quat[3] * r[3];
        q[1] = quat[0] * r[1] + quat[1] * r[0] + quat[2] * r[3] - quat[3] * r[2];
        q[2] = quat[0] * r[2] - quat[1] * r[3] + quat[2] * r[0] + quat[3] * r[1];
        q[3] = quat[0] * r[3] + quat[1] * r[2] - quat[2] * r[1] + quat[3] * r[0];
        memcpy(quat, q, sizeof q);
    }
}

// The load is a point on the trunk's upper side, which moves its centre of mass and adds to its inertia.
static void put_load(legs_body *b)
{
    const legs_robot *r = b->robot;
    const double load = b->changes.load, mass = r->mass + load, up = r->trunk_center[2] + r->trunk[2];
    const double place[3] = {b->changes.load_place[0], b->changes.load_place[1], up};
    mjModel *m = b->model;
    if (m->body_mass[b->trunk] == mass && load == 0) return;
    m->body_mass[b->trunk] = mass;
    m->body_sameframe[b->trunk] = mjSAMEFRAME_NONE; // the centre of mass is no longer at the body's origin
    for (int i = 0; i < 3; i++)
    {
        const double y = place[(i + 1) % 3] - r->center[(i + 1) % 3], z = place[(i + 2) % 3] - r->center[(i + 2) % 3];
        m->body_ipos[3 * b->trunk + i] = (r->mass * r->center[i] + load * place[i]) / mass;
        m->body_inertia[3 * b->trunk + i] = r->inertia[i] + r->mass * load / mass * (y * y + z * z);
    }
    const mjStatistic kept = m->stat; // the size of the world is the model's own
    b->mj->mj_setConst(m, b->data);   // what follows from masses
    m->stat = kept;
}

static void change(legs_body *b)
{
    const legs_changes *c = &b->changes;
    mjModel *m = b->model;
    const mjModel *plain = b->shared->model;
    for (int i = 0; i < (int)m->ngeom; i++) m->geom_friction[3 * i] = plain->geom_friction[3 * i] * c->friction;
    for (int i = 0; i < LEGS_CHASE; i++)
    {
        const ptrdiff_t camera = b->cameras[i];
        for (int k = 0; k < 3; k++) m->cam_pos[3 * camera + k] = plain->cam_pos[3 * camera + k] + c->camera_shift[k];
        turn_camera(m->cam_quat + 4 * camera, plain->cam_quat + 4 * camera, c->camera_tilt);
    }
    put_load(b);
    b->late = (int)(c->latency / m->opt.timestep + 0.5);
    SAC_ASSERT(b->late < LEGS_LATE);
}

// --- episodes

static void remember(legs_body *b)
{
    double(*past)[LEGS_MOTORS] = b->past[b->steps % LEGS_LATE];
    memcpy(past[0], b->data->qpos + FREE_POSITIONS, sizeof past[0]);
    memcpy(past[1], b->data->qvel + FREE_RATES, sizeof past[1]);
}

static sac_status start(void *self)
{
    legs_body *b = self;
    change(b);
    b->mj->mj_resetData(b->model, b->data);
    for (int i = 0; i < LEGS_MOTORS; i++) b->data->qpos[FREE_POSITIONS + i] = b->robot->home[i % SAC_LEG_JOINTS];
    lay_out(b, sac_legs_terrain_first(b->terrain, b->room, 0));
    b->steps = 0;
    remember(b);
    b->mj->mj_forward(b->model, b->data);
    return SAC_OK;
}

sac_status sac_legs_body_reset(legs_body *b, const legs_terrain_def *course, uint64_t seed, const legs_changes *changes)
{
    sac_legs_terrain_draw(b->terrain, course, seed);
    b->changes = *changes;
    return sac_mujoco_guard(start, b);
}

typedef struct advancing
{
    legs_body *body;
    sac_motor (*motors)[SAC_LEG_JOINTS];
    int count;
} advancing;

// tau = kp (q* - q) + kd (0 - q') + tau*, within what the motor can; q and q' as they were `late` steps ago
static void press(legs_body *b, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS])
{
    const int then = b->steps > b->late ? b->steps - b->late : 0;
    double(*past)[LEGS_MOTORS] = b->past[then % LEGS_LATE];
    for (int i = 0; i < LEGS_MOTORS; i++)
    {
        const sac_motor *m = &motors[i / SAC_LEG_JOINTS][i % SAC_LEG_JOINTS];
        const double most = b->robot->torque[i % SAC_LEG_JOINTS];
        const double torque = m->kp * (m->q - past[0][i]) - m->kd * past[1][i] + m->torque;
        b->data->ctrl[i] = torque > most ? most : torque < -most ? -most : torque;
    }
}

static sac_status advance(void *self)
{
    const advancing *a = self;
    legs_body *b = a->body;
    lay_out_near(b);
    for (int i = 0; i < a->count; i++)
    {
        // Sensors are read after the last step alone.
        b->model->opt.disableflags = i + 1 < a->count ? mjDSBL_SENSOR : 0;
        press(b, a->motors);
        b->mj->mj_step(b->model, b->data);
        b->steps++;
        remember(b);
    }
    return SAC_OK;
}

static int warnings(const legs_body *b)
{
    const mjWarningStat *w = b->data->warning;
    return w[mjWARN_BADQPOS].number + w[mjWARN_BADQVEL].number + w[mjWARN_BADQACC].number + w[mjWARN_BADCTRL].number;
}

sac_status sac_legs_body_advance(legs_body *b, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS], int count, bool *broken)
{
    const int before = warnings(b);
    SAC_TRY(sac_mujoco_guard(advance, &(advancing){b, motors, count}));
    *broken = warnings(b) != before;
    return SAC_OK;
}

// --- what is measured

// Roll, pitch and yaw of a quaternion, turned about z first, then y, then x.
static void angles(double out[3], const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double s = 2 * (w * y - z * x);
    out[0] = sac_arc_tangent(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    const double rest = 1 - s * s;
    out[1] = sac_arc_tangent(s, rest > 0 ? sqrt(rest) : 0);
    out[2] = sac_arc_tangent(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

void sac_legs_body_sense(const legs_body *b, sac_walk_senses *s)
{
    const double *q = b->data->qpos, *v = b->data->qvel;
    double a[3], sine, cosine;
    angles(a, q + 3);
    s->roll = a[0];
    s->pitch = a[1];
    memcpy(s->turning, v + 3, sizeof s->turning); // a free joint's rates are in the frame of the body
    sac_series_sin_cos(a[2], &sine, &cosine);
    s->velocity[0] = cosine * v[0] + sine * v[1];
    s->velocity[1] = cosine * v[1] - sine * v[0];
    s->velocity[2] = v[2];
    memcpy(s->joints, q + FREE_POSITIONS, sizeof s->joints);
    memcpy(s->rates, v + FREE_RATES, sizeof s->rates);
    for (int leg = 0; leg < SAC_LEGS; leg++) s->touches[leg] = b->data->sensordata[leg] > 0;
}

void sac_legs_body_acceleration(const legs_body *b, double acceleration[3])
{
    memcpy(acceleration, b->data->sensordata + SAC_LEGS, 3 * sizeof *acceleration);
}

void sac_legs_body_place(const legs_body *b, double place[4])
{
    double a[3];
    angles(a, b->data->qpos + 3);
    memcpy(place, b->data->qpos, 3 * sizeof *place);
    place[3] = a[2];
}

double sac_legs_body_ground(const legs_body *b, double x, double y)
{
    return sac_legs_terrain_height(b->terrain, b->first, b->room, x, y);
}

static bool is_frame(const legs_body *b, int geom)
{
    bool found = geom == b->trunk_geom;
    for (int leg = 0; leg < SAC_LEGS; leg++) found = found || geom == b->thighs[leg];
    return found;
}

bool sac_legs_body_hits(const legs_body *b)
{
    for (int i = 0; i < b->data->ncon; i++)
    {
        const int *geoms = b->data->contact[i].geom;
        if (is_frame(b, geoms[0]) || is_frame(b, geoms[1])) return true;
    }
    return false;
}

// --- pictures and snapshots

static sac_status settle(void *self)
{
    legs_body *b = self;
    lay_out_near(b);
    b->mj->mj_kinematics(b->model, b->data);
    b->mj->mj_comPos(b->model, b->data);
    b->mj->mj_camlight(b->model, b->data);
    return SAC_OK;
}

sac_status sac_legs_body_settle(legs_body *b)
{
    return sac_mujoco_guard(settle, b);
}

static sac_status derive(void *self)
{
    legs_body *b = self;
    change(b);
    b->mj->mj_setState(b->model, b->data, b->state, mjSTATE_INTEGRATION);
    b->mj->mj_forward(b->model, b->data);
    // mj_forward has moved the warm start on: the next step begins with what the saved world had
    b->mj->mj_setState(b->model, b->data, b->state, mjSTATE_INTEGRATION);
    return SAC_OK;
}

sac_status sac_legs_body_snapshot(legs_body *b, sac_snapshot *snapshot, const legs_terrain_def *course, uint64_t seed,
                                  const legs_changes *changes)
{
    const mjModel *m = b->model;
    if (snapshot->way == SAC_SNAPSHOT_SAVE) b->mj->mj_getState(m, b->data, b->state, mjSTATE_INTEGRATION);
    sac_snapshot_part(snapshot, b->state, (size_t)b->mj->mj_stateSize(m, mjSTATE_INTEGRATION) * sizeof *b->state);
    sac_snapshot_part(snapshot, &b->steps, sizeof b->steps);
    sac_snapshot_part(snapshot, b->past, sizeof b->past);
    int first = b->first;
    sac_snapshot_part(snapshot, &first, sizeof first);
    if (snapshot->way == SAC_SNAPSHOT_RESTORE)
    {
        sac_legs_terrain_draw(b->terrain, course, seed);
        b->changes = *changes;
        lay_out(b, first);
        SAC_TRY(sac_mujoco_guard(derive, b));
    }
    sac_snapshot_part(snapshot, b->data->sensordata, (size_t)m->nsensordata * sizeof *b->data->sensordata);
    return SAC_OK;
}

#include "env/grasp/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"
#include "grip/hand.h"

static const double pi = 3.14159265358979323846;
static const double waiting[3] = {0, 0, 0.75}; // m: the tip of a hand that waits is above what the camera sees

// --- life

static sac_status find(int *id, const grasp_table *t, mjtObj type, const char *name)
{
    *id = t->mj->mj_name2id(t->model, (int)type, name);
    return *id >= 0 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "the model has no element '%s'", name);
}

static sac_status find_all(grasp_table *t)
{
    static const char *const cameras[GRASP_CAMERAS] = {"camera", "wrist", "people"};
    static const char *const fingers[2] = {"left", "right"};
    SAC_TRY(find(&t->hand, t, mjOBJ_BODY, "hand"));
    t->hand_at = t->model->jnt_qposadr[t->model->body_jntadr[t->hand]];
    t->hand_rate = t->model->jnt_dofadr[t->model->body_jntadr[t->hand]];
    for (int i = 0; i < 2; i++)
    {
        int joint;
        SAC_TRY(find(&t->fingers[i], t, mjOBJ_BODY, fingers[i]));
        SAC_TRY(find(&joint, t, mjOBJ_JOINT, fingers[i]));
        SAC_TRY(find(&t->motors[i], t, mjOBJ_ACTUATOR, fingers[i]));
        t->finger_at[i] = t->model->jnt_qposadr[joint];
        t->finger_rate[i] = t->model->jnt_dofadr[joint];
    }
    for (int i = 0; i < GRASP_CAMERAS; i++) SAC_TRY(find(&t->cameras[i], t, mjOBJ_CAMERA, cameras[i]));
    for (int i = 0; i < t->count; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "thing%d", i);
        SAC_TRY(find(&t->things[i], t, mjOBJ_BODY, name));
    }
    for (int i = 0; i < t->meshes.count; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "mesh%d", i);
        SAC_TRY(find(&t->shelf[i], t, mjOBJ_GEOM, name));
    }
    return SAC_OK;
}

// Models are told apart by what they are made of.
static sac_status load(grasp_table *t, const grasp_model_def *def)
{
    sac_growing text = {0}, name = {0};
    sac_grow_text(&name, "grasp: %d things, %.17g s, friction %.17g, %.17g N, %.17g degrees", def->things, def->step,
                  def->friction, def->force, def->fov);
    for (int i = 0; i < t->meshes.count; i++)
        sac_grow_text(&name, ", %.17g m of %s", def->mesh_scale, t->meshes.all[i].path);
    sac_grow_text(&name, "%c", 0);
    sac_grasp_mjcf(&text, def, &t->meshes);
    sac_grow_text(&text, "%c", 0);
    sac_status status = text.failed || name.failed
                            ? sac_fail_memory("a model of a table")
                            : sac_mujoco_model_acquire_text(&t->shared, t->mj, name.bytes, text.bytes);
    sac_grow_clear(&text);
    sac_grow_clear(&name);
    return status;
}

static sac_status make(grasp_table *t, const grasp_model_def *def)
{
    SAC_TRY(sac_mujoco_open(&t->mj));
    if (def->meshes && def->meshes[0]) SAC_TRY(sac_grasp_meshes_open(&t->meshes, t->mj, def->meshes, def->mesh_scale));
    SAC_TRY(load(t, def));
    t->model = t->mj->mj_copyModel(NULL, t->shared->model);
    if (!t->model) return sac_fail_memory("a model of a table");
    t->data = t->mj->mj_makeData(t->model);
    t->state = SAC_NEW_ARRAY(double, (size_t)t->mj->mj_stateSize(t->model, mjSTATE_INTEGRATION));
    if (!t->data || !t->state) return sac_fail_memory("a table");
    return find_all(t);
}

sac_status sac_grasp_table_create(grasp_table **out, const grasp_model_def *def)
{
    *out = NULL;
    grasp_table *t = SAC_NEW(grasp_table);
    if (!t) return sac_fail_memory("a table");
    t->count = def->things;
    t->force = def->force;
    sac_status status = make(t, def);
    if (status != SAC_OK)
        sac_grasp_table_destroy(t);
    else
        *out = t;
    return status;
}

void sac_grasp_table_destroy(grasp_table *t)
{
    if (!t) return;
    if (t->data) t->mj->mj_deleteData(t->data);
    if (t->model) t->mj->mj_deleteModel(t->model);
    sac_mujoco_model_release(t->shared);
    sac_grasp_meshes_close(&t->meshes);
    sac_free(t->state);
    sac_free(t);
}

// --- rotations

// The quaternion of a rotation, by way of whichever of its four numbers is largest: 4 q_i q_j are sums of the
// rotation's numbers.
static void quaternion(double q[4], const double a[9])
{
    const double x = a[7] - a[5], y = a[2] - a[6], z = a[3] - a[1];
    const double xy = a[1] + a[3], xz = a[2] + a[6], yz = a[5] + a[7];
    const double products[4][4] = {{1 + a[0] + a[4] + a[8], x, y, z},
                                   {x, 1 + a[0] - a[4] - a[8], xy, xz},
                                   {y, xy, 1 - a[0] + a[4] - a[8], yz},
                                   {z, xz, yz, 1 - a[0] - a[4] + a[8]}};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (products[i][i] > products[largest][largest]) largest = i;
    const double twice = sqrt(products[largest][largest]);
    for (int i = 0; i < 4; i++) q[i] = products[largest][i] / (2 * twice);
}

// --- the layout

// What a solid is in MuJoCo's words
static void set_geom(mjModel *m, int geom, const grip_solid *s, const float rgba[4])
{
    static const int types[GRIP_KINDS] = {mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_ELLIPSOID, mjGEOM_CYLINDER, mjGEOM_BOX};
    static const double directions[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    grip_thing alone = {.solids = {*s}, .count = 1};
    double square = 0;
    m->geom_type[geom] = types[s->kind];
    memset(alone.solids[0].center, 0, sizeof alone.solids[0].center);
    memcpy(alone.solids[0].axes, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof alone.solids[0].axes);
    for (int i = 0; i < 3; i++)
    {
        const double half = sac_grip_reach(&alone, directions[i]);
        m->geom_size[3 * geom + i] = s->size[i];
        m->geom_pos[3 * geom + i] = s->center[i];
        m->geom_aabb[6 * geom + i] = 0;
        m->geom_aabb[6 * geom + 3 + i] = half;
        square += half * half;
    }
    m->geom_rbound[geom] = sqrt(square);
    quaternion(m->geom_quat + (ptrdiff_t)4 * geom, s->axes);
    memcpy(m->geom_rgba + (ptrdiff_t)4 * geom, rgba, 4 * sizeof *rgba);
}

// A mesh is turned in its geom as it is on the shelf; its middle is the thing's origin.
static void set_mesh(mjModel *m, int geom, int shelf, const float rgba[4])
{
    m->geom_type[geom] = mjGEOM_MESH;
    m->geom_dataid[geom] = m->geom_dataid[shelf];
    m->geom_rbound[geom] = m->geom_rbound[shelf];
    memset(m->geom_pos + (ptrdiff_t)3 * geom, 0, 3 * sizeof *m->geom_pos);
    memcpy(m->geom_quat + (ptrdiff_t)4 * geom, m->geom_quat + (ptrdiff_t)4 * shelf, 4 * sizeof *m->geom_quat);
    memcpy(m->geom_size + (ptrdiff_t)3 * geom, m->geom_size + (ptrdiff_t)3 * shelf, 3 * sizeof *m->geom_size);
    memcpy(m->geom_aabb + (ptrdiff_t)6 * geom, m->geom_aabb + (ptrdiff_t)6 * shelf, 6 * sizeof *m->geom_aabb);
    memcpy(m->geom_rgba + (ptrdiff_t)4 * geom, rgba, 4 * sizeof *rgba);
}

static void set_thing(grasp_table *t, int index)
{
    const grasp_placed *p = &t->placed[index];
    const grip_weight *w = &p->weight;
    mjModel *m = t->model;
    const int body = t->things[index];
    for (int i = 0; i < GRIP_SOLIDS; i++)
    {
        const int geom = m->body_geomadr[body] + i;
        const bool used = i < p->object.thing.count;
        m->geom_contype[geom] = used ? GRASP_THING_BIT : 0;
        m->geom_conaffinity[geom] = used ? GRASP_TABLE_BIT | GRASP_THING_BIT | GRASP_HAND_BIT : 0;
        m->geom_group[geom] = used ? 0 : GRASP_HIDDEN;
        if (used && t->meshes.count > 0)
            set_mesh(m, geom, t->shelf[p->index], p->object.rgba);
        else if (used)
            set_geom(m, geom, &p->object.thing.solids[i], p->object.rgba);
    }
    m->body_mass[body] = w->mass;
    double inertia[9], axes[9];
    for (int i = 0; i < 3; i++) inertia[4 * i] = w->inertia[i], m->body_ipos[3 * body + i] = w->center[i];
    inertia[1] = inertia[3] = w->inertia[3];
    inertia[2] = inertia[6] = w->inertia[4];
    inertia[5] = inertia[7] = w->inertia[5];
    sac_grip_principal(m->body_inertia + (ptrdiff_t)3 * body, axes, inertia);
    quaternion(m->body_iquat + (ptrdiff_t)4 * body, axes);
}

// Constants that follow from masses: those of the whole model.
static void set_constants(grasp_table *t)
{
    const mjStatistic kept = t->model->stat; // the size of the world is the model's own
    t->mj->mj_setConst(t->model, t->data);
    t->model->stat = kept;
}

// Turned about the vertical after it was laid in a pose
static void lay(grasp_placed *p, const double pose[9], double turn, double x, double y)
{
    double s, c;
    static const double down[3] = {0, 0, -1};
    sac_series_sin_cos(turn, &s, &c);
    for (int k = 0; k < 3; k++)
    {
        p->axes[k] = c * pose[k] - s * pose[3 + k];
        p->axes[3 + k] = s * pose[k] + c * pose[3 + k];
        p->axes[6 + k] = pose[6 + k];
    }
    double own[3];
    grip_turn_back(own, p->axes, down);
    p->position[0] = x;
    p->position[1] = y;
    p->position[2] = sac_grip_reach(&p->object.thing, own) + 0.0005;
}

// How far a thing reaches from its origin on the table, at most
static double girth(const grasp_placed *p)
{
    double most = 0;
    for (int i = 0; i < 8; i++)
    {
        double d[3] = {0}, own[3];
        sac_series_sin_cos(pi * i / 4, &d[1], &d[0]);
        grip_turn_back(own, p->axes, d);
        most = fmax(most, sac_grip_reach(&p->object.thing, own));
    }
    return most;
}

static bool is_free(const grasp_table *t, int index)
{
    const grasp_placed *p = &t->placed[index];
    for (int i = 0; i < index; i++)
    {
        const grasp_placed *q = &t->placed[i];
        const double x = p->position[0] - q->position[0], y = p->position[1] - q->position[1];
        if (sqrt(x * x + y * y) < girth(p) + girth(q) + 0.03) return false;
    }
    return true;
}

static void take_object(const grasp_table *t, grasp_placed *p)
{
    if (t->meshes.count > 0)
    {
        p->object = t->meshes.all[p->index].object;
        p->weight = t->meshes.all[p->index].weight;
        return;
    }
    sac_grasp_object(&p->object, p->index);
    p->weight = sac_grip_weigh(&p->object.thing, p->object.density);
}

// Lays a thing where it is free: within `spread` first, then further and further out, and where that finds no place, in
// a strip 0.36 m deep that grows to the left and to the right, beyond what the camera sees, until there is one.
static void find_place(grasp_table *t, int index, const double pose[9], double spread, sac_stream *s)
{
    enum
    {
        AROUND = 60,
        TRIES = 260
    };
    for (int k = 0; k < TRIES; k++)
    {
        const bool around = k < AROUND;
        const double ahead = around ? spread * (1 + 0.05 * k) : 0.18;
        const double aside = around ? ahead : 0.38 + 0.02 * (k - AROUND);
        const double x = sac_stream_uniform(s, -ahead, ahead), y = sac_stream_uniform(s, -aside, aside);
        lay(&t->placed[index], pose, sac_stream_uniform(s, 0, 2 * pi), x, y);
        if (is_free(t, index)) return;
    }
}

// The things that a seed draws
static void draw(grasp_table *t, const grasp_layout_def *layout, uint64_t seed)
{
    sac_stream s = sac_stream_create(seed, 0x7461626c65, 0);
    for (int i = 0; i < t->count; i++)
    {
        grasp_placed *p = &t->placed[i];
        p->index = layout->first + (int)sac_stream_below(&s, (uint32_t)(layout->last - layout->first + 1));
        take_object(t, p);
        const double *pose = p->object.poses[sac_stream_below(&s, (uint32_t)p->object.pose_count)];
        find_place(t, i, pose, layout->spread, &s);
    }
}

static void lay_out(grasp_table *t)
{
    for (int i = 0; i < t->count; i++) set_thing(t, i);
    set_constants(t);
}

// --- motion

void sac_grasp_table_hold(grasp_table *t, const double tip[3], const double axes[9], const double speed[3])
{
    double *at = t->data->qpos + t->hand_at, *rate = t->data->qvel + t->hand_rate;
    memcpy(at, tip, 3 * sizeof *at);
    quaternion(at + 3, axes);
    memcpy(rate, speed, 3 * sizeof *rate);
    memset(rate + 3, 0, 3 * sizeof *rate);
}

void sac_grasp_table_park(grasp_table *t)
{
    static const double still[3] = {0}, down[3] = {0, 0, -1};
    double axes[9];
    sac_grip_axes(axes, down, 0);
    sac_grasp_table_hold(t, waiting, axes, still);
    for (int i = 0; i < 2; i++)
    {
        t->data->qpos[t->finger_at[i]] = grip_stroke / 2;
        t->data->qvel[t->finger_rate[i]] = 0;
        t->data->ctrl[t->motors[i]] = 0;
    }
}

void sac_grasp_table_settle(grasp_table *t)
{
    static const double slow = 0.003; // m/s and rad/s
    const int most = (int)(1 / t->model->opt.timestep), least = most / 20;
    for (int k = 0, still = 0; k < most && still < least; k++)
    {
        double fastest = 0;
        sac_grasp_table_park(t);
        t->mj->mj_step(t->model, t->data);
        for (int i = 0; i < t->count; i++)
            for (int c = 0; c < 6; c++)
                fastest = fmax(fastest, fabs(t->data->qvel[t->model->body_dofadr[t->things[i]] + c]) *
                                            (c < 3 ? 1 : 0.05)); // 5 cm from the axis
        still = fastest < slow ? still + 1 : 0;
    }
    for (int i = 0; i < t->count; i++)
        memset(t->data->qvel + t->model->body_dofadr[t->things[i]], 0, 6 * sizeof(double));
    sac_grasp_table_park(t);
    t->mj->mj_forward(t->model, t->data);
}

static sac_status start(void *self)
{
    grasp_table *t = self;
    lay_out(t);
    t->mj->mj_resetData(t->model, t->data);
    for (int i = 0; i < t->count; i++)
    {
        double *at = t->data->qpos + t->model->jnt_qposadr[t->model->body_jntadr[t->things[i]]];
        memcpy(at, t->placed[i].position, 3 * sizeof *at);
        quaternion(at + 3, t->placed[i].axes);
    }
    sac_grasp_table_settle(t);
    return SAC_OK;
}

sac_status sac_grasp_table_reset(grasp_table *t, const grasp_layout_def *layout, uint64_t seed)
{
    draw(t, layout, seed);
    return sac_mujoco_guard(start, t);
}

double sac_grasp_table_height(const grasp_table *t, int thing)
{
    return t->data->xipos[3 * t->things[thing] + 2];
}

void sac_grasp_table_pose(const grasp_table *t, int thing, double position[3], double axes[9])
{
    memcpy(position, t->data->xpos + (ptrdiff_t)3 * t->things[thing], 3 * sizeof *position);
    memcpy(axes, t->data->xmat + (ptrdiff_t)9 * t->things[thing], 9 * sizeof *axes);
}

// --- snapshots

static sac_status derive(void *self)
{
    grasp_table *t = self;
    lay_out(t);
    t->mj->mj_setState(t->model, t->data, t->state, mjSTATE_INTEGRATION);
    t->mj->mj_forward(t->model, t->data);
    // mj_forward has moved the warm start on: the next step begins with what the saved world had
    t->mj->mj_setState(t->model, t->data, t->state, mjSTATE_INTEGRATION);
    return SAC_OK;
}

sac_status sac_grasp_table_snapshot(grasp_table *t, sac_snapshot *snapshot, const grasp_layout_def *layout,
                                    uint64_t seed)
{
    if (snapshot->way == SAC_SNAPSHOT_SAVE) t->mj->mj_getState(t->model, t->data, t->state, mjSTATE_INTEGRATION);
    sac_snapshot_part(snapshot, t->state,
                      (size_t)t->mj->mj_stateSize(t->model, mjSTATE_INTEGRATION) * sizeof *t->state);
    if (snapshot->way != SAC_SNAPSHOT_RESTORE) return SAC_OK;
    draw(t, layout, seed);
    return sac_mujoco_guard(derive, t);
}

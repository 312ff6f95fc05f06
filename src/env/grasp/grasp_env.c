#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "env/grasp/attempt.h"
#include "env/grasp/eye.h"
#include "env/grasp/grasp.h"

enum
{
    CLOUD, // the parts of an observation
    CENTER,
    AXIS,
    STATE,
    WRIST,
    DEPTH,
    TRUTH,
    SHAPE,
    PARTS,
    STATES = 5,
    TRUTHS = 13,
    COLUMNS = 8
};

static const sac_env_column columns[COLUMNS] = {{"object", SAC_COLUMN_INT},     {"x", SAC_COLUMN_DOUBLE},
                                                {"y", SAC_COLUMN_DOUBLE},       {"lift", SAC_COLUMN_DOUBLE},
                                                {"opening", SAC_COLUMN_DOUBLE}, {"held", SAC_COLUMN_FLAG},
                                                {"blocked", SAC_COLUMN_COUNT},  {"unseen", SAC_COLUMN_COUNT}};

static const float low[GRIP_ACTION] = {-0.1f, -0.1f, -0.1f, -1, -1, -1, -3.14159265f};
static const float high[GRIP_ACTION] = {0.1f, 0.1f, 0.1f, 1, 1, 1, 3.14159265f};
static const char *const action_names[GRIP_ACTION] = {"x", "y", "z", "approach x", "approach y", "approach z", "roll"};

typedef struct grasp_env
{
    grasp_config config;
    grasp_layout_def layout;
    grasp_table *table;
    grasp_eye *eye;
    grasp_moments moments; // of the last attempt
    float near[1], far[1], metres[2];
    sac_space parts[PARTS];
    // what lasts
    uint64_t seed, episode;
    int step;         // attempts in this episode
    double center[3]; // of what is seen: where actions are about
    int clusters, target, blocked, unseen;
    bool started, held;
    double opening, lift;
} grasp_env;

// --- life

static void describe(grasp_env *e)
{
    const grasp_config *c = &e->config;
    e->near[0] = 0, e->far[0] = 0.5f, e->metres[0] = 0, e->metres[1] = 3;
    e->parts[CLOUD] = (sac_space){.name = "cloud", .kind = SAC_SPACE_DEPTH, .shape = {c->points, 3}};
    e->parts[CENTER] = (sac_space){.name = "center", .kind = SAC_SPACE_VECTOR, .shape = {3}};
    e->parts[AXIS] = (sac_space){.name = "axis", .kind = SAC_SPACE_VECTOR, .shape = {3}};
    e->parts[STATE] = (sac_space){.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {STATES}};
    e->parts[WRIST] = (sac_space){.name = "wrist",
                                  .kind = SAC_SPACE_DEPTH,
                                  .shape = {c->wrist_height, c->wrist_width},
                                  .low = e->near,
                                  .high = e->far};
    e->parts[DEPTH] = (sac_space){.name = "depth",
                                  .kind = SAC_SPACE_DEPTH,
                                  .shape = {c->height, c->width},
                                  .low = &e->metres[0],
                                  .high = &e->metres[1]};
    e->parts[TRUTH] = (sac_space){.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {TRUTHS}, .privileged = true};
    e->parts[SHAPE] =
        (sac_space){.name = "shape", .kind = SAC_SPACE_VECTOR, .shape = {GRIP_SHAPE_NUMBERS}, .privileged = true};
}

// Options of the world's own things would have no effect on meshes, and that of meshes none on things.
static sac_status check_meshes(const grasp_config *c)
{
    if (!c->meshes[0])
        return c->mesh_scale == 1 ? SAC_OK
                                  : sac_fail(SAC_ERROR_ARGUMENT, "mesh_scale is for meshes; say meshes: FOLDER");
    const char *const set = strcmp(c->only, "any") != 0 ? "only" : strcmp(c->objects, "seen") != 0 ? "objects" : NULL;
    if (!set) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "'%s' is for the world's own things, not for meshes of yours", set);
}

static sac_status choose_objects(grasp_env *e)
{
    const grasp_config *c = &e->config;
    const bool seen = strcmp(c->objects, "unseen") != 0, unseen = strcmp(c->objects, "seen") != 0;
    int first = seen ? 0 : GRASP_SEEN, last = unseen ? GRASP_FAMILIES : GRASP_SEEN;
    if (strcmp(c->only, "any") != 0)
    {
        int family = 0;
        while (strcmp(c->only, sac_grasp_families[family]) != 0) family++;
        if (family < first || family >= last)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "only is %s, which is no family of the %s objects; say objects: %s, or all", c->only,
                            c->objects, family < GRASP_SEEN ? "seen" : "unseen");
        first = family, last = family + 1;
    }
    e->layout = (grasp_layout_def){
        .things = c->things, .first = first * GRASP_VARIANTS, .last = last * GRASP_VARIANTS - 1, .spread = c->spread};
    return SAC_OK;
}

static sac_status make(grasp_env *e, const char *variant)
{
    const grasp_config *c = &e->config;
    if (strcmp(variant, "original") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "unknown variant '%.80s', expected original; options say what changes",
                        variant);
    SAC_TRY(check_meshes(c));
    SAC_TRY(choose_objects(e));
    const grasp_model_def model = {.things = c->things,
                                   .step = c->physics_ms / 1000,
                                   .friction = c->friction,
                                   .force = c->force,
                                   .fov = c->fov,
                                   .meshes = c->meshes,
                                   .mesh_scale = c->mesh_scale};
    SAC_TRY(sac_grasp_table_create(&e->table, &model));
    if (e->table->meshes.count > 0) e->layout.first = 0, e->layout.last = e->table->meshes.count - 1;
    const grasp_eye_def eye = {.height = c->height,
                               .width = c->width,
                               .wrist_height = c->wrist_height,
                               .wrist_width = c->wrist_width,
                               .fov = c->fov,
                               .noise = c->noise,
                               .nearest = strcmp(c->target, "nearest") == 0,
                               .far = 0.5f};
    SAC_TRY(sac_grasp_eye_create(&e->eye, e->table, &eye));
    SAC_TRY(sac_grasp_moments_open(&e->moments, e->table, grasp_attempt_seconds + c->hold_seconds));
    describe(e);
    return SAC_OK;
}

sac_status sac_grasp_create(void **self, const void *config, const char *variant)
{
    grasp_env *e = SAC_NEW(grasp_env);
    if (!e) return sac_fail_memory("grasp");
    e->config = *(const grasp_config *)config;
    sac_status status = make(e, variant);
    if (status == SAC_OK)
    {
        *self = e;
        return SAC_OK;
    }
    sac_grasp_destroy(e);
    return sac_fail_in(status, "grasp");
}

void sac_grasp_destroy(void *self)
{
    grasp_env *e = self;
    if (!e) return;
    sac_grasp_eye_destroy(e->eye);
    if (e->table) sac_grasp_moments_clear(&e->moments, e->table);
    sac_grasp_table_destroy(e->table);
    sac_free(e);
}

void sac_grasp_spec(const void *self, sac_env_spec *spec)
{
    const grasp_env *e = self;
    *spec = (sac_env_spec){.observations = e->parts,
                           .observation_count = PARTS,
                           .action_size = GRIP_ACTION,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = e->config.attempts,
                           .columns = columns,
                           .column_count = COLUMNS,
                           .lanes = 1, // a model each, and nothing to gain
                           .action_names = action_names,
                           .picture_aspect = 1.6f};
}

void sac_grasp_state(const void *self, double *values)
{
    const grasp_env *e = self;
    double position[3], axes[9];
    sac_grasp_table_pose(e->table, e->target, position, axes);
    const double all[COLUMNS] = {e->table->placed[e->target].index,
                                 position[0],
                                 position[1],
                                 e->lift,
                                 e->opening,
                                 e->held,
                                 e->blocked,
                                 e->unseen};
    memcpy(values, all, sizeof all);
}

// --- what is seen

// The thing whose middle is nearest to what is seen
static void find_target(grasp_env *e)
{
    double least = INFINITY;
    e->target = 0;
    for (int i = 0; i < e->table->count; i++)
    {
        const double *at = e->table->data->xipos + (ptrdiff_t)3 * e->table->things[i];
        double square = 0;
        for (int k = 0; k < 3; k++) square += (at[k] - e->center[k]) * (at[k] - e->center[k]);
        if (square < least) least = square, e->target = i;
    }
}

// As many points as there are rows, evenly taken from all; rows that are left are no points.
static void show_cloud(const grasp_env *e, const grasp_found *found, float *cloud)
{
    const int rows = e->config.points;
    for (int i = 0; i < rows; i++)
    {
        const int from = found->count > rows ? (int)((int64_t)i * found->count / rows) : i;
        for (int k = 0; k < 3; k++)
            cloud[3 * i + k] = from < found->count ? found->points[k * found->stride + from] - found->center[k] : NAN;
    }
}

static void show_truth(const grasp_env *e, float *truth)
{
    double position[3], axes[9];
    sac_grasp_table_pose(e->table, e->target, position, axes);
    for (int i = 0; i < 3; i++) truth[i] = (float)(position[i] - e->center[i]);
    for (int i = 0; i < 9; i++) truth[3 + i] = (float)axes[i];
    truth[12] = (float)-e->center[2]; // where the table is
}

static void show_state(const grasp_env *e, float *state)
{
    const double all[STATES] = {(double)e->step / e->config.attempts, e->opening, e->lift, e->clusters,
                                e->config.force / grip_most_force};
    for (int i = 0; i < STATES; i++) state[i] = (float)all[i];
}

static void show_depth(const grasp_env *e, float *out)
{
    const float *depth = sac_grasp_eye_depth(e->eye), far = e->metres[1];
    const size_t count = sac_space_size(&e->parts[DEPTH]);
    for (size_t i = 0; i < count; i++) out[i] = depth[i] < far ? depth[i] : far;
}

static sac_status look(grasp_env *e, grasp_found *found)
{
    return sac_grasp_eye_look(e->eye, found, sac_mix_seed(e->seed, e->episode, 1), (uint64_t)e->step);
}

static sac_status show(grasp_env *e, const grasp_found *found, const sac_env_row *row)
{
    if (row->parts[CLOUD]) show_cloud(e, found, row->parts[CLOUD]);
    if (row->parts[CENTER]) memcpy(row->parts[CENTER], found->center, sizeof found->center);
    if (row->parts[AXIS]) memcpy(row->parts[AXIS], found->axis, sizeof found->axis);
    if (row->parts[STATE]) show_state(e, row->parts[STATE]);
    if (row->parts[DEPTH]) show_depth(e, row->parts[DEPTH]);
    if (row->parts[TRUTH]) show_truth(e, row->parts[TRUTH]);
    if (row->parts[SHAPE]) sac_grip_tell(row->parts[SHAPE], &e->table->placed[e->target].object.thing);
    return row->parts[WRIST] ? sac_grasp_eye_wrist(e->eye, row->parts[WRIST]) : SAC_OK;
}

// Before an attempt the camera looks whether anybody else does or not, because actions are about the middle of what it
// sees.
static sac_status look_ahead(grasp_env *e, const sac_env_row *row)
{
    grasp_found found;
    SAC_TRY(look(e, &found));
    for (int i = 0; i < 3; i++) e->center[i] = (double)found.center[i];
    e->clusters = found.clusters;
    e->unseen += found.count == 0;
    find_target(e);
    return show(e, &found, row);
}

// After the last one it looks for who wants to see. What is told of the thing is about what was grasped at.
static sac_status look_back(grasp_env *e, const sac_env_row *row)
{
    grasp_found found = {0};
    if (row->parts[CLOUD] || row->parts[CENTER] || row->parts[AXIS] || row->parts[DEPTH]) SAC_TRY(look(e, &found));
    return show(e, &found, row);
}

// --- episodes

static uint64_t layout_seed(const grasp_env *e)
{
    return sac_mix_seed(e->seed, e->episode, 0);
}

sac_status sac_grasp_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    grasp_env *e = self;
    e->episode = seed == SAC_SEED_NEXT ? e->episode + 1 : 0;
    if (seed != SAC_SEED_NEXT) e->seed = seed;
    e->step = e->blocked = e->unseen = 0;
    e->moments.count = 0;
    e->held = false;
    e->started = true;
    e->opening = grip_stroke;
    e->lift = 0;
    SAC_TRY(sac_grasp_table_reset(e->table, &e->layout, layout_seed(e)));
    return look_ahead(e, row);
}

static sac_status settle(void *self)
{
    sac_grasp_table_settle(self);
    return SAC_OK;
}

sac_status sac_grasp_step(void *self, const sac_env_row *row)
{
    grasp_env *e = self;
    grasp_attempt attempt = {.hold = e->config.hold_seconds, .moments = &e->moments};
    grasp_outcome outcome;
    sac_grasp_aim(&attempt, e->center, row->action);
    SAC_TRY(sac_grasp_try(&outcome, e->table, &attempt));
    e->step++;
    e->held = outcome.held >= 0;
    e->blocked += outcome.blocked;
    e->opening = outcome.opening;
    e->lift = isfinite(outcome.lift) ? outcome.lift : 0;
    *row->reward = outcome.broken ? (double)NAN : e->held;
    *row->terminated = e->held || outcome.broken;
    *row->truncated = !*row->terminated && e->step >= e->config.attempts;
    // what was held is seen in the hand; otherwise the hand goes and things come to rest
    if (*row->terminated || *row->truncated) return look_back(e, row);
    SAC_TRY(sac_mujoco_guard(settle, e->table));
    return look_ahead(e, row);
}

sac_status sac_grasp_snapshot(void *self, sac_snapshot *snapshot)
{
    grasp_env *e = self;
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) e->moments.count = 0; // they are another world's
    sac_snapshot_part(snapshot, &e->seed, sizeof *e - offsetof(grasp_env, seed));
    return sac_grasp_table_snapshot(e->table, snapshot, &e->layout, layout_seed(e));
}

sac_status sac_grasp_picture(void *self, uint8_t *rgb, int height, int width)
{
    grasp_env *e = self;
    if (!e->started) return sac_fail(SAC_ERROR_ARGUMENT, "grasp: picture before reset");
    return sac_grasp_eye_poster(e->eye, e->table->data, rgb, height, width);
}

int sac_grasp_moments(const void *self)
{
    return ((const grasp_env *)self)->moments.count;
}

sac_status sac_grasp_picture_at(void *self, int moment, uint8_t *rgb, int height, int width)
{
    grasp_env *e = self;
    SAC_TRY(sac_grasp_moments_show(&e->moments, e->table, moment));
    return sac_grasp_eye_poster(e->eye, e->moments.shown, rgb, height, width);
}

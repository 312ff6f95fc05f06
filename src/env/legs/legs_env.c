#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"
#include "env/legs/course.h"
#include "env/legs/drive.h"
#include "env/legs/fits.h"
#include "env/legs/view.h"

enum
{
    CAMERA, // the parts of an observation
    DEPTH,
    STATE,
    TRUTH,
    GROUND,
    OPENING, // of obstacles alone
    PARTS,
    TRUTHS = 8,
    OPENINGS = 3,
    ACROSS = 7, // places at which the ground is told, about where a foot would land
    ALONG = 51,
    GROUNDS = ALONG * ACROSS, // of each foothold
    COLUMNS = 9,
    CROSSED = 7, // of the columns
    UNSOLVED
};

static const sac_env_column columns[COLUMNS] = {
    {"x", SAC_COLUMN_DOUBLE},    {"y", SAC_COLUMN_DOUBLE},     {"z", SAC_COLUMN_DOUBLE},
    {"roll", SAC_COLUMN_DOUBLE}, {"pitch", SAC_COLUMN_DOUBLE}, {"yaw", SAC_COLUMN_DOUBLE},
    {"fell", SAC_COLUMN_FLAG},   {"crossed", SAC_COLUMN_FLAG}, {"unsolved", SAC_COLUMN_COUNT}};

static const char *const eyes[] = {"front", "belly", NULL}; // of the part depth, one above the other

static const double apart_along = 0.01, apart_across = 0.025; // m from place to place

typedef struct legs_env
{
    legs_config config;
    const legs_rules *rules;
    legs_variant variant;
    legs_terrain_def course;
    legs_body *body;
    legs_drive *drive;
    legs_view *view;
    int numbers, actions;
    float low[LEGS_MOST_ACTIONS], high[LEGS_MOST_ACTIONS], near[1], far[1];
    const char *action_names[LEGS_MOST_ACTIONS];
    sac_space parts[PARTS];
    sac_env_column columns[COLUMNS];
    double camera_latency; // seconds, of this episode
    // what lasts
    uint64_t seed, episode;
    int step; // actions taken in this episode
    bool started, fell, crossed;
    double last_x;
} legs_env;

// --- life

static int word_index(const char *words, const char *word)
{
    int index = 0;
    for (const char *at = words; *at; index++)
    {
        const size_t length = strcspn(at, " ");
        if (strlen(word) == length && strncmp(at, word, length) == 0) return index;
        at += length + (at[length] == ' ');
    }
    return -1;
}

static legs_view_def view_def(const legs_config *c)
{
    legs_view_def def = {.height = c->height,
                         .width = c->width,
                         .camera = (legs_camera)word_index("front belly ahead", c->camera),
                         .depth_height = c->depth_height,
                         .depth_width = c->depth_width,
                         .eye_count = 1,
                         .far = (float)c->far};
    if (strcmp(c->eyes, "both") == 0)
        def.eyes[0] = LEGS_FRONT, def.eyes[1] = LEGS_BELLY, def.eye_count = 2;
    else
        def.eyes[0] = (legs_camera)word_index("front belly ahead", c->eyes);
    return def;
}

static legs_drive_def drive_def(const legs_config *c, const legs_robot *robot)
{
    return (legs_drive_def){.map = (legs_map)word_index(sac_legs_map_words, c->action),
                            .robot = robot,
                            .physics = c->physics_ms / 1000,
                            .control = c->control_ms / 1000,
                            .repeat = c->repeat,
                            .period = c->period,
                            .gait = (sac_pmtg_gait)word_index("walk trot bound pace pronk", c->gait),
                            .own_heights = c->heights == 4,
                            .feet = (legs_feet)word_index(sac_legs_feet_words, c->feet),
                            .released_stance = c->released_stance,
                            .instant = c->instant,
                            .told_speed = c->told_speed};
}

static void describe(legs_env *e, const legs_view_def *view)
{
    double numbers[LEGS_MOST_NUMBERS], deviations[LEGS_MOST_NUMBERS];
    e->actions = sac_legs_drive_actions(e->drive, e->low, e->high, e->action_names);
    e->numbers = sac_legs_drive_tell(e->drive, e->body, numbers, deviations);
    memcpy(e->columns, columns, sizeof columns);
    // a plane has no end that could be reached and a generator no problem that could be unsolved: nothing to count
    if (e->rules->course == LEGS_FLAT) e->columns[CROSSED].type = SAC_COLUMN_INT;
    if (!e->drive->walk) e->columns[UNSOLVED].type = SAC_COLUMN_INT;
    e->near[0] = 0;
    e->far[0] = view->far;
    e->parts[CAMERA] =
        (sac_space){.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {view->height, view->width, 3}};
    e->parts[DEPTH] = (sac_space){.name = "depth",
                                  .kind = SAC_SPACE_DEPTH,
                                  .shape = {view->eye_count * view->depth_height, view->depth_width},
                                  .low = e->near,
                                  .high = e->far};
    e->parts[STATE] = (sac_space){.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {e->numbers}};
    e->parts[TRUTH] = (sac_space){.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {TRUTHS}, .privileged = true};
    int legs[SAC_LEGS];
    const int places = sac_legs_drive_feet(e->drive, legs) * GROUNDS;
    e->parts[GROUND] = (sac_space){.name = "ground", .kind = SAC_SPACE_VECTOR, .shape = {places}, .privileged = true};
    e->parts[OPENING] =
        (sac_space){.name = "opening", .kind = SAC_SPACE_VECTOR, .shape = {OPENINGS}, .privileged = true};
}

static legs_walls walls_of(const char *word)
{
    if (strcmp(word, "any") == 0) return LEGS_ANY;
    return strcmp(word, "varied") == 0 ? LEGS_VARIED : LEGS_ALTERNATING;
}

static sac_status make(legs_env *e, const char *variant)
{
    const legs_config *c = &e->config;
    const legs_robot *robot = sac_legs_robot(c->robot);
    if (c->heights != 1 && c->heights != 4)
        return sac_fail(SAC_ERROR_ARGUMENT, "heights is %d, expected 1 for all legs or 4", c->heights);
    SAC_TRY(sac_legs_fits(c, e->rules));
    SAC_TRY(sac_legs_variant_read(&e->variant, variant));
    if (e->variant.terrain && e->rules->course == LEGS_FLAT)
        return sac_fail(SAC_ERROR_ARGUMENT, "variant 'terrain' is for worlds with a course");
    if (e->variant.terrain && strcmp(c->stones, "released") == 0 && e->rules->course == LEGS_STONES)
        return sac_fail(SAC_ERROR_ARGUMENT, "variant 'terrain' has sizes of its own, so that stones: released would "
                                            "have no effect; set stones: article, or take another variant");
    e->course = (legs_terrain_def){.course = e->rules->course,
                                   .length = c->length,
                                   .level = c->level,
                                   .walls = walls_of(c->walls),
                                   .released = strcmp(c->stones, "released") == 0};
    const legs_drive_def drive = drive_def(c, robot);
    SAC_TRY(sac_legs_drive_create(&e->drive, &drive));
    SAC_TRY(sac_legs_body_create(&e->body, robot, e->course.course, drive.physics));
    const legs_view_def view = view_def(c);
    SAC_TRY(sac_legs_view_create(&e->view, e->body, &view));
    describe(e, &view);
    return SAC_OK;
}

sac_status sac_legs_create(void **self, const void *config, const char *variant, const legs_rules *rules)
{
    legs_env *e = SAC_NEW(legs_env);
    if (!e) return sac_fail_memory(rules->id);
    e->config = *(const legs_config *)config;
    e->rules = rules;
    sac_status status = make(e, variant);
    if (status == SAC_OK)
    {
        *self = e;
        return SAC_OK;
    }
    sac_legs_destroy(e);
    return sac_fail_in(status, "%s", rules->id);
}

void sac_legs_destroy(void *self)
{
    legs_env *e = self;
    if (!e) return;
    sac_legs_view_destroy(e->view);
    sac_legs_drive_destroy(e->drive);
    sac_legs_body_destroy(e->body);
    sac_free(e);
}

static double action_seconds(const legs_env *e)
{
    return e->drive->def.control * e->drive->def.repeat;
}

void sac_legs_spec(const void *self, sac_env_spec *spec)
{
    const legs_env *e = self;
    *spec = (sac_env_spec){.observations = e->parts,
                           .observation_count = e->rules->course == LEGS_OBSTACLES ? PARTS : OPENING,
                           .action_size = e->actions,
                           .action_low = e->low,
                           .action_high = e->high,
                           .max_steps = (int)ceil(e->config.seconds / action_seconds(e) - 1e-9),
                           .columns = e->columns,
                           .column_count = COLUMNS,
                           .lanes = 1, // a model each, and nothing to gain
                           .action_names = e->action_names,
                           .picture_aspect = 1.6f,
                           .depth_views = strcmp(e->config.eyes, "both") == 0 ? eyes : NULL};
}

void sac_legs_state(const void *self, double *values)
{
    const legs_env *e = self;
    sac_walk_senses senses;
    double place[4];
    sac_legs_body_sense(e->body, &senses);
    sac_legs_body_place(e->body, place);
    const double all[COLUMNS] = {
        place[0],    place[1],     place[2],
        senses.roll, senses.pitch, place[3],
        e->fell,     e->crossed,   e->drive->walk ? (double)sac_walk_unsolved(e->drive->walk) : 0};
    memcpy(values, all, sizeof all);
}

// --- what is seen

// Noise is a pure function of the episode and the step.
static void tell(legs_env *e, float *state)
{
    double numbers[LEGS_MOST_NUMBERS], deviations[LEGS_MOST_NUMBERS], noise[LEGS_MOST_NUMBERS];
    const int count = sac_legs_drive_tell(e->drive, e->body, numbers, deviations);
    sac_normals(noise, (size_t)count, sac_mix_seed(e->seed, e->episode, 0x6e6f6973), (uint64_t)e->step, 0);
    for (int i = 0; i < count; i++) state[i] = (float)(numbers[i] + e->config.noise * deviations[i] * noise[i]);
}

// Speed, height above the course, place across it, heading as a point of the circle, and how far it is
static void tell_truth(const legs_env *e, float *truth)
{
    sac_walk_senses senses;
    double place[4], sine, cosine;
    sac_legs_body_sense(e->body, &senses);
    sac_legs_body_place(e->body, place);
    sac_series_sin_cos(place[3], &sine, &cosine);
    const double all[TRUTHS] = {
        senses.velocity[0], senses.velocity[1], senses.velocity[2], place[2], place[1], cosine, sine, place[0]};
    for (int i = 0; i < TRUTHS; i++) truth[i] = (float)all[i];
}

// The ground about where each foot that an action names would land [foot, along, across], in the robot's heading: the
// third number of the foothold with which the foot would stand on it, if the trunk stayed as high and level as it is.
static void tell_ground(const legs_env *e, float *ground)
{
    const legs_robot *r = e->body->robot;
    const int middle_along = ALONG / 2, middle_across = ACROSS / 2;
    double at[4];
    sac_legs_body_place(e->body, at);
    int legs[SAC_LEGS];
    const int feet = sac_legs_drive_feet(e->drive, legs);
    for (int foot = 0; foot < feet; foot++)
    {
        double place[3], toe[3], sine, cosine;
        sac_legs_drive_landing(e->drive, e->body, legs[foot], place);
        sac_leg_toe(toe, &r->legs[legs[foot]], r->home);
        sac_series_sin_cos(place[2], &sine, &cosine);
        for (int i = 0; i < ALONG; i++)
            for (int k = 0; k < ACROSS; k++)
            {
                const double x = (i - middle_along) * apart_along, y = (k - middle_across) * apart_across;
                const double height =
                    sac_legs_body_ground(e->body, place[0] + cosine * x - sine * y, place[1] + sine * x + cosine * y);
                *ground++ = (float)(height + r->toe_radius - at[2] - toe[2]);
            }
    }
}

// How far the opening beside the next wall is along the course and across it, and the sine of the heading
static void tell_opening(const legs_env *e, float *opening)
{
    double place[4], next[2], sine, cosine;
    sac_legs_body_place(e->body, place);
    sac_legs_terrain_opening(next, e->body->terrain, e->config.length, place[0]);
    sac_series_sin_cos(place[3], &sine, &cosine);
    opening[0] = (float)(next[0] - place[0]);
    opening[1] = (float)(next[1] - place[1]);
    opening[2] = (float)sine;
}

static void show_numbers(legs_env *e, const sac_env_row *row)
{
    if (row->parts[STATE]) tell(e, row->parts[STATE]);
    if (row->parts[TRUTH]) tell_truth(e, row->parts[TRUTH]);
    if (row->parts[GROUND]) tell_ground(e, row->parts[GROUND]);
    if (e->rules->course == LEGS_OBSTACLES && row->parts[OPENING]) tell_opening(e, row->parts[OPENING]);
}

static sac_status show_pictures(legs_env *e, const sac_env_row *row)
{
    return sac_legs_view_take(e->view, row->parts[CAMERA], row->parts[DEPTH]);
}

// --- episodes

static double episode_level(const legs_env *e)
{
    const legs_config *c = &e->config;
    if (c->least_level >= c->level) return c->level;
    sac_stream random = sac_stream_create(sac_mix_seed(e->seed, e->episode, 2), 0x6c657665, 0);
    return sac_stream_uniform(&random, c->least_level, c->level);
}

// What an episode is: its course and what is changed in it.
static legs_changes begin(legs_env *e)
{
    const uint64_t seed = sac_mix_seed(e->seed, e->episode, 0);
    const legs_changes changes = sac_legs_changes_draw(&e->variant, seed, sac_legs_robot_mass(e->body->robot));
    e->course.unmet = changes.terrain;
    e->course.level = episode_level(e);
    e->camera_latency = e->config.camera_latency_ms / 1000 + changes.camera_latency;
    return changes;
}

sac_status sac_legs_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    legs_env *e = self;
    e->episode = seed == SAC_SEED_NEXT ? e->episode + 1 : 0;
    if (seed != SAC_SEED_NEXT) e->seed = seed;
    e->step = 0;
    e->started = true;
    e->fell = e->crossed = false;
    const legs_changes changes = begin(e);
    SAC_TRY(sac_legs_body_reset(e->body, &e->course, sac_mix_seed(e->seed, e->episode, 1), &changes));
    sac_legs_drive_reset(e->drive, e->body);
    e->last_x = e->body->data->qpos[0];
    show_numbers(e, row);
    return show_pictures(e, row);
}

// The control step before which pictures are taken, so that they are as late as cameras are, or the number of steps:
// after the last one. They are never later than an action lasts.
static int picture_step(const legs_env *e)
{
    const int repeat = e->drive->def.repeat, late = (int)(e->camera_latency / e->drive->def.control + 0.5);
    return late > repeat ? 0 : repeat - late;
}

static bool falls(const legs_env *e)
{
    sac_walk_senses senses;
    double place[4];
    sac_legs_body_sense(e->body, &senses);
    sac_legs_body_place(e->body, place);
    const double under = e->rules->course == LEGS_STAIRS ? sac_legs_body_ground(e->body, place[0], place[1]) : 0;
    if (fabs(senses.roll) > e->rules->roll || fabs(senses.pitch) > e->rules->pitch) return true;
    if (!(place[2] - under > e->rules->low * e->body->robot->start_height)) return true;
    return !e->rules->may_touch && sac_legs_body_hits(e->body);
}

// Way along x in a control step, as far as it counts
static double progress(legs_env *e)
{
    const double x = e->body->data->qpos[0], most = e->config.speed_cap * e->drive->def.control;
    const double way = x - e->last_x;
    e->last_x = x;
    return way > most ? most : way < -most ? -most : way;
}

sac_status sac_legs_step(void *self, const sac_env_row *row)
{
    legs_env *e = self;
    const int repeat = e->drive->def.repeat, picture = picture_step(e);
    sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
    bool broken = false;
    int k = 0;
    sac_legs_drive_act(e->drive, row->action);
    for (; k < repeat && !e->fell && !e->crossed; k++)
    {
        if (k == picture) SAC_TRY(show_pictures(e, row));
        sac_legs_drive_step(e->drive, e->body, motors);
        SAC_TRY(sac_legs_body_advance(e->body, motors, e->drive->substeps, &broken));
        *row->reward += progress(e);
        e->fell = broken || falls(e);
        e->crossed = !e->fell && e->rules->course != LEGS_FLAT && e->last_x >= e->config.length;
    }
    e->step++;
    *row->terminated = e->fell || e->crossed;
    *row->truncated = !*row->terminated && e->step * action_seconds(e) >= e->config.seconds - 1e-9;
    if (broken) *row->reward = (double)NAN;
    show_numbers(e, row);
    return k <= picture ? show_pictures(e, row) : SAC_OK;
}

sac_status sac_legs_snapshot(void *self, sac_snapshot *snapshot)
{
    legs_env *e = self;
    sac_snapshot_part(snapshot, &e->seed, sizeof *e - offsetof(legs_env, seed));
    const legs_changes changes = begin(e);
    SAC_TRY(sac_legs_body_snapshot(e->body, snapshot, &e->course, sac_mix_seed(e->seed, e->episode, 1), &changes));
    sac_legs_drive_snapshot(e->drive, snapshot);
    return SAC_OK;
}

sac_status sac_legs_picture(void *self, uint8_t *rgb, int height, int width)
{
    legs_env *e = self;
    if (!e->started) return sac_fail(SAC_ERROR_ARGUMENT, "%s: picture before reset", e->rules->id);
    return sac_legs_view_poster(e->view, rgb, height, width);
}

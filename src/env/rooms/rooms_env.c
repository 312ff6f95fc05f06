#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "env/rooms/changes.h"
#include "env/rooms/house.h"
#include "env/rooms/robot.h"
#include "env/rooms/seen.h"
#include "env/rooms/things.h"
#include "env/rooms/view.h"
#include "env/rooms/world.h"

/// The world `rooms`: a robot on wheels is told where its goal is, sees how far things before it are, and is paid for
/// each metre by which it shortens its way.

enum
{
    DEPTH, // the parts of an observation
    STATE,
    MAP,
    SEEN,
    IMAGE, // of things alone
    MOTION,
    WORDS,
    NAME,
    SHOWN,
    PARTS,
    STATES = 8,
    MAPS = 3, // of map and of seen
    MOTIONS = 9,
    ACTIONS = 2,
    COLUMNS = 7
};

static const sac_env_column columns[COLUMNS] = {{"x", SAC_COLUMN_DOUBLE},        {"y", SAC_COLUMN_DOUBLE},
                                                {"cosine", SAC_COLUMN_DOUBLE},   {"sine", SAC_COLUMN_DOUBLE},
                                                {"way", SAC_COLUMN_DOUBLE},      {"reached", SAC_COLUMN_FLAG},
                                                {"collisions", SAC_COLUMN_COUNT}};

static const char *const action_names[ACTIONS] = {"ahead", "turn"};
static const float lowest[ACTIONS] = {-1, -1}, highest[ACTIONS] = {1, 1};

static const double near_goal = 0.36;           // m, where a goal counts as reached
static const double near_thing = 1;             // the same of a thing that is in sight
static const double reward = 10, penalty = 0.1; // for a goal, and for a step in which something is touched
static const double ten_metres = 0.1;           // distances are told in tens of metres

typedef struct rooms_env
{
    rooms_config config;
    rooms_variant variant;
    rooms_body *body;
    rooms_house *house;
    rooms_view *view;
    rooms_seen *seen;
    int looks;             // of those of this episode, which `seen` knows
    rooms_changes changes; // of this episode
    int substeps;
    double tangent; // of half the camera's field of view from side to side
    float near[1], far[1];
    sac_space parts[PARTS];
    // what lasts
    uint64_t seed, episode;
    int step; // actions taken in this episode
    bool started, reached, bumped;
    int bumps;
    double way;          // m to the goal
    float told[ACTIONS]; // the last action
    rooms_place walked[ROOMS_MOST_STEPS + 1];
} rooms_env;

// --- life

static const sac_option *option_of(const char *name)
{
    const sac_option *option = sac_rooms_options;
    while (strcmp(option->name, name) != 0) option++;
    return option;
}

// With a plan of a user's, options of plans that are drawn would have no effect, and are refused.
static sac_status check_plan(const rooms_config *c, const rooms_config *defaults, const rooms_variant *v)
{
    static const char *const drawn[] = {"level", "least_level", "furniture", "loops", "things"};
    static const int words[] = {ROOMS_FURNITURE, ROOMS_DOORS, ROOMS_PLAN};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
    {
        char given[SAC_TEXT_SIZE], fallback[SAC_TEXT_SIZE];
        sac_options_format(option_of(drawn[i]), c, given);
        sac_options_format(option_of(drawn[i]), defaults, fallback);
        if (strcmp(given, fallback) != 0)
            return sac_fail(SAC_ERROR_ARGUMENT, "'%s' is for plans that are drawn, not for a plan from a file",
                            drawn[i]);
    }
    bool changed = v->any;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) changed = changed || v->words[words[i]];
    if (changed)
        return sac_fail(SAC_ERROR_ARGUMENT, "a plan from a file has the variants noise, camera and noise+camera alone");
    return SAC_OK;
}

static sac_status check(const rooms_config *c, const rooms_variant *v)
{
    rooms_config defaults;
    SAC_TRY(sac_options_read(sac_rooms_options, &defaults, NULL, 0, "rooms"));
    const double substeps = c->control_ms / c->physics_ms;
    if (fabs(substeps - floor(substeps + 0.5)) > 1e-9 || substeps < 1)
        return sac_fail(SAC_ERROR_ARGUMENT, "physics_ms %g does not go into control_ms %g", c->physics_ms,
                        c->control_ms);
    if (c->nearest > c->farthest)
        return sac_fail(SAC_ERROR_ARGUMENT, "nearest is %g, expected at most farthest, %g", c->nearest, c->farthest);
    if (c->plan[0]) return check_plan(c, &defaults, v);
    if (c->least_level > c->level && c->least_level != defaults.least_level)
        return sac_fail(SAC_ERROR_ARGUMENT, "least_level is %g, expected at most level, %g, or %g for none",
                        c->least_level, c->level, defaults.least_level);
    return SAC_OK;
}

static void describe(rooms_env *e)
{
    const rooms_config *c = &e->config;
    e->near[0] = (float)c->near;
    e->far[0] = (float)c->far;
    e->parts[DEPTH] = (sac_space){
        .name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {c->height, c->width}, .low = e->near, .high = e->far};
    e->parts[STATE] = (sac_space){.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {STATES}};
    e->parts[MAP] = (sac_space){.name = "map", .kind = SAC_SPACE_VECTOR, .shape = {MAPS}, .privileged = true};
    e->parts[STATE].privileged = c->things > 0; // it says where the goal is
    e->parts[IMAGE] = (sac_space){
        .name = "image", .kind = SAC_SPACE_PICTURE, .shape = {c->height * c->detail, c->width * c->detail, 3}};
    e->parts[MOTION] = (sac_space){.name = "motion", .kind = SAC_SPACE_VECTOR, .shape = {MOTIONS}};
    e->parts[WORDS] = (sac_space){.name = "words", .kind = SAC_SPACE_VECTOR, .shape = {ROOMS_VOCABULARY}};
    e->parts[NAME] = (sac_space){.name = "name", .kind = SAC_SPACE_CHOICE, .choices = ROOMS_NAMES};
    e->parts[SHOWN] =
        (sac_space){.name = "shown", .kind = SAC_SPACE_DEPTH, .shape = {c->height, c->width}, .privileged = true};
    e->parts[SEEN] = (sac_space){.name = "seen", .kind = SAC_SPACE_VECTOR, .shape = {MAPS}, .privileged = true};
}

static sac_status make(rooms_env *e, const char *variant)
{
    const rooms_config *c = &e->config;
    SAC_TRY(sac_rooms_variant_read(&e->variant, variant));
    SAC_TRY(check(c, &e->variant));
    e->substeps = (int)(c->control_ms / c->physics_ms + 0.5);
    SAC_TRY(sac_rooms_body_create(&e->body, c->plan, c->physics_ms / 1000));
    SAC_TRY(sac_rooms_house_create(&e->house, c->level, c->plan[0] ? e->body : NULL));
    e->house->turned = c->turned * 3.14159265358979312 / 180;
    const rooms_view_def view = {.height = c->height,
                                 .width = c->width,
                                 .angle = c->angle,
                                 .near = c->near,
                                 .far = c->far,
                                 .detail = c->things > 0 ? c->detail : 0};
    SAC_TRY(sac_rooms_view_create(&e->view, e->body, &view));
    e->tangent = sac_rooms_view_tangent(&view);
    SAC_TRY(sac_rooms_seen_create(&e->seen, e->house, c->far, e->tangent));
    describe(e);
    return SAC_OK;
}

sac_status sac_rooms_create(void **self, const void *config, const char *variant)
{
    rooms_env *e = SAC_NEW(rooms_env);
    if (!e) return sac_fail_memory("rooms");
    e->config = *(const rooms_config *)config;
    sac_status status = make(e, variant);
    if (status == SAC_OK)
    {
        *self = e;
        return SAC_OK;
    }
    sac_rooms_destroy(e);
    return sac_fail_in(status, "rooms");
}

void sac_rooms_destroy(void *self)
{
    rooms_env *e = self;
    if (!e) return;
    sac_rooms_seen_destroy(e->seen);
    sac_rooms_view_destroy(e->view);
    sac_rooms_house_destroy(e->house);
    sac_rooms_body_destroy(e->body);
    sac_free(e);
}

void sac_rooms_spec(const void *self, sac_env_spec *spec)
{
    const rooms_env *e = self;
    const rooms_house *h = e->house;
    const bool drawn = !e->config.plan[0];
    *spec = (sac_env_spec){.observations = e->parts,
                           .observation_count = e->config.things > 0 ? PARTS : IMAGE,
                           .action_size = ACTIONS,
                           .action_low = lowest,
                           .action_high = highest,
                           .max_steps = e->config.steps,
                           .columns = columns,
                           .column_count = COLUMNS,
                           .lanes = 1, // a model each, and nothing to gain
                           .action_names = action_names,
                           .picture_aspect = drawn ? 1 : (float)((h->high[0] - h->low[0]) / (h->high[1] - h->low[1]))};
}

void sac_rooms_state(const void *self, double *values)
{
    const rooms_env *e = self;
    const rooms_place p = sac_rooms_body_place(e->body);
    const double all[COLUMNS] = {p.x, p.y, p.cosine, p.sine, e->way, e->reached, e->bumps};
    memcpy(values, all, sizeof all);
}

// --- what is seen

// A place in the world as the robot sees it: ahead and to the left, m
static void from_robot(double out[2], const rooms_place *p, const double place[2])
{
    const double x = place[0] - p->x, y = place[1] - p->y;
    out[0] = p->cosine * x + p->sine * y;
    out[1] = p->cosine * y - p->sine * x;
}

// The thing that is the goal, within reach and in straight view whichever way the robot looks; NULL: it is not
static const double *thing_at_hand(const rooms_env *e, const rooms_place *p)
{
    const rooms_house *h = e->house;
    if (h->thing < 0) return NULL;
    const double *at = h->plan->rounds[h->thing].center, x = at[0] - p->x, y = at[1] - p->y;
    if (x * x + y * y > near_thing * near_thing) return NULL;
    return sac_rooms_house_clear(h, (double[2]){p->x, p->y}, h->thing) ? at : NULL;
}

// Where the robot is and how it moves, by its wheels alone: its place and heading as they were at the start
static void tell_motion(const rooms_env *e, float *motion)
{
    const rooms_place p = sac_rooms_body_place(e->body), *start = &e->walked[0];
    double moved[2], ahead, turning;
    from_robot(moved, start, (double[2]){p.x, p.y});
    sac_rooms_body_speed(e->body, &ahead, &turning);
    const double all[MOTIONS] = {moved[0],
                                 moved[1],
                                 p.cosine * start->cosine + p.sine * start->sine,
                                 p.sine * start->cosine - p.cosine * start->sine,
                                 ahead,
                                 turning,
                                 (double)e->told[0],
                                 (double)e->told[1],
                                 e->bumped};
    for (int i = 0; i < MOTIONS; i++) motion[i] = (float)all[i];
}

static int goal_name(const rooms_env *e)
{
    return e->house->thing >= 0 ? e->house->plan->rounds[e->house->thing].name - 1 : 0;
}

static void tell(const rooms_env *e, float *state)
{
    const rooms_place p = sac_rooms_body_place(e->body);
    double goal[2], ahead, turning;
    from_robot(goal, &p, e->house->goal);
    sac_rooms_body_speed(e->body, &ahead, &turning);
    const double distance = sqrt(goal[0] * goal[0] + goal[1] * goal[1]), unit = distance > 0 ? 1 / distance : 0;
    const double all[STATES] = {ten_metres * distance, unit * goal[0],     unit * goal[1], ahead, turning,
                                (double)e->told[0],    (double)e->told[1], e->bumped};
    for (int i = 0; i < STATES; i++) state[i] = (float)all[i];
}

static void tell_map(const rooms_env *e, float *map)
{
    const rooms_place p = sac_rooms_body_place(e->body);
    double corner[2], ahead[2];
    const int square = sac_ways_enter(e->house->map, (double[2]){p.x, p.y}, NULL);
    if (square >= 0)
        sac_ways_corner(e->house->map, square, corner);
    else
        memcpy(corner, e->house->goal, sizeof corner);
    const double *at_hand = thing_at_hand(e, &p);
    from_robot(ahead, &p, at_hand ? at_hand : corner);
    map[0] = (float)ahead[0];
    map[1] = (float)ahead[1];
    map[2] = (float)e->way;
}

// What was seen is worked out when somebody asks for it, from all places where the robot has been: so asking changes
// nothing of the episode, and a snapshot need not hold it.
static void tell_seen(rooms_env *e, float *seen)
{
    const rooms_place p = sac_rooms_body_place(e->body);
    double corner[2], ahead[2];
    if (e->looks == 0) sac_rooms_seen_begin(e->seen, e->house);
    while (e->looks <= e->step) sac_rooms_seen_look(e->seen, e->house, &e->walked[e->looks++]);
    sac_rooms_seen_corner(e->seen, e->house, &p, corner);
    const double *at_hand = thing_at_hand(e, &p);
    from_robot(ahead, &p, at_hand ? at_hand : corner);
    seen[0] = (float)ahead[0];
    seen[1] = (float)ahead[1];
    seen[2] = (float)e->way;
}

// Noise is a pure function of the episode and the step. It grows with the distance, as that of cameras does.
static void add_noise(const rooms_env *e, float *depth)
{
    double noise[2];
    const int pixels = e->config.height * e->config.width;
    const uint64_t seed = sac_mix_seed(e->seed, e->episode, 0x6e6f6973);
    for (int i = 0; i < pixels; i++)
    {
        if (i % 2 == 0) sac_normals_from(noise, (size_t)i, 2, seed, (uint64_t)e->step, 0);
        const float seen = depth[i] * (float)(1 + e->changes.noise * noise[i % 2]);
        depth[i] = seen < e->near[0] ? e->near[0] : seen < e->far[0] ? seen : e->far[0];
    }
}

static sac_status show_things(rooms_env *e, const sac_env_row *row)
{
    if (row->parts[MOTION]) tell_motion(e, row->parts[MOTION]);
    if (row->parts[WORDS]) sac_rooms_caption(goal_name(e), row->parts[WORDS]);
    if (row->parts[NAME]) *(float *)row->parts[NAME] = (float)goal_name(e);
    return row->parts[IMAGE] ? sac_rooms_view_colours(e->view, &e->changes.camera, row->parts[IMAGE]) : SAC_OK;
}

static sac_status show(rooms_env *e, const sac_env_row *row)
{
    if (row->parts[STATE]) tell(e, row->parts[STATE]);
    if (row->parts[MAP]) tell_map(e, row->parts[MAP]);
    if (row->parts[SEEN]) tell_seen(e, row->parts[SEEN]);
    if (e->config.things > 0) SAC_TRY(show_things(e, row));
    float *depth = row->parts[DEPTH], *shown = e->config.things > 0 ? row->parts[SHOWN] : NULL;
    if (!depth && !shown) return SAC_OK;
    SAC_TRY(sac_rooms_view_take(e->view, &e->changes.camera, depth, shown));
    if (depth && e->changes.noise > 0) add_noise(e, row->parts[DEPTH]);
    return SAC_OK;
}

// --- episodes

static double episode_level(const rooms_env *e)
{
    const rooms_config *c = &e->config;
    if (c->least_level >= c->level) return c->level;
    sac_stream random = sac_stream_create(sac_mix_seed(e->seed, e->episode, 2), 0x6c657665, 0);
    return sac_stream_uniform(&random, c->least_level, c->level);
}

// What an episode is: its plan, from where to where it goes, and what is changed in it.
static void begin(rooms_env *e)
{
    const rooms_config *c = &e->config;
    e->changes = sac_rooms_changes_draw(&e->variant, sac_mix_seed(e->seed, e->episode, 0));
    const rooms_plan_def plan = {.size = episode_level(e),
                                 .door_low = e->changes.doors ? 0.7 : 0.8,
                                 .door_high = e->changes.doors ? 0.8 : 1,
                                 .loops = c->loops,
                                 .furniture = c->furniture * (e->changes.furniture ? 2 : 1),
                                 .things = c->things,
                                 .names = strcmp(c->goals, "met") == 0     ? ROOMS_MET_NAMES
                                          : strcmp(c->goals, "unmet") == 0 ? ROOMS_UNMET_NAMES
                                                                           : ROOMS_ALL_NAMES,
                                 .unmet = e->changes.plan};
    sac_rooms_house_draw(e->house, c->plan[0] ? NULL : &plan, c->nearest, c->farthest,
                         sac_mix_seed(e->seed, e->episode, 1));
    e->looks = 0;
}

// The way that is left; where the robot is pressed into a corner from which none is known, it is as it was.
static double measure(const rooms_env *e)
{
    const rooms_place p = sac_rooms_body_place(e->body);
    double way;
    return sac_ways_enter(e->house->map, (double[2]){p.x, p.y}, &way) >= 0 ? way : e->way;
}

static void remember(rooms_env *e)
{
    e->walked[e->step] = sac_rooms_body_place(e->body);
}

sac_status sac_rooms_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    rooms_env *e = self;
    e->episode = seed == SAC_SEED_NEXT ? e->episode + 1 : 0;
    if (seed != SAC_SEED_NEXT) e->seed = seed;
    e->step = e->bumps = 0;
    e->started = true;
    e->reached = e->bumped = false;
    e->told[0] = e->told[1] = 0;
    begin(e);
    const double *start = e->house->start;
    SAC_TRY(sac_rooms_body_reset(e->body, e->house->plan, start[0], start[1], start[2]));
    e->way = 0;
    e->way = measure(e);
    remember(e);
    return show(e, row);
}

static bool at_goal(const rooms_env *e)
{
    const rooms_place p = sac_rooms_body_place(e->body);
    if (e->house->thing >= 0)
    {
        const double *thing = thing_at_hand(e, &p);
        double ahead[2];
        if (!thing) return false;
        from_robot(ahead, &p, thing);
        return ahead[0] > ROOMS_EYE_AHEAD && fabs(ahead[1]) <= e->tangent * (ahead[0] - ROOMS_EYE_AHEAD);
    }
    const double x = p.x - e->house->goal[0], y = p.y - e->house->goal[1];
    return x * x + y * y <= near_goal * near_goal;
}

static double pay(rooms_env *e)
{
    // Twice what it can go in a step: a way over the grid is up to 8 % longer than the straight line, and grows and
    // shrinks by parts of a square. What is more comes of a way that has become another one.
    const double before = e->way, most = 2 * e->config.speed * e->config.control_ms / 1000;
    e->way = measure(e);
    const double nearer = before - e->way;
    const double progress = nearer > most ? most : nearer < -most ? -most : nearer;
    return progress + (e->reached ? reward : 0) - (e->bumped ? penalty : 0);
}

sac_status sac_rooms_step(void *self, const sac_env_row *row)
{
    rooms_env *e = self;
    const double ahead = e->config.speed * (double)row->action[0];
    const double aside = e->config.turn * (double)row->action[1] * ROOMS_TRACK / 2;
    bool broken = false;
    memcpy(e->told, row->action, sizeof e->told);
    SAC_TRY(
        sac_rooms_body_advance(e->body, (double[2]){ahead - aside, ahead + aside}, e->substeps, &e->bumped, &broken));
    e->step++;
    e->bumps += e->bumped;
    e->reached = at_goal(e);
    remember(e);
    *row->reward = broken ? (double)NAN : pay(e);
    *row->terminated = e->reached || broken;
    *row->truncated = !*row->terminated && e->step >= e->config.steps;
    return show(e, row);
}

sac_status sac_rooms_snapshot(void *self, sac_snapshot *snapshot)
{
    rooms_env *e = self;
    sac_snapshot_part(snapshot, &e->seed, sizeof *e - offsetof(rooms_env, seed));
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) begin(e);
    return sac_rooms_body_snapshot(e->body, snapshot, e->house->plan);
}

sac_status sac_rooms_picture(void *self, uint8_t *rgb, int height, int width)
{
    rooms_env *e = self;
    if (!e->started) return sac_fail(SAC_ERROR_ARGUMENT, "rooms: picture before reset");
    rooms_trail trail = {.walked = e->walked, .count = e->step + 1, .goal_radius = near_goal};
    const rooms_house *h = e->house;
    memcpy(trail.goal, h->thing >= 0 ? h->plan->rounds[h->thing].center : h->goal, sizeof trail.goal);
    memcpy(trail.low, e->house->low, sizeof trail.low);
    memcpy(trail.high, e->house->high, sizeof trail.high);
    return sac_rooms_view_poster(e->view, &trail, rgb, height, width);
}

#include "env/legs/drive.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "env/legs/mjcf.h"

const char *const sac_legs_map_words = "pmtg footholds climbing released";
const char *const sac_legs_feet_words = "all next either";

// --- what an action is

typedef struct bound
{
    const char *name;
    double low, high;
} bound;

#define FOUR(what, low, high)                                                  \
    {"FR-" what, low, high}, {"FL-" what, low, high}, {"RR-" what, low, high}, \
    {                                                                          \
        "RL-" what, low, high                                                  \
    }

// clang-format off
#define TWO(what, low, high) {"front-" what, low, high}, {"rear-" what, low, high}
#define WAY {"speed", 0, 0.4}, {"side", -0.1, 0.1}, {"twist", -0.3, 0.3}
#define TRUNK {"height", -0.05, 0.05}, {"pitch", -0.35, 0.35}

static const bound footholds[] = {FOUR("x", -0.2, 0.2), FOUR("y", -0.08, 0.08), WAY};
static const bound next_footholds[] = {TWO("x", -0.2, 0.2), TWO("y", -0.08, 0.08), WAY};
static const bound either_footholds[] = {TWO("back", 0, 0.2), TWO("ahead", 0, 0.2), TWO("which", -1, 1),
                                         TWO("y", -0.08, 0.08), WAY};
static const bound climbing[] = {FOUR("x", -0.15, 0.15), FOUR("y", -0.08, 0.08), FOUR("z", -0.05, 0.25),
                                 {"clearance", 0.05, 0.25}, WAY, TRUNK};
static const bound next_climbing[] = {TWO("x", -0.15, 0.15), TWO("y", -0.08, 0.08), TWO("z", -0.05, 0.25),
                                      {"clearance", 0.05, 0.25}, WAY, TRUNK};
static const bound released[] = {FOUR("x", -0.05, 0.1), FOUR("y", -0.05, 0.05), FOUR("z", -0.03, 0.03),
                                 FOUR("clearance", 0.05, 0.1), {"velocity-x", -0.05, 0.05}, {"velocity-y", -0.05, 0.05},
                                 {"twist", -0.2, 0.2}, {"height", -0.03, 0.03}, {"roll", -0.05, 0.05},
                                 {"pitch", -0.2, 0.2}};
static const char *const pmtg[] = {"FR-abduction", "FR-swing", "FR-extension", "FL-abduction", "FL-swing", "FL-extension",
                                   "RR-abduction", "RR-swing", "RR-extension", "RL-abduction", "RL-swing", "RL-extension",
                                   "speed", "intensity", "height", "ratio", "FL-height", "RR-height", "RL-height"};
// clang-format on

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// The rows of a map for a choice of feet. @return how many; 0: there is no such map, or it has no such choice
static int bounds_of(const bound **out, const legs_drive_def *def)
{
    static const struct
    {
        const bound *rows;
        int count;
    } maps[LEGS_MAPS][LEGS_FEET] = {
        [LEGS_FOOTHOLDS] = {[LEGS_ALL_FEET] = {footholds, COUNT(footholds)},
                            [LEGS_NEXT_FEET] = {next_footholds, COUNT(next_footholds)},
                            [LEGS_EITHER_WAY] = {either_footholds, COUNT(either_footholds)}},
        [LEGS_CLIMBING] =
            {[LEGS_ALL_FEET] = {climbing, COUNT(climbing)}, [LEGS_NEXT_FEET] = {next_climbing, COUNT(next_climbing)}},
        [LEGS_RELEASED] = {[LEGS_ALL_FEET] = {released, COUNT(released)}}};
    *out = maps[def->map][def->feet].rows;
    return maps[def->map][def->feet].count;
}

// --- life

// of the weights of stance control
enum
{
    YAW = 2,
    YAW_RATE = 8,
    SPEED_X = 9,
    SPEED_Y = 10
};

static sac_gait gait_of(const legs_drive_def *def)
{
    sac_gait gait = sac_gait_trot();
    gait.period = def->period;
    return gait;
}

static sac_walk_def walk_def(const legs_drive_def *def)
{
    const legs_robot *r = def->robot;
    sac_walk_def walk = sac_walk_default_def();
    walk.gait = gait_of(def);
    memcpy(walk.legs, r->legs, sizeof walk.legs);
    for (int leg = 0; leg < SAC_LEGS; leg++) sac_leg_toe(walk.toes[leg], &r->legs[leg], r->home);
    walk.stance.mass = r->stance_mass;
    memcpy(walk.stance.inertia, r->stance_inertia, sizeof r->stance_inertia);
    walk.stance.released = def->released_stance;
    walk.instant = def->instant;
    if (def->map != LEGS_RELEASED) // footholds off the middle push the body to and fro, and turn it
    {
        walk.stance.weights[YAW] = walk.stance.weights[YAW_RATE] = 1;
        walk.stance.weights[SPEED_X] = walk.stance.weights[SPEED_Y] = 0.5;
    }

    walk.kp = r->kp;
    memcpy(walk.kd, r->kd, sizeof walk.kd);
    return walk;
}

// In the middle of its bounds the generator walks: 3 Hz, half the intensity, legs a little bent, stance as long as
// swing.
static void center_generator(sac_pmtg_def *def)
{
    static const double low[] = {1.5, 0, -0.7, 0.25}, high[] = {4.5, 1, 0.3, 1.75};
    memcpy(def->low + SAC_PMTG_SPEED, low, sizeof low);
    memcpy(def->high + SAC_PMTG_SPEED, high, sizeof high);
    for (int i = SAC_PMTG_HEIGHTS; i < SAC_PMTG_ACTIONS; i++)
        def->low[i] = def->low[SAC_PMTG_HEIGHT], def->high[i] = def->high[SAC_PMTG_HEIGHT];
}

static sac_status make(legs_drive *d)
{
    const legs_drive_def *def = &d->def;
    d->substeps = (int)(def->control / def->physics + 0.5);
    if (d->substeps < 1 || fabs(d->substeps * def->physics - def->control) > 1e-9)
        return sac_fail(SAC_ERROR_ARGUMENT, "physics_ms %g does not go into control_ms %g a whole number of times",
                        1000 * def->physics, 1000 * def->control);
    const bound *rows;
    if (def->feet != LEGS_ALL_FEET && bounds_of(&rows, def) == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "'feet' is for the actions footholds and climbing, and its choice "
                                            "'either' for footholds alone");
    d->pmtg_def = sac_pmtg_default_def(def->control);
    sac_pmtg_offsets(d->pmtg_def.offset, def->gait);
    center_generator(&d->pmtg_def);
    d->pmtg_def.own_heights = def->own_heights;
    d->mean_count = (int)(0.2 / def->control + 0.5);
    if (d->mean_count < 1) d->mean_count = 1;
    d->speeds = sac_alloc_array((size_t)d->mean_count, sizeof *d->speeds);
    if (!d->speeds) return sac_fail_memory("a robot's drive");
    if (def->map == LEGS_PMTG) return SAC_OK;
    const sac_walk_def walk = walk_def(def);
    SAC_TRY(sac_walk_create(&d->walk, &walk));
    d->kept = sac_alloc(sac_walk_state_size(d->walk));
    return d->kept ? SAC_OK : sac_fail_memory("a robot's drive");
}

sac_status sac_legs_drive_create(legs_drive **out, const legs_drive_def *def)
{
    *out = NULL;
    legs_drive *d = SAC_NEW(legs_drive);
    if (!d) return sac_fail_memory("a robot's drive");
    d->def = *def;
    sac_status status = make(d);
    if (status != SAC_OK)
        sac_legs_drive_destroy(d);
    else
        *out = d;
    return status;
}

void sac_legs_drive_destroy(legs_drive *d)
{
    if (!d) return;
    sac_walk_destroy(d->walk);
    sac_free(d->kept);
    sac_free(d->speeds);
    sac_free(d);
}

// --- which feet an action names, and its numbers

// Seconds until the foot of a leg lifts off.
static double until_lift(const sac_gait *gait, const sac_gait_feet *feet, int leg)
{
    const double stance = gait->duty * gait->period, swing = (1 - gait->duty) * gait->period;
    return feet->stands[leg] ? (1 - feet->phase[leg]) * stance : (1 - feet->phase[leg]) * swing + stance;
}

int sac_legs_drive_feet(const legs_drive *d, int legs[SAC_LEGS])
{
    for (int leg = 0; leg < SAC_LEGS; leg++) legs[leg] = leg;
    if (d->def.feet == LEGS_ALL_FEET) return SAC_LEGS;
    const sac_gait gait = gait_of(&d->def);
    const sac_gait_feet feet = sac_walk_feet(d->walk);
    for (int i = 0; i < 2; i++)
    {
        const int right = 2 * i, left = 2 * i + 1;
        legs[i] = until_lift(&gait, &feet, left) < until_lift(&gait, &feet, right) ? left : right;
    }
    return 2;
}

int sac_legs_drive_actions(const legs_drive *d, float low[LEGS_MOST_ACTIONS], float high[LEGS_MOST_ACTIONS],
                           const char *names[LEGS_MOST_ACTIONS])
{
    const bound *rows = NULL;
    const int count = d->walk ? bounds_of(&rows, &d->def) : sac_pmtg_actions(&d->pmtg_def);
    for (int i = 0; i < count; i++)
    {
        low[i] = (float)(d->walk ? rows[i].low : d->pmtg_def.low[i]);
        high[i] = (float)(d->walk ? rows[i].high : d->pmtg_def.high[i]);
        names[i] = d->walk ? rows[i].name : pmtg[i];
    }
    return count;
}

// --- footholds

// The numbers of footholds and of climbing are x of each foot that an action names, y of each, z of each (climbing),
// and then those of the whole body, which come last in every map. With LEGS_EITHER_WAY x is named by three numbers: how
// far back, how far ahead, and which of the two by its sign.
static int numbers_of_feet(const legs_drive_def *def)
{
    return def->feet == LEGS_ALL_FEET ? SAC_LEGS : 2;
}

static void take_body(sac_walk_command *c, const legs_drive_def *def, const double *a)
{
    const legs_map map = def->map;
    const int feet = numbers_of_feet(def);
    const int rows = map == LEGS_CLIMBING ? 3 : map == LEGS_FOOTHOLDS && def->feet != LEGS_EITHER_WAY ? 2 : 4;
    const double *rest = a + rows * feet + (map == LEGS_CLIMBING);
    c->follow = map == LEGS_RELEASED;
    c->velocity[0] = rest[0];
    c->velocity[1] = rest[1];
    c->twist = rest[2];
    c->height = def->robot->height + (map == LEGS_FOOTHOLDS ? 0 : rest[3]);
    c->roll = map == LEGS_RELEASED ? rest[4] : 0;
    c->pitch = map == LEGS_CLIMBING ? rest[4] : map == LEGS_RELEASED ? rest[5] : 0;
}

// a swinging foot is sent to this, a little below where it is to land
static void take_foothold(sac_walk_command *c, const legs_drive_def *def, const double *a, int leg)
{
    const int feet = numbers_of_feet(def), foot = feet == SAC_LEGS ? leg : leg / 2; // or the front one, or the rear one
    const bool heights = def->map != LEGS_FOOTHOLDS;
    if (def->feet == LEGS_EITHER_WAY)
    {
        c->foothold[leg][0] = a[2 * feet + foot] > 0 ? a[feet + foot] : -a[foot];
        c->foothold[leg][1] = a[3 * feet + foot];
    }
    else
        for (int i = 0; i < 2; i++) c->foothold[leg][i] = a[i * feet + foot];
    c->foothold[leg][2] = -0.01 + (heights ? a[2 * feet + foot] : 0);
    c->clearance[leg] = heights ? a[3 * feet + (def->map == LEGS_RELEASED ? foot : 0)] : 0.07;
}

// --- episodes

// The speed against the ground by the joints: a foot that stands still on it moves backwards in the body's frame. The
// mean of all feet that touch; false: none does.
static bool speed_by_joints(double speed[3], const legs_drive *d, const sac_walk_senses *s)
{
    int count = 0;
    memset(speed, 0, 3 * sizeof *speed);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        if (!s->touches[leg]) continue;
        double j[9];
        sac_leg_jacobian(j, &d->def.robot->legs[leg], s->joints[leg]);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < SAC_LEG_JOINTS; k++) speed[i] -= j[3 * i + k] * s->rates[leg][k];
        count++;
    }
    for (int i = 0; i < 3; i++) speed[i] /= count ? count : 1;
    return count > 0;
}

// PyBullet's estimator: a Kalman filter for each axis, whose state is the speed, moved on by the accelerometer and
// corrected by the joints. All its variances are 0.1. (The released one takes 9.8 of gravity away where the world has
// 10; this takes away what the world has.)
static void estimate(legs_drive *d, const legs_body *body, const sac_walk_senses *s)
{
    double acceleration[3], level[3], speed[3], turned[3], sx, cx, sy, cy;
    sac_legs_body_acceleration(body, acceleration);
    sac_series_sin_cos(s->roll, &sx, &cx);
    sac_series_sin_cos(s->pitch, &sy, &cy);
    const double axes[9] = {cy, sy * sx, sy * cx, 0, cx, -sx, -sy, cy * sx, cy * cx}; // Ry(pitch) Rx(roll)
    const bool known = speed_by_joints(speed, d, s);
    for (int i = 0; i < 3; i++)
    {
        level[i] = turned[i] = 0;
        for (int k = 0; k < 3; k++)
            level[i] += axes[3 * i + k] * acceleration[k], turned[i] += axes[3 * i + k] * speed[k];
        d->estimate[i] += d->def.control * (level[i] - (i == 2 ? 10 : 0));
    }
    d->variance += 0.1;
    if (!known) return;
    const double gain = d->variance / (d->variance + 0.1);
    for (int i = 0; i < 3; i++) d->estimate[i] += gain * (turned[i] - d->estimate[i]);
    d->variance *= 1 - gain;
}

// The mean speed of the last fifth of a second, within 0.8 m/s as PyBullet's estimator has it.
static void average(legs_drive *d, const double velocity[3])
{
    memcpy(d->speeds[d->mean_at], velocity, sizeof d->speeds[0]);
    d->mean_at = (d->mean_at + 1) % d->mean_count;
    for (int i = 0; i < 3; i++)
    {
        double sum = 0;
        for (int k = 0; k < d->mean_count; k++) sum += d->speeds[k][i];
        const double mean = sum / d->mean_count;
        d->mean[i] = mean > 0.8 ? 0.8 : mean < -0.8 ? -0.8 : mean;
    }
}

void sac_legs_drive_reset(legs_drive *d, const legs_body *body)
{
    sac_walk_senses senses;
    sac_legs_body_sense(body, &senses);
    sac_pmtg_reset(&d->pmtg, &d->pmtg_def);
    memset(&d->command, 0, sizeof d->command);
    memset(d->lifted, 0, sizeof d->lifted);
    memset(d->speeds, 0, (size_t)d->mean_count * sizeof *d->speeds);
    memset(d->mean, 0, sizeof d->mean);
    memset(d->estimate, 0, sizeof d->estimate);
    d->variance = 0.1;
    memset(d->action, 0, sizeof d->action);
    d->mean_at = 0;
    d->command.height = d->def.robot->height;
    for (int leg = 0; leg < SAC_LEGS; leg++) d->command.foothold[leg][2] = -0.01, d->command.clearance[leg] = 0.07;
    if (d->walk) sac_walk_reset(d->walk, &senses);
}

// Footholds of the released map are read for the feet that have lifted off since the action before.
void sac_legs_drive_act(legs_drive *d, const float *action)
{
    float low[LEGS_MOST_ACTIONS], high[LEGS_MOST_ACTIONS];
    const char *names[LEGS_MOST_ACTIONS];
    const int count = sac_legs_drive_actions(d, low, high, names);
    for (int i = 0; i < count; i++)
    {
        const float x = action[i];
        d->action[i] = x >= low[i] && x <= high[i] ? (double)x
                       : x < low[i]                ? (double)low[i]
                       : x > high[i]               ? (double)high[i]
                                                   : 0.5 * ((double)low[i] + (double)high[i]);
    }
    if (!d->walk) return;
    take_body(&d->command, &d->def, d->action);
    for (int leg = 0; leg < SAC_LEGS; leg++)
        if (d->def.map == LEGS_RELEASED && d->lifted[leg]) take_foothold(&d->command, &d->def, d->action, leg);
    memset(d->lifted, 0, sizeof d->lifted);
}

static void step_generator(legs_drive *d, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS])
{
    const legs_robot *r = d->def.robot;
    double legs[SAC_LEGS][SAC_LEG_JOINTS];
    sac_pmtg_step(legs, &d->pmtg, &d->pmtg_def, d->action);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        double joints[SAC_LEG_JOINTS];
        sac_pmtg_joints(joints, legs[leg]);
        joints[2] += r->neutral_knee;
        for (int j = 0; j < SAC_LEG_JOINTS; j++)
            motors[leg][j] = (sac_motor){.kp = r->kp, .kd = r->kd[j], .q = joints[j]};
    }
}

static void step_walk(legs_drive *d, const sac_walk_senses *senses, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS])
{
    bool lifted[SAC_LEGS];
    sac_walk_step(motors, d->walk, senses, &d->command, d->def.control);
    sac_walk_lifted(d->walk, lifted);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        if (!lifted[leg]) continue;
        d->lifted[leg] = true;
        if (d->def.map != LEGS_RELEASED) take_foothold(&d->command, &d->def, d->action, leg);
    }
}

void sac_legs_drive_step(legs_drive *d, const legs_body *body, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS])
{
    sac_walk_senses senses;
    sac_legs_body_sense(body, &senses);
    estimate(d, body, &senses);
    average(d, d->def.told_speed ? senses.velocity : d->estimate);
    memcpy(senses.velocity, d->mean, sizeof senses.velocity);
    if (d->walk)
        step_walk(d, &senses, motors);
    else
        step_generator(d, motors);
}

// --- what is told

typedef struct teller
{
    double *numbers, *deviations;
    int count;
} teller;

static void tell(teller *t, double number, double deviation)
{
    SAC_ASSERT(t->count < LEGS_MOST_NUMBERS);
    t->numbers[t->count] = number;
    t->deviations[t->count++] = deviation;
}

static void tell_generator(teller *t, const legs_drive *d, const sac_walk_senses *s)
{
    double sine, cosine;
    for (int i = 0; i < LEGS_MOTORS; i++)
        tell(t, s->joints[i / SAC_LEG_JOINTS][i % SAC_LEG_JOINTS] - d->def.robot->home[i % SAC_LEG_JOINTS], 0.01);
    sac_series_sin_cos(d->pmtg.phase, &sine, &cosine);
    tell(t, (cosine + 1) / 2, 0);
    tell(t, (sine + 1) / 2, 0);
}

// Toes, phases (stance 0..1, swing -1..0), states of the feet, which have lifted off, speed, height, where feet are
// sent
static void tell_walk(teller *t, const legs_drive *d, const sac_walk_senses *s)
{
    static const double states[] = {
        [SAC_FOOT_STANCE] = -1, [SAC_FOOT_SWING] = 1, [SAC_FOOT_EARLY] = 2, [SAC_FOOT_LOST] = -2};
    const sac_gait_feet feet = sac_walk_feet(d->walk);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        double toe[3], home[3];
        sac_leg_toe(toe, &d->def.robot->legs[leg], s->joints[leg]);
        sac_leg_toe(home, &d->def.robot->legs[leg], d->def.robot->home);
        for (int i = 0; i < 3; i++) tell(t, toe[i] - home[i], i < 2 ? 0.0025 : 0.005);
    }
    for (int leg = 0; leg < SAC_LEGS; leg++) tell(t, feet.stands[leg] ? feet.phase[leg] : feet.phase[leg] - 1, 0);
    for (int leg = 0; leg < SAC_LEGS; leg++) tell(t, states[feet.foot[leg]], 0);
    for (int leg = 0; leg < SAC_LEGS; leg++) tell(t, d->lifted[leg], 0);
    for (int i = 0; i < 3; i++) tell(t, d->mean[i], 0);
    tell(t, sac_walk_height(d->walk) - d->def.robot->height, 0);
    for (int leg = 0; leg < SAC_LEGS; leg++)
        for (int i = 0; i < 3; i++) tell(t, d->command.foothold[leg][i], 0);
}

int sac_legs_drive_tell(const legs_drive *d, const legs_body *body, double numbers[LEGS_MOST_NUMBERS],
                        double deviations[LEGS_MOST_NUMBERS])
{
    teller t = {numbers, deviations, 0};
    sac_walk_senses s;
    sac_legs_body_sense(body, &s);
    tell(&t, s.roll, 0.025);
    tell(&t, s.pitch, 0.025);
    tell(&t, s.turning[0], 0.1);
    tell(&t, s.turning[1], 0.1);
    if (d->walk)
        tell_walk(&t, d, &s);
    else
        tell_generator(&t, d, &s);
    return t.count;
}

// A foot lands when its swing ends: one that stands swings after the rest of its stance.
void sac_legs_drive_landing(const legs_drive *d, const legs_body *body, int leg, double place[3])
{
    double at[4], toe[3], sine, cosine, time = 0;
    sac_legs_body_place(body, at);
    sac_leg_toe(toe, &d->def.robot->legs[leg], d->def.robot->home);
    if (d->walk)
    {
        const sac_gait gait = gait_of(&d->def);
        const sac_gait_feet feet = sac_walk_feet(d->walk);
        const double swing = (1 - gait.duty) * gait.period, stance = gait.duty * gait.period;
        time = feet.stands[leg] ? (1 - feet.phase[leg]) * stance + swing : (1 - feet.phase[leg]) * swing;
    }
    sac_series_sin_cos(at[3], &sine, &cosine);
    const double x = toe[0] + d->mean[0] * time, y = toe[1] + d->mean[1] * time;
    place[0] = at[0] + cosine * x - sine * y;
    place[1] = at[1] + sine * x + cosine * y;
    place[2] = at[3];
}

void sac_legs_drive_snapshot(legs_drive *d, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, &d->pmtg, sizeof *d - offsetof(legs_drive, pmtg));
    sac_snapshot_part(snapshot, d->speeds, (size_t)d->mean_count * sizeof *d->speeds);
    if (!d->walk) return;
    if (snapshot->way == SAC_SNAPSHOT_SAVE) sac_walk_save(d->walk, d->kept);
    sac_snapshot_part(snapshot, d->kept, sac_walk_state_size(d->walk));
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) sac_walk_restore(d->walk, d->kept);
}

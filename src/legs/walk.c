#include "saccade/walk.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "legs/rotation.h"
#include "legs/swing.h"

// All that lasts from step to step beside what stance control keeps, without gaps between its numbers: bytes that are
// saved twice are equal.
typedef struct lasting
{
    int64_t unsolved; // problems of stance control
    double time, height;
    double velocity[2]; // that footholds ask for, as of the last step in which a leg swung
    double lift[SAC_LEGS][3];
    double phase[SAC_LEGS];
    int32_t foot[SAC_LEGS];
    bool stands[SAC_LEGS], lifted[SAC_LEGS];
} lasting;

struct sac_walk
{
    sac_walk_def def;
    sac_stance *stance;
    lasting last;
};

sac_walk_def sac_walk_default_def(void)
{
    sac_walk_def def = {.stance = sac_stance_default_def(),
                        .gait = sac_gait_trot(),
                        .kp = 220,
                        .kd = {0.3, 2, 2},
                        .press = 0.03,
                        .gain = {0.25, 0.1}};
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const bool front = leg < 2, left = leg % 2;
        def.legs[leg] = (sac_leg){.place = {front ? 0.199095 : -0.238195, left ? 0.0817145 : -0.0817145, -0.03},
                                  .aside = left ? 0.0559 - 0.0207 : -(0.0536 - 0.0207),
                                  .thigh = 0.25223,
                                  .shank = 0.25097};
        def.toes[leg][0] = front ? 0.148 : -0.29;
        def.toes[leg][1] = left ? 0.117 : -0.115;
        def.toes[leg][2] = -0.456;
    }
    return def;
}

static bool are_in(const double *x, int count, double low, double high)
{
    for (int i = 0; i < count; i++)
        if (!(x[i] >= low && x[i] <= high)) return false;
    return true;
}

static sac_status check(const sac_walk_def *d)
{
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const sac_leg *l = &d->legs[leg];
        const double lengths[] = {l->thigh, l->shank};
        if (!are_in(lengths, 2, 1e-6, 1e6) || !are_in(l->place, 3, -1e6, 1e6) || !are_in(&l->aside, 1, -1e6, 1e6) ||
            !are_in(d->toes[leg], 3, -1e6, 1e6))
            return sac_fail(SAC_ERROR_ARGUMENT, "walk: leg %d: expected lengths > 0 and finite places", leg);
    }
    if (!are_in(&d->gait.period, 1, 1e-6, 1e6) || !(d->gait.duty > 0 && d->gait.duty < 1) ||
        !are_in(d->gait.offset, SAC_LEGS, -1e6, 1e6))
        return sac_fail(SAC_ERROR_ARGUMENT, "walk: expected a gait with a period > 0 and a duty between 0 and 1");
    if (!are_in(d->gain, 2, 1e-6, 1e6))
        return sac_fail(SAC_ERROR_ARGUMENT, "walk: the gains of Raibert's rule must be positive and finite");
    if (!are_in(&d->kp, 1, 0, 1e9) || !are_in(d->kd, SAC_LEG_JOINTS, 0, 1e9) || !are_in(&d->press, 1, -1e6, 1e6))
        return sac_fail(SAC_ERROR_ARGUMENT, "walk: kp, kd and press must be finite, and the first two not negative");
    return SAC_OK;
}

sac_status sac_walk_create(sac_walk **out, const sac_walk_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_walk *w = SAC_NEW(sac_walk);
    if (!w) return sac_fail_memory("a walker");
    w->def = *def;
    const sac_status status = sac_stance_create(&w->stance, &def->stance);
    if (status != SAC_OK)
    {
        sac_walk_destroy(w);
        return status;
    }
    *out = w;
    return SAC_OK;
}

void sac_walk_destroy(sac_walk *w)
{
    if (!w) return;
    sac_stance_destroy(w->stance);
    sac_free(w);
}

// --- what is measured ---

// Of angles and rates that are not finite, or for which the series of sine and cosine are not made, nothing can be
// made.
static bool is_sound(const sac_walk_senses *in)
{
    return are_in(in->joints[0], SAC_LEGS * SAC_LEG_JOINTS, -1e5, 1e5) &&
           are_in(in->rates[0], SAC_LEGS * SAC_LEG_JOINTS, -1e9, 1e9) && are_in(&in->roll, 1, -1e5, 1e5) &&
           are_in(&in->pitch, 1, -1e5, 1e5);
}

static void find_toes(double toes[SAC_LEGS][3], const sac_walk *w, const sac_walk_senses *in)
{
    for (int leg = 0; leg < SAC_LEGS; leg++) sac_leg_toe(toes[leg], &w->def.legs[leg], in->joints[leg]);
}

// the axes of the body in the frame that is turned by the yaw alone: Ry(pitch) Rx(roll)
static void set_axes(double axes[9], const sac_walk_senses *in)
{
    double x[9], y[9];
    sac_rotation_x(x, in->roll);
    sac_rotation_y(y, in->pitch);
    sac_product(axes, y, x);
}

// the mean of how far the toes that do not swing are below the body; as it was where all swing
static void measure_height(sac_walk *w, const double toes[SAC_LEGS][3], const double axes[9])
{
    double sum = 0;
    int count = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        if (w->last.foot[leg] == SAC_FOOT_SWING) continue;
        double level[3];
        sac_turn_vector(level, axes, toes[leg]);
        sum += level[2];
        count++;
    }
    if (count > 0) w->last.height = fabs(sum / count);
}

void sac_walk_reset(sac_walk *w, const sac_walk_senses *senses)
{
    memset(&w->last, 0, sizeof w->last);
    sac_stance_reset(w->stance);
    for (int leg = 0; leg < SAC_LEGS; leg++) w->last.stands[leg] = true;
    if (!is_sound(senses)) return;
    double axes[9];
    set_axes(axes, senses);
    find_toes(w->last.lift, w, senses);
    measure_height(w, (const double(*)[3])w->last.lift, axes);
}

// --- legs ---

// What is damped and nothing else.
static void rest(sac_motor motors[SAC_LEG_JOINTS], const sac_walk *w)
{
    for (int i = 0; i < SAC_LEG_JOINTS; i++) motors[i] = (sac_motor){.kd = w->def.kd[i]};
}

// The torques with which the toe presses against the ground, J'(-f), J in the frame of the body. The horizon's forces
// are in the level frame, and as in the released controller they are turned with the body; those of an instant are its
// own.
static void press(sac_motor motors[SAC_LEG_JOINTS], const sac_walk *w, int leg, const sac_walk_senses *in,
                  const double force[3])
{
    double j[9];
    sac_leg_jacobian(j, &w->def.legs[leg], in->joints[leg]);
    rest(motors, w);
    for (int i = 0; i < SAC_LEG_JOINTS; i++)
        motors[i].torque = -(j[i] * force[0] + j[3 + i] * force[1] + j[6 + i] * force[2]);
}

static double finite_or_zero(double x)
{
    return fabs(x) <= 1e6 ? x : 0;
}

static void swing(sac_motor motors[SAC_LEG_JOINTS], const sac_walk *w, int leg, const sac_walk_command *c,
                  const double axes[9])
{
    const double up[3] = {axes[2], axes[5], axes[8]};
    double landing[3], toe[3], joints[SAC_LEG_JOINTS];
    for (int i = 0; i < 3; i++) landing[i] = w->def.toes[leg][i] + finite_or_zero(c->foothold[leg][i]);
    sac_swing_at(toe, w->last.phase[leg], w->last.lift[leg], landing, up, finite_or_zero(c->clearance[leg]),
                 w->def.press);
    sac_leg_reach(joints, &w->def.legs[leg], toe);
    for (int i = 0; i < SAC_LEG_JOINTS; i++)
        motors[i] = (sac_motor){.kp = w->def.kp, .kd = w->def.kd[i], .q = joints[i]};
}

// --- a step ---

static bool some_stand(const sac_walk *w)
{
    return w->last.stands[0] || w->last.stands[1] || w->last.stands[2] || w->last.stands[3];
}

static void go_on(sac_walk *w, const sac_walk_senses *in, double step)
{
    w->last.time += step;
    const sac_gait_feet feet = sac_gait_at(&w->def.gait, w->last.time, in->touches);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        w->last.lifted[leg] = w->last.stands[leg] && !feet.stands[leg];
        w->last.stands[leg] = feet.stands[leg];
        w->last.phase[leg] = feet.phase[leg];
        w->last.foot[leg] = (int32_t)feet.foot[leg];
    }
}

// the velocity that the footholds of the legs in the air ask for
static void follow(sac_walk *w, const sac_walk_senses *in, const sac_walk_command *c)
{
    const double time = (1 - w->def.gait.duty) * w->def.gait.period;
    double sum[2] = {0};
    int count = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        if (w->last.stands[leg]) continue;
        double asked[2];
        sac_raibert_velocity(asked, in->velocity, c->foothold[leg], time, w->def.gain);
        sum[0] += asked[0], sum[1] += asked[1];
        count++;
    }
    if (count > 0 && are_in(sum, 2, -1e9, 1e9))
        w->last.velocity[0] = sum[0] / count, w->last.velocity[1] = sum[1] / count;
}

static sac_stance_output find_forces(sac_walk *w, const double toes[SAC_LEGS][3], const sac_walk_senses *in,
                                     const sac_walk_command *c)
{
    sac_stance_input stance = {.roll = in->roll,
                               .pitch = in->pitch,
                               .height = w->last.height,
                               .wanted_roll = c->roll,
                               .wanted_pitch = c->pitch,
                               .wanted_twist = c->twist,
                               .wanted_height = c->height};
    memcpy(stance.toes, toes, sizeof stance.toes);
    memcpy(stance.stands, w->last.stands, sizeof stance.stands);
    memcpy(stance.turning, in->turning, sizeof stance.turning);
    memcpy(stance.velocity, in->velocity, sizeof stance.velocity);
    for (int i = 0; i < 2; i++) stance.wanted_velocity[i] = c->velocity[i] + (c->follow ? w->last.velocity[i] : 0);
    return w->def.instant ? sac_stance_instant(w->stance, &stance) : sac_stance_solve(w->stance, &stance);
}

sac_stance_output sac_walk_step(sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS], sac_walk *w, const sac_walk_senses *senses,
                                const sac_walk_command *command, double step)
{
    const bool goes_on = step >= 0 && isfinite(w->last.time + step); // or else the gait stays where it is
    if (goes_on) go_on(w, senses, step);
    if (!goes_on || !is_sound(senses))
    {
        for (int leg = 0; leg < SAC_LEGS; leg++) rest(motors[leg], w);
        w->last.unsolved++;
        return (sac_stance_output){.solution = {.outcome = SAC_QP_UNSUITABLE}};
    }
    double toes[SAC_LEGS][3], axes[9];
    find_toes(toes, w, senses);
    set_axes(axes, senses);
    for (int leg = 0; leg < SAC_LEGS; leg++)
        if (w->last.lifted[leg]) memcpy(w->last.lift[leg], toes[leg], sizeof toes[leg]);
    measure_height(w, (const double(*)[3])toes, axes);
    follow(w, senses, command);
    const sac_stance_output out = find_forces(w, (const double(*)[3])toes, senses, command);
    w->last.unsolved += out.solution.outcome != SAC_QP_SOLVED && some_stand(w);
    for (int leg = 0; leg < SAC_LEGS; leg++)
        if (w->last.stands[leg])
            press(motors[leg], w, leg, senses, out.forces[leg]);
        else if (w->last.foot[leg] == SAC_FOOT_EARLY)
            rest(motors[leg], w);
        else
            swing(motors[leg], w, leg, command, axes);
    return out;
}

sac_gait_feet sac_walk_feet(const sac_walk *w)
{
    sac_gait_feet feet;
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        feet.stands[leg] = w->last.stands[leg];
        feet.phase[leg] = w->last.phase[leg];
        feet.foot[leg] = (sac_foot)w->last.foot[leg];
    }
    return feet;
}

void sac_walk_lifted(const sac_walk *w, bool lifted[SAC_LEGS])
{
    memcpy(lifted, w->last.lifted, sizeof w->last.lifted);
}

double sac_walk_height(const sac_walk *w)
{
    return w->last.height;
}

int64_t sac_walk_unsolved(const sac_walk *w)
{
    return w->last.unsolved;
}

const sac_qp_problem *sac_walk_problem(const sac_walk *w, double *x)
{
    return sac_stance_problem(w->stance, x);
}

size_t sac_walk_state_size(const sac_walk *w)
{
    return sizeof w->last + sac_stance_state_size(w->stance);
}

void sac_walk_save(const sac_walk *w, void *state)
{
    memcpy(state, &w->last, sizeof w->last);
    sac_stance_save(w->stance, (char *)state + sizeof w->last);
}

void sac_walk_restore(sac_walk *w, const void *state)
{
    memcpy(&w->last, state, sizeof w->last);
    sac_stance_restore(w->stance, (const char *)state + sizeof w->last);
}

#include "env/grasp/attempt.h"

#include <math.h>
#include <string.h>

static const double way = 0.15, // m of approach
    approach_speed = 0.5,       // m/s
    lift_way = 0.13,            // m: somewhat more than must be shown
    lift_seconds = 0.45,        // of the way up
    most_push = 60,             // N at which the hand stops on its way
    close_seconds = 0.6,        // at most
    above_table = 0.001,        // m
    empty = 0.0005;             // m between fingers that hold nothing

typedef struct motion
{
    grasp_table *table;
    const grasp_attempt *attempt;
    grasp_outcome *outcome;
    double tip[3];                    // where the hand is
    double before[GRASP_MOST_THINGS]; // heights of the things
    double seconds;                   // since it began
} motion;

void sac_grasp_aim(grasp_attempt *attempt, const double center[3], const float *action)
{
    const double approach[3] = {(double)action[3], (double)action[4], (double)action[5]};
    sac_grip_axes(attempt->axes, approach, (double)action[6]);
    for (int i = 0; i < 3; i++) attempt->tip[i] = center[i] + (double)action[i];
    const double depth = sac_grip_depth(attempt->axes) + above_table, down = attempt->axes[8];
    // where the approach leads upwards, the hand is lowest at its beginning
    const double low = attempt->tip[2] - (down > 0 ? way * down : 0);
    if (low < depth) attempt->tip[2] += depth - low;
}

static void keep_moment(const motion *m)
{
    if (m->attempt->moments) sac_grasp_moments_take(m->attempt->moments, m->table, m->seconds);
}

static void step(motion *m, const double speed[3])
{
    grasp_table *t = m->table;
    sac_grasp_table_hold(t, m->tip, m->attempt->axes, speed);
    t->mj->mj_step(t->model, t->data);
    for (int i = 0; i < 3; i++) m->tip[i] += t->model->opt.timestep * speed[i];
    m->seconds += t->model->opt.timestep;
    keep_moment(m);
}

// Above 0 the fingers open.
static void press(const motion *m, double force)
{
    for (int i = 0; i < 2; i++) m->table->data->ctrl[m->table->motors[i]] = force;
}

static bool touches(const motion *m)
{
    const grasp_table *t = m->table;
    for (int i = 0; i < t->data->ncon; i++)
        for (int k = 0; k < 2; k++)
            if (t->model->geom_contype[t->data->contact[i].geom[k]] == GRASP_HAND_BIT) return true;
    return false;
}

// The hand comes along its approach, with open fingers. @return false where it begins within something
static bool come(motion *m)
{
    static const double still[3] = {0};
    grasp_table *t = m->table;
    const double *axes = m->attempt->axes;
    const int steps = (int)(way / approach_speed / t->model->opt.timestep + 0.5);
    double speed[3];
    for (int i = 0; i < 3; i++)
    {
        speed[i] = approach_speed * axes[3 * i + 2];
        m->tip[i] = m->attempt->tip[i] - way * axes[3 * i + 2];
    }
    press(m, t->force);
    sac_grasp_table_hold(t, m->tip, axes, still);
    t->mj->mj_forward(t->model, t->data);
    keep_moment(m);
    if (touches(m)) return false;
    for (int k = 0; k < steps; k++)
    {
        step(m, speed);
        const double *push = t->data->qfrc_constraint + t->hand_rate;
        if (sqrt(grip_dot(push, push)) < most_push) continue;
        m->outcome->blocked = true;
        break;
    }
    return true;
}

// Fingers close until they stand still. @return whether something is between them
static bool close_fingers(motion *m)
{
    static const double still[3] = {0};
    grasp_table *t = m->table;
    const double dt = t->model->opt.timestep;
    const int most = (int)(close_seconds / dt), enough = (int)(0.03 / dt);
    press(m, -t->force);
    for (int k = 0, resting = 0; k < most && resting < enough; k++)
    {
        step(m, still);
        resting = fabs(t->data->qvel[t->finger_rate[0]]) < 0.002 && k > enough ? resting + 1 : 0;
    }
    return t->data->qpos[t->finger_at[0]] > empty;
}

// The thing that is highest above its place; -1: none is as high as it must be.
static int lifted(motion *m)
{
    int best = -1;
    m->outcome->lift = -INFINITY;
    for (int i = 0; i < m->table->count; i++)
    {
        const double rise = sac_grasp_table_height(m->table, i) - m->before[i];
        if (!(rise > m->outcome->lift)) continue;
        m->outcome->lift = rise;
        best = i;
    }
    return m->outcome->lift >= grasp_lift ? best : -1;
}

// Straight up, faster and then slower: the speed is a triangle over time.
static void lift(motion *m)
{
    const double dt = m->table->model->opt.timestep;
    const int steps = (int)(lift_seconds / dt / 2 + 0.5) * 2, half = steps / 2;
    for (int k = 0; k < steps; k++)
    {
        const double share = (k < half ? k + 0.5 : steps - k - 0.5) / half; // sums to half over all steps
        step(m, (double[3]){0, 0, share * lift_way / (half * dt)});
    }
}

static bool keep(motion *m)
{
    static const double still[3] = {0};
    const int steps = (int)(m->attempt->hold / m->table->model->opt.timestep + 0.5);
    const int held = lifted(m);
    for (int k = 0; held >= 0 && k < steps; k++)
    {
        step(m, still);
        if (lifted(m) != held) return false;
    }
    m->outcome->held = held;
    return held >= 0;
}

static int warnings(const grasp_table *t)
{
    const mjWarningStat *w = t->data->warning;
    return w[mjWARN_BADQPOS].number + w[mjWARN_BADQVEL].number + w[mjWARN_BADQACC].number + w[mjWARN_BADCTRL].number;
}

static sac_status carry_out(void *self)
{
    motion *m = self;
    const int before = warnings(m->table);
    if (m->attempt->moments) m->attempt->moments->count = 0;
    for (int i = 0; i < m->table->count; i++) m->before[i] = sac_grasp_table_height(m->table, i);
    if (!come(m))
        m->outcome->blocked = true;
    else if (close_fingers(m))
    {
        lift(m);
        if (!keep(m)) m->outcome->held = -1;
    }
    m->table->mj->mj_forward(m->table->model, m->table->data); // what is seen is where things are now
    m->outcome->opening = 2 * m->table->data->qpos[m->table->finger_at[0]];
    m->outcome->broken = warnings(m->table) != before;
    if (m->outcome->broken) m->outcome->held = -1;
    return SAC_OK;
}

sac_status sac_grasp_try(grasp_outcome *outcome, grasp_table *table, const grasp_attempt *attempt)
{
    *outcome = (grasp_outcome){.held = -1};
    motion m = {.table = table, .attempt = attempt, .outcome = outcome};
    return sac_mujoco_guard(carry_out, &m);
}

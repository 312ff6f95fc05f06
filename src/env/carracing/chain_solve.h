// The step of the chain for LANES_COUNT cars side by side (base/lanes/vectors.h): a template, included once by each
// file that defines STEP, the name of its function. Every value is a vector with one car a lane; lanes never meet, so
// the bits are those of a car alone. The order of operations is Box2D 2.3's (b2Island, b2RevoluteJoint) to the last
// rounding.

#include <string.h>

#include "base/lanes/vectors.h"
#include "env/carracing/chain.h"
#include "env/carracing/chain_constants.h"
#include "env/carracing/trig.h"

typedef struct chain_lanes
{
    CAR_CHAIN_FIELDS(lanes);
} chain_lanes;

// What is computed once a step for a joint and stays the same during the velocity passes.
typedef struct joint
{
    lanes rx, ry;                    // from the hull's centre to the anchor
    lanes k11, k12, k22, k13, k23;   // effective mass matrix; k33 is a constant
    lanes inverse2, inverse3;        // of the determinants
    lanes cross_x, cross_y, cross_z; // second column x third column
    mask limited;
    int any_limited;
} joint;

LANES lanes clamp(lanes x, lanes low, lanes high)
{
    return lanes_max(low, lanes_min(x, high));
}

static void rotate(lanes angle, lanes *sine, lanes *cosine)
{
    float a[LANES_COUNT], s[LANES_COUNT], c[LANES_COUNT];
    memcpy(a, &angle, sizeof a);
    if (mask_any((angle >= CAR_TRIG_PLAIN) | (angle <= -CAR_TRIG_PLAIN)))
        for (int l = 0; l < LANES_COUNT; l++) car_sin_cos(a[l], &s[l], &c[l]);
    else
        for (int l = 0; l < LANES_COUNT; l++) car_sin_cos_plain(a[l], &s[l], &c[l]);
    memcpy(sine, s, sizeof s);
    memcpy(cosine, c, sizeof c);
}

// b2RevoluteJoint::InitVelocityConstraints. The anchor is the wheel's own centre, so that the arm on the wheel's side
// is zero and its terms fall away: with r the arm on the hull, m the sum of the inverse masses and i the hull's inverse
// inertia, K = [m + i ry ry, -i rx ry, -i ry; -i rx ry, m + i rx rx, i rx; -i ry, i rx, K33].
static void prepare_joint(joint *k, chain_lanes *c, int j)
{
    const float mass = HULL_INVERSE_MASS + WHEEL_INVERSE_MASS;
    k->rx = c->cosine[0] * anchor_x[j] - c->sine[0] * anchor_y[j];
    k->ry = c->sine[0] * anchor_x[j] + c->cosine[0] * anchor_y[j];
    k->k11 = mass + k->ry * k->ry * HULL_INVERSE_INERTIA;
    k->k12 = -k->ry * k->rx * HULL_INVERSE_INERTIA;
    k->k22 = mass + k->rx * k->rx * HULL_INVERSE_INERTIA;
    k->k13 = -k->ry * HULL_INVERSE_INERTIA;
    k->k23 = k->rx * HULL_INVERSE_INERTIA;
    k->cross_x = k->k22 * K33 - k->k23 * k->k23;
    k->cross_y = k->k23 * k->k13 - k->k12 * K33;
    k->cross_z = k->k12 * k->k23 - k->k22 * k->k13;
    k->inverse2 = 1.0f / (k->k11 * k->k22 - k->k12 * k->k12);
    k->inverse3 = 1.0f / (k->k11 * k->cross_x + k->k12 * k->cross_y + k->k13 * k->cross_z);

    // The limit's state is taken from the angle before the step. A limit that has just been reached starts without
    // impulse.
    lanes angle = c->angle[1 + j] - c->angle[0];
    mask lower = angle <= -JOINT_LIMIT, upper = angle >= JOINT_LIMIT;
    lanes limit = lanes_choose(lower, lanes_set(1), lanes_choose(upper, lanes_set(-1), lanes_set(0)));
    c->pz[j] = lanes_choose((limit == c->limit[j]) & (lower | upper), c->pz[j], lanes_set(0));
    c->limit[j] = limit;
    k->limited = lower | upper;
    k->any_limited = mask_any(k->limited);

    // Warm start: the impulses of the last step are applied first. Box2D scales them by the ratio of the time steps,
    // which is 1.
    lanes spin = c->motor[j] + c->pz[j];
    c->vx[0] -= HULL_INVERSE_MASS * c->px[j];
    c->vy[0] -= HULL_INVERSE_MASS * c->py[j];
    c->omega[0] -= HULL_INVERSE_INERTIA * (k->rx * c->py[j] - k->ry * c->px[j] + c->motor[j] + c->pz[j]);
    c->vx[1 + j] += WHEEL_INVERSE_MASS * c->px[j];
    c->vy[1 + j] += WHEEL_INVERSE_MASS * c->py[j];
    c->omega[1 + j] += WHEEL_INVERSE_INERTIA * spin;
}

// Solves one joint in one velocity pass: the motor, then the limit and the point together, or the point alone.
// b2RevoluteJoint::SolveVelocityConstraints. Impulses are accumulated and the total is clamped, as Box2D does it
// (sequential impulses: Catto 2006, "Fast and Simple Physics using Sequential Impulses"). Cramer's rule solves K p =
// -e, of three equations where a limit is reached and of the first two where none is.
LANES void solve_joint(chain_lanes *c, const joint *k, int j)
{
    lanes impulse = -MOTOR_MASS * (c->omega[1 + j] - c->omega[0] - c->speed[j]);
    lanes old = c->motor[j];
    c->motor[j] = clamp(old + impulse, lanes_set(-MOTOR_IMPULSE), lanes_set(MOTOR_IMPULSE));
    impulse = c->motor[j] - old;
    c->omega[0] -= HULL_INVERSE_INERTIA * impulse;
    c->omega[1 + j] += WHEEL_INVERSE_INERTIA * impulse;

    lanes error_x = c->vx[1 + j] - c->vx[0] + c->omega[0] * k->ry;
    lanes error_y = c->vy[1 + j] - c->vy[0] - c->omega[0] * k->rx;
    lanes bx = -error_x, by = -error_y, px, py, torque;
    if (k->any_limited)
    {
        lanes error_z = c->omega[1 + j] - c->omega[0];
        lanes x = -(k->inverse3 * (error_x * k->cross_x + error_y * k->cross_y + error_z * k->cross_z));
        lanes y =
            -(k->inverse3 * (k->k11 * (error_y * K33 - error_z * k->k23) + k->k12 * (error_z * k->k13 - error_x * K33) +
                             k->k13 * (error_x * k->k23 - error_y * k->k13)));
        lanes z = -(k->inverse3 *
                    (k->k11 * (k->k22 * error_z - k->k23 * error_y) + k->k12 * (k->k23 * error_x - k->k12 * error_z) +
                     k->k13 * (k->k12 * error_y - k->k22 * error_x)));
        // A limit only pushes. Where it would pull, its impulse is dropped and the point is solved alone.
        mask block = k->limited & ~(c->limit[j] * (c->pz[j] + z) < 0.0f);
        bx += c->pz[j] * k->k13;
        by += c->pz[j] * k->k23;
        px = lanes_choose(block, x, k->inverse2 * (k->k22 * bx - k->k12 * by));
        py = lanes_choose(block, y, k->inverse2 * (k->k11 * by - k->k12 * bx));
        z = lanes_choose(block, z, -c->pz[j]);
        c->pz[j] += z;
        torque = k->rx * py - k->ry * px + z;
        c->omega[1 + j] += WHEEL_INVERSE_INERTIA * z;
    }
    else
    {
        px = k->inverse2 * (k->k22 * bx - k->k12 * by);
        py = k->inverse2 * (k->k11 * by - k->k12 * bx);
        torque = k->rx * py - k->ry * px;
    }
    c->px[j] += px;
    c->py[j] += py;
    c->vx[0] -= HULL_INVERSE_MASS * px;
    c->vy[0] -= HULL_INVERSE_MASS * py;
    c->omega[0] -= HULL_INVERSE_INERTIA * torque;
    c->vx[1 + j] += WHEEL_INVERSE_MASS * px;
    c->vy[1 + j] += WHEEL_INVERSE_MASS * py;
}

// Box2D walks its lists from the newest joint to the oldest
LANES void velocity_pass(chain_lanes *c, const joint *joints)
{
    solve_joint(c, &joints[3], 3);
    solve_joint(c, &joints[2], 2);
    solve_joint(c, &joints[1], 1);
    solve_joint(c, &joints[0], 0);
}

// Tells whether all numbers that a pass changes have the same bits in both states, so that the same passes follow.
static int same_state(const chain_lanes *a, const chain_lanes *b)
{
    mask differ = {0};
    for (int i = 0; i < CAR_BODIES; i++)
        differ |= ((mask)a->vx[i] ^ (mask)b->vx[i]) | ((mask)a->vy[i] ^ (mask)b->vy[i]) |
                  ((mask)a->omega[i] ^ (mask)b->omega[i]);
    for (int j = 0; j < CAR_WHEELS; j++)
        differ |= ((mask)a->px[j] ^ (mask)b->px[j]) | ((mask)a->py[j] ^ (mask)b->py[j]) |
                  ((mask)a->pz[j] ^ (mask)b->pz[j]) | ((mask)a->motor[j] ^ (mask)b->motor[j]);
    return !mask_any(differ);
}

// 180 passes. A state that comes back after p passes comes back every p passes, so only the rest modulo p is left.
static void solve_velocities(chain_lanes *chain, const joint *joints)
{
    chain_lanes c = *chain, saved = c;
    int saved_at = 0, passes = VELOCITY_PASSES;
    for (int done = 1; done <= passes; done++)
    {
        velocity_pass(&c, joints);
        if (LANES_COUNT > 4 || passes < VELOCITY_PASSES) continue; // among many cars one is always on the way
        if (saved_at > 0 && same_state(&c, &saved))
            passes = done + (VELOCITY_PASSES - done) % (done - saved_at);
        else if (done >= 4 && (done & (done - 1)) == 0)
            saved = c, saved_at = done;
    }
    *chain = c;
}

// Moves centres and angles by the velocities, which are cut to 2 units and a quarter turn a step.
// b2Island::Solve, the integration of positions: semi-implicit Euler, velocities before positions.
static void integrate(chain_lanes *c)
{
    for (int i = 0; i < CAR_BODIES; i++)
    {
        lanes x = TIME_STEP * c->vx[i], y = TIME_STEP * c->vy[i], square = x * x + y * y;
        lanes ratio = lanes_choose(square > MAX_TRANSLATION * MAX_TRANSLATION, MAX_TRANSLATION / lanes_sqrt(square),
                                   lanes_set(1));
        c->vx[i] *= ratio;
        c->vy[i] *= ratio;
        lanes turn = TIME_STEP * c->omega[i];
        ratio = lanes_choose(turn * turn > MAX_ROTATION * MAX_ROTATION, MAX_ROTATION / lanes_max(turn, -turn),
                             lanes_set(1));
        c->omega[i] *= ratio;
        c->center_x[i] += TIME_STEP * c->vx[i];
        c->center_y[i] += TIME_STEP * c->vy[i];
        c->angle[i] += TIME_STEP * c->omega[i];
    }
}

// Corrects one joint in one position pass: the limit's angle, then the point. Returns where both were near enough
// before. b2RevoluteJoint::SolvePositionConstraints: a Newton step on the pose itself, without velocities, that takes
// away what the integration has let the joint drift apart.
static mask correct_joint(chain_lanes *c, int j)
{
    lanes angle = c->angle[1 + j] - c->angle[0];
    lanes below = angle + JOINT_LIMIT, above = angle - JOINT_LIMIT;
    mask lower = c->limit[j] > 0.0f, upper = c->limit[j] < 0.0f;
    lanes angle_error = lanes_choose(lower, -below, lanes_choose(upper, above, lanes_set(0)));
    lanes fix = lanes_choose(
        lower, clamp(below + ANGULAR_SLOP, lanes_set(-MAX_CORRECTION), lanes_set(0)),
        lanes_choose(upper, clamp(above - ANGULAR_SLOP, lanes_set(0), lanes_set(MAX_CORRECTION)), lanes_set(0)));
    lanes impulse = -MOTOR_MASS * fix;
    c->angle[0] -= HULL_INVERSE_INERTIA * impulse;
    c->angle[1 + j] += WHEEL_INVERSE_INERTIA * impulse;

    lanes sine, cosine;
    rotate(c->angle[0], &sine, &cosine);
    lanes rx = cosine * anchor_x[j] - sine * anchor_y[j], ry = sine * anchor_x[j] + cosine * anchor_y[j];
    lanes x = c->center_x[1 + j] - c->center_x[0] - rx, y = c->center_y[1 + j] - c->center_y[0] - ry;
    mask okay = (lanes_sqrt(x * x + y * y) <= LINEAR_SLOP) & (angle_error <= ANGULAR_SLOP);

    const float mass = HULL_INVERSE_MASS + WHEEL_INVERSE_MASS;
    lanes k11 = mass + HULL_INVERSE_INERTIA * ry * ry, k22 = mass + HULL_INVERSE_INERTIA * rx * rx;
    lanes k12 = -HULL_INVERSE_INERTIA * rx * ry, inverse = 1.0f / (k11 * k22 - k12 * k12);
    lanes px = -(inverse * (k22 * x - k12 * y)), py = -(inverse * (k11 * y - k12 * x));
    c->center_x[0] -= HULL_INVERSE_MASS * px;
    c->center_y[0] -= HULL_INVERSE_MASS * py;
    c->angle[0] -= HULL_INVERSE_INERTIA * (rx * py - ry * px);
    c->center_x[1 + j] += WHEEL_INVERSE_MASS * px;
    c->center_y[1 + j] += WHEEL_INVERSE_MASS * py;
    return okay;
}

// Keeps the new pose only in the `active` lanes. Returns the lanes whose pose has not changed.
static mask keep_poses(chain_lanes *c, const chain_lanes *old, mask active)
{
    mask moved = {0};
    for (int i = 0; i < CAR_BODIES; i++)
    {
        moved |= (c->center_x[i] != old->center_x[i]) | (c->center_y[i] != old->center_y[i]) |
                 (c->angle[i] != old->angle[i]);
        c->center_x[i] = lanes_choose(active, c->center_x[i], old->center_x[i]);
        c->center_y[i] = lanes_choose(active, c->center_y[i], old->center_y[i]);
        c->angle[i] = lanes_choose(active, c->angle[i], old->angle[i]);
    }
    return ~moved;
}

// Makes up to 60 passes, for each car until its joints fit. Returns the lanes where they do. A pass that moves nothing
// is the last that matters.
static mask correct_positions(chain_lanes *c)
{
    mask active = ~(mask){0}, solved = {0};
    for (int pass = 0; pass < POSITION_PASSES && mask_any(active); pass++)
    {
        const chain_lanes old = *c;
        mask okay = active;
        for (int j = CAR_WHEELS - 1; j >= 0; j--) okay &= correct_joint(c, j);
        mask unmoved = keep_poses(c, &old, active);
        solved |= okay;
        active &= ~(okay | unmoved);
    }
    return solved;
}

// A car at rest for half a second falls asleep, and the next step's motors wake it.
// b2Island::Solve, its last part: an island sleeps when all of its bodies have been slow for long enough.
static void fall_asleep(chain_lanes *c, mask solved)
{
    mask asleep = solved;
    for (int i = 0; i < CAR_BODIES; i++)
    {
        mask moves = (c->omega[i] * c->omega[i] > SLEEP_OMEGA * SLEEP_OMEGA) |
                     (c->vx[i] * c->vx[i] + c->vy[i] * c->vy[i] > SLEEP_SPEED * SLEEP_SPEED);
        c->still[i] = lanes_choose(moves, lanes_set(0), c->still[i] + TIME_STEP);
        asleep &= c->still[i] >= TIME_TO_SLEEP;
    }
    for (int i = 0; i < CAR_BODIES; i++)
    {
        c->still[i] = lanes_choose(asleep, lanes_set(0), c->still[i]);
        c->vx[i] = lanes_choose(asleep, lanes_set(0), c->vx[i]);
        c->vy[i] = lanes_choose(asleep, lanes_set(0), c->vy[i]);
        c->omega[i] = lanes_choose(asleep, lanes_set(0), c->omega[i]);
    }
}

static void place_bodies(chain_lanes *c)
{
    for (int i = 0; i < CAR_BODIES; i++)
    {
        rotate(c->angle[i], &c->sine[i], &c->cosine[i]);
        c->x[i] = c->center_x[i];
        c->y[i] = c->center_y[i];
    }
    c->x[0] = c->center_x[0] - (c->cosine[0] * HULL_CENTER_X - c->sine[0] * HULL_CENTER_Y);
    c->y[0] = c->center_y[0] - (c->sine[0] * HULL_CENTER_X + c->cosine[0] * HULL_CENTER_Y);
}

// One step of b2World for 1 to LANES_COUNT cars: forces, the joints' velocities, positions, corrections, sleep. The
// cars' numbers are turned from one car a row to one car a lane, and back; spare lanes repeat the last car.
void STEP(car_chain *const *chains, int count)
{
    union
    {
        chain_lanes c;
        float numbers[CAR_CHAIN_NUMBERS][LANES_COUNT];
    } u;
    for (int l = 0; l < LANES_COUNT; l++)
    {
        const float *from = (const float *)chains[l < count ? l : count - 1];
        for (int i = 0; i < CAR_CHAIN_NUMBERS; i++) u.numbers[i][l] = from[i];
    }

    joint joints[CAR_WHEELS];
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        u.c.vx[1 + j] += TIME_STEP * (WHEEL_INVERSE_MASS * u.c.force_x[j]);
        u.c.vy[1 + j] += TIME_STEP * (WHEEL_INVERSE_MASS * u.c.force_y[j]);
    }
    for (int j = CAR_WHEELS - 1; j >= 0; j--) prepare_joint(&joints[j], &u.c, j);
    solve_velocities(&u.c, joints);
    integrate(&u.c);
    mask solved = correct_positions(&u.c);
    fall_asleep(&u.c, solved);
    place_bodies(&u.c);

    for (int l = 0; l < count; l++)
    {
        float *to = (float *)chains[l];
        for (int i = 0; i < CAR_CHAIN_NUMBERS; i++) to[i] = u.numbers[i][l];
    }
}

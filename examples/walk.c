// A body with four legs without mass trots over flat ground: footholds by Raibert's rule, forces by model predictive
// control. Its feet stay where they stand, and go where they are told while they swing.
#include <math.h>
#include <saccade/walk.h>
#include <stdio.h>

#define STEP 0.004 // seconds

typedef struct body
{
    double place[3], velocity[3], angles[3], turning[3]; // angles: roll, pitch, yaw
    double feet[SAC_LEGS][3];                            // in the world
} body;

static void turn_axes(double out[9], const double a[3]) // Rz(yaw) Ry(pitch) Rx(roll)
{
    const double sr = sin(a[0]), cr = cos(a[0]), sp = sin(a[1]), cp = cos(a[1]), sy = sin(a[2]), cy = cos(a[2]);
    const double r[9] = {cy * cp,
                         cy * sp * sr - sy * cr,
                         cy * sp * cr + sy * sr, //
                         sy * cp,
                         sy * sp * sr + cy * cr,
                         sy * sp * cr - cy * sr, //
                         -sp,
                         cp * sr,
                         cp * cr};
    for (int i = 0; i < 9; i++) out[i] = r[i];
}

static void see(double toe[3], const body *b, const double r[9], int leg) // a foot in the frame of the body
{
    double from[3];
    for (int i = 0; i < 3; i++) from[i] = b->feet[leg][i] - b->place[i];
    for (int i = 0; i < 3; i++) toe[i] = r[i] * from[0] + r[3 + i] * from[1] + r[6 + i] * from[2];
}

static void measure(sac_walk_senses *in, const body *b, const sac_walk_def *def) // feet in the world -> joints
{
    double r[9];
    turn_axes(r, b->angles);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        double toe[3];
        see(toe, b, r, leg);
        sac_leg_reach(in->joints[leg], &def->legs[leg], toe);
        in->touches[leg] = b->feet[leg][2] <= 0;
    }
    const double c = cos(b->angles[2]), s = sin(b->angles[2]);
    in->roll = b->angles[0], in->pitch = b->angles[1];
    in->velocity[0] = c * b->velocity[0] + s * b->velocity[1];
    in->velocity[1] = c * b->velocity[1] - s * b->velocity[0];
    in->velocity[2] = b->velocity[2];
    for (int i = 0; i < 3; i++) in->turning[i] = b->turning[i];
}

// What a leg's torques press with is turned with the body.
static void push(body *b, const sac_stance_output *out, const sac_stance_def *def)
{
    double r[9], force[3] = {0}, torque[3] = {0}; // in the frame of the body
    turn_axes(r, b->angles);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const double *f = out->forces[leg];
        double toe[3];
        see(toe, b, r, leg);
        for (int i = 0; i < 3; i++)
        {
            force[i] += f[i];
            torque[i] += toe[(i + 1) % 3] * f[(i + 2) % 3] - toe[(i + 2) % 3] * f[(i + 1) % 3];
        }
    }
    for (int i = 0; i < 3; i++)
    {
        const double along = r[3 * i] * force[0] + r[3 * i + 1] * force[1] + r[3 * i + 2] * force[2];
        b->velocity[i] += STEP * (along / def->mass - (i == 2 ? def->gravity : 0));
        b->turning[i] += STEP * torque[i] / def->inertia[i];
        b->place[i] += STEP * b->velocity[i], b->angles[i] += STEP * b->turning[i]; // of small roll and pitch
    }
}

static void swing(body *b, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS], const sac_gait_feet *feet,
                  const sac_walk_def *def)
{
    double r[9];
    turn_axes(r, b->angles);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        if (feet->foot[leg] != SAC_FOOT_SWING) continue;
        double toe[3], joints[SAC_LEG_JOINTS];
        for (int i = 0; i < SAC_LEG_JOINTS; i++) joints[i] = motors[leg][i].q;
        sac_leg_toe(toe, &def->legs[leg], joints);
        for (int i = 0; i < 3; i++)
            b->feet[leg][i] = b->place[i] + r[3 * i] * toe[0] + r[3 * i + 1] * toe[1] + r[3 * i + 2] * toe[2];
        if (b->feet[leg][2] < 0) b->feet[leg][2] = 0; // the ground
    }
}

// Ten seconds of walking; whether they went as wanted.
static bool trot(const sac_walk_def *def)
{
    const double wanted[2] = {0.4, 0}, height = 0.456, stance = def->gait.duty * def->gait.period;
    body b = {.place = {0, 0, height}};
    for (int leg = 0; leg < SAC_LEGS; leg++)
        for (int i = 0; i < 3; i++) b.feet[leg][i] = b.place[i] + def->toes[leg][i];
    sac_walk *walk;
    if (sac_walk_create(&walk, def) != SAC_OK) return fprintf(stderr, "walk: %s\n", sac_last_error()), false;
    sac_walk_senses senses = {0};
    measure(&senses, &b, def);
    sac_walk_reset(walk, &senses);

    for (int step = 0; step * STEP < 10; step++)
    {
        sac_walk_command command = {.velocity = {wanted[0], wanted[1]}, .height = height};
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            sac_raibert_foothold(command.foothold[leg], senses.velocity, wanted, stance, 0.03);
            command.clearance[leg] = 0.07;
        }
        sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
        const sac_stance_output out = sac_walk_step(motors, walk, &senses, &command, STEP);
        const sac_gait_feet feet = sac_walk_feet(walk);
        push(&b, &out, &def->stance);
        swing(&b, motors, &feet, def);
        measure(&senses, &b, def);
    }
    const int unsolved = (int)sac_walk_unsolved(walk);
    printf("%.2f m, at the end %.3f m high, %d problems unsolved\n", b.place[0], b.place[2], unsolved);
    sac_walk_destroy(walk);
    return fabs(b.place[0] / 10 - wanted[0]) < 0.05 && fabs(b.place[2] - height) < 0.01 && unsolved == 0;
}

int main(void)
{
    sac_walk_def def = sac_walk_default_def();
    const bool ahead = trot(&def); // forces by what comes in the next quarter of a second
    def.instant = true;
    const bool now = trot(&def); // by this instant alone
    return ahead && now ? 0 : 1;
}

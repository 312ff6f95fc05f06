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

static void measure(sac_walk_senses *in, const body *b, const sac_walk_def *def) // feet in the world -> joints
{
    double r[9];
    turn_axes(r, b->angles);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        double toe[3], from[3];
        for (int i = 0; i < 3; i++) from[i] = b->feet[leg][i] - b->place[i];
        for (int i = 0; i < 3; i++) toe[i] = r[i] * from[0] + r[3 + i] * from[1] + r[6 + i] * from[2];
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

static void push(body *b, const sac_stance_output *out, const sac_stance_def *def) // forces on the body for one step
{
    double sum[3] = {0, 0, -def->mass * def->gravity}, torque[3] = {0};
    const double c = cos(b->angles[2]), s = sin(b->angles[2]);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const double *f = out->forces[leg], *foot = b->feet[leg];
        const double from[3] = {c * (foot[0] - b->place[0]) + s * (foot[1] - b->place[1]),
                                c * (foot[1] - b->place[1]) - s * (foot[0] - b->place[0]), foot[2] - b->place[2]};
        sum[0] += c * f[0] - s * f[1], sum[1] += s * f[0] + c * f[1], sum[2] += f[2];
        for (int i = 0; i < 3; i++)
            torque[i] += from[(i + 1) % 3] * f[(i + 2) % 3] - from[(i + 2) % 3] * f[(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++)
    {
        b->velocity[i] += STEP * sum[i] / def->mass, b->turning[i] += STEP * torque[i] / def->inertia[i];
        b->place[i] += STEP * b->velocity[i], b->angles[i] += STEP * b->turning[i];
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

int main(void)
{
    const sac_walk_def def = sac_walk_default_def();
    const double wanted[2] = {0.4, 0}, stance = def.gait.duty * def.gait.period;
    body b = {.place = {0, 0, 0.456}};
    for (int leg = 0; leg < SAC_LEGS; leg++)
        for (int i = 0; i < 3; i++) b.feet[leg][i] = b.place[i] + def.toes[leg][i];
    sac_walk *walk;
    if (sac_walk_create(&walk, &def) != SAC_OK) return fprintf(stderr, "walk: %s\n", sac_last_error()), 1;
    sac_walk_senses senses = {0};
    measure(&senses, &b, &def);
    sac_walk_reset(walk, &senses);

    for (int step = 0; step < 2500; step++) // ten seconds
    {
        sac_walk_command command = {.velocity = {wanted[0], wanted[1]}, .height = 0.456};
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            sac_raibert_foothold(command.foothold[leg], senses.velocity, wanted, stance, 0.03);
            command.clearance[leg] = 0.07;
        }
        sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS];
        const sac_stance_output out = sac_walk_step(motors, walk, &senses, &command, STEP);
        const sac_gait_feet feet = sac_walk_feet(walk);
        push(&b, &out, &def.stance);
        swing(&b, motors, &feet, &def);
        measure(&senses, &b, &def);
    }
    printf("%.2f m in 10 s, %.3f m high, %d problems unsolved\n", b.place[0], b.place[2], (int)sac_walk_unsolved(walk));
    const bool well = fabs(b.place[0] / 10 - wanted[0]) < 0.05 && fabs(b.place[2] - 0.456) < 0.03;
    return sac_walk_destroy(walk), well ? 0 : 1;
}

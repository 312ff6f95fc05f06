#include "env/legs/robots.h"

#include <string.h>

// Legs in the order front right, front left, rear right, rear left; y is negative on the right.

// The plane of Laikago's legs lies 0.0329 m outside the abduction's axis on the right and 0.0352 m on the left: the hip
// is 0.0536 and 0.0559 further out, and the knee 0.0207 back in.
static const legs_robot laikago = {
    .name = "laikago",
    .mass = 13.715,
    .inertia = {0.22, 0.431, 0.565},
    .trunk = {0.29, 0.10, 0.09},
    .trunk_center = {-0.0125, 0, -0.016},
    .hip = {1.095, {0.001458, 0.001732, 0.001701}, {0, -0.02, 0}},
    .thigh = {1.527, {0.009543, 0.015518, 0.008408, 0, 0.001459, 0}, {-0.01043, 0, -0.0556}},
    .shank = {0.341, {0.002704, 0.002794, 0.000175, 0, 0.000211, 0}, {-0.00417, 0, -0.18748}},
    .hip_axis = 0.0548,
    .legs = {{{0.199095, -0.0817145, -0.03}, -0.0329, 0.25223, 0.25097},
             {{0.199095, 0.0817145, -0.03}, 0.0352, 0.25223, 0.25097},
             {{-0.238195, -0.0817145, -0.03}, -0.0329, 0.25223, 0.25097},
             {{-0.238195, 0.0817145, -0.03}, 0.0352, 0.25223, 0.25097}},
    .thickness = 0.02,
    .toe_radius = 0.03,
    .contact = {0.01, 1.5}, // with which footholds 0, 0.05 and 0.1 m ahead walk as fast as in PyBullet
    .home = {0, 0.6689, -1.1011},
    .start_height = 0.48,
    .neutral_knee = 0.149,
    .low = {-1.05, -0.53, -2.63},
    .high = {1.05, 3.93, -0.3},
    .torque = {30, 30, 30},
    .kp = 220,
    .kd = {0.3, 2, 2},
    .stance_mass = 235 / 9.8,
    .stance_inertia = {0.183375, 0.6267, 0.636175},
    .height = 0.45,
    .camera = {{0.197, 0, -0.115}, {-0.092, 0, -0.105}},
    .eye = {0.3, 0, 0.05},
};

static const legs_robot go1 = {
    .name = "go1",
    .mass = 5.204,
    .inertia = {0.016813, 0.06301, 0.071655}, // less products of at most 0.0003
    .center = {0.0223, 0.002, -0.0005},
    .trunk = {0.1881, 0.0467, 0.057},
    .hip = {0.68, {0.000399, 0.000733, 0.000468, -0.000015, 0.000001, 0.000002}, {-0.004917, -0.007626, -0.000089}},
    .thigh = {1.009, {0.004599, 0.004689, 0.000817, 0.000061, -0.000228, 0.000611}, {-0.003047, -0.019315, -0.030501}},
    .shank = {0.195862,
              {0.001484, 0.001498, 0.000036, -0.000001, -0.000018, -0.000004},
              {0.004299, 0.000977, -0.146197}},
    .hip_axis = 0.08,
    .legs = {{{0.1881, -0.04675, 0}, -0.08, 0.213, 0.213},
             {{0.1881, 0.04675, 0}, 0.08, 0.213, 0.213},
             {{-0.1881, -0.04675, 0}, -0.08, 0.213, 0.213},
             {{-0.1881, 0.04675, 0}, 0.08, 0.213, 0.213}},
    .thickness = 0.015,
    .toe_radius = 0.023,
    .contact = {0.01, 1},
    .home = {0, 0.9, -1.8},
    .start_height = 0.29,
    .armature = 0.01,
    .damping = {1, 0.6, 0.6},
    .friction = 0.2,
    .low = {-0.863, -0.686, -2.818},
    .high = {0.863, 4.501, -0.888},
    .torque = {23.7, 23.7, 35.55},
    .kp = 100,
    .kd = {2, 2, 2},
    .stance_mass = 12.743,
    .stance_inertia = {0.07, 0.26, 0.28},
    .height = 0.28,
    .camera = {{0.2, 0, -0.06}, {-0.08, 0, -0.06}},
    .eye = {0.25, 0, 0.05},
};

const legs_robot *sac_legs_robot(const char *name)
{
    const legs_robot *robots[] = {&laikago, &go1};
    for (int i = 0; i < 2; i++)
        if (strcmp(robots[i]->name, name) == 0) return robots[i];
    return NULL;
}

double sac_legs_robot_mass(const legs_robot *r)
{
    return r->mass + SAC_LEGS * (r->hip.mass + r->thigh.mass + r->shank.mass);
}

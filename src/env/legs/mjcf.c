#include "env/legs/mjcf.h"

const char *const sac_legs_names[SAC_LEGS] = {"FR", "FL", "RR", "RL"};

// Robots have bit 1 and meet what has bit 2, which the ground has: no part of a robot meets another.
#define ROBOT  "contype='1' conaffinity='2' "
#define GROUND "contype='2' conaffinity='1' "

// The part of the left front leg, mirrored where `along` (x) or `side` (y) is -1.
static void add_inertia(sac_growing *text, const robot_part *part, double along, double side)
{
    const double *c = part->center, *i = part->inertia;
    sac_grow_text(
        text, "<inertial pos='%.17g %.17g %.17g' mass='%.17g' fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n",
        along * c[0], side * c[1], c[2], part->mass, i[0], i[1], i[2], along * side * i[3], along * i[4], side * i[5]);
}

static void add_joint(sac_growing *text, const legs_robot *r, int leg, int joint, double side)
{
    static const char *const axes[SAC_LEG_JOINTS] = {"1 0 0", "0 1 0", "0 1 0"};
    static const char *const words[SAC_LEG_JOINTS] = {"abduction", "hip", "knee"};
    const bool mirrored = joint == 0 && side < 0;
    sac_grow_text(text,
                  "<joint name='%s-%s' axis='%s' range='%.17g %.17g' armature='%.17g' damping='%.17g' "
                  "frictionloss='%.17g'/>\n",
                  sac_legs_names[leg], words[joint], axes[joint], mirrored ? -r->high[joint] : r->low[joint],
                  mirrored ? -r->low[joint] : r->high[joint], r->armature, r->damping[joint], r->friction);
}

// A shank ends in a toe, a ball with a sensor of touch around it.
static void add_shank(sac_growing *text, const legs_robot *r, int leg, double side, double inwards)
{
    const double length = r->legs[leg].shank;
    sac_grow_text(text, "<body name='%s-shank' pos='0 %.17g %.17g'>\n", sac_legs_names[leg], inwards,
                  -r->legs[leg].thigh);
    add_inertia(text, &r->shank, 1, side);
    add_joint(text, r, leg, 2, side);
    sac_grow_text(text,
                  "<geom name='%s-shank' type='capsule' " ROBOT "size='%.17g' fromto='0 0 0 0 0 %.17g' "
                  "rgba='0.3 0.3 0.32 1'/>\n",
                  sac_legs_names[leg], 0.7 * r->thickness, -(length - r->toe_radius));
    sac_grow_text(text,
                  "<geom name='%s-toe' type='sphere' " ROBOT "size='%.17g' pos='0 0 %.17g' rgba='0.1 0.1 0.1 1'/>\n",
                  sac_legs_names[leg], r->toe_radius, -length);
    sac_grow_text(text, "<site name='%s-toe' type='sphere' size='%.17g' pos='0 0 %.17g' rgba='0 0 0 0'/>\n</body>\n",
                  sac_legs_names[leg], 1.05 * r->toe_radius, -length);
}

static void add_leg(sac_growing *text, const legs_robot *r, int leg)
{
    const sac_leg *l = &r->legs[leg];
    const double side = l->aside > 0 ? 1 : -1;
    sac_grow_text(text, "<body name='%s-hip' pos='%.17g %.17g %.17g'>\n", sac_legs_names[leg], l->place[0], l->place[1],
                  l->place[2]);
    add_inertia(text, &r->hip, l->place[0] > 0 ? 1 : -1, side);
    add_joint(text, r, leg, 0, side);
    sac_grow_text(text, "<body name='%s-thigh' pos='0 %.17g 0'>\n", sac_legs_names[leg], side * r->hip_axis);
    add_inertia(text, &r->thigh, 1, side);
    add_joint(text, r, leg, 1, side);
    sac_grow_text(text,
                  "<geom name='%s-thigh' type='capsule' " ROBOT "size='%.17g' fromto='0 0 0 0 0 %.17g' "
                  "rgba='0.75 0.75 0.78 1'/>\n",
                  sac_legs_names[leg], r->thickness, -l->thigh);
    add_shank(text, r, leg, side, l->aside - side * r->hip_axis);
    sac_grow_text(text, "</body>\n</body>\n");
}

// The two cameras that look down have the robot's front at the right of their pictures, as the released ones.
static void add_cameras(sac_growing *text, const legs_robot *r)
{
    static const char *const words[2] = {"front", "belly"};
    for (int i = 0; i < 2; i++)
        sac_grow_text(text, "<camera name='%s' pos='%.17g %.17g %.17g' xyaxes='1 0 0 0 1 0' fovy='75'/>\n", words[i],
                      r->camera[i][0], r->camera[i][1], r->camera[i][2]);
    sac_grow_text(text, "<camera name='ahead' pos='%.17g %.17g %.17g' xyaxes='0 -1 0 0 0 1' fovy='60'/>\n", r->eye[0],
                  r->eye[1], r->eye[2]);
    sac_grow_text(text, "<camera name='chase' mode='trackcom' pos='-1.1 -1.5 0.8' xyaxes='0.806 -0.592 0 0.234 0.319 "
                        "0.918' fovy='45'/>\n");
}

static void add_trunk(sac_growing *text, const legs_robot *r)
{
    const double *t = r->trunk, *c = r->trunk_center, *i = r->inertia, *m = r->center;
    sac_grow_text(text, "<body name='trunk' pos='0 0 %.17g'>\n<freejoint name='root'/>\n", r->start_height);
    sac_grow_text(text, "<inertial pos='%.17g %.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", m[0],
                  m[1], m[2], r->mass, i[0], i[1], i[2]);
    sac_grow_text(text,
                  "<geom name='trunk' type='box' " ROBOT "size='%.17g %.17g %.17g' pos='%.17g %.17g %.17g' "
                  "rgba='0.85 0.85 0.87 1'/>\n",
                  t[0], t[1], t[2], c[0], c[1], c[2]);
    sac_grow_text(text,
                  "<geom name='head' type='box' contype='0' conaffinity='0' mass='0' size='0.03 %.17g %.17g' "
                  "pos='%.17g 0 %.17g' rgba='0.9 0.45 0.1 1'/>\n",
                  0.7 * t[1], 0.5 * t[2], c[0] + t[0] + 0.03, c[2]);
    sac_grow_text(text, "<site name='imu' size='0.01' rgba='0 0 0 0'/>\n");
    // The light goes with the robot, because shadows, which people's pictures alone have, reach some metres around it.
    sac_grow_text(text, "<light mode='trackcom' pos='-1.1 -0.7 3.5' dir='0.3 0.2 -1' directional='true' "
                        "diffuse='0.8 0.8 0.8'/>\n");
    add_cameras(text, r);
    for (int leg = 0; leg < SAC_LEGS; leg++) add_leg(text, r, leg);
    sac_grow_text(text, "</body>\n");
}

// Boxes are bodies of their own, so that one can be moved by its body's place alone.
static void add_ground(sac_growing *text, int pieces, double floor)
{
    sac_grow_text(text, "<geom name='floor' type='plane' " GROUND "pos='0 0 %.17g' size='0 0 0.5' material='floor'/>\n",
                  floor);
    for (int i = 0; i < pieces; i++)
        sac_grow_text(text,
                      "<body name='piece%d' pos='0 0 -100'><geom name='piece%d' type='box' " GROUND
                      "size='0.1 0.1 0.1'/></body>\n",
                      i, i);
}

static void add_motors_and_sensors(sac_growing *text, const legs_robot *r)
{
    static const char *const words[SAC_LEG_JOINTS] = {"abduction", "hip", "knee"};
    sac_grow_text(text, "<actuator>\n");
    for (int leg = 0; leg < SAC_LEGS; leg++)
        for (int j = 0; j < SAC_LEG_JOINTS; j++)
            sac_grow_text(text, "<motor name='%s-%s' joint='%s-%s' ctrlrange='%.17g %.17g'/>\n", sac_legs_names[leg],
                          words[j], sac_legs_names[leg], words[j], -r->torque[j], r->torque[j]);
    sac_grow_text(text, "</actuator>\n<sensor>\n");
    for (int leg = 0; leg < SAC_LEGS; leg++)
        sac_grow_text(text, "<touch name='%s-toe' site='%s-toe'/>\n", sac_legs_names[leg], sac_legs_names[leg]);
    sac_grow_text(text, "<accelerometer name='imu' site='imu'/>\n</sensor>\n");
}

void sac_legs_mjcf(sac_growing *text, const legs_robot *robot, double step, int pieces, double floor)
{
    sac_grow_text(text,
                  "<mujoco model='%s'>\n<compiler angle='radian' autolimits='true'/>\n"
                  "<option timestep='%.17g' gravity='0 0 -10' cone='pyramidal'/>\n"
                  "<statistic extent='2' center='0 0 0.3'/>\n"
                  "<visual><map znear='0.005' zfar='20' shadowclip='1.5'/></visual>\n",
                  robot->name, step);
    sac_grow_text(text,
                  "<asset>\n"
                  "<texture name='sky' type='skybox' builtin='gradient' rgb1='0.55 0.7 0.9' rgb2='0.85 0.9 0.95' "
                  "width='64' height='384'/>\n"
                  "<texture name='floor' type='2d' builtin='checker' rgb1='0.32 0.36 0.4' rgb2='0.4 0.45 0.5' "
                  "width='64' height='64'/>\n"
                  "<material name='floor' texture='floor' texrepeat='2 2' texuniform='true'/>\n</asset>\n"
                  "<default><geom friction='1 0.005 0.0001' solref='%.17g %.17g' condim='3'/></default>\n<worldbody>\n",
                  robot->contact[0], robot->contact[1]);
    add_ground(text, pieces, floor);
    add_trunk(text, robot);
    sac_grow_text(text, "</worldbody>\n");
    add_motors_and_sensors(text, robot);
    sac_grow_text(text, "</mujoco>\n");
}

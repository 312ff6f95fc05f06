#include "env/grasp/mjcf.h"

#include "grip/hand.h"

// What an episode sets is compiled as something general: off its body's origin and turned, so that MuJoCo takes none of
// the short cuts that it has for geoms and masses in the middle.
static void add_thing(sac_growing *text, int index, double friction)
{
    sac_grow_text(
        text,
        "<body name='thing%d' pos='%d 0 0.5'><freejoint name='thing%d'/>\n"
        "<inertial pos='0.01 0.02 0.03' quat='0.8 0.1 0.2 0.3' mass='0.1' diaginertia='1e-4 1.1e-4 1.2e-4'/>\n",
        index, index + 1, index);
    for (int i = 0; i < GRIP_SOLIDS; i++)
        sac_grow_text(text,
                      "<geom type='box' pos='0.01 0.02 0.03' quat='0.8 0.1 0.2 0.3' size='0.01 0.01 0.01' contype='0' "
                      "conaffinity='0' group='%d' friction='%.17g 0.005 0.0001'/>\n",
                      GRASP_HIDDEN, friction);
    sac_grow_text(text, "</body>\n");
}

static void add_finger(sac_growing *text, const char *name, int side, double force)
{
    const double *half = grip_finger;
    sac_grow_text(
        text,
        "<body name='%s' pos='%.17g 0 %.17g'>\n<inertial pos='0 0 0' mass='0.3' diaginertia='1e-4 1e-4 1e-4'/>\n"
        "<joint name='%s' type='slide' axis='%d 0 0' range='0 %.17g' damping='%.17g'/>\n"
        "<geom name='%s' type='box' size='%.17g %.17g %.17g' contype='%d' conaffinity='0' condim='4' "
        "friction='1 0.02 0.0001' rgba='0.25 0.25 0.28 1'/>\n</body>\n",
        name, side * half[0], -half[2], name, side, grip_stroke / 2, force / grip_closing_speed, name, half[0], half[1],
        half[2], GRASP_HAND_BIT);
}

static void add_hand(sac_growing *text, double force)
{
    const double *half = grip_palm;
    sac_grow_text(text,
                  "<body name='hand' gravcomp='1' pos='0 0 0.5'><freejoint name='hand'/>\n"
                  "<inertial pos='0 0 0' mass='50' diaginertia='1 1 1'/>\n"
                  "<geom name='palm' type='box' size='%.17g %.17g %.17g' pos='0 0 %.17g' contype='%d' conaffinity='0' "
                  "rgba='0.6 0.62 0.65 1'/>\n"
                  "<camera name='wrist' pos='0 0.05 %.17g' xyaxes='1 0 0 0 -1 0' fovy='60'/>\n",
                  half[0], half[1], half[2], -2 * grip_finger[2] - half[2], GRASP_HAND_BIT,
                  -2 * grip_finger[2] - half[2]);
    add_finger(text, "left", 1, force);
    add_finger(text, "right", -1, force);
    sac_grow_text(text, "</body>\n");
}

void sac_grasp_mjcf(sac_growing *text, const grasp_model_def *def, const grasp_meshes *meshes)
{
    sac_grow_text(text,
                  "<mujoco model='grasp'>\n<compiler angle='radian' autolimits='true'/>\n"
                  "<option timestep='%.17g' gravity='0 0 -9.81' cone='elliptic' impratio='10' "
                  "integrator='implicitfast'><flag midphase='disable'%s/></option>\n"
                  "<statistic extent='1' center='0 0 0.1'/>\n<visual><map znear='0.01' zfar='20'/></visual>\n"
                  "<asset>\n<texture name='sky' type='skybox' builtin='gradient' rgb1='0.55 0.7 0.9' "
                  "rgb2='0.85 0.9 0.95' width='64' height='384'/>\n",
                  // a flat side of a hull touches at several points, as a box does
                  def->step, meshes->count > 0 ? " multiccd='enable'" : "");
    sac_grasp_meshes_add_assets(text, meshes);
    sac_grow_text(text,
                  "</asset>\n"
                  // A finger presses a thing of a few grams as hard as a heavy one. MuJoCo's contacts yield by the
                  // acceleration that a force gives, so they must be hard: the stiffest that the step allows.
                  "<default><geom solref='%.17g 1' solimp='0.98 0.999 0.001'/>"
                  "<joint solreflimit='%.17g 1' solimplimit='0.98 0.999 0.001'/></default>\n<worldbody>\n"
                  "<light pos='-0.5 -0.6 1.5' dir='0.3 0.35 -1' directional='true' diffuse='0.8 0.8 0.8'/>\n"
                  "<geom name='table' type='plane' size='%.17g %.17g 0.1' contype='%d' conaffinity='0' "
                  "friction='0.6 0.005 0.0001' rgba='0.75 0.65 0.5 1'/>\n"
                  // 0.6 m in front of the table's edge and 0.8 m above it, at 45 degrees: it looks at the middle
                  "<camera name='camera' pos='-0.8 0 0.8' xyaxes='0 -1 0 0.70710678118654757 0 0.70710678118654757' "
                  "fovy='%.17g'/>\n"
                  "<camera name='people' pos='-0.55 -0.45 0.5' xyaxes='0.633 -0.774 0 0.38 0.311 0.872' fovy='45'/>\n",
                  2 * def->step, 2 * def->step, 0.2, 0.4, GRASP_TABLE_BIT, def->fov);
    for (int i = 0; i < def->things; i++) add_thing(text, i, def->friction);
    sac_grasp_meshes_add_shelf(text, meshes);
    add_hand(text, def->force);
    sac_grow_text(text, "</worldbody>\n<equality><joint joint1='left' joint2='right' solref='0.008 1'/></equality>\n"
                        "<actuator><motor name='left' joint='left'/><motor name='right' joint='right'/></actuator>\n"
                        "</mujoco>\n");
}

#pragma once

#include "saccade/walk.h"

/// Robots with four legs, described by numbers and drawn by simple solids: no meshes of their makers.
///
/// Laikago is that of PyBullet's `laikago_toes_zup.urdf` (licences/laikago.txt). Go1 is that of Unitree's description
/// and of MuJoCo Menagerie (BSD 3-Clause, licences/go1.txt).

/// One body of a leg. Its numbers are those of the left front leg when all joints are 0; the right side mirrors y, and
/// the rear mirrors the hip's x.
typedef struct robot_part
{
    double mass;
    double inertia[6]; ///< about the centre of mass: xx, yy, zz, xy, xz, yz, kg m^2
    double center[3];  ///< of mass, in the frame of its joint
} robot_part;

typedef struct legs_robot
{
    const char *name;
    double mass, inertia[3];      ///< of the trunk, about its centre of mass along the axes of the body
    double center[3];             ///< of the trunk's mass in the frame of the body
    double trunk[3];              ///< half lengths of the box that stands for it
    double trunk_center[3];       ///< of that box in the frame of the body
    robot_part hip, thigh, shank; ///< the shank's holds the toe
    double hip_axis; ///< how far outside the abduction's axis the hip's lies; the shank bends in the plane of sac_leg
    sac_leg legs[SAC_LEGS];
    double thickness; ///< radius of the capsules that stand for thigh and shank
    double toe_radius;
    double contact[2];           ///< MuJoCo's solref of the ground and of the robot: time constant in s, damping ratio
    double home[SAC_LEG_JOINTS]; ///< joints at the start of an episode
    double start_height;         ///< of the body's frame there, above the ground
    double neutral_knee;         ///< what the knee of PMTG's neutral pose is less than -pi/2
    double armature;             ///< of each motor, kg m^2
    double damping[SAC_LEG_JOINTS];                   ///< of the joints, N m s
    double friction;                                  ///< of each joint, N m
    double low[SAC_LEG_JOINTS], high[SAC_LEG_JOINTS]; ///< limits of the joints; the left abduction's, mirrored right
    double torque[SAC_LEG_JOINTS];                    ///< the most that each motor presses with, N m
    double kp, kd[SAC_LEG_JOINTS];                    ///< of the motors' position control
    double stance_mass, stance_inertia[3];            ///< what stance control takes the whole body for
    double height;                                    ///< of the body when it walks by footholds
    double camera[2][3]; ///< places of the cameras in front and under the belly, which look down
    double eye[3];       ///< of the camera that looks ahead
} legs_robot;

/// @return NULL: there is no robot of that name
const legs_robot *sac_legs_robot(const char *name);

/// The whole mass, kg.
double sac_legs_robot_mass(const legs_robot *robot);

#include "env/rooms/world.h"

/// The options of rooms: plans, goals, the robot, and its camera.

#define FIELD(name) offsetof(rooms_config, name)

const sac_option sac_rooms_options[] = {
    {"plan", SAC_OPTION_TEXT, FIELD(plan), "", 0, 0, NULL,
     "an MJCF file whose world the robot drives through; empty: each episode has a plan of its own"},
    {"level", SAC_OPTION_REAL, FIELD(level), "10", 3, 16, NULL,
     "metres of a plan's sides; rooms have 2.5 to 5 m, so that up to 5 it is one"},
    {"least_level", SAC_OPTION_REAL, FIELD(least_level), "16", 3, 16, NULL,
     "where it is less than level, each episode draws its own between the two"},
    {"furniture", SAC_OPTION_INT, FIELD(furniture), "3", 0, 8, NULL, "pieces of it in a room at most"},
    {"loops", SAC_OPTION_REAL, FIELD(loops), "0.5", 0, 1, NULL,
     "the chance of a door between two rooms beside those that make all rooms reachable"},
    {"nearest", SAC_OPTION_REAL, FIELD(nearest), "1", 0.5, 100, NULL,
     "metres of the shortest way to a goal at least, where the plan has one"},
    {"farthest", SAC_OPTION_REAL, FIELD(farthest), "10", 0.5, 100, NULL, "and at most"},
    {"speed", SAC_OPTION_REAL, FIELD(speed), "0.6", 0.05, 2, NULL, "m/s at an action of 1"},
    {"turn", SAC_OPTION_REAL, FIELD(turn), "1.8", 0.1, 6, NULL, "rad/s at an action of 1"},
    {"steps", SAC_OPTION_INT, FIELD(steps), "500", 1, ROOMS_MOST_STEPS, NULL, "that an episode lasts at most"},
    {"control_ms", SAC_OPTION_REAL, FIELD(control_ms), "100", 1, 200, NULL, "that an action lasts"},
    {"physics_ms", SAC_OPTION_REAL, FIELD(physics_ms), "10", 0.5, 25, NULL, "a step of physics"},
    {"height", SAC_OPTION_INT, FIELD(height), "16", 4, 256, NULL, "pixels of depth"},
    {"width", SAC_OPTION_INT, FIELD(width), "16", 4, 256, NULL, "pixels of depth"},
    {"angle", SAC_OPTION_REAL, FIELD(angle), "60", 10, 120, NULL, "degrees that the camera sees from top to bottom"},
    {"near", SAC_OPTION_REAL, FIELD(near), "0.1", 0, 1, NULL, "metres at which depth begins"},
    {"far", SAC_OPTION_REAL, FIELD(far), "4", 1.1, 100, NULL, "metres at which depth ends"},
    {"things", SAC_OPTION_INT, FIELD(things), "0", 0, ROOMS_MOST_THINGS, NULL,
     "with names, such as 'red ball'; one is the goal, which is told by its name alone (docs/words.md)"},
    {"goals", SAC_OPTION_TEXT, FIELD(goals), "all", 0, 0, "all met unmet",
     "of things: unmet: the goal has one of the six names that are kept for tests; met: nothing has"},
    {"detail", SAC_OPTION_INT, FIELD(detail), "4", 1, 16, NULL,
     "of things: pixels a side of the colour picture for each of depth"},
    {"turned", SAC_OPTION_REAL, FIELD(turned), "180", 1, 180, NULL,
     "of things: degrees by which the robot looks past its goal at the start, at most"},
    {0},
};

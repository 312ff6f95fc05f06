#pragma once

#include "env/legs/body.h"
#include "saccade/pmtg.h"
#include "saccade/walk.h"

/// What the numbers of an action mean: the way from an action to what motors are told, and from what is measured back
/// to numbers for a policy.

typedef enum legs_map
{
    LEGS_PMTG,      ///< saccade/pmtg.h: residuals of the joints, and how the generator moves
    LEGS_FOOTHOLDS, ///< saccade/walk.h: footholds, read where a foot lifts off, and a speed apart from them
    LEGS_CLIMBING,  ///< the same with heights, clearance, and the trunk's height and pitch
    LEGS_RELEASED,  ///< PyBullet's map: the speed follows the footholds, which are read one action late
    LEGS_MAPS
} legs_map;

/// Which feet an action of footholds or climbing is about.
typedef enum legs_feet
{
    LEGS_ALL_FEET,
    LEGS_NEXT_FEET,  ///< the front and the rear foot that lift off next
    LEGS_EITHER_WAY, ///< the same, with a place behind and one ahead for each foot, and a number whose sign chooses
    LEGS_FEET
} legs_feet;

extern const char *const sac_legs_map_words; ///< in the order above, separated by spaces
extern const char *const sac_legs_feet_words;

enum
{
    LEGS_MOST_ACTIONS = 22,
    LEGS_MOST_NUMBERS = 64 ///< that a drive tells
};

typedef struct legs_drive_def
{
    legs_map map;
    const legs_robot *robot;
    double physics, control; ///< seconds
    int repeat;              ///< control steps of an action
    double period;           ///< of the trot of footholds, climbing and released, seconds
    sac_pmtg_gait gait;      ///< of PMTG
    bool own_heights;        ///< of PMTG: each leg has a height of its own
    legs_feet feet;          ///< of footholds and climbing; LEGS_EITHER_WAY of footholds alone
    bool released_stance;    ///< with the released defect of stance control
    bool instant;
    bool told_speed; ///< speed is known, and not estimated from joints and accelerometer
} legs_drive_def;

typedef struct legs_drive
{
    legs_drive_def def;
    int substeps; ///< of physics in a control step
    sac_pmtg_def pmtg_def;
    sac_walk *walk;      ///< NULL for PMTG
    void *kept;          ///< room for the walker's state
    double (*speeds)[3]; ///< [mean_count], of the last fifth of a second; lasts from step to step
    int mean_count;
    // what lasts
    sac_pmtg pmtg;
    sac_walk_command command;
    bool lifted[SAC_LEGS];        ///< since the last action
    double estimate[3], variance; ///< of the speed, by the filter
    double mean[3];
    int mean_at; ///< of the speeds, where the next one goes
    double action[LEGS_MOST_ACTIONS];
} legs_drive;

/// @return SAC_ERROR_MEMORY, SAC_ERROR_ARGUMENT for steps that do not fit together
SAC_CHECKED sac_status sac_legs_drive_create(legs_drive **out, const legs_drive_def *def);

/// NULL is ignored.
void sac_legs_drive_destroy(legs_drive *drive);

/// The numbers of an action, with their bounds and names.
int sac_legs_drive_actions(const legs_drive *drive, float low[LEGS_MOST_ACTIONS], float high[LEGS_MOST_ACTIONS],
                           const char *names[LEGS_MOST_ACTIONS]);

void sac_legs_drive_reset(legs_drive *drive, const legs_body *body);

/// Begin an action: it holds until the next one.
void sac_legs_drive_act(legs_drive *drive, const float *action);

/// One control step of it.
void sac_legs_drive_step(legs_drive *drive, const legs_body *body, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS]);

/// What a policy is told beside what it sees, without noise: the numbers, and the deviation of each one's noise.
/// @return how many
int sac_legs_drive_tell(const legs_drive *drive, const legs_body *body, double numbers[LEGS_MOST_NUMBERS],
                        double deviations[LEGS_MOST_NUMBERS]);

/// The legs whose footholds an action names, in its order: all of them, or the front and the rear leg whose feet lift
/// off next.
/// @return how many
int sac_legs_drive_feet(const legs_drive *drive, int legs[SAC_LEGS]);

/// Where the foot of a leg would land with a foothold of 0, if it kept its speed: x and y in the world, and the yaw.
void sac_legs_drive_landing(const legs_drive *drive, const legs_body *body, int leg, double place[3]);

/// All that lasts from step to step.
void sac_legs_drive_snapshot(legs_drive *drive, sac_snapshot *snapshot);

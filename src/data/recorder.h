#pragma once

#include "rollout/rollout.h"

/// Records what the units of a rollout job see and do: frames wait in a nameless file, in blocks, until they are read
/// back unit by unit. Threads record different units at once; nothing allocates between their steps.

typedef struct sac_recorder sac_recorder;

typedef struct sac_recorder_def
{
    const sac_env_spec *spec; ///< of the world; read by create alone
    uint32_t parts;           ///< bit i: the world's part i is kept
    bool advice;              ///< keep what the adviser would have done in place of what was done
    bool costs;               ///< keep also what each choice would cost by the adviser, which must be able to say so
    int units;                ///< of a job, at most
    int live;                 ///< units that are under way at once, at most
    const char *beside;       ///< a path in whose folder the nameless file lies
} sac_recorder_def;

SAC_CHECKED sac_status sac_recorder_create(sac_recorder **out, const sac_recorder_def *def);

/// NULL is ignored.
void sac_recorder_destroy(sac_recorder *recorder);

/// Forget what is recorded: before each job.
SAC_CHECKED sac_status sac_recorder_begin(sac_recorder *recorder);

/// For the two functions of sac_rollout_watch, of which `user` is the recorder: from `decided` on, the frame; from
/// `stepped` on, the action and the reward.
sac_status sac_recorder_decided(void *recorder, int unit, const sac_play *play);
sac_status sac_recorder_stepped(void *recorder, int unit, const sac_play *play, bool last);

/// What is known of a recorded unit.
typedef struct sac_recorded
{
    int frames;
    uint8_t terminated, truncated; ///< truncated also where the job's rules ended it
} sac_recorded;

sac_recorded sac_recorder_unit(const sac_recorder *recorder, int unit);

/// Some frames of a unit that lie one after the other.
typedef struct sac_recorded_frames
{
    int first, count;                    ///< of the unit's frames
    const uint8_t *parts[SAC_MAX_PARTS]; ///< [kept parts, in their order], each [count, bytes of the part]
    const float *actions;                ///< [count, action_size]
    const float *costs;                  ///< [count, action_choices]; NULL: they are not kept
    const double *rewards;               ///< [count]
} sac_recorded_frames;

/// Hand a unit's frames to `take`, some at a time and the last ones first.
SAC_CHECKED sac_status sac_recorder_read(sac_recorder *recorder, int unit,
                                         void (*take)(void *user, const sac_recorded_frames *frames), void *user);

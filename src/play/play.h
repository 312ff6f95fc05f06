#pragma once

#include "base/workspace.h"
#include "saccade/play.h"

/// One episode under way: a world, what is observed of it, and the policy that acts in it, if any. Rollouts, PPO, the
/// viewer, the live page, replays and benches have each their own, and returns and steps are counted here alone. PPO's
/// have no policy, because it acts for all its worlds at once, and their observations land in the arrays that it learns
/// from (sac_play_aim).
typedef struct sac_play
{
    sac_env *env;
    const sac_policy *policy, *policy_advising; ///< whose states these are; NULL: none
    sac_policy_state *state;                    ///< NULL: the caller writes the actions
    sac_policy_state *adviser; ///< of a second policy, which says at each step what it would do; NULL: none
    float *action;             ///< [action_size] what is done in the next step
    double reward;
    uint8_t terminated, truncated;
    double episode_return;
    int steps;
    void *parts[SAC_MAX_PARTS];                ///< by the world's parts; NULL: not observed
    const void *inputs[SAC_MAX_PARTS];         ///< by the policy's inputs
    const void *adviser_inputs[SAC_MAX_PARTS]; ///< by the adviser's
    float *advice;                             ///< [action_size] what the adviser would do; NULL without one
    sac_env_row row;                           ///< of all this
    int sight;                                 ///< the part that people are shown beside the world; -1: none
    void *picture;                             ///< its memory where the policy looks at it; NULL: none
    sac_env *copy;                             ///< of the world, for planners to try actions out; NULL: there is none
    void *now;                                 ///< [now_size] the world as it stands, for it
    size_t now_size;
    uint8_t *painted;               ///< [height, width, channels] of it, where it is a picture of floats
    uint32_t observed;              ///< bit i: the world's part i is
    bool aimed;                     ///< in memory of the caller's
    int8_t taken[2][SAC_MAX_PARTS]; ///< the parts that the policy and the adviser take
    void *block;                    ///< that all of this lies in; NULL: in memory of the caller's
} sac_play;

/// What else than the policy's inputs is observed.
typedef enum sac_play_extra
{
    SAC_PLAY_INPUTS, ///< nothing
    SAC_PLAY_SIGHT,  ///< the image that the policy looks at, and what the world needs to be drawn for people
    SAC_PLAY_SEEN,   ///< all parts that are not privileged
} sac_play_extra;

/// Open a world, and a state of the policy for it.
/// @param policy  must outlive the play; NULL: none
/// @param play    released by sac_play_close, also after a failure; must not be moved in memory
/// @return SAC_ERROR_ARGUMENT where the two do not fit
SAC_CHECKED sac_status sac_play_open(sac_play *play, const sac_policy *policy, const sac_env_def *env,
                                     sac_play_extra extra);

/// Who and what takes part in an episode.
typedef struct sac_play_def
{
    const sac_policy *policy;  ///< as in sac_play_open
    const sac_policy *adviser; ///< must outlive the play; NULL: none
    const sac_env_def *env;
    sac_play_extra extra;
    uint32_t parts; ///< bit i: the world's part i is observed besides
    bool aimed;     ///< what is observed lands in memory of the caller's, see sac_play_aim; without policies alone
} sac_play_def;

/// The same with an adviser and with other parts.
SAC_CHECKED sac_status sac_play_open_def(sac_play *play, const sac_play_def *def);

/// The same in three steps, for whoever has many and wants them in one piece of memory: open the world and decide what
/// is observed of it; cut states, action and parts from a workspace of zeros, which is measured first; open the states.
/// Only after the second step must the play stay where it is. Where the workspace has a scratch, the states of all
/// plays that are cut with it share that.
SAC_CHECKED sac_status sac_play_begin(sac_play *play, const sac_play_def *def);
void sac_play_place(sac_play *play, sac_workspace *workspace);
SAC_CHECKED sac_status sac_play_finish(sac_play *play);

void sac_play_close(sac_play *play);

/// Let what is observed of a part from now on land in memory of the caller's, of sac_space_bytes, in a play that is
/// aimed. A part without memory is not drawn.
static inline void sac_play_aim(sac_play *play, int part, void *memory)
{
    play->parts[part] = memory;
}

/// Start an episode. The action is the idle one until someone decides, and the advice too.
SAC_CHECKED sac_status sac_play_reset(sac_play *play, uint64_t seed);

/// Let the policy look and decide; without one, the idle action. Only planners fail.
SAC_CHECKED sac_status sac_play_decide(sac_play *play);

/// Let the adviser, which there must be, say what it would do.
SAC_CHECKED sac_status sac_play_advise(sac_play *play);

/// What each choice would have cost by the adviser's own reckoning when it advised last, [action_choices].
/// @return NULL where it cannot say (sac_play_says_costs)
const float *sac_play_costs(const sac_play *play);

/// Tell whether a policy can say what each choice would cost. NULL, which stands for no policy, cannot.
bool sac_play_says_costs(const sac_policy *policy);

/// Tell whether a policy is a planner, which decides by sac_play_decide and sac_play_advise and not by
/// sac_policy_act_batch. NULL, which stands for no policy, is none.
bool sac_play_plans(const sac_policy *policy);

/// Let the next step draw the picture only if the policy's next action reads it. For whoever shows it to nobody else;
/// after it the picture is what was drawn last.
void sac_play_spare(sac_play *play);

/// One step with the action, counted.
SAC_CHECKED sac_status sac_play_step(sac_play *play);

/// Count a step that was made by sac_env_step_batch.
void sac_play_count(sac_play *play);

static inline bool sac_play_ended(const sac_play *play)
{
    return play->terminated || play->truncated;
}

/// What people are shown of what the policy sees, [height, width, channels]; floats as bytes.
/// @return NULL where there is no picture, or it is not observed
const uint8_t *sac_play_sight(sac_play *play, int *height, int *width, int *channels);

/// The cloud of points in space that the policy sees, [rows, 3]: a part of three floats a row without bounds, where a
/// depth picture would say how near and far it sees.
/// @return NULL where it sees no cloud, or that is not observed
const float *sac_play_cloud(const sac_play *play, int *rows);

/// The action nearest to zero, or choice 0.
void sac_play_idle(const sac_env_spec *spec, float *action);

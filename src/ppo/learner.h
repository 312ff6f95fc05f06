#pragma once

#include <stdatomic.h>

#include "base/threads.h"
#include "base/workspace.h"
#include "gradient/gradient.h"
#include "learn/optimiser.h"
#include "learn/slices.h"
#include "methods/ppo_options.h"
#include "play/play.h"
#include "ppo/gae.h"
#include "ppo/loss.h"
#include "ppo/moments.h"
#include "ppo/ppo.h"

/// The insides of the learner. T steps, W worlds in groups of at most SAC_PPO_LANES, L steps in a sequence; H units of
/// memory, A numbers in an action, S numbers in what is drawn, O outputs.

enum
{
    SAC_PPO_LANES = 8,                                     ///< worlds of a group: decides the order of sums
    SAC_PPO_BESIDE = sizeof(sac_ppo_sums) / sizeof(float), ///< floats behind a slice's gradient, which hold its sums
};

/// A world's numbers between two iterations; doubles, because they are saved as such. Steps and return are those that
/// its play has counted by the end of the rollout.
typedef struct sac_ppo_world
{
    double episode;        ///< its number, which names its seed
    double steps;          ///< of it
    double episode_return; ///< so far
    double last_return;    ///< of the episode before; NaN: none yet
    double discounted;     ///< return so far, for the scale of rewards
    double push;           ///< steps that are left of a push
} sac_ppo_world;

enum
{
    SAC_PPO_WORLD_NUMBERS = sizeof(sac_ppo_world) / sizeof(double)
};

/// What a group's rollout leaves behind, in one block, so that ranks can hand it on as it is. `lanes` numbers stand
/// side by side: [T, lanes] is ordered by step, then by lane.
typedef struct sac_ppo_rollout
{
    unsigned char *seen[SAC_MAX_PARTS];    ///< by the world's parts, [T + 1, lanes, bytes]; NULL: nobody wants it
    float *drawn;                          ///< [T, lanes, S]
    float *actions;                        ///< [T, lanes, A] as the world was given them
    float *likelihood;                     ///< [T, lanes] of what was drawn
    float *values;                         ///< [T + 1, lanes]
    float *last;                           ///< [T, lanes] of what a truncated episode ended with
    float *rewards;                        ///< [T, lanes]
    uint8_t *ends;                         ///< [T, lanes] SAC_GOES_ON, ...
    uint8_t *starts;                       ///< [T + 1, lanes] an episode begins with what was seen
    uint8_t *counts;                       ///< [T, lanes] 0: a push, which nothing is learned from
    float *hidden, *cell;                  ///< [T / L + 1, lanes, H] before each sequence, and after the last step
    float *before;                         ///< [T / L + 1, lanes, told] likewise
    float *told;                           ///< [T, lanes, fixed_told] what the controller is told of each frame
    double *normaliser_sums, *critic_sums; ///< [2, F] of what the normalisers were told
    double *return_sums;         ///< [3] count, sum and squares of discounted returns; then rewards not numbers
    sac_ppo_world *worlds;       ///< [lanes] after the rollout
    float *advantages, *targets; ///< [T, lanes]
    unsigned char *block;
    size_t block_size;
} sac_ppo_rollout;

/// Some worlds that one thread drives in lockstep.
typedef struct sac_ppo_group
{
    int first, lanes;
    sac_play *plays;   ///< [lanes] the episodes under way; NULL: another rank's
    sac_env **envs;    ///< [lanes] theirs, as sac_env_step_batch wants them
    sac_env_row *rows; ///< [lanes] likewise
    sac_ppo_rollout rollout;
} sac_ppo_group;

/// Where a thread works.
typedef struct sac_ppo_room
{
    void *policy_workspace, *critic_workspace;
    const void **policy_parts, **critic_parts; ///< [frames, inputs]
    const float **told;                        ///< [frames] the rollout's rows of it
    uint8_t *starts;                           ///< [frames]
    float *outputs, *doutputs;                 ///< [frames, O]
    float *values, *dvalues;                   ///< [frames]
    float *drawn;                              ///< [frames, S]
    float *old, *advantages, *old_values, *targets;
    uint8_t *counts;
    float *hidden, *cell, *before; ///< [sequences, ...]
    float *spare_hidden, *spare_cell, *spare_before;
    float *loss_workspace;
    double *noise;   ///< [lanes, T S]
    double *columns; ///< [column_count] the numbers of a world
    double acting, stepping;
    void *scratch; ///< of the table of layers
    sac_learn l;
    unsigned char *block;
} sac_ppo_room;

/// The critic: an mlp, with the world's parts or the policy's inputs as what it is told.
typedef struct sac_ppo_critic
{
    sac_policy *policy;
    sac_gradient *gradient;
    int inputs[SAC_MAX_PARTS]; ///< parts of the world
    int input_count;           ///< 0: it is told what the policy's controller is told
    sac_normaliser normaliser;
} sac_ppo_critic;

struct sac_ppo
{
    sac_ppo_config config;
    const sac_policy *policy;
    sac_gradient *gradient;
    sac_action_head head;
    sac_ppo_critic critic;
    int inputs[SAC_MAX_PARTS]; ///< parts of the world that the policy takes
    uint64_t seed, iterations;
    sac_comm *comm;
    const volatile int *interrupt;
    int steps, sequence;       ///< T, L
    int actions, hidden, told; ///< A, H, numbers told of a frame (0 without motion)
    int max_steps;             ///< of an episode
    int stray_column;          ///< the number of the world that should stay near 0; -1: none
    int column_count;          ///< numbers of the world, where one of them is asked for; else 0
    int fixed_told;            ///< numbers of a frame that a rollout keeps for updates, because nothing before the
                               ///< controller is trained; 0: updates look at the frame again
    size_t part_bytes[SAC_MAX_PARTS]; ///< of the world's parts that are seen; 0: it is not
    int part_count;

    // All that is trained: [policy | critic | logs of deviations]
    size_t policy_count, critic_count, count;
    float *x, *sums, *kept; ///< [count]; kept: parameters and moments before the iteration, [3, count]
    uint8_t *trained;       ///< [count] 0: it stays as it is
    sac_optimiser *optimiser;
    sac_moments returns; ///< of discounted returns
    double numbers[8];   ///< as they are saved

    sac_threads *threads;
    sac_slices *slices;
    sac_ppo_room *rooms; ///< [threads]
    int thread_count, frames, slice_sequences;

    int group_count;
    sac_ppo_group *groups;
    sac_ppo_world *worlds;                           ///< [W] before the iteration
    float *hidden_state, *cell_state, *before_state; ///< [W, ...] likewise
    double *lengths;                                 ///< [W] actions of the episode under way
    float *history, *next_history;                   ///< the actions, world after world; [sum of lengths, A]
    size_t history_room;

    uint8_t *exchange;      ///< all ranks' rollouts; NULL: there is one rank
    size_t *exchange_sizes; ///< [ranks]
    bool shared;            ///< a minibatch's slices belong to ranks; else every rank computes them all
    size_t *slice_sizes;    ///< [ranks] bytes of what a rank's slices tell

    // These belong to the iteration under way.
    uint64_t iteration;
    atomic_bool stopped; ///< a thread has failed: none goes on
    sac_status status;   ///< with which, and its sentence
    char sentence[512];
    pthread_mutex_t mutex; ///< of these two
    int *order;            ///< [sequences]
    int minibatch_first;   ///< in the order
    double share, mean, deviation;
};

/// draw.c: a fresh policy's controller, and the critic's.
SAC_CHECKED sac_status sac_ppo_draw(const sac_policy *policy, uint64_t seed, double last_gain, float *parameters);

/// critic.c
SAC_CHECKED sac_status sac_ppo_create_critic(sac_ppo_critic *critic, const sac_ppo_config *config, const sac_env *env,
                                             const sac_gradient *gradient, const sac_policy *policy);
void sac_ppo_destroy_critic(sac_ppo_critic *critic);

/// worlds.c
SAC_CHECKED sac_status sac_ppo_create_groups(sac_ppo *p, const sac_env_def *env);
void sac_ppo_destroy_groups(sac_ppo *p);

/// The seed of a world's episode.
uint64_t sac_ppo_episode_seed(const sac_ppo *p, int world, double episode);

/// Let a lane's next observation land in a row of the rollout's.
void sac_ppo_aim(const sac_ppo *p, sac_ppo_group *g, int lane, ptrdiff_t row);

/// Make room for the actions that the next iteration adds, so that nothing allocates in it.
SAC_CHECKED sac_status sac_ppo_reserve(sac_ppo *p);

/// Take what the rollout has left of each world as what the next iteration begins with.
void sac_ppo_commit_worlds(sac_ppo *p);

/// Keep a thread's failure; the first one counts.
void sac_ppo_fail(sac_ppo *p, sac_status status);

/// Run a function on every thread. @return the first failure
SAC_CHECKED sac_status sac_ppo_run(sac_ppo *p, void (*work)(void *user, int thread));

/// How many sequences a world's steps are cut into.
static inline int sac_ppo_sequences(const sac_ppo *p)
{
    return p->steps / p->sequence;
}

/// rollout.c: drive this rank's groups, and hand what came of it to all ranks.
SAC_CHECKED sac_status sac_ppo_drive(sac_ppo *p);

/// costs.c: find the number that `stray` names. @return SAC_ERROR_ARGUMENT where the world has no such number
SAC_CHECKED sac_status sac_ppo_choose_costs(sac_ppo *p, const sac_env *env);

/// What the reward of the play's last step is reduced by.
double sac_ppo_costs(const sac_ppo *p, sac_ppo_room *room, const sac_play *play);

/// share.c: every rank's rollouts to all ranks. `status`: how this rank's went; a failure of any fails on all.
SAC_CHECKED sac_status sac_ppo_share(sac_ppo *p, sac_status status);

/// The sum of a minibatch's gradients, computed by this rank or by all, and what each slice tells beside its own.
/// @param status  of this rank so far: a failure of any fails on all
SAC_CHECKED sac_status sac_ppo_sum_slices(sac_ppo *p, sac_status status, int sequences, sac_slice_work *work);
SAC_CHECKED sac_status sac_ppo_create_exchange(sac_ppo *p);
void sac_ppo_destroy_exchange(sac_ppo *p);

/// Set a thread's parts to where a step's observations of a group lie, for policy and critic.
void sac_ppo_point(const sac_ppo *p, const sac_ppo_rollout *r, ptrdiff_t row, const void **policy_parts,
                   const void **critic_parts);

/// room.c
SAC_CHECKED sac_status sac_ppo_create_rooms(sac_ppo *p);
void sac_ppo_destroy_rooms(sac_ppo *p);

/// update.c: the epochs. An interrupt is looked for between minibatches.
SAC_CHECKED sac_status sac_ppo_update(sac_ppo *p, sac_ppo_report *report);

/// The critic's values of frames whose parts are set; `told` [frames, inputs]: what the policy's controller is told
/// of them, for a critic that is told that.
void sac_ppo_value(const sac_ppo *p, sac_ppo_room *room, const float *told, int frames, double *seen, float *values,
                   sac_batch *batch);

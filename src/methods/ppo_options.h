#pragma once

#include "saccade/options.h"

/// What a task can say of PPO (search.method: ppo).
typedef struct sac_ppo_config
{
    int worlds, steps, sequence;
    int epochs, minibatch, slices;
    double rate, epsilon, largest_norm;
    bool anneal;
    double gamma, lambda;
    double clip, value, entropy, target_kl;
    bool clip_value, normalise_advantages;
    double deviation, deviation_floor, logit_scale;
    bool orthogonal, scale_rewards, bootstrap, stagger;
    double reward_clip, control_cost;
    char stray[SAC_TEXT_SIZE];
    double stray_limit, stray_cost;
    int push_every, push_steps, episode_steps;
    char critic[SAC_TEXT_SIZE];
    int critic_hidden, critic_layers;
    bool critic_normaliser;
    double critic_limit;
} sac_ppo_config;

extern const sac_option sac_ppo_options[];

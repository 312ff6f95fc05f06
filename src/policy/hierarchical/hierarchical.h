#pragma once

#include "policy/agent.h"
#include "policy/cnn.h"

/// Two levels: a high level looks and decides a latent command and for how many steps it is held; a low level acts in
/// every step by the command and by all numbers that the policy takes (Jain et al. 2019). Each level is a policy of its
/// own: the high level of any kind in the list below, the low level a controller on numbers, which is kind mlp.

/// The kinds that a high level can be, in words and with what their functions are called here. Each is a variant of
/// this kind, with a table of options of its own.
#define SAC_HIGH_LEVELS(X)                \
    X("attention-agent", attention_agent) \
    X("iap-rank", iap_rank)               \
    X("iap-trans", iap_trans)             \
    X("cnn", cnn)                         \
    X("mlp", mlp)

enum
{
    SAC_MAX_LATENT = 256,  ///< numbers of a command
    SAC_MAX_HELD = 1000000 ///< steps
};

/// Options of mlp as a high level.
typedef struct sac_high_numbers_config
{
    sac_actor_config actor;
} sac_high_numbers_config;

typedef struct sac_hierarchical_config
{
    int latent, shortest, longest;
    struct
    {
        char kind[SAC_TEXT_SIZE], parts[SAC_TEXT_SIZE];
        union
        {
            sac_agent_config agent;
            sac_cnn_config cnn;
            sac_high_numbers_config numbers;
        };
    } high;
    sac_actor_config low;
    char low_parts[SAC_TEXT_SIZE];
} sac_hierarchical_config;

#define X(word, name) extern const sac_option sac_high_##name##_options[];
SAC_HIGH_LEVELS(X)
#undef X

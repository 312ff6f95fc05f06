#pragma once

#include "saccade/env.h"

/// An environment as env.c creates it: the world's own self, and what is the same for all worlds.
struct sac_env
{
    const sac_env_ops *ops;
    void *self;
    sac_env_spec spec;
    sac_space camera;             ///< of a world that gives its one picture's shape alone
    void *spare[1];               ///< its place for it where the caller does not want it; NULL: none is needed
    int picture;                  ///< the part that people are shown; -1: none
    uint8_t *painted;             ///< [height, width, channels] of it where it is a picture of floats; NULL: it is not
    const void *last_observation; ///< the caller's, for environments without a picture of their own
    int steps;                    ///< of this episode
    float choice[2];              ///< bounds of a choice, where the environment leaves them out
    uint64_t def;                 ///< a hash of id, variant and options: what may restore its snapshots
    size_t snapshot_size;         ///< 0: it cannot be saved
    bool started;                 ///< it was reset once
};

/// Create an instance of a world; sac_env_create finds `ops` by the def's id.
/// @param rest  what follows the name of a world that stands for many, such as "gym:"; NULL: it is no such world
SAC_CHECKED sac_status sac_env_open(sac_env **out, const sac_env_ops *ops, const sac_env_def *def, const char *rest);

/// What sac_env_snapshot_size says, computed once.
size_t sac_env_measure(sac_env *env);

#pragma once

#include "env/bridge/worker.h"
#include "saccade/options.h"

/// A world in a worker process, as an environment. A worker that dies, hangs or fails is replaced and the episode is
/// repeated from its seed with the recorded actions; every repeated step must come out as it did, or the world is not
/// deterministic and the run stops. So an episode is never lost and never differs.

/// Options that every bridged environment has; put SAC_BRIDGE_OPTIONS into its table.
typedef struct sac_bridge_settings
{
    char python[SAC_TEXT_SIZE];
    double timeout;
    int restarts, workers;
} sac_bridge_settings;

#define SAC_BRIDGE_OPTIONS(config, member)                                               \
    {"python",                                                                           \
     SAC_OPTION_TEXT,                                                                    \
     offsetof(config, member.python),                                                    \
     "",                                                                                 \
     0,                                                                                  \
     0,                                                                                  \
     NULL,                                                                               \
     "interpreter of the workers; empty: $SACCADE_PYTHON, .venv/bin/python or python3"}, \
        {"timeout",                                                                      \
         SAC_OPTION_REAL,                                                                \
         offsetof(config, member.timeout),                                               \
         "60",                                                                           \
         0.01,                                                                           \
         1e6,                                                                            \
         NULL,                                                                           \
         "seconds that a reset or a step may take"},                                     \
        {"restarts",                                                                     \
         SAC_OPTION_INT,                                                                 \
         offsetof(config, member.restarts),                                              \
         "3",                                                                            \
         0,                                                                              \
         1000000,                                                                        \
         NULL,                                                                           \
         "times that an episode is repeated when its worker fails"},                     \
    {                                                                                    \
        "workers", SAC_OPTION_INT, offsetof(config, member.workers), "0", 0, 256, NULL,  \
            "worker processes of a thread; 0: as many as there are processors"           \
    }

/// The names of these options: none of them changes the world.
#define SAC_BRIDGE_SAME_WORLD "python", "timeout", "restarts", "workers"

/// Environments worth stepping at once in a thread.
int sac_bridge_lanes(const sac_bridge_settings *settings);

typedef struct sac_bridge sac_bridge;

/// What to create. Texts are copied.
typedef struct sac_bridge_def
{
    const char *name; ///< for errors
    const sac_bridge_settings *settings;
    const char *config; ///< as in sac_worker_def
    sac_status (*scenario)(const void *user, const char *path, int descriptor);
    const void *user; ///< must outlive the bridge
    int max_steps;    ///< an episode is truncated after so many; 0: the world's own limit, or 10,000
} sac_bridge_def;

/// Create a bridge and start its worker.
SAC_CHECKED sac_status sac_bridge_create(sac_bridge **out, const sac_bridge_def *def);
void sac_bridge_destroy(sac_bridge *bridge);

/// What the world offers. Columns are doubles.
void sac_bridge_spec(const sac_bridge *bridge, sac_env_spec *spec);

/// Which of the worker's scenes the episodes from the next reset on are played in; 0 at first.
void sac_bridge_set_scene(sac_bridge *bridge, int scene);

SAC_CHECKED sac_status sac_bridge_reset(sac_bridge *bridge, uint64_t seed, const sac_env_row *row);

/// Step several, each in its own worker, all at once.
SAC_CHECKED sac_status sac_bridge_step(sac_bridge *const *bridges, const sac_env_row *rows, int count);

/// Bring a bridge, just created, to where another one of the same world stands: its episode, up to its last step.
SAC_CHECKED sac_status sac_bridge_follow(sac_bridge *bridge, const sac_bridge *other);

/// [column_count], of the last step; NULL after a failure.
const double *sac_bridge_columns(const sac_bridge *bridge);

/// Workers that had to be replaced so far.
int sac_bridge_failures(const sac_bridge *bridge);

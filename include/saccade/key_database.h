#pragma once

#include "saccade/attention.h"
#include "saccade/hash.h"
#include "saccade/tree.h"

/// A key database is for cross attention with keys that are refreshed every n frames.
///
/// readings.h explains tokens, the sizes (D, F, N, V, l) and what holds for all readings.

/// Keys are kept as features, so that a frame between two refreshes costs only its queries. A tree and bits can be kept
/// as well.
typedef struct sac_key_database sac_key_database;

/// What to create. Start from sac_key_database_default_def().
typedef struct sac_key_database_def
{
    const sac_attention *attention; ///< a linear form; must outlive the database
    int capacity;                   ///< most keys, no default
    int period;                     ///< frames from one refresh to the next, default 1
    bool tree;                      ///< whether tokens can be drawn
    int hash_bits;                  ///< bits a key for scores by hashing; 0, the default: none
    uint64_t hash_seed;             ///< draws the hash, default 1
    const float *hash_projection;   ///< G [hash_bits, F] given instead; copied; default NULL
    uint32_t internal;              ///< marks a def that came from the default; do not set
} sac_key_database_def;

SAC_API sac_key_database_def sac_key_database_default_def(void);

/// @param[out] out  released by sac_key_database_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY. No other function allocates
SAC_API SAC_CHECKED sac_status sac_key_database_create(sac_key_database **out, const sac_key_database_def *def);
SAC_API void sac_key_database_destroy(sac_key_database *database); ///< NULL is ignored

/// Start an episode: no keys, and the next frame is due.
SAC_API void sac_key_database_reset(sac_key_database *database);

/// Begin a frame. In the first frame and in every period-th frame after it this is true, and sac_key_database_refresh
/// must be called.
SAC_API bool sac_key_database_frame(sac_key_database *database);

/// Take new keys [D, stride], token_count <= capacity.
SAC_API void sac_key_database_refresh(sac_key_database *database, const float *keys, int token_count, int stride);

/// The number of keys that it holds.
SAC_API int sac_key_database_count(const sac_key_database *database);

/// r = z K'^T / query_count from the kept features; as sac_rank_scores, in time rows N F.
SAC_API void sac_key_database_scores(const sac_key_database *database, float *scores, int score_stride, const float *z,
                                     int rows, int query_count);

/// The same from bits, in time N hash_bits / 32: for trigonometric features of normalised keys.
SAC_API void sac_key_database_hash_scores(sac_key_database *database, float *scores, const float *z, int query_count);

/// The tree, to draw from; NULL where the def has none, and before the first refresh.
SAC_API sac_tree *sac_key_database_tree(sac_key_database *database);

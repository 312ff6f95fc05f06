#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "saccade/readings.h"

/// Keys as features, kept for n frames.

struct sac_key_database
{
    const sac_attention *attention;
    int capacity, period, stride;
    int count;       ///< keys held
    int frame;       ///< since the last refresh, 0..period - 1
    float *features; ///< [F, stride]
    void *workspace;
    float *nodes; ///< of the tree; NULL: none
    sac_tree tree;
    sac_hash *hash; ///< NULL: none
    uint32_t *bits, *query;
    int32_t *distances;
};

enum
{
    COOKIE = 0x5acdb,
    MOST = 1 << 24
};

sac_key_database_def sac_key_database_default_def(void)
{
    return (sac_key_database_def){.period = 1, .hash_seed = 1, .internal = COOKIE};
}

static sac_status check(const sac_key_database_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "keys: the def does not come from sac_key_database_default_def()");
    if (!def->attention || sac_attention_feature_size(def->attention) == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "keys: attention is %s, expected a linear form",
                        def->attention ? def->attention->form->name : "missing");
    if (def->capacity < 1 || def->capacity > MOST)
        return sac_fail(SAC_ERROR_ARGUMENT, "keys: capacity is %d, expected 1 to %d", def->capacity, MOST);
    if (def->period < 1) return sac_fail(SAC_ERROR_ARGUMENT, "keys: period is %d, expected 1 or more", def->period);
    if (def->hash_bits < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "keys: hash_bits is %d, expected 0 or more", def->hash_bits);
    return SAC_OK;
}

static sac_status fill(sac_key_database *db, const sac_key_database_def *def)
{
    int f = sac_attention_feature_size(db->attention);
    size_t stride = (size_t)db->stride;
    db->features = sac_alloc_array((size_t)f * stride, sizeof(float));
    size_t one = sac_rank_workspace_size(db->attention),
           other = sac_attention_workspace_size(db->attention, db->capacity);
    db->workspace = sac_alloc(one > other ? one : other);
    bool has_memory = db->features && db->workspace;
    if (def->tree)
    {
        db->nodes = sac_alloc_array(sac_tree_size(db->attention, db->capacity), sizeof(float));
        has_memory = has_memory && db->nodes;
    }
    if (def->hash_bits)
    {
        SAC_TRY(sac_hash_create(&db->hash, def->hash_bits, f, def->hash_seed, def->hash_projection));
        size_t words = (size_t)sac_hash_words(db->hash);
        db->bits = sac_alloc_array(words * stride, sizeof(uint32_t));
        db->query = sac_alloc_array(words, sizeof(uint32_t));
        db->distances = sac_alloc_array(stride, sizeof(int32_t));
        has_memory = has_memory && db->bits && db->query && db->distances;
    }
    return has_memory ? SAC_OK : sac_fail_memory("a key database");
}

sac_status sac_key_database_create(sac_key_database **out, const sac_key_database_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_key_database *db = SAC_NEW(sac_key_database);
    if (!db) return sac_fail_memory("a key database");
    *db = (sac_key_database){.attention = def->attention,
                             .capacity = def->capacity,
                             .period = def->period,
                             // The stride is an odd number of lanes, because rows a power of two apart would share few
                             // lines of the cache.
                             .stride = (sac_round_up(def->capacity) / SAC_LANES | 1) * SAC_LANES};
    sac_status status = fill(db, def);
    if (status != SAC_OK)
    {
        sac_key_database_destroy(db);
        return status;
    }
    sac_key_database_reset(db);
    *out = db;
    return SAC_OK;
}

void sac_key_database_destroy(sac_key_database *database)
{
    if (!database) return;
    sac_hash_destroy(database->hash);
    sac_free(database->features);
    sac_free(database->workspace);
    sac_free(database->nodes);
    sac_free(database->bits);
    sac_free(database->query);
    sac_free(database->distances);
    sac_free(database);
}

void sac_key_database_reset(sac_key_database *database)
{
    database->count = 0;
    database->frame = database->period - 1;
}

bool sac_key_database_frame(sac_key_database *database)
{
    database->frame = (database->frame + 1) % database->period;
    return database->frame == 0;
}

void sac_key_database_refresh(sac_key_database *database, const float *keys, int token_count, int stride)
{
    SAC_ASSERT(token_count >= 1 && token_count <= database->capacity);
    sac_key_database *db = database;
    const sac_attention *a = db->attention;
    db->count = token_count;
    sac_attention_features(a, SAC_KEYS, db->features, db->stride, keys, token_count, stride, db->workspace);
    if (db->nodes) db->tree = sac_tree_create(a, db->nodes, keys, token_count, stride, db->workspace);
    if (db->hash) sac_hash_bits(db->hash, db->bits, db->stride, db->features, token_count, db->stride);
}

int sac_key_database_count(const sac_key_database *database)
{
    return database->count;
}

void sac_key_database_scores(const sac_key_database *database, float *scores, int score_stride, const float *z,
                             int rows, int query_count)
{
    int f = sac_attention_feature_size(database->attention), n = database->count;
    database->attention->kernels.mix(scores, score_stride, z, f, rows, database->features, f, n, database->stride);
    database->attention->kernels.divide(scores, score_stride, rows, (float)query_count, n);
}

void sac_key_database_hash_scores(sac_key_database *database, float *scores, const float *z, int query_count)
{
    sac_key_database *db = database;
    SAC_ASSERT(db->hash);
    sac_hash_bits(db->hash, db->query, 1, z, 1, 1);
    sac_hash_distances(db->hash, db->distances, db->bits, db->stride, db->query, db->count);
    sac_hash_scores(db->hash, NULL, scores, db->distances, sac_hash_length(db->attention, z, query_count), db->count);
}

sac_tree *sac_key_database_tree(sac_key_database *database)
{
    return database->nodes && database->count ? &database->tree : NULL;
}

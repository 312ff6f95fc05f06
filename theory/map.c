#include "map.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

enum
{
    MOST_FEATURES = 4096 // of one map
};

sac_attention_def theory_def(const char *form, int size, int m)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = size;
    def.feature_count = m;
    def.scale = 1;
    def.orthogonal = false;
    return def;
}

sac_status theory_map_create(theory_map *map, const sac_attention_def *def, int capacity)
{
    *map = (theory_map){.size = def->key_size, .capacity = capacity};
    SAC_TRY(sac_attention_create(&map->attention, def));
    map->features = sac_attention_feature_size(map->attention);
    size_t tokens = (size_t)capacity;
    map->tokens = SAC_NEW_MATRIX(float, (size_t)map->size, tokens);
    for (int side = 0; side < 2; side++) map->phi[side] = SAC_NEW_MATRIX(float, (size_t)map->features, tokens);
    map->workspace = sac_alloc(sac_attention_workspace_size(map->attention, capacity));
    bool whole = map->tokens && map->phi[0] && map->phi[1] && map->workspace;
    return whole ? SAC_OK : sac_fail_memory("the features of an experiment");
}

void theory_map_destroy(theory_map *map)
{
    sac_attention_destroy(map->attention);
    sac_free(map->tokens);
    sac_free(map->phi[0]);
    sac_free(map->phi[1]);
    sac_free(map->workspace);
    *map = (theory_map){0};
}

void theory_map_take(theory_map *map, sac_attention_side side, const double *x, int count)
{
    SAC_ASSERT(count <= map->capacity);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < map->size; d++) map->tokens[d * map->capacity + i] = (float)x[i * map->size + d];
    sac_attention_features(map->attention, side, map->phi[side], map->capacity, map->tokens, count, map->capacity,
                           map->workspace);
}

double theory_map_dot(const theory_map *map, sac_attention_side side_a, int a, sac_attention_side side_b, int b)
{
    const float *phi_a = map->phi[side_a] + a, *phi_b = map->phi[side_b] + b;
    double sum = 0;
    for (int f = 0; f < map->features; f++) sum += (double)phi_a[f * map->capacity] * (double)phi_b[f * map->capacity];
    return sum;
}

void theory_map_sum(const theory_map *map, double *z, sac_attention_side side, int count)
{
    for (int f = 0; f < map->features; f++)
    {
        z[f] = 0;
        for (int i = 0; i < count; i++) z[f] += (double)map->phi[side][f * map->capacity + i];
    }
}

void theory_map_against(const theory_map *map, double *dots, double *lengths, const double *z, sac_attention_side side,
                        int count)
{
    for (int i = 0; i < count; i++)
    {
        double dot = 0, square = 0;
        for (int f = 0; f < map->features; f++)
        {
            double phi = (double)map->phi[side][f * map->capacity + i];
            dot += z[f] * phi, square += phi * phi;
        }
        dots[i] = dot;
        if (lengths) lengths[i] = sqrt(square);
    }
}

sac_status theory_each_draw(const sac_attention_def *def, const double *x, const double *y, int count, int draws,
                            theory_add_estimate *add, void *user)
{
    sac_attention_def drawn = *def;
    for (int i = 0; i < draws; i++)
    {
        drawn.seed = sac_mix_seed(def->seed, 1, (uint64_t)i);
        theory_map map;
        sac_status status = theory_map_create(&map, &drawn, count);
        if (status == SAC_OK)
        {
            theory_map_take(&map, SAC_QUERIES, x, count);
            theory_map_take(&map, SAC_KEYS, y, count);
            add(user, &map);
        }
        theory_map_destroy(&map);
        SAC_TRY(status);
    }
    return SAC_OK;
}

typedef struct misses
{
    theory_moments squares;
    double kernel;
} misses;

static void add_square(void *user, const theory_map *map)
{
    misses *m = user;
    double miss = theory_map_dot(map, SAC_QUERIES, 0, SAC_KEYS, 0) - m->kernel;
    theory_add(&m->squares, miss * miss);
}

sac_status theory_squared_misses(theory_moments *out, const sac_attention_def *def, const double *x, const double *y,
                                 double kernel, int draws)
{
    misses m = {.kernel = kernel};
    SAC_TRY(theory_each_draw(def, x, y, 1, draws, add_square, &m));
    *out = m.squares;
    return SAC_OK;
}

// Average the estimates of one map, weighted by its share of the features.
static void add_kernels(double *out, theory_map *map, double share, int query_count, int key_count)
{
    for (int q = 0; q < query_count; q++)
        for (int k = 0; k < key_count; k++)
            out[q * key_count + k] += share * theory_map_dot(map, SAC_QUERIES, q, SAC_KEYS, k);
}

sac_status theory_kernels(double *out, const sac_attention_def *def, long m, const double *queries, int query_count,
                          const double *keys, int key_count, uint64_t seed)
{
    for (int i = 0; i < query_count * key_count; i++) out[i] = 0;
    sac_attention_def drawn = *def;
    int capacity = query_count > key_count ? query_count : key_count;
    for (long done = 0; done < m; done += drawn.feature_count)
    {
        drawn.feature_count = (int)(m - done < MOST_FEATURES ? m - done : MOST_FEATURES);
        drawn.seed = sac_mix_seed(seed, 2, (uint64_t)done);
        theory_map map;
        sac_status status = theory_map_create(&map, &drawn, capacity);
        if (status == SAC_OK)
        {
            theory_map_take(&map, SAC_QUERIES, queries, query_count);
            theory_map_take(&map, SAC_KEYS, keys, key_count);
            add_kernels(out, &map, (double)drawn.feature_count / (double)m, query_count, key_count);
        }
        theory_map_destroy(&map);
        SAC_TRY(status);
    }
    return SAC_OK;
}

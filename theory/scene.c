#include "scene.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "map.h"
#include "random.h"
#include "saccade/hash.h"

void theory_scene_draw(theory_scene *scene, int size, int count, double mean, uint64_t index)
{
    SAC_ASSERT(size <= THEORY_SIZE && count <= THEORY_TOKENS);
    scene->size = size, scene->count = count;
    theory_gaussian(scene->queries, count, size, 31, 2 * index);
    theory_gaussian(scene->keys, count, size, 31, 2 * index + 1);
    double common[THEORY_SIZE];
    theory_gaussian(common, 1, size, 32, index);
    for (int i = 0; i < count * size; i++) scene->queries[i] += mean * common[i % size];
    for (int i = 0; i < count; i++)
        for (int d = 0; d < size; d++)
        {
            scene->planar[SAC_QUERIES][d * THEORY_TOKENS + i] = (float)scene->queries[i * size + d];
            scene->planar[SAC_KEYS][d * THEORY_TOKENS + i] = (float)scene->keys[i * size + d];
        }
}

void theory_scene_brute(const theory_scene *scene, double *scores)
{
    double query_lengths[THEORY_TOKENS];
    for (int q = 0; q < scene->count; q++)
        query_lengths[q] = theory_length(scene->queries + q * scene->size, scene->size);
    for (int k = 0; k < scene->count; k++)
    {
        const double *key = scene->keys + k * scene->size;
        double factor = sqrt(scene->size) / theory_length(key, scene->size);
        scores[k] = 0;
        for (int q = 0; q < scene->count; q++)
        {
            double dot = 0;
            for (int d = 0; d < scene->size; d++) dot += scene->queries[q * scene->size + d] * key[d];
            scores[k] += exp(factor * dot / query_lengths[q]) / scene->count;
        }
    }
}

static sac_attention_def normalized_def(const theory_scene *scene, const char *form, int m, uint64_t seed)
{
    sac_attention_def def = theory_def(form, scene->size, m);
    def.scale = 0;
    def.normalise = def.orthogonal = true;
    def.seed = seed;
    return def;
}

sac_status theory_scene_importance(const theory_scene *scene, float *scores, const char *form, int m, int r,
                                   uint64_t seed)
{
    sac_attention_def def = normalized_def(scene, form, m, seed);
    if (r > 0) def.direction_count = r;
    sac_attention *attention;
    SAC_TRY(sac_attention_create(&attention, &def));
    void *workspace = sac_alloc(sac_attention_workspace_size(attention, scene->count));
    if (workspace)
        sac_attention_importance(attention, scores, scene->planar[SAC_QUERIES], scene->planar[SAC_KEYS], scene->count,
                                 THEORY_TOKENS, workspace);
    sac_free(workspace);
    sac_attention_destroy(attention);
    return workspace ? SAC_OK : sac_fail_memory("the importance of a scene");
}

// What hashing needs beside the map.
typedef struct hashing
{
    sac_hash *hash;
    uint32_t *keys, *query; // bits
    int32_t *distances;
    double *z;
    float *z_floats;
} hashing;

static sac_status create_hashing(hashing *h, int bits, int features, int count, uint64_t seed)
{
    *h = (hashing){0};
    SAC_TRY(sac_hash_create(&h->hash, bits, features, seed, NULL));
    size_t words = (size_t)sac_hash_words(h->hash);
    h->keys = SAC_NEW_ARRAY(uint32_t, words * (size_t)count);
    h->query = SAC_NEW_ARRAY(uint32_t, words);
    h->distances = SAC_NEW_ARRAY(int32_t, (size_t)count);
    h->z = SAC_NEW_ARRAY(double, (size_t)features);
    h->z_floats = SAC_NEW_ARRAY(float, (size_t)features);
    bool whole = h->keys && h->query && h->distances && h->z && h->z_floats;
    return whole ? SAC_OK : sac_fail_memory("a hash");
}

static void destroy_hashing(hashing *h)
{
    sac_hash_destroy(h->hash);
    sac_free(h->keys);
    sac_free(h->query);
    sac_free(h->distances);
    sac_free(h->z);
    sac_free(h->z_floats);
}

sac_status theory_scene_hash(const theory_scene *scene, float *scores, int m, int bits, uint64_t seed)
{
    int count = scene->count;
    sac_attention_def def = normalized_def(scene, "trig", m, seed);
    theory_map map;
    hashing h = {0};
    sac_status status = theory_map_create(&map, &def, count);
    if (status == SAC_OK) status = create_hashing(&h, bits, map.features, count, seed);
    if (status == SAC_OK)
    {
        theory_map_take(&map, SAC_QUERIES, scene->queries, count);
        theory_map_take(&map, SAC_KEYS, scene->keys, count);
        theory_map_sum(&map, h.z, SAC_QUERIES, count);
        for (int f = 0; f < map.features; f++) h.z_floats[f] = (float)h.z[f];
        sac_hash_bits(h.hash, h.keys, count, map.phi[SAC_KEYS], count, map.capacity);
        sac_hash_bits(h.hash, h.query, 1, h.z_floats, 1, 1);
        sac_hash_distances(h.hash, h.distances, h.keys, count, h.query, count);
        sac_hash_scores(h.hash, NULL, scores, h.distances, sac_hash_length(map.attention, h.z_floats, count), count);
    }
    destroy_hashing(&h);
    theory_map_destroy(&map);
    return status;
}

double theory_scene_recall(const double *brute, const float *scores, int count)
{
    double others[THEORY_TOKENS];
    int best[THEORY_TOP], top[THEORY_TOP], found = 0;
    for (int i = 0; i < count; i++) others[i] = (double)scores[i];
    theory_top(best, THEORY_TOP, brute, count);
    theory_top(top, THEORY_TOP, others, count);
    for (int i = 0; i < THEORY_TOP; i++)
        for (int j = 0; j < THEORY_TOP; j++) found += best[i] == top[j];
    return (double)found / THEORY_TOP;
}

static sac_status add_recalls(double *recall, theory_scene *scene, const theory_scorer *scorer, int size, double mean,
                              int draws)
{
    double brute[THEORY_TOKENS];
    float scores[THEORY_TOKENS];
    *recall = 0;
    for (int i = 0; i < draws; i++)
    {
        uint64_t seed = (uint64_t)i;
        theory_scene_draw(scene, size, THEORY_TOKENS, mean, seed);
        theory_scene_brute(scene, brute);
        if (scorer->bits > 0)
            SAC_TRY(theory_scene_hash(scene, scores, scorer->m, scorer->bits, seed));
        else
            SAC_TRY(theory_scene_importance(scene, scores, scorer->form, scorer->m, scorer->r, seed));
        *recall += theory_scene_recall(brute, scores, THEORY_TOKENS) / draws;
    }
    return SAC_OK;
}

sac_status theory_recall(double *recall, const theory_scorer *scorer, int size, double mean, int draws)
{
    theory_scene *scene = SAC_NEW(theory_scene);
    sac_status status = scene ? add_recalls(recall, scene, scorer, size, mean, draws) : sac_fail_memory("a scene");
    sac_free(scene);
    return status;
}

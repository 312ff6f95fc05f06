#pragma once

#include "base/memory.h"
#include "env_scene.h"
#include "test.h"

/// A world and room for all that it shows, with guards around each part, for tests.

enum
{
    MOST_ACTIONS = 22,
    MOST_COLUMNS = 9,
    GUARD = 64
};

typedef struct scene
{
    sac_env *env;
    const sac_env_spec *spec;
    float action[MOST_ACTIONS];
    double reward;
    uint8_t terminated, truncated;
    uint8_t *memory[SAC_MAX_PARTS]; // each with guards on both sides
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} scene;

static inline void open_scene(scene *s, const char *id, const char *variant, const char *settings)
{
    *s = (scene){0};
    assert_ok(env_create(&s->env, id, variant, settings));
    s->spec = sac_env_get_spec(s->env);
    assert_true(s->spec->action_size <= MOST_ACTIONS && s->spec->column_count <= MOST_COLUMNS);
    for (int i = 0; i < s->spec->observation_count; i++)
    {
        const size_t size = sac_space_bytes(&s->spec->observations[i]);
        s->memory[i] = sac_alloc(size + 2 * GUARD);
        memset(s->memory[i], 77, size + 2 * GUARD);
        s->parts[i] = s->memory[i] + GUARD;
    }
    s->row = (sac_env_row){s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
}

static inline void close_scene(scene *s)
{
    for (int i = 0; i < s->spec->observation_count; i++)
    {
        const size_t size = sac_space_bytes(&s->spec->observations[i]);
        for (size_t k = 0; k < GUARD; k++) assert_true(s->memory[i][k] == 77 && s->memory[i][GUARD + size + k] == 77);
        sac_free(s->memory[i]);
    }
    sac_env_destroy(s->env);
}

static inline void *part(const scene *s, const char *name)
{
    const int index = sac_space_find(s->spec->observations, s->spec->observation_count, name);
    assert_true(index >= 0);
    return s->parts[index];
}

static inline double column(const scene *s, int which)
{
    double values[MOST_COLUMNS] = {0};
    sac_env_state(s->env, values);
    return values[which];
}

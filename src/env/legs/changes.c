#include "env/legs/changes.h"

#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "env/words.h"

enum
{
    WORDS = 5
};

static const char *const words[WORDS + 1] = {"friction", "mass", "latency", "camera", "terrain"};

static bool *flag(legs_variant *v, int index)
{
    bool *flags[WORDS] = {&v->friction, &v->mass, &v->latency, &v->camera, &v->terrain};
    return flags[index];
}

sac_status sac_legs_variant_read(legs_variant *v, const char *text)
{
    bool flags[WORDS];
    *v = (legs_variant){0};
    SAC_TRY(sac_env_words_read(flags, &v->any, words, text));
    for (int i = 0; i < WORDS; i++) *flag(v, i) = flags[i];
    return SAC_OK;
}

// The numbers of each kind are drawn whether it is asked for or not, so that kinds do not change each other.
legs_changes sac_legs_changes_draw(const legs_variant *variant, uint64_t seed, double mass)
{
    sac_stream random = sac_stream_create(seed, 0x6368616e, 0);
    legs_variant v = *variant;
    const uint32_t one = sac_stream_below(&random, WORDS + 1);
    if (v.any && one < WORDS) *flag(&v, (int)one) = true;
    legs_changes c = {.friction = sac_stream_uniform(&random, 0.5, 1.2)};
    c.load = sac_stream_uniform(&random, 0, 0.2) * mass;
    for (int i = 0; i < 2; i++) c.load_place[i] = sac_stream_uniform(&random, -0.05, 0.05);
    c.latency = sac_stream_uniform(&random, 0, 0.008);
    c.camera_latency = sac_stream_uniform(&random, 0, 0.02);
    for (int i = 0; i < 3; i++) c.camera_shift[i] = sac_stream_uniform(&random, -0.02, 0.02);
    for (int i = 0; i < 3; i++) c.camera_tilt[i] = sac_stream_uniform(&random, -0.09, 0.09);
    c.terrain = v.terrain;
    if (!v.friction) c.friction = 1;
    if (!v.mass) c.load = 0;
    if (!v.latency) c.latency = c.camera_latency = 0;
    if (!v.camera) memset(c.camera_shift, 0, sizeof c.camera_shift), memset(c.camera_tilt, 0, sizeof c.camera_tilt);
    return c;
}

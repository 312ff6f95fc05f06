#include "env/rooms/changes.h"

#include "base/error.h"
#include "base/random.h"
#include "env/words.h"

static const char *const words[ROOMS_WORDS + 1] = {"furniture", "doors", "noise", "camera", "plan"};

sac_status sac_rooms_variant_read(rooms_variant *v, const char *text)
{
    return sac_env_words_read(v->words, &v->any, words, text);
}

// The numbers of each kind are drawn whether it is asked for or not, so that kinds do not change each other.
rooms_changes sac_rooms_changes_draw(const rooms_variant *variant, uint64_t seed)
{
    sac_stream random = sac_stream_create(seed, 0x6368616e, 0);
    rooms_variant v = *variant;
    const uint32_t one = sac_stream_below(&random, ROOMS_WORDS + 1);
    if (v.any && one < ROOMS_WORDS) v.words[one] = true;
    rooms_changes c = {
        .furniture = v.words[ROOMS_FURNITURE], .doors = v.words[ROOMS_DOORS], .plan = v.words[ROOMS_PLAN]};
    const double noise = sac_stream_uniform(&random, 0.01, 0.05);
    if (v.words[ROOMS_NOISE]) c.noise = noise;
    for (int i = 0; i < 3; i++)
    {
        const double shift = sac_stream_uniform(&random, -0.05, 0.05), tilt = sac_stream_uniform(&random, -0.09, 0.09);
        if (v.words[ROOMS_CAMERA]) c.camera.shift[i] = shift, c.camera.tilt[i] = tilt;
    }
    return c;
}

#include "env/legs/changes.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

enum
{
    WORDS = 5
};

static const char *const words[WORDS] = {"friction", "mass", "latency", "camera", "terrain"};
static const char *const known[] = {"original", "any", "friction", "mass", "latency", "camera", "terrain", NULL};

static bool *flag(legs_variant *v, int index)
{
    bool *flags[WORDS] = {&v->friction, &v->mass, &v->latency, &v->camera, &v->terrain};
    return flags[index];
}

static sac_status refuse(const char *text, const char *at, size_t length)
{
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
    if (length == 0 && *text) return sac_fail(SAC_ERROR_ARGUMENT, "variant '%.80s' lacks a word beside a '+'", text);
    if (strcmp(word, "original") == 0 || strcmp(word, "any") == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "variant '%s' stands alone, and '%.80s' joins it to others", word, text);
    for (int i = 0; i < WORDS; i++)
        if (strcmp(word, words[i]) == 0)
            return sac_fail(SAC_ERROR_ARGUMENT, "variant '%.80s' names '%s' twice", text, word);
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "unknown variant '%s', expected original, any, or some of friction, mass, latency, camera and "
                    "terrain joined by '+'%s",
                    word, sac_did_you_mean(sac_nearest_of(word, known)));
}

sac_status sac_legs_variant_read(legs_variant *v, const char *text)
{
    *v = (legs_variant){.any = strcmp(text, "any") == 0};
    if (v->any || strcmp(text, "original") == 0) return SAC_OK;
    for (const char *at = text;;)
    {
        const size_t length = strcspn(at, "+");
        int i = 0;
        while (i < WORDS && (strlen(words[i]) != length || strncmp(words[i], at, length) != 0)) i++;
        if (i == WORDS || *flag(v, i)) return refuse(text, at, length);
        *flag(v, i) = true;
        at += length;
        if (!*at) return SAC_OK;
        at++;
    }
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

#include "gradient/flip.h"

#include <string.h>

#include "base/error.h"

static sac_status check_choices(const int *flip, int choices)
{
    for (int i = 0; i < choices; i++)
        if (flip[i] < 0 || flip[i] >= choices || flip[flip[i]] != i)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "fit: flip says that choice %d becomes %d, expected choices that change places in pairs", i,
                            flip[i]);
    return SAC_OK;
}

static sac_status check_factors(const int *flip, int count)
{
    for (int i = 0; i < count; i++)
        if (flip[i] != 1 && flip[i] != -1)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "fit: flip has the factor %d for number %d of an action, expected 1 or -1", flip[i], i);
    return SAC_OK;
}

sac_status sac_flip_check(const sac_gradient *g, const int *flip)
{
    const sac_policy_def *def = &g->policy->def;
    if (!g->parts.embedding || !sac_policy_takes_one_picture(g->policy))
        return sac_fail(SAC_ERROR_ARGUMENT, "fit: flip is for policies that take one picture and nothing else");
    return def->action_choices ? check_choices(flip, def->action_choices) : check_factors(flip, def->action_size);
}

void sac_flip_picture(const sac_gradient *g, uint8_t *out, const uint8_t *picture)
{
    const sac_embedding *e = g->parts.embedding;
    const bool floats = sac_space_is_floats(&g->policy->def.inputs[g->policy->image]);
    const size_t number = floats ? sizeof(float) : sizeof(uint8_t);
    const size_t pixel = (size_t)e->channels * number, row = (size_t)e->width * pixel, first = e->first * number;
    for (int y = 0; y < e->height; y++)
    {
        const uint8_t *from = picture + first + (size_t)y * row;
        uint8_t *to = out + first + (size_t)y * row;
        for (size_t x = 0; x < (size_t)e->width; x++) memcpy(to + row - (x + 1) * pixel, from + x * pixel, pixel);
    }
}

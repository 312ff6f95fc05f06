#include "policy/look.h"

static bool sees_floats(const sac_policy *policy)
{
    return policy->image >= 0 && sac_space_is_floats(&policy->def.inputs[policy->image]);
}

void sac_look_place(sac_look_state *s, const sac_policy *policy, sac_workspace *workspace)
{
    size_t size = sees_floats(policy) ? sac_space_size(&policy->def.inputs[policy->image]) : 0;
    s->floats = sac_take(workspace, size, sizeof(float));
}

// Brings numbers of a picture of floats from its bounds to 0..1, where it has bounds. What is not a number counts as
// the least.
void sac_look_scale(float *out, const float *numbers, size_t count, const sac_space *space)
{
    float low = space->low ? space->low[0] : 0, high = space->high ? space->high[0] : 1;
    float span = high > low ? high - low : 1;
    for (size_t i = 0; i < count; i++)
    {
        float x = (numbers[i] - low) / span;
        out[i] = x > 0 ? x < 1 ? x : 1 : 0;
    }
}

void sac_look(sac_look_state *s, sac_embedding_state *embedding_state, const sac_embedding *embedding,
              const sac_policy *policy, const void *const *inputs)
{
    if (!sees_floats(policy))
    {
        sac_embedding_run(embedding_state, embedding, (const uint8_t *)inputs[policy->image] + embedding->first);
        return;
    }
    const size_t count = (size_t)embedding->height * (size_t)embedding->width * (size_t)embedding->channels;
    sac_look_scale(s->floats, (const float *)inputs[policy->image] + embedding->first, count,
                   &policy->def.inputs[policy->image]);
    sac_embedding_run_floats(embedding_state, embedding, s->floats);
}

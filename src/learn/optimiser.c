#include "learn/optimiser.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct sac_optimiser
{
    sac_optimiser_def def;
    size_t parameters;
    uint64_t steps;
    int count;
    sac_optimiser_array arrays[SAC_OPTIMISER_ARRAYS];
    float *average; // one of them, or NULL
};

const char *const sac_optimiser_names[] = {"sgd", "adam", "adamw", NULL};

bool sac_optimiser_find(sac_optimiser_kind *kind, const char *name)
{
    for (int i = 0; sac_optimiser_names[i]; i++)
        if (strcmp(sac_optimiser_names[i], name) == 0)
        {
            *kind = (sac_optimiser_kind)i;
            return true;
        }
    return false;
}

sac_optimiser_def sac_optimiser_default_def(void)
{
    return (sac_optimiser_def){
        .kind = SAC_OPTIMISER_ADAM, .rate = 1e-3, .momentum = 0.9, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

static float *add_array(sac_optimiser *o, const char *name)
{
    float *numbers = SAC_NEW_ARRAY(float, o->parameters);
    if (numbers) o->arrays[o->count++] = (sac_optimiser_array){name, numbers};
    return numbers;
}

static bool allocate(sac_optimiser *o)
{
    if (o->def.kind == SAC_OPTIMISER_SGD)
    {
        if (!add_array(o, "velocity")) return false;
    }
    else if (!add_array(o, "first_moment") || !add_array(o, "second_moment"))
        return false;
    return !(o->def.average > 0) || (o->average = add_array(o, "average"));
}

sac_status sac_optimiser_create(sac_optimiser **out, const sac_optimiser_def *def, size_t parameters)
{
    sac_optimiser *o = SAC_NEW(sac_optimiser);
    *out = NULL;
    if (o) *o = (sac_optimiser){.def = *def, .parameters = parameters};
    if (!o || !allocate(o))
    {
        sac_optimiser_destroy(o);
        return sac_fail_memory("an optimiser");
    }
    *out = o;
    return SAC_OK;
}

void sac_optimiser_destroy(sac_optimiser *o)
{
    if (!o) return;
    for (int i = 0; i < o->count; i++) sac_free(o->arrays[i].numbers);
    sac_free(o);
}

// a step of parameters first..first+count-1
static void step_part(const sac_optimiser *o, const sac_learn *l, float *parameters, const float *gradient,
                      size_t first, size_t count, const sac_step *step)
{
    float *x = parameters + first;
    if (count == 0) return;
    if (o->def.kind == SAC_OPTIMISER_SGD)
        l->sgd_step(l, x, o->arrays[0].numbers + first, gradient + first, count, step);
    else
        l->adam_step(l, x, o->arrays[0].numbers + first, o->arrays[1].numbers + first, gradient + first, count, step);
}

double sac_optimiser_step(sac_optimiser *o, const sac_learn *l, float *parameters, float *gradient)
{
    const sac_optimiser_def *d = &o->def;
    const double share = d->steps ? sac_schedule(o->steps, d->warm_steps, d->steps, d->last_rate) : 1;
    o->steps++;
    double norm;
    l->clip(l, &norm, gradient, d->largest_norm > 0 ? d->largest_norm : (double)INFINITY, o->parameters);
    sac_step step = {.rate = (float)(d->rate * share),
                     .momentum = (float)d->momentum,
                     .beta1 = (float)d->beta1,
                     .beta2 = (float)d->beta2,
                     .epsilon = (float)d->epsilon,
                     .decay = (float)d->decay,
                     .decoupled = d->kind == SAC_OPTIMISER_ADAMW,
                     .number = o->steps};
    step_part(o, l, parameters, gradient, 0, o->parameters - d->undecayed, &step);
    step.decay = 0;
    step_part(o, l, parameters, gradient, o->parameters - d->undecayed, d->undecayed, &step);
    // the first step gives the average its start
    if (o->average)
        l->average_step(l, o->average, parameters, o->steps == 1 ? 1.0f : (float)(1 - d->average), o->parameters);
    return norm;
}

void sac_optimiser_set_rate(sac_optimiser *o, double rate)
{
    o->def.rate = rate;
}

const float *sac_optimiser_average(const sac_optimiser *o)
{
    return o->average;
}

int sac_optimiser_list(const sac_optimiser *o, sac_optimiser_array list[SAC_OPTIMISER_ARRAYS])
{
    memcpy(list, o->arrays, (size_t)o->count * sizeof *list);
    return o->count;
}

uint64_t sac_optimiser_steps(const sac_optimiser *o)
{
    return o->steps;
}

void sac_optimiser_set_steps(sac_optimiser *o, uint64_t steps)
{
    o->steps = steps;
}

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "ppo/learner.h"

/// What a step's reward is reduced by before it is learned from. Returns that are reported stay the world's.

static const char *column_name(const void *spec, int index)
{
    const sac_env_spec *s = spec;
    return index < s->column_count ? s->columns[index].name : NULL;
}

sac_status sac_ppo_choose_costs(sac_ppo *p, const sac_env *env)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    const char *name = p->config.stray;
    p->stray_column = -1;
    if (!name[0]) return SAC_OK;
    for (int i = 0; i < spec->column_count; i++)
        if (strcmp(spec->columns[i].name, name) == 0) p->stray_column = i;
    p->column_count = spec->column_count;
    if (p->stray_column >= 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "search.stray: %s has no number '%.60s'%s; 'saccade replay' writes them all",
                    sac_env_get_ops(env)->name, name, sac_did_you_mean(sac_nearest(name, column_name, spec)));
}

// The mean square of an action, in halves of its range from the middle of it: 1 at the bounds.
static double control(const sac_action_head *h, const float *action)
{
    double sum = 0;
    for (int i = 0; i < h->actions; i++)
    {
        const double middle = ((double)h->low[i] + (double)h->high[i]) / 2;
        const double x = ((double)action[i] - (isfinite(middle) ? middle : 0)) / (double)h->units[i];
        sum += x * x;
    }
    return sum / h->actions;
}

// How far the number that should stay near 0 lies beyond its limit.
static double excess(const sac_ppo *p, sac_ppo_room *room, const sac_env *env)
{
    sac_env_state(env, room->columns);
    const double beyond = fabs(room->columns[p->stray_column]) - p->config.stray_limit;
    return beyond > 0 ? beyond : 0;
}

double sac_ppo_costs(const sac_ppo *p, sac_ppo_room *room, const sac_play *play)
{
    double costs = 0;
    if (p->config.control_cost > 0 && p->head.choices == 0)
        costs += p->config.control_cost * control(&p->head, play->action);
    if (p->stray_column >= 0) costs += p->config.stray_cost * excess(p, room, play->env);
    return costs;
}

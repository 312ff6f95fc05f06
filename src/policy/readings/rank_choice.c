#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "policy/agent_state.h"

// Which patches are kept: the highest scores, or drawn ones. A draw is a pure function of selection_seed, the step of
// the episode and its number, so that the same look at the same step keeps the same patches.

// These forms have scores that are never negative, as the shares of a tree's branches have to be.
static bool has_shares(const char *form)
{
    static const char *const forms[] = {"relu", "positive", "sara-relu", "sara-exp", "sara-square"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form, forms[i]) == 0) return true;
    return false;
}

sac_status sac_rank_plan_choice(sac_agent *agent)
{
    const sac_agent_config *config = &agent->config;
    if (strcmp(config->selection, "sample") == 0) agent->selection = SAC_SELECT_SAMPLE;
    if (strcmp(config->selection, "tree") == 0) agent->selection = SAC_SELECT_TREE;
    if (agent->selection != SAC_SELECT_TREE) return SAC_OK;
    if (!has_shares(config->attention))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: selection is tree, whose shares come from features that are never negative: relu, "
                        "positive or sara-*, not %s",
                        config->attention);
    if (agent->heads > 1)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: selection is tree, which draws from one head, but heads is %d",
                        agent->heads);
    if (strcmp(config->projection, "learned") == 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: selection is tree, but a learned projection may make scores negative; sample draws "
                        "from those");
    return SAC_OK;
}

static void draw_numbers(sac_agent_state *s, int count)
{
    sac_stream stream = sac_stream_create(s->agent->config.selection_seed, s->step++, 0);
    for (int i = 0; i < count; i++) s->uniform[i] = sac_stream_uniform(&stream, 0, 1);
}

void sac_rank_choose(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    int kept = a->config.top;
    if (a->selection == SAC_SELECT_TOP)
    {
        a->kernels.top(s->top, kept, s->importance, a->embedding.count);
        return;
    }
    if (a->selection == SAC_SELECT_SAMPLE)
    {
        draw_numbers(s, kept);
        sac_rank_probabilities(a->attention, s->probabilities, s->importance, a->embedding.count);
        sac_rank_draw(s->top, kept, s->probabilities, a->embedding.count, s->uniform);
        return;
    }
    sac_tree *tree = sac_key_database_tree(s->databases[0]);
    draw_numbers(s, kept * sac_tree_depth(tree));
    sac_tree_draw_several(tree, s->top, kept, s->summary, s->uniform, s->taken);
}

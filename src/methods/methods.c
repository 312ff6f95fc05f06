#include "methods/methods.h"

#include "methods/contrast_options.h"
#include "methods/distill_options.h"
#include "methods/ppo_options.h"
#include "saccade/evolve.h"

static const struct
{
    const char *name, *summary;
    const sac_option *options;
} others[] = {
    {"ppo", "proximal policy optimisation (PPO), which learns by the gradient of the reward", sac_ppo_options},
    {"distill", "imitation of a teacher, who labels what the policy meets (DAgger)", sac_distill_option_table},
    {"contrast", "a finder's encoder learns which patches of a picture show what a caption says",
     sac_contrast_option_table},
};

const char *sac_method_at(int index, const char **summary, const sac_option **options)
{
    int count = 0;
    while (count <= index && sac_search_method_at(count, NULL, NULL)) count++;
    if (count > index) return sac_search_method_at(index, summary, options);
    const int other = index - count;
    if (other >= (int)(sizeof others / sizeof *others)) return NULL;
    if (summary) *summary = others[other].summary;
    if (options) *options = others[other].options;
    return others[other].name;
}

#include "run/methods.h"

#include "run/distill.h"
#include "saccade/evolve.h"

static const struct
{
    const char *name;
    const sac_option *options;
} others[] = {{"distill", sac_distill_option_table}};

const char *sac_method_at(int index, const sac_option **options)
{
    const char *summary;
    int searches = 0;
    while (sac_search_method_at(searches, &summary, options)) searches++;
    if (index < searches) return sac_search_method_at(index, &summary, options);
    size_t other = (size_t)(index - searches);
    if (other >= sizeof others / sizeof *others) return NULL;
    *options = others[other].options;
    return others[other].name;
}

#include "evolve/common.h"

#include <math.h>

#include "base/error.h"
#include "base/series.h"

sac_status sac_common_create(sac_search *search, const sac_common *common, int step)
{
    const char *name = search->method->name;
    int population = common->population;
    if (population == 1) return sac_fail(SAC_ERROR_ARGUMENT, "%s: population is 1, expected 0 or at least 2", name);
    if (population % step != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: population is %d, expected an even number: candidates come in pairs",
                        name, population);
    if (population == 0) population = 4 + (int)(3 * sac_series_log(search->dimension));
    search->population = population + population % step; // the default is rounded up to whole pairs
    search->sigma = common->sigma;
    search->weight_decay = common->weight_decay;
    return SAC_OK;
}

void sac_common_move_sigma(sac_search *search, const sac_common *common)
{
    double decay = search->generation >= common->sigma_decay_from ? common->sigma_decay : 1;
    search->sigma = fmax(search->sigma * decay, common->sigma_floor);
}

const char *sac_common_stop(const sac_search *search)
{
    return search->sigma < 1e-12 ? "the step size is below 1e-12" : NULL;
}

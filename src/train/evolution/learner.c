#include "base/error.h"
#include "base/memory.h"
#include "train/evolution/evolution.h"

/// The learner that evolves, as a table: what a run calls, and what checkpoints hold of it.

static sac_status create(sac_run *r)
{
    r->learned = SAC_NEW(sac_evolution);
    return r->learned ? sac_evolution_create_search(r) : sac_fail_memory("a search");
}

static void destroy(sac_run *r)
{
    sac_evolution *e = r->learned;
    if (!e) return;
    sac_search_destroy(e->search);
    sac_race_destroy(e->race);
    sac_evolution_release(e);
    sac_free(e);
}

static int list_arrays(void *self, sac_kept_array *arrays, int capacity)
{
    sac_search_array list[SAC_MAX_SEARCH_ARRAYS];
    int count = sac_search_state(self, list, SAC_MAX_SEARCH_ARRAYS);
    SAC_ASSERT(count <= SAC_MAX_SEARCH_ARRAYS);
    for (int i = 0; i < count && i < capacity; i++)
        arrays[i] = (sac_kept_array){list[i].name, SAC_F64, list[i].data, list[i].count};
    return count;
}

static sac_status reshape(void *self)
{
    return sac_search_reshape(self);
}

static sac_status restored(void *self)
{
    return sac_search_restored(self);
}

static sac_kept kept(const sac_run *r)
{
    return (sac_kept){.self = sac_evolution_of(r)->search,
                      .section = "search",
                      .arrays = list_arrays,
                      .shape = "restarts",
                      .reshape = reshape,
                      .restored = restored};
}

static sac_status restore(sac_run *r, const uint8_t *bytes, size_t size)
{
    SAC_TRY(sac_run_read_checkpoint(r, bytes, size));
    if (r->state.attempt == 0) return SAC_OK;
    // the search draws from the attempt's own seed
    SAC_TRY(sac_evolution_create_search(r));
    return sac_run_read_checkpoint(r, bytes, size);
}

static const char *stop(const sac_run *r)
{
    return sac_search_stop(sac_evolution_of(r)->search);
}

static double sigma(const sac_run *r)
{
    return sac_search_sigma(sac_evolution_of(r)->search);
}

const sac_learner sac_evolution_learner = {.create = create,
                                           .destroy = destroy,
                                           .restore = restore,
                                           .begin = sac_evolution_apply_stages,
                                           .advance = sac_evolution_advance,
                                           .stop = stop,
                                           .sigma = sigma,
                                           .kept = kept};

#pragma once

#include "saccade/evolve.h"

/// This file declares what a search method supplies, and what every search has. A new method is one file and one line
/// in search.c. Every method's config starts with a sac_common (common.h).

typedef struct sac_search_method
{
    const char *name, *summary;
    const sac_option *options;
    size_t config_size;

    /// Set search->self, population, sigma and weight_decay; the mean is there already. After a failure, destroy is
    /// called with the self that was set by then.
    sac_status (*create)(sac_search *search, const void *config);
    void (*destroy)(void *self); ///< NULL is ignored

    /// Do work that precedes the generation's first ask, once a generation; NULL: none.
    sac_status (*prepare)(sac_search *search);

    /// Write candidate `index`, as sac_search_ask does.
    void (*ask)(const sac_search *search, int index, float *x);

    /// Learn. `order` [population] lists candidates, best first; x [population, dimension] or NULL for the asked ones.
    /// search->fitness holds the fitness values themselves.
    sac_status (*tell)(sac_search *search, const int *order, const double *x);

    /// Find reasons to stop of the method's own; NULL: none. Reasons that hold for all searches are checked first.
    const char *(*stop)(const sac_search *search);

    /// Add the method's own arrays, at most 10, after those of all searches, each with sac_search_add_array.
    void (*state)(sac_search *search, sac_search_array *arrays, int capacity, int *count);

    /// Add the constants for sac_search_constants; NULL: none.
    void (*constants)(sac_search *search, sac_search_array *arrays, int capacity, int *count);

    /// Check the method's own arrays after they were written and derive the rest, for sac_search_restored. All arrays
    /// are finite, and those of all searches have been checked. NULL: there is nothing to check.
    sac_status (*restored)(sac_search *search);
} sac_search_method;

struct sac_search
{
    const sac_search_method *method;
    void *self;                  ///< the method's own state
    void *config;                ///< [method->config_size]
    struct sac_restart *restart; ///< NULL: a search that has a reason to stop does not begin anew
    int dimension, population;
    uint64_t seed;
    double weight_decay;    ///< fitness lost per unit of a candidate's mean square
    double first_sigma;     ///< as the options set it
    bool prepared;          ///< whether this generation's prepare has been called
    bool mirrored;          ///< candidates 2k and 2k + 1 lie opposite each other
    double generation;      ///< calls of tell since the last restart
    double sigma;           ///< overall step size
    double flat;            ///< generations in a row whose candidates were all equally fit
    double *mean;           ///< [dimension]
    double *fitness;        ///< [population], after weight decay
    int *order;             ///< [population], best first
    struct sac_rank *ranks; ///< [population], for sorting
    float *candidate;       ///< [dimension]
};

extern const sac_search_method sac_sep_cma_es, sac_cma_es, sac_cholesky_cma_es, sac_lm_ma_es, sac_snes, sac_openai_es,
    sac_pgpe, sac_ars, sac_bgs, sac_ga;

/// Add one array to the list of a state; the count grows even where the capacity is exhausted.
void sac_search_add_array(sac_search_array *arrays, int capacity, int *count, const char *name, double *data,
                          size_t length);

/// Fail where a number of a state's array is not positive.
sac_status sac_search_check_positive(const sac_search *search, const char *array, const double *x, size_t count);

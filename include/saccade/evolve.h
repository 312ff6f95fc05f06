#pragma once

#include "saccade/base.h"
#include "saccade/options.h"

/// A search method has ask, tell and stop: it gives out candidate vectors and takes in their fitness (larger is
/// better).
///
/// Candidate i of generation g is a pure function of (seed, g, i) and the state after g tells, so threads may ask for
/// different candidates at once, and nothing depends on their order. The whole state is a handful of named arrays,
/// which a checkpoint stores. A search that is restored from them continues with the same bits.

typedef struct sac_search sac_search;

/// What to create.
typedef struct sac_search_def
{
    const char *method;          ///< such as "sep-cma-es"
    const sac_setting *settings; ///< options of the method
    int setting_count;
    int dimension;   ///< n >= 1
    const float *x0; ///< [n] first mean, copied; NULL: zeros
    uint64_t seed;   ///< any value, 0 included
} sac_search_def;

/// List the methods: the name, summary and option table of the i-th; NULL past the end.
SAC_API const char *sac_search_method_at(int index, const char **summary, const sac_option **options);

/// Create a search.
/// @return SAC_ERROR_ARGUMENT for an unknown method or option (with "did you mean"), SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_search_create(sac_search **out, const sac_search_def *def);

/// Destroy a search. NULL is ignored.
SAC_API void sac_search_destroy(sac_search *search);

SAC_API int sac_search_population(const sac_search *search); ///< candidates in a generation; a restart may change it
SAC_API int sac_search_dimension(const sac_search *search);
SAC_API uint64_t sac_search_generation(const sac_search *search); ///< tells so far, since the last restart
SAC_API double sac_search_sigma(const sac_search *search);        ///< the overall step size

/// Multiply the overall step size by a positive factor, from the next generation on. Part of the search's state.
SAC_API void sac_search_scale_sigma(sac_search *search, double factor);

/// Tell whether candidates 2k and 2k + 1 lie opposite each other about the mean, for all k.
SAC_API bool sac_search_is_mirrored(const sac_search *search);

/// Work that must precede the generation's first ask (such as an eigendecomposition). Call once a generation.
SAC_API SAC_CHECKED sac_status sac_search_prepare(sac_search *search);

/// Write candidate `index` of this generation, x [dimension]. Threads may call it at once. Never fails.
SAC_API void sac_search_ask(const sac_search *search, int index, float *x);

/// Learn from the generation, and begin anew where the search has a reason to stop and restarts left. A generation
/// whose candidates are all equally fit, or whose fitness values are all NaN, is counted and teaches nothing.
/// @param fitness  [population], larger is better; NaN ranks last, and equal ones are ordered by index
SAC_API SAC_CHECKED sac_status sac_search_tell(sac_search *search, const double *fitness);

/// The same from candidates that the caller supplies instead of the asked ones, x [population, dimension].
/// @return SAC_ERROR_ARGUMENT, and nothing learned, when a number of x is not finite
SAC_API SAC_CHECKED sac_status sac_search_tell_with(sac_search *search, const double *fitness, const double *x);

/// What the last tell did beside learning, in words: a restart with its reason. NULL: nothing. Valid until the next
/// tell.
SAC_API const char *sac_search_note(const sac_search *search);

/// Why the search should stop, in words; NULL while it should go on.
SAC_API const char *sac_search_stop(const sac_search *search);

/// The mean of the distribution, x [dimension].
SAC_API void sac_search_mean(const sac_search *search, float *x);

/// One named array of a search's state: float64 for all numbers, counters included (exact below 2^53).
typedef struct sac_search_array
{
    const char *name;
    double *data;
    size_t count;
} sac_search_array;

/// The most arrays that a search's state has, of any method.
#define SAC_MAX_SEARCH_ARRAYS 16

/// List the arrays that are the state; they are valid while the search lives. To save a search, read them; to restore
/// it, write them and call sac_search_restored.
/// @return how many, SAC_MAX_SEARCH_ARRAYS at most; at most `capacity` are written
SAC_API int sac_search_state(sac_search *search, sac_search_array *arrays, int capacity);

/// Where a state has an array "restarts", call this after only that array was written. The population, and with it the
/// sizes of the other arrays, may change, so list the arrays anew.
/// @return SAC_ERROR_FORMAT when the numbers cannot be those of a restart, SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_search_reshape(sac_search *search);

/// Call after the arrays were written: checks them and derives the rest.
/// @return SAC_ERROR_FORMAT when they cannot be a state of this search
SAC_API SAC_CHECKED sac_status sac_search_restored(sac_search *search);

/// List what the method derived: constants such as weights and learning rates, and results of the last generation such
/// as the gradient. They may only be read.
/// @return how many; at most `capacity` are written
SAC_API int sac_search_constants(sac_search *search, sac_search_array *arrays, int capacity);

#include "methods/uptrain_options.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

#define AT(field) offsetof(sac_uptrain_options, field)

// From here on training draws its episodes; smaller seeds are for choosing and for reporting.
static const uint64_t first_seed = 1000000;

const sac_option sac_uptrain_option_table[] = {
    {"attention", SAC_OPTION_TEXT, AT(attention), "", 0, 0, "relu exp square", "f of phi = v f(G y)"},
    {"features", SAC_OPTION_INT, AT(features), "0", 1, 4096, NULL, "m, the features of a token"},
    {"random", SAC_OPTION_BOOL, AT(random), "false", 0, 0, NULL, "G stays as it is drawn"},
    {"seed", SAC_OPTION_SEED, AT(seed), "1", 0, 0, NULL, "draws G and the orders of pictures"},
    {"from", SAC_OPTION_SEED, AT(from), "1000000", 0, 0, NULL, "seed of the first episode that pictures come from"},
    {"frames", SAC_OPTION_INT, AT(frames), "0", 512, 1 << 20, NULL, "pictures to learn from"},
    {"match", SAC_OPTION_INT, AT(match), "1000", 0, 1000000000, NULL, "steps of the first phase"},
    {"match-rounds", SAC_OPTION_INT, AT(match_rounds), "1", 1, 64, NULL, "rounds of the first phase"},
    {"match-rate", SAC_OPTION_REAL, AT(match_rate), "0.02", 1e-12, 1000, NULL, "largest rate of the first phase"},
    {"tune", SAC_OPTION_INT, AT(tune), "-1", 0, 1000000000, NULL, "steps of the second phase"},
    {"rate", SAC_OPTION_REAL, AT(rate), "0", 1e-12, 1000, NULL, "largest rate of the second phase"},
    {"rounds", SAC_OPTION_INT, AT(rounds), "0", 1, 64, NULL, "rounds of the second phase"},
    {0},
};

sac_status sac_uptrain_options_read(sac_uptrain_options *options, const sac_setting *settings, int count,
                                    const char *where)
{
    // what stands for a kind's own default cannot be typed, so the table does not read it
    *options = (sac_uptrain_options){
        .seed = 1, .from = first_seed, .match = 1000, .match_rounds = 1, .match_rate = 0.02, .tune = -1};
    for (int i = 0; i < count; i++)
        SAC_TRY(sac_options_set(sac_uptrain_option_table, options, settings[i].key, settings[i].value, where));
    // sums of seeds and numbers of episodes stay within 64 bits
    if (options->from >= first_seed && options->from <= INT64_MAX / 2) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "%s: from is '%" PRIu64 "', expected a whole number from %" PRIu64 " to %" PRId64, where,
                    options->from, first_seed, INT64_MAX / 2);
}

const char *sac_uptrain_option_of_maps(const sac_setting *settings, int count)
{
    static const char *const names[] = {"features", "random", "match", "match-rounds", "match-rate"};
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(settings[i].key, names[k]) == 0) return names[k];
    return NULL;
}

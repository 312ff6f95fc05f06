#pragma once

#include "saccade/options.h"

/// The options of `search.method: contrast`: the dual encoder of a finder learns which patches show what words say.

typedef struct sac_contrast_options
{
    int pictures, batch, fit_steps, slices;
    char views[SAC_TEXT_SIZE], optimiser[SAC_TEXT_SIZE];
    double rate, last_rate, decay;
} sac_contrast_options;

extern const sac_option sac_contrast_option_table[];

#include "methods/contrast_options.h"

#define AT(field) offsetof(sac_contrast_options, field)

const sac_option sac_contrast_option_table[] = {
    {"pictures", SAC_OPTION_INT, AT(pictures), "512", 1, 100000, NULL,
     "that a generation draws anew, each at the start of an episode of its own"},
    {"views", SAC_OPTION_TEXT, AT(views), "", 0, 0, NULL,
     "settings of the world in which they are drawn, where they are to differ from the task's, such as 'farthest=4 "
     "turned=40'"},
    {"batch", SAC_OPTION_INT, AT(batch), "64", 1, 4096, NULL, "pictures in a minibatch"},
    {"fit_steps", SAC_OPTION_INT, AT(fit_steps), "16", 1, 1000000, NULL, "steps of the optimiser a generation"},
    {"optimiser", SAC_OPTION_TEXT, AT(optimiser), "adam", 0, 0, "adam adamw sgd", "how parameters follow gradients"},
    {"rate", SAC_OPTION_REAL, AT(rate), "0.002", 0, 1000, NULL, "largest rate of the optimiser"},
    {"last_rate", SAC_OPTION_REAL, AT(last_rate), "0.05", 0, 1, NULL,
     "part of the rate that is left after the last generation; it falls along half a cosine"},
    {"decay", SAC_OPTION_REAL, AT(decay), "0", 0, 1000, NULL, "of weights, for adamw and sgd"},
    {"slices", SAC_OPTION_INT, AT(slices), "8", 1, 1024, NULL,
     "parts of a minibatch whose gradients threads compute; decides the order of sums"},
    {0},
};

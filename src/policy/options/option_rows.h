#pragma once

#include "policy/actor.h"

/// Rows of option tables, and those that several kinds share. Who includes this defines CONFIG as the struct that its
/// table fills, which has the ints `crop_top`, `crop_height` and `image_size` and a sac_actor_config `actor`. Where
/// these stand in a part of CONFIG, OPTION_FIELD says where, and OPTION_PREFIX how the names of the part's options
/// begin.

#ifndef OPTION_PREFIX
#define OPTION_PREFIX       ""
#define OPTION_FIELD(field) field
#endif

#define ROW_OF(field, name, type, fallback, low, high, words, help)                                       \
    {                                                                                                     \
        OPTION_PREFIX name, type, offsetof(CONFIG, OPTION_FIELD(field)), fallback, low, high, words, help \
    }
#define ROW(name, type, fallback, low, high, words, help) ROW_OF(name, #name, type, fallback, low, high, words, help)
#define INT(name, fallback, low, high, help)              ROW(name, SAC_OPTION_INT, fallback, low, high, NULL, help)
#define REAL(name, fallback, high, help)                  ROW(name, SAC_OPTION_REAL, fallback, 0, high, NULL, help)
#define SEED(name, fallback, help)                        ROW(name, SAC_OPTION_SEED, fallback, 0, 0, NULL, help)
#define BOOL(name, fallback, help)                        ROW(name, SAC_OPTION_BOOL, fallback, 0, 0, NULL, help)
#define TEXT(name, fallback, words, help)                 ROW(name, SAC_OPTION_TEXT, fallback, 0, 0, words, help)

#define IMAGE_SIZE                                                                                               \
    INT(crop_top, "0", 0, 4096, "rows of pixels at the observation's top that are left out"),                    \
        INT(crop_height, "0", 0, 4096, "rows of pixels that are looked at from there on; 0: all that are left"), \
        INT(image_size, "0", 0, 4096, "side in pixels that the observation is resized to (bilinear); 0: as it is")

#define X(name) #name " "
static const char sac_controller_words[] = SAC_CONTROLLERS(X);
#undef X

#define ACTOR_ROW(name, type, fallback, low, high, words, help) \
    ROW_OF(actor.name, #name, type, fallback, low, high, words, help)

// From what is told to the outputs.
#define ACTOR_CONTROLLER(default_activation)                                                                        \
    ACTOR_ROW(controller, SAC_OPTION_TEXT, "lstm", 0, 0, sac_controller_words, "what acts on what is told"),        \
        ACTOR_ROW(hidden, SAC_OPTION_INT, "16", 1, 1024, NULL, "units of lstm, or of each of mlp's hidden layers"), \
        ACTOR_ROW(layers, SAC_OPTION_INT, "1", 1, SAC_MAX_HIDDEN_LAYERS, NULL, "hidden layers of mlp"),             \
        ACTOR_ROW(activation, SAC_OPTION_TEXT, default_activation, 0, 0, "tanh clip none",                          \
                  "of the output: tanh or clip to -1..1 and stretch to the bounds, or none: cut at the bounds")

#define ACTOR_MOTION                                        \
    ACTOR_ROW(motion, SAC_OPTION_BOOL, "false", 0, 0, NULL, \
              "tell the controller also how each number that it is told has changed since the step before")

#define ACTOR                                                                                                         \
    ACTOR_CONTROLLER("tanh"),                                                                                         \
        ACTOR_ROW(choice, SAC_OPTION_TEXT, "auto", 0, 0, "auto threshold argmax",                                     \
                  "discrete actions: one output with thresholds at -1/3 and 1/3 for choices 1, 0, 2, or the largest " \
                  "of n outputs; auto: threshold where there are 3"),                                                 \
        ACTOR_MOTION,                                                                                                 \
        ACTOR_ROW(normaliser, SAC_OPTION_BOOL, "false", 0, 0, NULL,                                                   \
                  "observation normaliser: subtract the running mean of what the controller is told, and divide by "  \
                  "its running deviation, both measured in training"),                                                \
        ACTOR_ROW(normaliser_limit, SAC_OPTION_REAL, "0", 0, 1e9, NULL,                                               \
                  "normalised numbers are cut at so many deviations on either side; 0: never")

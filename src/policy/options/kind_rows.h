#pragma once

#include "policy/options/option_rows.h"

/// The rows of each kind's options without those of the actor. Rows that several kinds share are macros of their own.

#define IMAGE                                                                                                \
    IMAGE_SIZE, INT(patch, "7", 1, 64, "side of a patch in pixels"),                                         \
        INT(stride, "4", 0, 64, "pixels from one patch to the next; 0: as many as a patch has, no overlap"), \
        INT(key_size, "4", 1, 64, "width d of queries and keys")

#define FEATURES                                                                                          \
    INT(attention_features, "16", 0, 4096,                                                                \
        "random features M of all forms but softmax; 0, for relu and sara-*: the raw queries and keys"),  \
        INT(attention_directions, "5", 1, 64, "directions R whose signs estimate angles in hybrid"),      \
        SEED(attention_seed, "1", "draws those features and directions"),                                 \
        TEXT(attention_map, "drawn", "drawn learned",                                                     \
             "sara-*: whether G stays as it is drawn, or G of queries and of keys and v are parameters"), \
        BOOL(divide, "false", "linear forms: divide each patch's attention by its sum, as softmax and SARA-RT do")

#define POSITIONS                                     \
    TEXT(position_encoding, "none", "none flat grid", \
         "sinusoids added to the patches: over their index, or over row and column")

#define UNIT "divide queries and keys by their length first; the default scale is sqrt(d) then"

#define HEADS INT(heads, "1", 1, 16, "H: attentions side by side, each with queries and keys of its own")

#define SCORES                                                                                                        \
    HEADS,                                                                                                            \
        TEXT(projection, "ones", "ones learned",                                                                      \
             "what a patch's vote weighs in the scores: the same for all, or one learned number a patch"),            \
        TEXT(selection, "top", "top sample tree",                                                                     \
             "which patches are kept: the highest scores, drawn from softmax(scores), or drawn in proportion to the " \
             "scores by a tree"),                                                                                     \
        SEED(selection_seed, "1", "of the draws, the same ones in every episode"),                                    \
        INT(key_period, "1", 1, 1 << 20, "steps from one look at the keys to the next; queries are new in each step")

// What the controller is told of a kept patch, and whether it is told of the others.
#define TOLD(default_features)                                                                        \
    ROW_OF(patch_features, "patch_features", SAC_OPTION_TEXT, default_features, 0, 0, NULL,           \
           "what the controller is told of a patch: positions, histogram, conv, values, or "          \
           "several joined by +"),                                                                    \
        BOOL(normalise_positions, "true", "divide positions by the image's height"),                  \
        INT(bins, "4", 1, 256, "histogram: bins a channel"),                                          \
        TEXT(conv_channels, "4,2", NULL, "conv: output channels of each layer, separated by commas"), \
        INT(conv_kernel, "3", 1, 16, "conv: side of the kernels"),                                    \
        INT(conv_stride, "2", 1, 16, "conv: stride of the layers"),                                   \
        INT(value_size, "4", 1, 1024, "values: learned numbers of a patch"),                          \
        BOOL(masking, "false", "tell the controller of every patch in its own place, zeros where it is not kept")

#define TOP      INT(top, "10", 1, 128, "K: patches that are kept")
#define ANY_FORM "softmax, relu, positive, trig, hybrid, sara-relu, sara-exp or sara-square"

#define ATTENTION_AGENT_ROWS                                                                                  \
    IMAGE, TOP, TEXT(attention, "softmax", NULL, ANY_FORM),                                                   \
        REAL(scale, "0", 1e6, "factor of the logits; 0: 1/sqrt(numbers in a patch), as published"), FEATURES, \
        BOOL(normalise_tokens, "false", UNIT), POSITIONS, SCORES, TOLD("positions")

#define IAP_RANK_ROWS                                                                                               \
    IMAGE, TOP, TEXT(attention, "relu", NULL, ANY_FORM),                                                            \
        REAL(scale, "0", 1e6, "factor of the logits; 0: sqrt(d), or 1/sqrt(d) without normalise_tokens"), FEATURES, \
        BOOL(normalise_tokens, "true", UNIT), POSITIONS, SCORES, TOLD("values")

#define IAP_TRANS_ROWS                                                                                              \
    IMAGE, HEADS, INT(value_size, "4", 1, 1024, "width d_V of values, of each head"),                               \
        INT(rows, "10", 1, 1024, "l: tokens that the patches become"),                                              \
        BOOL(centre_pixels, "false", "subtract 1/2 from pixels, which then lie between -1/2 and 1/2"),              \
        TEXT(attention, "positive", NULL, ANY_FORM),                                                                \
        REAL(scale, "0", 1e6, "factor of the logits; 0: sqrt(d), or 1/sqrt(d) without normalise_tokens"), FEATURES, \
        BOOL(normalise_tokens, "true", UNIT), POSITIONS, BOOL(residual, "true", "add P V to P A V"),                \
        BOOL(layer_norm, "true", "norm each token, then gain and bias"),                                            \
        TEXT(order, "cheapest", "cheapest left right middle", "of multiplication in P Q' K'^T V")

#define CNN_ROWS                                                                                                      \
    IMAGE_SIZE, TEXT(conv_channels, "8,8,8", NULL, "output channels of each layer, separated by commas"),             \
        INT(conv_kernel, "5", 1, 16, "side of the kernels"), INT(conv_stride, "3", 1, 16, "stride of the layers"),    \
        TEXT(conv_pool, "1", NULL,                                                                                    \
             "side of the squares of pixels of which max pooling keeps the largest, after ReLU: one for all layers, " \
             "or one a layer, separated by commas; 0 or 1: none")

// Of a controller on numbers: R makes a row of a field of a sac_actor_config.
#define MLP_ROWS(R, default_controller)                                                                            \
    R(controller, SAC_OPTION_TEXT, default_controller, 0, 0, sac_controller_words, "what acts on the numbers"),    \
        R(hidden, SAC_OPTION_INT, "64", 1, 1024, NULL, "units of lstm, or of each of mlp's hidden layers"),        \
        R(layers, SAC_OPTION_INT, "2", 1, SAC_MAX_HIDDEN_LAYERS, NULL, "hidden layers of mlp"),                    \
        R(activation, SAC_OPTION_TEXT, "tanh", 0, 0, "tanh clip none",                                             \
          "of the output: tanh or clip to -1..1 and stretch to the bounds, or none: cut at the bounds"),           \
        R(choice, SAC_OPTION_TEXT, "auto", 0, 0, "auto threshold argmax",                                          \
          "discrete actions: one output with thresholds at -1/3 and 1/3 for choices 1, 0, 2, or the largest of n " \
          "outputs; auto: threshold where there are 3"),                                                           \
        R(motion, SAC_OPTION_BOOL, "false", 0, 0, NULL,                                                            \
          "tell the controller also how each number has changed since the step before"),                           \
        R(normaliser, SAC_OPTION_BOOL, "true", 0, 0, NULL,                                                         \
          "observation normaliser: subtract the running mean of the numbers, and divide by their running "         \
          "deviation, both measured in training"),                                                                 \
        R(normaliser_limit, SAC_OPTION_REAL, "0", 0, 1e9, NULL,                                                    \
          "normalised numbers are cut at so many deviations on either side; 0: never")

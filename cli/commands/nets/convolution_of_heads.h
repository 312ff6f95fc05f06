#pragma once

#include "classify/trained.h"

/// Whether a net's heads have a form: those of an attention-net with a quadratic encoding.
bool cli_has_gaussian_heads(const sac_trained_net *net);

/// Print what a layer of a net's heads differs by from the convolution of K x K that it is, for odd K up to 15.
/// @param layer  such as "layer1"; NULL: the first
/// @param side   pixels on each side of the picture
/// @param holds  becomes false where an error exceeds its bound
SAC_CHECKED sac_status cli_print_convolution_of_heads(const sac_trained_net *net, const char *layer, const char *path,
                                                      int side, uint64_t seed, bool json, bool *holds);

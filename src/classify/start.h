#pragma once

#include "nets/net.h"

/// Take over the numbers of a trained net: every tensor that both nets have by name, and the measured numbers where
/// both have as many. So a net with linear attention begins with what one with softmax has learned (up-training).
/// What the other net has not stays as it is.
/// @param kind         of this net, which must be that of the other net, as the pictures' shape
/// @param input        of a picture
/// @param parameters   [sac_net_parameters], partly overwritten
/// @param measured     [sac_net_measured], likewise
/// @param[out] copied  tensors that were taken over
/// @return SAC_ERROR_ARGUMENT where the kind, the pictures or a tensor's shape differ, and the errors of
///         sac_trained_net_load; nothing is overwritten then
SAC_CHECKED sac_status sac_classify_start(const char *path, const char *kind, const sac_net *net, sac_net_shape input,
                                          float *parameters, float *measured, int *copied);

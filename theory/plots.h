#pragma once

#include "saccade/base.h"

/// Draw the figures into a folder, which is made where it is missing:
///
///     mse-trig.svg, mse-exp.svg, mse-hybrid.svg   error over the angle, a curve a length (IAP v1, Fig. 3)
///     mse-slices.svg, mse-relative.svg            the three estimators over the extended angle (Fig. 4)
///     recall.svg                                  top 10 of softmax found, against numbers a token
///     hashing.svg                                 error of hashed scores against bits
///     convolution.svg                             a convolution as heads and back: errors and bounds over alpha
///
/// Curves are closed forms, points are measured with the library's features.
SAC_CHECKED sac_status theory_draw_plots(const char *folder);

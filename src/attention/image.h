#pragma once

#include "saccade/tokens.h"

/// The byte of a pixel that holds a channel.
int sac_pixel_byte(sac_pixel_order order, int channel);

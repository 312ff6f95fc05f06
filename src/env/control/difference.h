#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "saccade/env.h"

/// Pictures as differences from an episode's first one (background subtraction): whatever stands still becomes the same
/// grey, whatever its colours are, and what has moved since the start stands out.

typedef struct control_difference control_difference;

/// @param[out] out  released by sac_difference_destroy; NULL on failure
/// @param size      bytes of a picture
SAC_CHECKED sac_status sac_difference_create(control_difference **out, size_t size);

/// NULL is ignored.
void sac_difference_destroy(control_difference *difference);

/// An episode begins, and its first picture is missing.
void sac_difference_restart(control_difference *difference);

/// The place of the episode's first picture [size], which the caller fills, where it is missing; NULL where it is
/// there.
uint8_t *sac_difference_missing(control_difference *difference);

/// Turn the bytes of a picture into 128 + now - first, cut to 0..255.
/// @param rgb  [size], changed in place
void sac_difference_take(control_difference *difference, uint8_t *rgb);

/// Carry the first picture in a snapshot of an environment.
void sac_difference_snapshot(control_difference *difference, sac_snapshot *snapshot);

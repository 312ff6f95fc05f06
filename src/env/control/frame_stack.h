#pragma once

#include <stddef.h>
#include <stdint.h>

#include "saccade/env.h"

/// The last pictures of an episode as one (frame stacking, Mnih et al. 2015): each pixel has the channels of the newest
/// picture first, then those of the one before, and so on. Before there are as many, the first picture stands for those
/// that are missing.

typedef struct control_frame_stack control_frame_stack;

/// @param[out] out  released by sac_frame_stack_destroy; NULL on failure
/// @param frames    pictures that are shown at once, 2 or more
/// @param pixels    of a picture
SAC_CHECKED sac_status sac_frame_stack_create(control_frame_stack **out, int frames, size_t pixels);

/// NULL is ignored.
void sac_frame_stack_destroy(control_frame_stack *stack);

/// An episode begins, and there are no pictures yet.
void sac_frame_stack_restart(control_frame_stack *stack);

/// The place of the next picture [pixels, 3], which the caller fills; the others move on by one.
uint8_t *sac_frame_stack_next(control_frame_stack *stack);

/// Take the picture that was filled.
/// @param[out] out  [pixels, frames, 3] the newest picture first; NULL: nobody looks
void sac_frame_stack_take(control_frame_stack *stack, uint8_t *out);

/// Carry the pictures in a snapshot of an environment.
void sac_frame_stack_snapshot(control_frame_stack *stack, sac_snapshot *snapshot);

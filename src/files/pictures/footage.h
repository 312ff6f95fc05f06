#pragma once

#include "saccade/base.h"

/// Footage is the frames of a user's video file, or of a folder of PNG or JPEG images in the order of their names.

/// Read up to `max_frames` frames, scaled to one size.
/// @param[out] frames  [count, height, width, 3], 0..255; released by sac_free; NULL on failure
/// @param[out] count   >= 1 on success
/// @return SAC_ERROR_FILE or SAC_ERROR_FORMAT; SAC_ERROR_UNAVAILABLE when a video or a JPEG is asked of a build without
/// FFmpeg
SAC_CHECKED sac_status sac_footage_read(uint8_t **frames, int *count, int max_frames, const char *path, int height,
                                        int width);

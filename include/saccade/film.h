#pragma once

#include "saccade/base.h"

/// Films.
///
/// show.h describes pictures.

/// A film that is being written: an MP4 file, or a folder of PNG images named by frame, 000000.png and on. An MP4
/// appears under its name when it is finished and not before.
typedef struct sac_film sac_film;

/// Begin a film.
/// @param path               of a file that ends in .mp4
/// @param frames_per_second  1..1000
/// @return SAC_ERROR_ARGUMENT for another ending or odd sides, SAC_ERROR_UNAVAILABLE without FFmpeg's libraries,
///         SAC_ERROR_FILE when the file cannot be written
SAC_API SAC_CHECKED sac_status sac_film_create(sac_film **out, const char *path, int width, int height,
                                               int frames_per_second);

/// Begin a film that is PNG images in a folder, which is made where it is not there.
SAC_API SAC_CHECKED sac_status sac_film_create_images(sac_film **out, const char *folder, int width, int height);

/// Add a frame, [height, width, 3].
SAC_API SAC_CHECKED sac_status sac_film_add(sac_film *film, const uint8_t *rgb);

/// Write the end and put the file in its place. The film must still be destroyed.
SAC_API SAC_CHECKED sac_status sac_film_finish(sac_film *film);

/// Destroy a film; one that was not finished leaves no file. NULL is ignored.
SAC_API void sac_film_destroy(sac_film *film);

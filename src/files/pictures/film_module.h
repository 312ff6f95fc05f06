#pragma once

#include <stddef.h>
#include <stdint.h>

/// The table that saccade-film.so exports as `sac_film_module`: films are written and read through FFmpeg's libraries.
/// Functions that fail return NULL or -1 with an error message in `error`. Images are [height, width, 3], 0..255.

enum
{
    SAC_FILM_ERROR_SIZE = 256
};

typedef struct sac_film_calls
{
    /// Begin an MP4: H.264, or MPEG-4 part 2 where there is no H.264 encoder. Width and height are even.
    void *(*create)(const char *path, int width, int height, int frames_per_second, char *error);
    int (*add)(void *film, const uint8_t *rgb, char *error);
    /// Write the end when `complete`; frees everything in any case.
    int (*finish)(void *film, int complete, char *error);

    /// Open any film for reading; frames come scaled to [height, width, 3], or in the film's own size where both are 0
    /// on entry: they are filled in.
    void *(*open)(const char *path, int *width, int *height, char *error);
    int (*next)(void *source, uint8_t *rgb, char *error); ///< 1: a frame was written; 0: the end
    void (*close)(void *source);                          ///< NULL is ignored
} sac_film_calls;

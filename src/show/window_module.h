#pragma once

#include <stddef.h>
#include <stdint.h>

/// The table that saccade-window.so exports as `sac_window_module`: one window with a picture, and keys, through SDL2.

enum
{
    SAC_WINDOW_ERROR_SIZE = 256
};

typedef struct sac_window_calls
{
    /// @return NULL with an error message where there is no display
    void *(*create)(const char *title, int width, int height, char *error);
    void (*show)(void *window, const uint8_t *rgb);
    /// Give the next event: a letter or digit, ' ', '\x1b' (escape or closed), '>' (right arrow); 0: nothing.
    int (*next_key)(void *window);
    /// Say which of left, right, up and down (arrows or A, D, W, S) are held: 0 or 1 each.
    void (*held)(void *window, int keys[4]);
    void (*destroy)(void *window); ///< NULL is ignored
} sac_window_calls;

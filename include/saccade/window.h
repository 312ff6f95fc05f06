#pragma once

#include "saccade/env.h"

/// A window.
///
/// show.h describes pictures.

/// A window with a picture, where there is a display. Used by one thread, the one that created it.
typedef struct sac_window sac_window;

/// Open a window. It may be resized; the picture is scaled.
/// @return SAC_ERROR_UNAVAILABLE without SDL2 or without a display
SAC_API SAC_CHECKED sac_status sac_window_create(sac_window **out, const char *title, int width, int height);

/// Close a window. NULL is ignored.
SAC_API void sac_window_destroy(sac_window *window);

/// Show a picture of the window's first size, [height, width, 3].
SAC_API void sac_window_show(sac_window *window, const uint8_t *rgb);

/// The next key: a small letter, a digit, ' ', '>' for the right arrow, 27 for escape or a closed window; 0: none.
SAC_API int sac_window_key(sac_window *window);

/// Turn the arrow keys (or W, A, S, D) that are held into an action, a fifth of the way from the last one to what is
/// held.
/// @param[in,out] action  [action_size]
SAC_API void sac_window_drive(sac_window *window, const sac_env_spec *spec, float *action);

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <SDL.h>

#include "show/window_module.h"

/// saccade-window.so: a window by SDL2 that the processor draws into; it needs no graphics driver.

typedef struct window
{
    SDL_Window *sdl;
    SDL_Surface *picture;
    int width, height;
} window;

static void window_destroy(void *self)
{
    window *w = self;
    if (!w) return;
    SDL_FreeSurface(w->picture);
    if (w->sdl) SDL_DestroyWindow(w->sdl);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    free(w);
}

// Find the displays that the environment names, for SDL to try. By itself SDL would try all of them, print errors, and
// in the end draw into nothing. NULL: none.
static const char *find_drivers(void)
{
    bool wayland = SDL_getenv("WAYLAND_DISPLAY") && SDL_getenv("XDG_RUNTIME_DIR"), x11 = SDL_getenv("DISPLAY");
    return wayland && x11 ? "x11,wayland" : x11 ? "x11" : wayland ? "wayland" : NULL;
}

static void explain(char *error)
{
    const char *display = SDL_getenv("DISPLAY"), *driver = SDL_getenv("SDL_VIDEODRIVER");
    if (driver || !display)
        snprintf(error, SAC_WINDOW_ERROR_SIZE, "%.200s", SDL_GetError());
    else
        snprintf(error, SAC_WINDOW_ERROR_SIZE, "the display DISPLAY=%.80s does not answer", display);
}

static void *window_create(const char *title, int width, int height, char *error)
{
    const char *drivers = find_drivers();
    if (!drivers && !SDL_getenv("SDL_VIDEODRIVER"))
    {
        snprintf(error, SAC_WINDOW_ERROR_SIZE, "there is no display: DISPLAY and WAYLAND_DISPLAY are not set");
        return NULL;
    }
    // Only a driver that is named here is tried; the variable SDL_VIDEODRIVER overrides this.
    if (drivers) SDL_SetHint(SDL_HINT_VIDEODRIVER, drivers);
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    SDL_SetMainReady();
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
    {
        explain(error);
        return NULL;
    }
    window *w = calloc(1, sizeof *w);
    if (w)
    {
        w->width = width;
        w->height = height;
        w->sdl = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                                  SDL_WINDOW_RESIZABLE);
        w->picture = SDL_CreateRGBSurfaceWithFormat(0, width, height, 24, SDL_PIXELFORMAT_RGB24);
    }
    if (w && w->sdl && w->picture && SDL_GetWindowSurface(w->sdl)) return w;
    snprintf(error, SAC_WINDOW_ERROR_SIZE, "%.200s", SDL_GetError());
    if (w)
        window_destroy(w);
    else
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    return NULL;
}

// Place the picture in the middle of the window with its proportions kept.
static void window_show(void *self, const uint8_t *rgb)
{
    window *w = self;
    SDL_Surface *screen = SDL_GetWindowSurface(w->sdl);
    if (!screen) return;
    for (int y = 0; y < w->height; y++)
        SDL_memcpy((uint8_t *)w->picture->pixels + (size_t)y * (size_t)w->picture->pitch,
                   rgb + (size_t)y * (size_t)w->width * 3, (size_t)w->width * 3);
    int width = screen->w, height = (int)((int64_t)screen->w * w->height / w->width);
    if (height > screen->h)
    {
        height = screen->h;
        width = (int)((int64_t)screen->h * w->width / w->height);
    }
    SDL_Rect place = {(screen->w - width) / 2, (screen->h - height) / 2, width, height};
    SDL_FillRect(screen, NULL, SDL_MapRGB(screen->format, 17, 19, 24));
    SDL_BlitScaled(w->picture, NULL, screen, &place);
    SDL_UpdateWindowSurface(w->sdl);
}

static int window_next_key(void *self)
{
    (void)self;
    SDL_Event event;
    while (SDL_PollEvent(&event))
    {
        if (event.type == SDL_QUIT) return 27;
        if (event.type != SDL_KEYDOWN) continue;
        SDL_Keycode key = event.key.keysym.sym;
        if (key == SDLK_RIGHT) return '>';
        if (!event.key.repeat && key > 0 && key < 128) return key;
    }
    return 0;
}

static void window_held(void *self, int keys[4])
{
    (void)self;
    const Uint8 *down = SDL_GetKeyboardState(NULL);
    keys[0] = down[SDL_SCANCODE_LEFT] || down[SDL_SCANCODE_A];
    keys[1] = down[SDL_SCANCODE_RIGHT] || down[SDL_SCANCODE_D];
    keys[2] = down[SDL_SCANCODE_UP] || down[SDL_SCANCODE_W];
    keys[3] = down[SDL_SCANCODE_DOWN] || down[SDL_SCANCODE_S];
}

__attribute__((visibility("default"))) extern const sac_window_calls sac_window_module;

const sac_window_calls sac_window_module = {
    .create = window_create,
    .show = window_show,
    .next_key = window_next_key,
    .held = window_held,
    .destroy = window_destroy,
};

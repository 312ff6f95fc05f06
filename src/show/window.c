#include "saccade/window.h"
#include "base/error.h"
#include "base/memory.h"
#include "files/module.h"
#include "show/window_module.h"

struct sac_window
{
    const sac_window_calls *calls;
    void *self; // the module's
};

sac_status sac_window_create(sac_window **out, const char *title, int width, int height)
{
    *out = NULL;
    const void *table;
    char error[SAC_WINDOW_ERROR_SIZE] = "";
    SAC_TRY(sac_module_open(&table, "window"));
    sac_window *window = SAC_NEW(sac_window);
    if (!window) return sac_fail_memory("a window");
    window->calls = table;
    window->self = window->calls->create(title, width, height, error);
    if (window->self)
    {
        *out = window;
        return SAC_OK;
    }
    sac_free(window);
    return sac_fail(SAC_ERROR_UNAVAILABLE, "no window can be opened (%s)", error);
}

void sac_window_destroy(sac_window *window)
{
    if (!window) return;
    window->calls->destroy(window->self);
    sac_free(window);
}

void sac_window_show(sac_window *window, const uint8_t *rgb)
{
    window->calls->show(window->self, rgb);
}

int sac_window_key(sac_window *window)
{
    return window->calls->next_key(window->self);
}

// Left and right steer a box's first number. Of the others, numbers with two directions follow up and down. Of those
// with one direction, the second (gas) takes up and the third (brake) takes down.
static float wish(const sac_env_spec *spec, int index, const int held[4])
{
    float low = spec->action_low[index], high = spec->action_high[index];
    float zero = low > 0 ? low : high < 0 ? high : 0;
    bool both = low < 0 && high > 0;
    int plus = index == 0 ? held[1] : index == 1 ? held[2] : held[3], minus = index == 0 ? held[0] : held[3];
    if (plus) return high;
    return both && minus ? low : zero;
}

void sac_window_drive(sac_window *window, const sac_env_spec *spec, float *action)
{
    int held[4];
    window->calls->held(window->self, held);
    if (spec->action_choices)
    {
        int choice = held[0] ? 1 : held[1] ? 2 : 0;
        action[0] = (float)(choice < spec->action_choices ? choice : 0);
        return;
    }
    // Keys are either up or down, so the action follows gradually.
    for (int i = 0; i < spec->action_size; i++) action[i] += 0.2f * (wish(spec, i, held) - action[i]);
}

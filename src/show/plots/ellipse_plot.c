#include "base/error.h"
#include "files/module.h"
#include "show/plots/plot_module.h"

static int draw_sheet(const sac_plot_calls *calls, const void *what, const char *path, int svg, char *error)
{
    return calls->draw_ellipses(what, path, svg, error);
}

static void check(const sac_ellipse_plot *plot)
{
    SAC_ASSERT(plot->panel_count >= 1 && plot->panel_count <= 64 && plot->reach > 0);
    (void)plot;
}

sac_status sac_ellipse_plot_write(const sac_ellipse_plot *plot, const char *path)
{
    check(plot);
    return sac_plot_through_module(path, draw_sheet, plot);
}

void sac_ellipse_plot_size(int panel_count, int *height, int *width)
{
    *height = 2 * sac_ellipse_height(panel_count);
    *width = 2 * SAC_PLOT_WIDTH;
}

sac_status sac_ellipse_plot_draw(const sac_ellipse_plot *plot, uint8_t *rgb)
{
    check(plot);
    const void *table;
    char error[SAC_PLOT_ERROR_SIZE] = "";
    SAC_TRY(sac_module_open(&table, "plot"));
    const sac_plot_calls *calls = table;
    return calls->paint_ellipses(plot, rgb, error) == 0 ? SAC_OK
                                                        : sac_fail(SAC_ERROR_MEMORY, "an ellipse plot: %s", error);
}

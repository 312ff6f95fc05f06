#include "plot_drawing.h"

#include <cairo-svg.h>
#include <stdio.h>

enum
{
    TOP = 30,
    SUBTITLE = 18,
};

// Line colours also differ in lightness, for print and for people who cannot tell red from green.
static const double inks[][3] = {{0.16, 0.18, 0.22}, {0.42, 0.45, 0.50}, {0.89, 0.90, 0.92},
                                 {0.10, 0.37, 0.71}, {0.90, 0.45, 0.10}, {0.12, 0.56, 0.42},
                                 {0.75, 0.20, 0.35}, {0.45, 0.35, 0.70}, {0.35, 0.38, 0.42}};

void sac_draw_ink(cairo_t *c, int ink, double opacity)
{
    cairo_set_source_rgba(c, inks[ink][0], inks[ink][1], inks[ink][2], opacity);
}

double sac_draw_text_width(cairo_t *c, double size, const char *text)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(c, size);
    cairo_text_extents(c, text, &extents);
    return extents.x_advance;
}

double sac_draw_text(cairo_t *c, double x, double y, double size, double anchor, const char *text)
{
    double width = sac_draw_text_width(c, size, text);
    cairo_move_to(c, x - anchor * width, y);
    cairo_show_text(c, text);
    return width;
}

void sac_draw_text_up(cairo_t *c, double x, double y, double size, const char *text)
{
    cairo_save(c);
    cairo_translate(c, x, y);
    cairo_rotate(c, -1.5707963267948966);
    sac_draw_text(c, 0, 0, size, 0.5, text);
    cairo_restore(c);
}

double sac_draw_heading(cairo_t *c, const char *title, const char *subtitle)
{
    double y = TOP;
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    if (title)
    {
        cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
        sac_draw_ink(c, SAC_INK_TEXT, 1);
        sac_draw_text(c, SAC_PLOT_LEFT, y, 16, 0, title);
        y += SUBTITLE;
    }
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    if (subtitle)
    {
        sac_draw_ink(c, SAC_INK_QUIET, 1);
        sac_draw_text(c, SAC_PLOT_LEFT, y, 12, 0, subtitle);
        y += SUBTITLE;
    }
    return y;
}

int sac_draw_file(const char *path, int svg, int width, int height, void (*draw)(cairo_t *c, const void *what),
                  const void *what, char *error)
{
    cairo_surface_t *surface = svg ? cairo_svg_surface_create(path, width, height)
                                   : cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * width, 2 * height);
    cairo_t *c = cairo_create(surface);
    if (!svg) cairo_scale(c, 2, 2);
    draw(c, what);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    if (!svg && status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(surface, path);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return 0;
    snprintf(error, SAC_PLOT_ERROR_SIZE, "%s", cairo_status_to_string(status));
    return -1;
}

int sac_draw_pixels(uint8_t *rgb, int width, int height, void (*draw)(cairo_t *c, const void *what), const void *what,
                    char *error)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * width, 2 * height);
    cairo_t *c = cairo_create(surface);
    cairo_scale(c, 2, 2);
    draw(c, what);
    const cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    cairo_surface_flush(surface);
    const unsigned char *bytes = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; status == CAIRO_STATUS_SUCCESS && y < 2 * height; y++)
        for (int x = 0; x < 2 * width; x++, rgb += 3)
        {
            const uint32_t pixel = ((const uint32_t *)(const void *)(bytes + (ptrdiff_t)y * stride))[x];
            rgb[0] = (uint8_t)(pixel >> 16), rgb[1] = (uint8_t)(pixel >> 8), rgb[2] = (uint8_t)pixel;
        }
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return 0;
    snprintf(error, SAC_PLOT_ERROR_SIZE, "%s", cairo_status_to_string(status));
    return -1;
}

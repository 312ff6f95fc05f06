#include <math.h>
#include <stdio.h>

#include "plot_drawing.h"

/// A heat plot has fields one below the other, the axis under the last, and the bar of values at the right.

enum
{
    WIDTH = SAC_PLOT_WIDTH,
    HEIGHT = SAC_PLOT_HEIGHT,
    SQUARE_WIDTH = 566,
    SQUARE_HEIGHT = 532,
    VALUES = 92, // room at the right for the bar
    BAR = 14,
    NAME = 20, // room above a field for its name
    BETWEEN = 14,
    SHARP = 3 // pixels of a picture for each unit of the sheet, so that cells keep their edges
};

typedef struct drawing
{
    cairo_t *cairo;
    const sac_heat_sheet *sheet;
    double left, top, right, bottom; // of all fields
} drawing;

typedef struct frame
{
    double x, y, width, height;
} frame;

// Write cells as a picture with many pixels for each cell, so that no viewer blurs them.
static cairo_surface_t *enlarge(const uint8_t *rgb, int rows, int columns, double width, double height)
{
    int wide = (int)ceil(SHARP * width), high = (int)ceil(SHARP * height);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, wide, high);
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) return surface;
    unsigned char *bytes = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++)
        {
            const uint8_t *cell = rgb + 3 * (y * rows / high * columns + (int)((long)x * columns / wide));
            uint32_t *pixel = (uint32_t *)(void *)(bytes + y * stride) + x;
            *pixel = (uint32_t)cell[0] << 16 | (uint32_t)cell[1] << 8 | cell[2];
        }
    cairo_surface_mark_dirty(surface);
    return surface;
}

static void draw_cells(cairo_t *c, const uint8_t *rgb, int rows, int columns, frame f)
{
    cairo_surface_t *picture = enlarge(rgb, rows, columns, f.width, f.height);
    cairo_save(c);
    cairo_translate(c, f.x, f.y);
    cairo_scale(c, f.width / cairo_image_surface_get_width(picture),
                f.height / cairo_image_surface_get_height(picture));
    cairo_set_source_surface(c, picture, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_NEAREST);
    cairo_paint(c);
    cairo_restore(c);
    cairo_surface_destroy(picture);
}

static void draw_numbers(cairo_t *c, const sac_heat_picture *picture, frame f)
{
    const sac_heat_field *field = picture->field;
    double wide = f.width / field->columns, high = f.height / field->rows, size = fmin(12, 0.6 * fmin(wide, high));
    for (int i = 0; field->numbers && i < field->rows * field->columns; i++)
    {
        if (field->numbers[i] <= 0) continue;
        int row = i / field->columns, column = i % field->columns;
        const uint8_t *rgb = picture->rgb + 3 * i;
        double light = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] > 128 ? 0 : 1;
        char text[16];
        snprintf(text, sizeof text, "%d", field->numbers[i]);
        cairo_set_source_rgb(c, light, light, light);
        sac_draw_text(c, f.x + (column + 0.5) * wide, f.y + (row + 0.5) * high + 0.36 * size, size, 0.5, text);
    }
}

static void draw_field(const drawing *d, const sac_heat_picture *picture, frame f)
{
    cairo_t *c = d->cairo;
    const sac_heat_field *field = picture->field;
    sac_draw_ink(c, SAC_INK_TEXT, 1);
    if (field->name) sac_draw_text(c, f.x, f.y - 7, 12, 0, field->name);
    draw_cells(c, picture->rgb, field->rows, field->columns, f);
    draw_numbers(c, picture, f);
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    cairo_set_line_width(c, 1);
    for (int i = 0; i < picture->y.axis.count; i++)
    {
        double y = f.y + picture->y.places[i] * f.height;
        cairo_move_to(c, f.x - 4, y);
        cairo_line_to(c, f.x, y);
        cairo_stroke(c);
        sac_draw_text(c, f.x - 8, y + 4, 12, 1, picture->y.texts[i]);
    }
    sac_draw_ink(c, SAC_INK_TEXT, 1);
    if (field->y_label) sac_draw_text_up(c, 17, f.y + f.height / 2, 13, field->y_label);
}

static void draw_x_axis(const drawing *d)
{
    cairo_t *c = d->cairo;
    const sac_plot_axis *axis = &d->sheet->x;
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    for (int i = 0; i < axis->axis.count; i++)
    {
        double x = d->left + axis->places[i] * (d->right - d->left);
        cairo_move_to(c, x, d->bottom);
        cairo_line_to(c, x, d->bottom + 5);
        cairo_stroke(c);
        sac_draw_text(c, x, d->bottom + 19, 12, 0.5, axis->texts[i]);
    }
    sac_draw_ink(c, SAC_INK_TEXT, 1);
    if (d->sheet->plot->x_label)
        sac_draw_text(c, (d->left + d->right) / 2, d->bottom + 40, 13, 0.5, d->sheet->plot->x_label);
}

static void draw_values(const drawing *d)
{
    cairo_t *c = d->cairo;
    const sac_heat_sheet *s = d->sheet;
    uint8_t column[SAC_HEAT_SHADES * 3];
    for (int i = 0; i < SAC_HEAT_SHADES; i++)
        for (int k = 0; k < 3; k++) column[3 * i + k] = s->shades[SAC_HEAT_SHADES - 1 - i][k];
    const frame f = {d->right + 18, d->top, BAR, d->bottom - d->top};
    draw_cells(c, column, SAC_HEAT_SHADES, 1, f);
    sac_draw_ink(c, SAC_INK_QUIET, 1);
    for (int i = 0; i < s->values.axis.count; i++)
    {
        double y = f.y + (1 - s->values.places[i]) * f.height;
        cairo_move_to(c, f.x + BAR, y);
        cairo_line_to(c, f.x + BAR + 4, y);
        cairo_stroke(c);
        sac_draw_text(c, f.x + BAR + 7, y + 4, 12, 0, s->values.texts[i]);
    }
    sac_draw_ink(c, SAC_INK_TEXT, 1);
    if (s->plot->value_label) sac_draw_text_up(c, f.x + VALUES - 22, f.y + f.height / 2, 13, s->plot->value_label);
}

static void draw_sheet(cairo_t *c, const void *what)
{
    const sac_heat_sheet *s = what;
    const sac_heat_plot *plot = s->plot;
    int count = plot->field_count, width = plot->square ? SQUARE_WIDTH : WIDTH;
    int height = plot->square ? SQUARE_HEIGHT : HEIGHT;
    drawing d = {.cairo = c, .sheet = s, .left = SAC_PLOT_LEFT};
    double name = plot->fields[0].name ? NAME : 0;
    d.top = sac_draw_heading(c, plot->title, plot->subtitle) + name - 6;
    d.right = width - VALUES;
    d.bottom = height - SAC_PLOT_BOTTOM;
    if (plot->square)
    {
        double cell = fmin((d.right - d.left) / plot->fields[0].columns, (d.bottom - d.top) / plot->fields[0].rows);
        d.right = d.left + cell * plot->fields[0].columns;
        d.bottom = d.top + cell * plot->fields[0].rows;
    }
    double each = (d.bottom - d.top - (count - 1) * (BETWEEN + name)) / count;
    for (int i = 0; i < count; i++)
        draw_field(&d, &s->pictures[i], (frame){d.left, d.top + i * (each + BETWEEN + name), d.right - d.left, each});
    draw_x_axis(&d);
    draw_values(&d);
}

int sac_draw_heat(const sac_heat_sheet *sheet, const char *path, int svg, char *error)
{
    bool square = sheet->plot->square;
    return sac_draw_file(path, svg, square ? SQUARE_WIDTH : WIDTH, square ? SQUARE_HEIGHT : HEIGHT, draw_sheet, sheet,
                         error);
}

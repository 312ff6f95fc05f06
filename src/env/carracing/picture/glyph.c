#include "env/carracing/picture/glyph.h"

#include <math.h>

#include "env/carracing/picture/picture_parts.h"

/// A digit is a few strokes: a pen's way along arcs of ellipses that are joined by lines, or what such a way encloses.
/// An arc without radii is a point. Angles in degrees, clockwise from the right; y points down. The digits are drawn 30
/// high.
typedef struct glyph_arc
{
    float x, y, radius_x, radius_y, from, to;
} glyph_arc;

enum
{
    MAX_ARCS = 12,
    MAX_STROKES = 3,
    MAX_POINTS = 160
};

typedef struct glyph_stroke
{
    int count;
    bool closed;
    float pen_x, pen_y; ///< half widths; 0: the way itself is filled, clockwise
    glyph_arc arcs[MAX_ARCS];
} glyph_stroke;

typedef struct glyph
{
    float before, top, height; ///< where the ink is: left, upper edge, height in units
    glyph_stroke strokes[MAX_STROKES];
} glyph;

#define POINT(x, y)      \
    {                    \
        x, y, 0, 0, 0, 0 \
    }

#define FILLED 0, 0

// clang-format off
static const glyph glyphs[] = {
    {0.9f, 3.2f, 31,
     {{2, true, 3, 2.2f, {{10.6f, 10.6f, 7.4f, 8.7f, 180, 360}, {10.5f, 19.4f, 7.4f, 8.3f, 0, 180}}}}},
    {3, 5.8f, 28.6f,
     {{9, true, FILLED, {POINT(0, 8.6f), POINT(0, 4.5f), POINT(4.1f, 4), POINT(7.7f, 2), POINT(9, -0.8f),
                  POINT(12.9f, -0.8f), POINT(12.9f, 30), POINT(7, 30), POINT(7, 8.6f)}}}},
    {-0.2f, 3, 30,
     {{3, false, 3, 2.4f, {{11.3f, 9.4f, 7.1f, 7.2f, 167.4f, 402}, POINT(13.1f, 17.8f), POINT(4.6f, 24.4f)}},
      {7, true, FILLED, {POINT(0.6f, 30), POINT(0.8f, 28), POINT(2, 25), POINT(3.4f, 23.2f),
                  POINT(5.6f, 25.2f), POINT(21.2f, 25.3f), POINT(21.2f, 30)}}}},
    {1, 3, 30.8f,
     {{3, false, 3, 2.3f, {{10, 8.6f, 7, 6.4f, 172, 428.8f}, POINT(10, 14.4f), POINT(8, 14.4f)}},
      {1, false, 3, 2.4f, {{10.4f, 21.3f, 7.7f, 6.7f, 290, 542}}}}},
    {1, 4, 29.5f,
     {{11, true, FILLED, {POINT(0, 18.4f), POINT(11, 0), POINT(17.9f, 0), POINT(17.9f, 18.6f), POINT(21, 18.6f),
                  POINT(21, 23.4f), POINT(17.9f, 23.4f), POINT(17.9f, 30), POINT(12, 30), POINT(12, 23.3f),
                  POINT(0.1f, 23.5f)}},
      {3, true, FILLED, {POINT(12, 5.7f), POINT(4.2f, 18.5f), POINT(12, 18.6f)}}}},
    {1, 4, 30.3f,
     {{6, true, FILLED, {POINT(3.4f, 0), POINT(19.7f, 0), POINT(19.8f, 4.7f), POINT(7.2f, 4.7f),
                  POINT(5.6f, 16), POINT(0.9f, 16.5f)}},
      {1, false, 3, 2.3f, {{10.1f, 20.3f, 8, 8.2f, 222, 524}}}}},
    {1, 1.8f, 31.9f,
     {{1, true, 2.9f, 2.3f, {{10.6f, 20.8f, 7.5f, 7.3f, 0, 360}}},
      {2, false, 2.8f, 2.3f, {POINT(3.1f, 20.8f), {11, 14.8f, 8, 11.9f, 186, 325}}}}},
    {1, 5.2f, 30.1f,
     {{5, true, FILLED, {POINT(0, 4.7f), POINT(0, 0), POINT(21, 0),
                  {32.6f, 31.8f, 22.4f, 31.4f, 238, 183}, {28.1f, 30.7f, 23.3f, 31, 181, 236}}}}},
    {1, 3, 31.1f,
     {{1, true, 2.5f, 2.3f, {{10.5f, 8.1f, 7.2f, 5.9f, 0, 360}}},
      {1, true, 3, 2.2f, {{10.5f, 21.1f, 7.6f, 6.7f, 0, 360}}}}},
    {0.8f, 2.8f, 31.9f,
     {{1, true, 3, 2.2f, {{10.4f, 10, 7.4f, 7.7f, 0, 360}}},
      {2, false, 3, 2, {POINT(17.8f, 10), {10, 15.2f, 7.9f, 12.7f, 8, 146}}}}},
    {1, 3, 31,
     {{4, true, FILLED, {POINT(0, 15.5f), POINT(11, 15.5f), POINT(11, 21.3f), POINT(0, 21.3f)}}}},
};
// clang-format on

/// From each digit (a row) to each next: 'a' is 19 units.
static const char pairs[10][11] = {
    "gehheheegh", "eaeeeeebee", "heegeehegh", "geghehgehh", "heghehheih",
    "eeeheheegh", "geehehgehh", "eeeebeeeee", "geghehgegh", "eeggegeeeg",
};

enum
{
    LAST_WIDTH = 23,
    MINUS_STEP = 13,
    BLANK_STEP = 25
};

static const glyph *glyph_of(char c)
{
    return c >= '0' && c <= '9' ? &glyphs[c - '0'] : c == '-' ? &glyphs[10] : NULL;
}

static double step_after(const char *text)
{
    bool digit = text[0] >= '0' && text[0] <= '9', next = text[1] >= '0' && text[1] <= '9';
    if (text[0] == '-') return MINUS_STEP;
    if (digit && next) return 19 + pairs[text[0] - '0'][text[1] - '0'] - 'a';
    return digit && text[1] == 0 ? LAST_WIDTH : BLANK_STEP;
}

double sac_glyph_width(const char *text)
{
    double width = 0;
    for (; *text; text++) width += step_after(text);
    return width;
}

/// The points of a stroke's way, in pixels around the digit's corner.
static int trace(const glyph_stroke *stroke, const glyph_place *place, car_point *points)
{
    int count = 0;
    for (int i = 0; i < stroke->count; i++)
    {
        const glyph_arc *a = &stroke->arcs[i];
        // steps short enough that a chord leaves its arc by less than a tenth of a pixel
        double radius = sac_car_greater(a->radius_x * place->scale_x, a->radius_y * place->scale_y);
        double turn = fabs((double)a->to - a->from) / 180 * 3.14159265358979;
        int steps = turn > 0 ? 1 + (int)(turn / (0.9 / sqrt(sac_car_greater(radius, 1)))) : 1;
        steps = steps > 40 ? 40 : steps;
        int last = turn == 0 || (stroke->closed && stroke->count == 1) ? steps - 1 : steps;
        for (int k = 0; k <= last; k++)
        {
            double sine, cosine;
            sac_car_turn((a->from + (a->to - a->from) * k / (double)steps) / 180 * 3.14159265358979, &sine, &cosine);
            points[count++] = (car_point){(float)((a->x + a->radius_x * cosine) * place->scale_x),
                                          (float)((a->y + a->radius_y * sine) * place->scale_y)};
        }
    }
    return count;
}

/// The point of an oval pen that lies farthest to the left of a direction.
static car_point pen_beside(car_point direction, float pen_x, float pen_y)
{
    float x = direction.y * pen_x, y = -direction.x * pen_y, length = sqrtf(x * x + y * y);
    if (!(length > 0)) return (car_point){0, 0};
    return (car_point){pen_x * x / length, pen_y * y / length};
}

static void add_stroke(const car_raster *raster, const car_plane *plane, const glyph_stroke *stroke,
                       const glyph_place *place)
{
    car_point way[MAX_POINTS], left[MAX_POINTS], right[MAX_POINTS];
    int count = trace(stroke, place, way);
    for (int i = 0; i < count; i++)
    {
        int before = i > 0 ? i - 1 : stroke->closed ? count - 1 : 0;
        int after = i + 1 < count ? i + 1 : stroke->closed ? 0 : i;
        car_point direction = {way[after].x - way[before].x, way[after].y - way[before].y};
        car_point pen =
            pen_beside(direction, stroke->pen_x * (float)place->scale_x, stroke->pen_y * (float)place->scale_y);
        float x = way[i].x + (float)place->x, y = way[i].y + (float)place->y;
        left[i] = (car_point){x + pen.x, y + pen.y};
        right[i] = (car_point){x - pen.x, y - pen.y};
    }
    car_edge edges[2 * MAX_POINTS + 2];
    int edge_count = 0, segments = stroke->closed ? count : count - 1;
    bool filled = stroke->pen_x == 0;
    for (int i = 0; i < segments; i++)
    {
        int next = (i + 1) % count;
        edges[edge_count++] = (car_edge){left[i].x, left[i].y, left[next].x, left[next].y, 1, 0};
        if (!filled) edges[edge_count++] = (car_edge){right[next].x, right[next].y, right[i].x, right[i].y, 1, 0};
    }
    if (!stroke->closed)
    {
        int end = count - 1;
        edges[edge_count++] = (car_edge){left[end].x, left[end].y, right[end].x, right[end].y, 1, 0};
        edges[edge_count++] = (car_edge){right[0].x, right[0].y, left[0].x, left[0].y, 1, 0};
    }
    raster->add(plane, edges, edge_count);
}

void sac_glyph_add(const car_raster *raster, const car_plane *plane, const char *text, const glyph_place *place)
{
    glyph_place at = *place;
    for (double x = place->x; *text; x += step_after(text++) * place->scale_x)
    {
        const glyph *g = glyph_of(*text);
        if (!g) continue;
        at.x = x + g->before * place->scale_x;
        at.y = place->y + g->top * place->scale_y;
        at.scale_y = place->scale_y * g->height / 30;
        for (int i = 0; i < MAX_STROKES && g->strokes[i].count > 0; i++) add_stroke(raster, plane, &g->strokes[i], &at);
    }
}

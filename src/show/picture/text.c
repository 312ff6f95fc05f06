#include <ctype.h>
#include <math.h>
#include <string.h>

#include "show/picture/canvas.h"

/// A stroke font of our own. A glyph is strokes separated by spaces; a stroke is points of two hexadecimal digits, x
/// and y: glyphs stand on y = c, digits and capitals reach up to 0, small letters to 4, descenders down to f. After '~'
/// the stroke is a smooth curve through its points, closed where it ends as it began; otherwise straight lines. One
/// point is a dot.

enum
{
    BASELINE = 12,
    DIGIT_WIDTH = 8,
    GAP = 4,
    SPACE = 5,
    MAX_SEGMENTS = 160,
    CURVE_STEPS = 5,
    MAX_POINTS = 24
};

static const char *const glyphs[128] = {
    ['0'] = "~4072867a4c1a061240",
    ['1'] = "13505c",
    ['2'] = "~0311407183760c 0c8c",
    ['3'] = "~02114071745536 ~3656887b4c1b0a",
    ['4'] = "6c600989",
    ['5'] = "701006 ~063565887b4c1b0a",
    ['6'] = "~71502105081b4c7b8876451608",
    ['7'] = "00803c",
    ['8'] = "~40717446141140 ~4677897b4c1b091746",
    ['9'] = "~1b3c6b87847140110416477684",
    ['A'] = "0c408c 1878",
    ['B'] = "000c 0040 0646 0c4c ~40717446 ~4677897b4c",
    ['C'] = "~82714012061a4c7b8a",
    ['D'] = "000c 0030 0c3c ~3072867a3c",
    ['E'] = "70000c7c 0656",
    ['F'] = "70000c 0656",
    ['G'] = "~82714012061a4c7b8a 8a8656",
    ['H'] = "000c 808c 0686",
    ['I'] = "0040 202c 0c4c",
    ['J'] = "6069 ~695b3c1b09",
    ['K'] = "000c 7007 347c",
    ['L'] = "000c7c",
    ['M'] = "0c0058a0ac",
    ['N'] = "0c008c80",
    ['O'] = "~5092a69a5c1a061250",
    ['P'] = "000c 0040 0747 ~40717647",
    ['Q'] = "~5092a69a5c1a061250 68ad",
    ['R'] = "000c 0040 0747 ~40717647 478c",
    ['S'] = "~8271401103154677897b4c1b0a",
    ['T'] = "0080 404c",
    ['U'] = "0008 8088 ~081b4c7b88",
    ['V'] = "004c80",
    ['W'] = "003c629cc0",
    ['X'] = "008c 800c",
    ['Y'] = "004680 464c",
    ['Z'] = "00800c8c",
    ['a'] = "~3455685b3c1b081534 646c",
    ['b'] = "~3455685b3c1b081534 000c",
    ['c'] = "~654415081b4c6b",
    ['d'] = "~3455685b3c1b081534 606c",
    ['e'] = "0868 ~68553415081b3c5c6b",
    ['f'] = "~402124 232c 0444",
    ['g'] = "~3455685b3c1b081534 646c ~6b5e3f1f",
    ['h'] = "000c ~0724446668 676c",
    ['i'] = "141c 11",
    ['j'] = "242d ~2c2e0f 21",
    ['k'] = "000c 5409 276c",
    ['l'] = "101c",
    ['m'] = "040c ~0724445658 575c ~577494a6a8 a7ac",
    ['n'] = "040c ~0724446668 676c",
    ['o'] = "~3455685b3c1b081534",
    ['p'] = "~3455685b3c1b081534 040f",
    ['q'] = "~3455685b3c1b081534 646f",
    ['r'] = "040c ~081544",
    ['s'] = "~5534140628485a4c2c0b",
    ['t'] = "2129 ~282b3c5c 0444",
    ['u'] = "646c 0409 ~080a2c4c69",
    ['v'] = "043c64",
    ['w'] = "042c558ca4",
    ['x'] = "046c 640c",
    ['y'] = "043b 642f",
    ['z'] = "04640c6c",
    ['.'] = "1c",
    [','] = "1c0e",
    [':'] = "16 1c",
    ['-'] = "0858",
    ['+'] = "0767 343a",
    ['='] = "0666 0969",
    ['/'] = "500d",
    ['('] = "~3013061a3d",
    [')'] = "~0023362a0d",
    ['%'] = "800c ~2032240220 ~688a6c5a68",
    ['_'] = "0d6d",
    ['\''] = "0003",
    [';'] = "16 1c0e",
    ['!'] = "1018 1c",
    ['?'] = "~02113061736546 4648 4c",
    ['['] = "30000d3d",
    [']'] = "00303d0d",
    ['<'] = "64086c",
    ['>'] = "04680c",
    ['|'] = "000e",
    ['\\'] = "005d",
    ['"'] = "0003 3033",
    ['#'] = "310b 716b 0484 0888",
};

typedef struct segment
{
    float x, y, dx, dy;
} segment;

typedef struct outline
{
    segment segments[MAX_SEGMENTS];
    int count;
    int width; ///< width of the glyph, in its own units
} outline;

static const char *glyph_of(char character)
{
    unsigned char c = (unsigned char)character;
    const char *glyph = c < 128 ? glyphs[c] : NULL;
    return glyph ? glyph : glyphs['.'];
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void add(outline *o, float x0, float y0, float x1, float y1)
{
    if (o->count < MAX_SEGMENTS) o->segments[o->count++] = (segment){x0, y0, x1 - x0, y1 - y0};
}

// Catmull-Rom curve through b at 0 and c at 1, with the neighbours a and d.
static float curve(float a, float b, float c, float d, float t)
{
    return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

static void add_curve(outline *o, float points[][2], int count)
{
    bool closed = points[0][0] == points[count - 1][0] && points[0][1] == points[count - 1][1];
    for (int i = 0; i + 1 < count; i++)
    {
        const float *b = points[i], *c = points[i + 1];
        const float *a = i > 0 ? points[i - 1] : closed ? points[count - 2] : b;
        const float *d = i + 2 < count ? points[i + 2] : closed ? points[1] : c;
        float x = b[0], y = b[1];
        for (int s = 1; s <= CURVE_STEPS; s++)
        {
            float t = (float)s / CURVE_STEPS, next_x = curve(a[0], b[0], c[0], d[0], t);
            float next_y = curve(a[1], b[1], c[1], d[1], t);
            add(o, x, y, next_x, next_y);
            x = next_x;
            y = next_y;
        }
    }
}

// Write a glyph as line segments in its own units.
static void trace(outline *o, char character)
{
    o->count = 0;
    o->width = 0;
    for (const char *at = glyph_of(character); *at; at += *at == ' ')
    {
        bool smooth = *at == '~';
        at += smooth;
        float points[MAX_POINTS][2] = {{0}};
        int count = 0;
        for (; *at && *at != ' '; at += 2, count++)
        {
            points[count][0] = (float)hex(at[0]);
            points[count][1] = (float)hex(at[1]);
            if (hex(at[0]) > o->width) o->width = hex(at[0]);
        }
        if (smooth)
            add_curve(o, points, count);
        else
            for (int i = 0; i == 0 || i + 1 < count; i++)
            {
                const float *end = points[count > 1 ? i + 1 : i];
                add(o, points[i][0], points[i][1], end[0], end[1]);
            }
    }
    // digits have equal widths, so that they stand in columns
    if (isdigit((unsigned char)character)) o->width = DIGIT_WIDTH;
}

static float distance(const segment *s, float x, float y)
{
    float length = s->dx * s->dx + s->dy * s->dy, px = x - s->x, py = y - s->y;
    float t = length > 0 ? (px * s->dx + py * s->dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    px -= t * s->dx;
    py -= t * s->dy;
    return sqrtf(px * px + py * py);
}

// Each pixel takes ink by its distance to the nearest stroke.
static void draw_glyph(const canvas *target, const outline *o, float x, float baseline, float unit, ink color)
{
    float radius = 0.62f * unit < 0.55f ? 0.55f : 0.62f * unit, top = baseline - BASELINE * unit;
    int x0 = (int)floorf(x - radius - 1), x1 = (int)ceilf(x + (float)o->width * unit + radius + 1);
    int y0 = (int)floorf(top - radius - 1), y1 = (int)ceilf(top + 16 * unit + radius + 1);
    for (int py = y0; py <= y1; py++)
        for (int px = x0; px <= x1; px++)
        {
            float nearest = 1e9f;
            for (int i = 0; i < o->count; i++)
            {
                float d = distance(&o->segments[i], ((float)px + 0.5f - x) / unit, ((float)py + 0.5f - top) / unit);
                if (o->segments[i].dx == 0 && o->segments[i].dy == 0) d -= 0.35f; // dots are a little larger
                if (d < nearest) nearest = d;
            }
            float coverage = radius + 0.5f - nearest * unit;
            if (coverage > 0) sac_canvas_fill(target, (box){px, py, 1, 1}, color, coverage < 1 ? coverage : 1);
        }
}

static int advance(const outline *o, char character)
{
    return character == ' ' ? SPACE : o->width + GAP;
}

void sac_canvas_text(const canvas *target, double x, double baseline, double size, ink color, const char *text)
{
    outline glyph;
    double unit = size / BASELINE;
    for (; *text; text++)
    {
        trace(&glyph, *text);
        if (*text != ' ') draw_glyph(target, &glyph, (float)x, (float)baseline, (float)unit, color);
        x += unit * advance(&glyph, *text);
    }
}

double sac_text_width(double size, const char *text)
{
    outline glyph;
    int width = 0;
    for (; *text; text++)
    {
        trace(&glyph, *text);
        width += advance(&glyph, *text);
    }
    return size / BASELINE * width;
}

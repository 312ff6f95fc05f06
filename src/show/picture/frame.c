#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "saccade/frame.h"
#include "saccade/overlay.h"
#include "show/picture/canvas.h"

static const ink background = {17, 19, 24}, trough = {38, 42, 51}, bright = {226, 230, 236}, dim = {132, 140, 153},
                 accent = {255, 190, 92}, fills[] = {{94, 170, 250}, {92, 200, 124},  {242, 96, 84},
                                                     {240, 180, 70}, {180, 130, 240}, {90, 205, 205}};

static const float FAINT = 0.5f;

enum
{
    FILL_COUNT = sizeof fills / sizeof *fills,
    BESIDE = 6,   // so many actions have room beside return and steps
    MOST_ROWS = 5 // of the others, below
};

// Many actions stand in rows below return and steps, each in a cell with its name and its bar.
typedef struct cells
{
    int rows, columns; // rows 0: they stand beside return and steps
    int width, height, bar;
    bool named;
} cells;

struct sac_frame
{
    canvas canvas;
    sac_env_spec spec;
    box world, sight, heat, line; // the panels; line: return, step and action
    cells cells;
    int captions; // lines of a caption
    double text;  // size of text in pixels
    uint8_t *world_rgb, *panel_rgb;
    float *keep; // [spec height, spec width]
};

static int least(int a, int b)
{
    return a < b ? a : b;
}
static int most(int a, int b)
{
    return a > b ? a : b;
}

// Find the largest box of an aspect in a space, in its middle. Its width is a multiple of `whole` where that costs
// little.
static box fit(box space, double aspect, int whole)
{
    int width = least(space.width, (int)(space.height * aspect));
    if (width >= whole && width % whole * 5 <= width) width -= width % whole;
    int height = most(1, least(space.height, (int)lround(width / aspect)));
    return (box){space.x + (space.width - width) / 2, space.y + (space.height - height) / 2, most(1, width), height};
}

static int action_count(const sac_frame *f)
{
    return f->spec.action_choices ? f->spec.action_choices : f->spec.action_size;
}

static const char *action_name(const sac_frame *f, int index, char text[16])
{
    if (f->spec.action_names) return f->spec.action_names[index];
    snprintf(text, 16, "%d", index);
    return text;
}

// The cells for all actions in a width and in `limit` rows at most. Names are left out where there are too many for
// these, and then bars become as short as they must.
static cells cells_in(const sac_frame *f, int width, int limit)
{
    const double size = 0.8 * f->text, gap = 1.6 * size, shortest = f->spec.action_choices ? 0 : 2.2 * f->text;
    const int count = action_count(f);
    double name = 0;
    char text[16];
    if (count <= BESIDE || limit < 1) return (cells){0};
    for (int i = 0; i < count; i++) name = fmax(name, sac_text_width(size, action_name(f, i, text)) + 0.5 * size);
    cells c = {.height = (int)(1.9 * f->text)};
    const int columns = most(1, (int)(width / (name + shortest + gap)));
    c.named = f->spec.action_choices || (count + columns - 1) / columns <= limit;
    if (!c.named) name = 0;
    const int fitting = most(1, (int)(width / (name + shortest + gap)));
    c.rows = least(limit, (count + fitting - 1) / fitting);
    c.columns = (count + c.rows - 1) / c.rows;
    c.width = most(1, width / c.columns);
    c.bar = (int)fmin(6 * f->text, fmax(0.8 * c.width - name, c.width - name - gap));
    return c;
}

// Place the panels above `rows` rows of actions.
static void place(sac_frame *f, int rows)
{
    int width = f->canvas.width, height = f->canvas.height, margin = height / 30;
    int label = (int)(f->text * (f->captions == 2 ? 3 : 1.9)), line = (int)(f->text * 2.6);
    int side = least((height - 3 * margin - 2 * label) / 2, width * 2 / 5);
    bool blind = f->spec.width == 0; // nothing is seen but numbers: the world's picture has all the room
    double aspect = blind ? 1 : (double)f->spec.width / f->spec.height;
    if (blind) side = 1;
    box space = {width - margin - side, margin + label, side, side};
    f->sight = fit(space, aspect, blind ? 1 : f->spec.width);
    f->sight.y = margin + label;
    f->heat = f->sight;
    f->heat.y = f->sight.y + f->sight.height + margin + label;
    const int below = rows * (int)(1.9 * f->text);
    box left = {margin, margin, width - 3 * margin - f->sight.width, height - 2 * margin - line - below};
    f->world = fit(left, f->spec.picture_aspect > 0 ? (double)f->spec.picture_aspect : aspect, 1);
    // Place them side by side in the middle.
    f->world.x = (width - f->world.width - margin - f->sight.width) / 2;
    f->world.y = margin;
    f->sight.x = f->heat.x = f->world.x + f->world.width + margin;
    int bottom = f->world.y + f->world.height;
    f->line = (box){f->world.x, bottom, f->world.width, least(height - bottom - below, (int)(6.6 * f->text))};
    if (rows > 0) f->line.height = least(f->line.height, (int)(3.8 * f->text));
}

// The rows that all actions need depend on the width that the world's picture has, and this on the rows; they may take
// a quarter of the frame.
static void lay_out_rows(sac_frame *f)
{
    const int limit = least(MOST_ROWS, (int)(f->canvas.height / (4 * 1.9 * f->text)));
    for (int rows = 0;; rows++)
    {
        place(f, rows);
        f->cells = cells_in(f, f->world.width, limit);
        if (f->cells.rows <= rows) break;
    }
}

static const char longest_caption[] = "what it sees, bright where it attends";

// Captions have two lines where one is too short and pictures stay as large.
static void lay_out(sac_frame *f)
{
    f->text = fmax(7, f->canvas.height / 62.0);
    f->captions = 1;
    lay_out_rows(f);
    const int width = f->sight.width;
    if (sac_text_width(0.8 * f->text, longest_caption) <= width) return;
    f->captions = 2;
    lay_out_rows(f);
    if (f->sight.width == width) return;
    f->captions = 1;
    lay_out_rows(f);
}

sac_status sac_frame_create(sac_frame **out, int width, int height, const sac_env_spec *spec)
{
    *out = NULL;
    if (width < SAC_FRAME_MIN_WIDTH || height < SAC_FRAME_MIN_HEIGHT || width > SAC_FRAME_MAX_SIDE ||
        height > SAC_FRAME_MAX_SIDE || width % 2 || height % 2)
        return sac_fail(SAC_ERROR_ARGUMENT, "a frame of %dx%d: expected even sides from %dx%d to %dx%d", width, height,
                        SAC_FRAME_MIN_WIDTH, SAC_FRAME_MIN_HEIGHT, SAC_FRAME_MAX_SIDE, SAC_FRAME_MAX_SIDE);
    sac_frame *f = SAC_NEW(sac_frame);
    if (!f) return sac_fail_memory("a frame");
    f->canvas = (canvas){.height = height, .width = width};
    f->spec = *spec;
    lay_out(f);
    f->canvas.rgb = sac_alloc((size_t)width * (size_t)height * 3);
    f->world_rgb = sac_alloc((size_t)f->world.width * (size_t)f->world.height * 3);
    f->panel_rgb = sac_alloc((size_t)f->sight.width * (size_t)f->sight.height * 3);
    f->keep = SAC_NEW_MATRIX(float, (size_t)spec->height, (size_t)spec->width);
    if (!f->canvas.rgb || !f->world_rgb || !f->panel_rgb || !f->keep)
    {
        sac_frame_destroy(f);
        return sac_fail_memory("a frame");
    }
    *out = f;
    return SAC_OK;
}

void sac_frame_destroy(sac_frame *frame)
{
    if (!frame) return;
    sac_free(frame->canvas.rgb);
    sac_free(frame->world_rgb);
    sac_free(frame->panel_rgb);
    sac_free(frame->keep);
    sac_free(frame);
}

uint8_t *sac_frame_world(sac_frame *frame, int *height, int *width)
{
    *height = frame->world.height;
    *width = frame->world.width;
    return frame->world_rgb;
}

// Where a caption is broken so that its two lines fit into a width: the length of the first, which is all of it where
// that fits. It ends with a part of the sentence if it can. 0: it does not fit.
static int break_of(const sac_frame *f, const char *text, double width)
{
    const double size = 0.8 * f->text;
    const int length = (int)strlen(text);
    char first[96];
    int found = 0;
    if (sac_text_width(size, text) <= width) return length;
    for (int i = 1; f->captions == 2 && i < length && i < (int)sizeof first; i++)
    {
        if (text[i] != ' ' || sac_text_width(size, text + i + 1) > width) continue;
        snprintf(first, sizeof first, "%.*s", i, text);
        if (sac_text_width(size, first) > width) break;
        found = i;
        if (strchr(",;", text[i - 1])) break;
    }
    return found;
}

// Write the first of two texts that is not empty and fits above the panel.
static void draw_label(const sac_frame *f, box panel, const char *text, const char *shorter)
{
    char first[96];
    int length = break_of(f, text, panel.width);
    if (length == 0) text = shorter, length = break_of(f, text, panel.width);
    if (length == 0) return;
    const double size = 0.8 * f->text, baseline = panel.y - 0.7 * f->text;
    const bool both = text[length] != 0;
    snprintf(first, sizeof first, "%.*s", length, text);
    sac_canvas_text(&f->canvas, panel.x, both ? baseline - 1.3 * f->text : baseline, size, dim, first);
    if (both) sac_canvas_text(&f->canvas, panel.x, baseline, size, dim, text + length + 1);
}

// Where a panel shows several pictures, one above the other, draw lines between them, and name them.
static void divide(const sac_frame *f, box panel, const char *const *views, bool named)
{
    const double size = 0.7 * f->text, inset = 0.4 * f->text;
    int count = 0;
    while (views && views[count]) count++;
    for (int i = 0; i < count; i++)
    {
        const int y = panel.y + i * panel.height / count;
        if (i > 0) sac_canvas_fill(&f->canvas, (box){panel.x, y - 1, panel.width, 2}, background, 1);
        if (!named) continue;
        const double width = sac_text_width(size, views[i]);
        sac_canvas_fill(&f->canvas, (box){panel.x, y, (int)(width + 2 * inset), (int)(size + 2 * inset)}, background,
                        0.7f);
        sac_canvas_text(&f->canvas, panel.x + inset, y + size + inset, size, bright, views[i]);
    }
}

static bool has_attention(const sac_frame_content *content)
{
    return content->gaze && sac_gaze_shown(content->gaze) && content->levels;
}

static bool keeps_patches(const sac_frame_content *content)
{
    return content->gaze && content->gaze->kept > 0;
}

// Tell whether the map shows what patches contribute rather than their importance.
static bool contributes(const sac_frame_content *content)
{
    return content->gaze->contribution != NULL;
}

// Draw a picture of the world or of the observation, with the places that the policy looks at; sac_frame_draw has
// prepared f->keep.
static void cover(const sac_frame *f, const sac_frame_content *content, uint8_t *rgb, int height, int width,
                  float strength)
{
    if (keeps_patches(content))
        sac_overlay_blend(rgb, height, width, f->keep, f->spec.height, f->spec.width, strength);
    else if (has_attention(content))
        sac_overlay_dim(rgb, height, width, f->keep, f->spec.height, f->spec.width, strength);
}

// Write above the heat map what it shows.
static void draw_heat_label(const sac_frame *f, const sac_frame_content *content)
{
    const char *what = contributes(content) ? "what counts" : "importance";
    char label[80] = "", shorter[80];
    if (content->best_share > 0)
        snprintf(label, sizeof label, "%s by rank; the top 5%% %s %.0f%%", what, contributes(content) ? "give" : "get",
                 100 * content->best_share);
    snprintf(shorter, sizeof shorter, "%s by rank", what);
    draw_label(f, f->heat, label, shorter);
}

// The points that are seen, and below them the same in the colours of their importance.
static void draw_points(const sac_frame *f, const sac_frame_content *content)
{
    const int height = f->sight.height, width = f->sight.width;
    char label[48];
    snprintf(label, sizeof label, "what it sees: %d point%s", content->point_count,
             content->point_count == 1 ? "" : "s");
    sac_overlay_points(f->panel_rgb, height, width, content->points, content->point_count, NULL);
    sac_canvas_image(&f->canvas, f->sight, f->panel_rgb, height, width, 3);
    draw_label(f, f->sight, label, "points");
    if (!has_attention(content)) return;
    sac_overlay_points(f->panel_rgb, height, width, content->points, content->point_count, content->levels);
    sac_canvas_image(&f->canvas, f->heat, f->panel_rgb, height, width, 3);
    draw_heat_label(f, content);
}

static void draw_panels(const sac_frame *f, const sac_frame_content *content)
{
    const sac_env_spec *spec = &f->spec;
    if (content->points) draw_points(f, content);
    if (!content->observation || content->points) return; // the policy is told numbers alone, or sees points
    int height = f->sight.height, width = f->sight.width;
    const canvas panel = {f->panel_rgb, height, width};
    sac_canvas_image(&panel, (box){0, 0, width, height}, content->observation, spec->height, spec->width,
                     spec->channels);
    cover(f, content, f->panel_rgb, height, width, 1);
    sac_canvas_image(&f->canvas, f->sight, f->panel_rgb, height, width, 3);
    divide(f, f->sight, content->views, true);
    draw_label(f, f->sight,
               keeps_patches(content)    ? "what it sees, and where it looks"
               : !has_attention(content) ? ""
               : contributes(content)    ? "what it sees, bright where it counts"
                                         : "what it sees, bright where it attends",
               "what it sees");

    if (!has_attention(content)) return;
    sac_heat_map(f->panel_rgb, height, width, content->gaze, content->levels);
    sac_canvas_image(&f->canvas, f->heat, f->panel_rgb, height, width, 3);
    divide(f, f->heat, content->views, false);
    draw_heat_label(f, content);
}

// Draw one action as a bar from zero. Zero is in the middle where the action has two directions.
static void draw_bar(const sac_frame *f, box b, int index, float value)
{
    float low = f->spec.action_low[index], high = f->spec.action_high[index];
    float zero = low < 0 && high > 0 ? -low / (high - low) : 0, at = (value - low) / (high - low);
    at = at > 0 ? at < 1 ? at : 1 : 0; // a NaN is 0
    float from = fminf(zero, at), to = fmaxf(zero, at);
    sac_canvas_fill(&f->canvas, b, trough, 1);
    int x0 = b.x + (int)lroundf(from * (float)b.width), x1 = b.x + (int)lroundf(to * (float)b.width);
    sac_canvas_fill(&f->canvas, (box){x0, b.y, x1 - x0, b.height}, fills[index % FILL_COUNT], 1);
    if (zero > 0)
        sac_canvas_fill(&f->canvas, (box){b.x + (int)(zero * (float)b.width), b.y, 1, b.height}, bright, 0.6f);
}

// Compute what names and gaps leave of `room` for each bar. Names are left out where even short bars do not fit beside
// them.
static double bar_length(const sac_frame *f, double room, int bars, bool *named)
{
    double size = 0.8 * f->text, taken = 0, wanted = 6 * f->text, shortest = 2.2 * f->text;
    char text[16];
    for (int i = 0; i < bars; i++) taken += sac_text_width(size, action_name(f, i, text)) + 0.5 * size;
    double gaps = 1.6 * size * bars;
    *named = (room - gaps - taken) / bars >= shortest;
    if (!*named) taken = 0.5 * size * bars;
    return fmax(shortest, fmin(wanted, (room - gaps - taken) / bars));
}

// Draw actions from the right end of the line to the left, in `room` if it is enough. @return where they begin
static double draw_actions(const sac_frame *f, const float *action, double baseline, double room)
{
    const sac_env_spec *spec = &f->spec;
    double right = f->line.x + f->line.width, size = 0.8 * f->text;
    const int bars = action_count(f);
    bool named;
    int length = (int)bar_length(f, room, bars, &named);
    for (int i = bars - 1; i >= 0; i--)
    {
        char text[16];
        const char *name = spec->action_choices || named ? action_name(f, i, text) : "";
        double width = sac_text_width(size, name);
        if (spec->action_choices)
        {
            right -= width;
            sac_canvas_text(&f->canvas, right, baseline, size, (int)action[0] == i ? bright : dim, name);
        }
        else
        {
            right -= length;
            draw_bar(f, (box){(int)right, (int)(baseline - 0.9 * size), length, (int)(0.8 * size)}, i, action[i]);
            right -= width + 0.5 * size;
            sac_canvas_text(&f->canvas, right, baseline, size, dim, name);
        }
        right -= 1.6 * size;
    }
    return right;
}

// Draw all actions in their cells, row by row.
static void draw_cells(const sac_frame *f, const float *action)
{
    const cells *c = &f->cells;
    const double size = 0.8 * f->text;
    const int count = least(action_count(f), c->rows * c->columns),
              from = (int)(c->width - c->bar - fmin(1.6 * size, 0.2 * c->width));
    for (int i = 0; i < count; i++)
    {
        char text[16];
        const int x = f->line.x + i % c->columns * c->width;
        const int baseline = f->line.y + f->line.height + i / c->columns * c->height + (int)(1.2 * f->text);
        const bool chosen = f->spec.action_choices && (int)action[0] == i;
        if (c->named) sac_canvas_text(&f->canvas, x, baseline, size, chosen ? bright : dim, action_name(f, i, text));
        if (f->spec.action_choices) continue;
        const box bar = {x + (c->named ? from : 0), (int)(baseline - 0.9 * size), c->bar, (int)(0.8 * size)};
        draw_bar(f, bar, i, action[i]);
    }
}

// Says when a policy that does not look in every step has looked, and for how long that is held; NULL: in every step.
static const char *look_of(const sac_frame_content *content, char *text, size_t size)
{
    const sac_gaze *gaze = content->gaze;
    if (!gaze || gaze->held == 0) return NULL;
    if (gaze->age == 0)
        snprintf(text, size, "looks, holds for %d", gaze->held);
    else
        snprintf(text, size, "looked %d ago, holds for %d", gaze->age, gaze->held);
    return text;
}

static void draw_line(const sac_frame *f, const sac_frame_content *content)
{
    double baseline = f->line.y + 0.5 * f->line.height + 0.5 * f->text, size = f->text, x = f->line.x;
    char value[SAC_VALUE_SIZE], step[32];
    sac_format_value(value, content->episode_return);
    snprintf(step, sizeof step, "%d", content->step);
    char looked[64];
    const char *look = look_of(content, looked, sizeof looked);
    const struct
    {
        const char *text;
        double size;
        ink color;
        double gap;
    } words[] = {
        {value, 1.25 * size, bright, 0.3 * size}, {"return", 0.8 * size, dim, 1.8 * size},
        {step, size, bright, 0.3 * size},         {content->step == 1 ? "step" : "steps", 0.8 * size, dim, 1.8 * size},
        {look, 0.8 * size, dim, 1.8 * size},      {content->note, 0.8 * size, accent, 1.4 * size},
        {content->title, 0.8 * size, dim, 0}};
    double first = 0; // return and steps are written before the actions
    for (size_t i = 0; i < 4; i++) first += sac_text_width(words[i].size, words[i].text) + words[i].gap;
    double end = x + f->line.width;
    if (content->action && f->cells.rows > 0)
        draw_cells(f, content->action);
    else if (content->action)
        end = draw_actions(f, content->action, baseline, f->line.width - first);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    {
        if (!words[i].text) continue;
        double width = sac_text_width(words[i].size, words[i].text);
        if (x + width > end) continue; // what does not fit is left out
        sac_canvas_text(&f->canvas, x, baseline, words[i].size, words[i].color, words[i].text);
        x += width + words[i].gap;
    }
}

const uint8_t *sac_frame_draw(sac_frame *f, const sac_frame_content *content)
{
    const canvas *c = &f->canvas;
    const sac_env_spec *spec = &f->spec;
    if (keeps_patches(content))
        sac_overlay_keep(f->keep, spec->height, spec->width, content->gaze);
    else if (has_attention(content) && !content->points)
        sac_overlay_light(f->keep, spec->height, spec->width, content->gaze, content->levels);
    // The world's picture gets marks but no shade, so that it stays as bright as the world is.
    if (content->overlay_world && keeps_patches(content))
        cover(f, content, f->world_rgb, f->world.height, f->world.width, FAINT);
    sac_canvas_fill(c, (box){0, 0, c->width, c->height}, background, 1);
    sac_canvas_image(c, f->world, f->world_rgb, f->world.height, f->world.width, 3);
    draw_panels(f, content);
    draw_line(f, content);
    return c->rgb;
}

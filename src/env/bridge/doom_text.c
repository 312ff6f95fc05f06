#include "env/bridge/doom_text.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

enum
{
    SCREEN_WIDTH = 640,
    SCREEN_HEIGHT = 480,
    WIDTH = 360,
    HEIGHT = 80,
    GLYPH_ROWS = 7,
    GLYPH_COLUMNS = 5,
    LETTERS = 7,
    SCALE = 8,
    LEFT = (WIDTH - (LETTERS * (GLYPH_COLUMNS + 1) - 1) * SCALE) / 2,
    TOP = (HEIGHT - GLYPH_ROWS * SCALE) / 2,
    SEEDED_ROWS = SCREEN_HEIGHT / 3 - HEIGHT
};

/// What a pixel of the picture holds of the panel: how many of the screen's pixels, and how many of them are letters.
typedef struct share
{
    uint8_t panel, letters;
} share;

struct sac_doom_text
{
    int height, width, factor;
    share *shares; // [height, width]
};

// S A C C A D E, a row of five bits each
static const uint8_t glyphs[LETTERS][GLYPH_ROWS] = {
    {0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e}, {0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11},
    {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e}, {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e},
    {0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}, {0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e},
    {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f},
};

// Tells whether a pixel of the panel belongs to a letter.
static bool is_letter(int column, int row)
{
    int x = column - LEFT, y = row - TOP;
    if (x < 0 || y < 0 || y >= GLYPH_ROWS * SCALE || x >= LETTERS * (GLYPH_COLUMNS + 1) * SCALE) return false;
    int letter = x / (SCALE * (GLYPH_COLUMNS + 1)), bit = x / SCALE % (GLYPH_COLUMNS + 1);
    return bit < GLYPH_COLUMNS && glyphs[letter][y / SCALE] >> (GLYPH_COLUMNS - 1 - bit) & 1;
}

sac_status sac_doom_text_create(sac_doom_text **out, int height, int width)
{
    *out = NULL;
    sac_doom_text *t = SAC_NEW(sac_doom_text);
    if (!t) return sac_fail_memory("a text");
    *t = (sac_doom_text){height, width, SCREEN_WIDTH / width, SAC_NEW_ARRAY(share, (size_t)height * (size_t)width)};
    SAC_ASSERT(t->factor * width == SCREEN_WIDTH && t->factor * height == SCREEN_HEIGHT && t->factor <= 4);
    if (!t->shares)
    {
        sac_doom_text_destroy(t);
        return sac_fail_memory("a text");
    }
    sac_doom_text_move(t, SAC_DOOM_TEXT_COLUMN, SAC_DOOM_TEXT_ROW);
    *out = t;
    return SAC_OK;
}

void sac_doom_text_destroy(sac_doom_text *text)
{
    if (!text) return;
    sac_free(text->shares);
    sac_free(text);
}

void sac_doom_text_move(sac_doom_text *t, int column, int row)
{
    memset(t->shares, 0, sizeof(share) * (size_t)t->height * (size_t)t->width);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
        {
            share *s = &t->shares[(row + y) / t->factor * t->width + (column + x) / t->factor];
            s->panel++;
            s->letters = (uint8_t)(s->letters + is_letter(x, y));
        }
}

void sac_doom_text_place(uint64_t seed, int *column, int *row)
{
    sac_stream random = sac_stream_create(seed, 0, 1);
    *column = (int)(sac_stream_u32(&random) % (SCREEN_WIDTH - WIDTH + 1));
    *row = (int)(sac_stream_u32(&random) % (SEEDED_ROWS + 1));
}

void sac_doom_text_paste(const sac_doom_text *t, uint8_t *picture, bool bgr)
{
    static const int letters[] = {0, 0, 255}, rest[] = {0, 255, 255};
    int all = t->factor * t->factor;
    for (int i = 0; i < t->height * t->width; i++)
    {
        const share *s = &t->shares[i];
        if (s->panel == 0) continue;
        for (int c = 0; c < 3; c++)
        {
            uint8_t *p = &picture[i * 3 + (bgr ? c : 2 - c)];
            int sum = *p * (all - s->panel) + letters[c] * s->letters + rest[c] * (s->panel - s->letters);
            *p = (uint8_t)((sum + all / 2) / all);
        }
    }
}

#pragma once

#include "saccade/base.h"

/// The hovering text of the article: a panel of 360 x 80 pixels with letters, pasted into the 640 x 480 screen at
/// column 150 and row 30. In a smaller picture every pixel is the mean of those that it stands for.

enum
{
    SAC_DOOM_TEXT_COLUMN = 150,
    SAC_DOOM_TEXT_ROW = 30,
};

typedef struct sac_doom_text sac_doom_text;

/// @param height, width  of the picture: 480 x 640 divided by 1, 2 or 4
SAC_CHECKED sac_status sac_doom_text_create(sac_doom_text **out, int height, int width);
void sac_doom_text_destroy(sac_doom_text *text);

/// Where its upper left corner is, on the 640 x 480 screen.
void sac_doom_text_move(sac_doom_text *text, int column, int row);

/// Where an episode's panel is when it is drawn by lot: anywhere in the upper third.
void sac_doom_text_place(uint64_t seed, int *column, int *row);

/// Paste it into a picture. The bytes are the article's, in the order of the released agent's pictures (blue, green,
/// red): letters 0 0 255 on 0 255 255.
/// @param bgr  whether the picture is in that order
void sac_doom_text_paste(const sac_doom_text *text, uint8_t *picture, bool bgr);

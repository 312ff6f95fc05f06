#pragma once

/// Weights as 8-bit numbers: a row is its scale times numbers in -127..127, each rounded to the nearest.

/// The scale of a row: its largest magnitude over 127.
float sac_round_scale(const float *row, int count);

/// The number -127..127 for a weight of a row.
int sac_round_step(float x, float scale);

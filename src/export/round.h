#pragma once

/// Weights as 8-bit numbers: a row is its scale times -127..127, the nearest.

/// A row's largest magnitude over 127.
float sac_round_scale(const float *row, int count);

/// -127..127 for a weight of a row.
int sac_round_step(float x, float scale);

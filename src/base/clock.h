#pragma once

/// Seconds on a clock that only goes forward; where it began means nothing.
double sac_clock(void);

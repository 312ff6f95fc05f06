#pragma once

/// Seconds on a clock that never goes back; its zero has no meaning.
double sac_clock(void);

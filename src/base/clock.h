#pragma once

/// Seconds on a clock that never goes back; its zero has no meaning.
double sac_clock(void);

/// Seconds since 1970, which may go back.
double sac_clock_of_day(void);

/// Seconds of processor time of all threads.
double sac_clock_of_processor(void);

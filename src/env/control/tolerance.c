#include <math.h>

#include "env/control/world.h"

// dm_control's utils/rewards.py, tolerance: 1 within the bounds, and beyond them a fall that reaches `edge` at the
// distance `margin`. The three falls are its sigmoids `gaussian`, `linear` and `quadratic`.
double sac_tolerance(double x, double low, double high, double margin, double edge, control_fall fall)
{
    if (low <= x && x <= high) return 1;
    if (margin == 0) return 0;
    double distance = (x < low ? low - x : x - high) / margin;
    switch (fall)
    {
    case CONTROL_GAUSSIAN:
    {
        double scaled = distance * sqrt(-2 * log(edge));
        return exp(-0.5 * (scaled * scaled));
    }
    case CONTROL_LINEAR:
    {
        double scaled = distance * (1 - edge);
        return scaled < 1 ? 1 - scaled : 0;
    }
    default:
    {
        double scaled = distance * sqrt(1 - edge);
        return scaled < 1 ? 1 - scaled * scaled : 0;
    }
    }
}

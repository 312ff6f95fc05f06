#include "legs/swing.h"

enum
{
    POINTS = 5
};

void sac_swing_at(double toe[3], double phase, const double lift[3], const double landing[3], const double up[3],
                  double clearance, double press)
{
    static const double times[POINTS] = {0, 0.45, 0.9, 0.9001, 1}, on_the_way[POINTS] = {0, 0.7, 1, 1, 1};
    const double heights[POINTS] = {0, clearance, 0, -press, -press};
    int k = 0;
    while (k < POINTS - 2 && phase >= times[k + 1]) k++;
    const double part = (phase - times[k]) / (times[k + 1] - times[k]);
    const double way = on_the_way[k] + part * (on_the_way[k + 1] - on_the_way[k]);
    const double height = heights[k] + part * (heights[k + 1] - heights[k]);
    for (int i = 0; i < 3; i++) toe[i] = (1 - way) * lift[i] + way * landing[i] + height * up[i];
}

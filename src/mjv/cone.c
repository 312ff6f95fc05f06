#include "mjv/cone.h"

#include <math.h>

static void set3(float *out, double x, double y, double z)
{
    out[0] = (float)x, out[1] = (float)y, out[2] = (float)z;
}

void sac_mjv_make_cone(mjv_cone *out)
{
    double slant = sqrt(0.5);
    for (int i = 0; i < CONE_SIDES; i++)
    {
        float *side = out->positions + 18 * i, *disk = side + 9;
        float *side_normal = out->normals + 18 * i, *disk_normal = side_normal + 9;
        for (int end = 0; end < 2; end++)
        {
            double angle = 2.0 * M_PI * (i + end) / CONE_SIDES, x = cos(angle), y = sin(angle);
            set3(side + 3 * end, x, y, 0);
            set3(side_normal + 3 * end, slant * x, slant * y, slant);
            set3(disk + 3 * (1 - end), x, y, 0);
        }
        double middle = 2.0 * M_PI * (i + 0.5) / CONE_SIDES;
        set3(side + 6, 0, 0, 1);
        set3(side_normal + 6, slant * cos(middle), slant * sin(middle), slant);
        set3(disk + 6, 0, 0, 0);
        for (int k = 0; k < 3; k++) set3(disk_normal + 3 * k, 0, 0, -1);
    }
}

#include <math.h>

#include "saccade/overlay.h"

/// The heat map's colours form a path through OKLab (Ottosson 2020). Along it lightness is a straight line, hue turns
/// from violet over red to yellow, and chroma is largest in the middle, where the screen can show it.

static double encode(double linear)
{
    linear = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

void sac_heat_color(float value, uint8_t rgb[3])
{
    double t = value > 0 ? value < 1 ? value : 1 : 0; // a NaN is 0
    double lightness = 0.16 + 0.81 * t;
    double hue = (-65 + 175 * t) * 3.14159265358979323846 / 180;
    double chroma = 0.015 + 0.62 * t * (1 - t) * (1 - 0.25 * t) + 0.05 * t;
    double a = chroma * cos(hue), b = chroma * sin(hue);

    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l *= l * l, m *= m * m, s *= s * s;
    rgb[0] = (uint8_t)(255 * encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) + 0.5);
    rgb[1] = (uint8_t)(255 * encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) + 0.5);
    rgb[2] = (uint8_t)(255 * encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) + 0.5);
}

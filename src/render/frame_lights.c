#include "render/frame_parts.h"

#include <math.h>
#include <string.h>

// --- lights

// Finds the axes of the light's map of shadows, and where the eye is in them. Up is at right angles to the direction
// and to x, or to y where the light shines along x
static void place_light(render_light *light, const sac_light *from, const render_eye *eye)
{
    const float *d = from->direction;
    double up[3] = {0, -(double)d[2], (double)d[1]}, length = sqrt(up[1] * up[1] + up[2] * up[2]);
    if (length <= 0.1)
    {
        up[0] = -(double)d[2], up[1] = 0, up[2] = (double)d[0];
        length = sqrt(up[0] * up[0] + up[2] * up[2]);
    }
    if (length == 0.0) length = 1.0;
    for (int i = 0; i < 3; i++) up[i] /= length;
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        light->axes[0][i] = (float)((double)d[j] * up[k] - (double)d[k] * up[j]);
        light->axes[1][i] = (float)up[i];
        light->axes[2][i] = d[i];
    }
    for (int k = 0; k < 3; k++)
    {
        double at = 0;
        for (int i = 0; i < 3; i++) at += (double)light->axes[k][i] * (eye->at[i] - (double)from->position[i]);
        light->offset[k] = (float)at;
    }
}

static bool is_light(const sac_light *from)
{
    return finite_numbers(from->position, 3) && finite_numbers(from->direction, 3) &&
           finite_numbers(from->attenuation, 3) && finite_numbers(from->ambient, 3) &&
           finite_numbers(from->diffuse, 3) && finite_numbers(from->specular, 3) &&
           finite_numbers(&from->exponent, 1) && finite_numbers(&from->cutoff, 1) &&
           finite_numbers(&from->shadow_extent, 1);
}

// OpenGL's rules: a cutoff of 180 degrees and more is no spot, and exponents lie within 0..128. The extent of shadows
// is half the width of the map for a directional light, and the tangent of half its angle for a spot.
void sac_frame_take_lights(sac_renderer *r, const sac_scene *scene, const render_eye *eye)
{
    r->every_light = r->casting = 0;
    r->light_count = scene->light_count;
    for (int l = 0; l < scene->light_count; l++)
    {
        const sac_light *from = &scene->lights[l];
        render_light *light = &r->lights[l];
        light->caster_count = 0;
        if (!is_light(from)) continue;
        r->every_light |= 1u << l;
        light->directional = from->directional;
        light->casts = from->casts_shadow && r->def.shadows && from->shadow_extent > 0.0f;
        if (light->casts) r->casting |= 1u << l;
        memcpy(light->attenuation, from->attenuation, sizeof light->attenuation);
        light->cutoff = from->cutoff >= 180.0f ? -2.0f : (float)cos((double)from->cutoff * M_PI / 180.0);
        light->exponent = fminf(fmaxf(from->exponent, 0.0f), 128.0f);
        double extent = fmin((double)from->shadow_extent, 80.0) * M_PI / 180.0;
        light->extent = from->directional ? from->shadow_extent : (float)tan(extent);
        place_light(light, from, eye);
    }
    r->steady = r->every_light & ~r->casting;
}

// Lights in the solid's own coordinates, their colours times the solid's: what each pixel would compute alike.
void sac_frame_light_solid(solid *s, const sac_geom *g, const sac_scene *scene, unsigned lights)
{
    for (int l = 0; l < scene->light_count; l++)
    {
        if (!(lights >> l & 1)) continue;
        const sac_light *from = &scene->lights[l];
        solid_light *to = &s->lights[l];
        for (int k = 0; k < 3; k++)
        {
            float at = 0, way = 0;
            for (int i = 0; i < 3; i++)
            {
                at += g->axes[3 * i + k] * (from->position[i] - g->position[i]);
                way += g->axes[3 * i + k] * from->direction[i];
            }
            to->position[k] = at;
            to->direction[k] = way;
            to->ambient[k] = from->ambient[k] * g->rgba[k];
            to->diffuse[k] = from->diffuse[k] * g->rgba[k];
            to->specular[k] = from->specular[k] * g->specular;
            s->light_point[l][k] = (from->directional ? way : at) / s->scale[k];
        }
    }
}

// Finds where in each light's map a solid may cast a shadow.
void sac_frame_cast(sac_renderer *r, int index, const sac_geom *g, const sac_scene *scene)
{
    solid *s = &r->solids[index];
    for (int l = 0; l < scene->light_count; l++)
    {
        render_light *light = &r->lights[l];
        if (!(r->casting >> l & 1)) continue;
        render_eye from = {.near = 1e-4, .parallel = light->directional};
        for (int k = 0; k < 3; k++)
        {
            from.at[k] = (double)scene->lights[l].position[k];
            for (int i = 0; i < 3; i++) from.axes[k][i] = (double)light->axes[k][i];
        }
        render_window w = WINDOW_EMPTY;
        sac_frame_cover(&w, &from, g, s);
        if (!(w.low[0] <= w.high[0])) continue;
        double extent = (double)light->extent * 1.01, margin = 1e-4 * extent;
        for (int k = 0; k < 2; k++)
        {
            s->light_window[l][k] = (float)(fmax(w.low[k], -extent) - margin);
            s->light_window[l][2 + k] = (float)(fmin(w.high[k], extent) + margin);
        }
        light->casters[light->caster_count++] = index;
    }
}

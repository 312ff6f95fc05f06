#include "saccade/render.h"

#include "base/error.h"
#include "base/level.h"
#include "base/memory.h"
#include "render/frame.h"

enum
{
    COOKIE = 0x52454e44 // "REND": the def came from the default
};

sac_renderer_def sac_renderer_default_def(void)
{
    return (sac_renderer_def){.width = 100, .height = 100, .max_geoms = 1024, .internal = COOKIE};
}

static sac_status check_def(const sac_renderer_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "the renderer's def does not come from sac_renderer_default_def");
    if (def->width < 1 || def->width > 8192)
        return sac_fail(SAC_ERROR_ARGUMENT, "the renderer's width is %d, expected 1..8192", def->width);
    if (def->height < 1 || def->height > 8192)
        return sac_fail(SAC_ERROR_ARGUMENT, "the renderer's height is %d, expected 1..8192", def->height);
    if (def->max_geoms < 1 || def->max_geoms > 1 << 20)
        return sac_fail(SAC_ERROR_ARGUMENT, "the renderer's max_geoms is %d, expected 1..%d", def->max_geoms, 1 << 20);
    return SAC_OK;
}

static bool allocate(sac_renderer *r)
{
    size_t geoms = (size_t)r->def.max_geoms, packets = (size_t)(r->packet_columns * r->packet_rows);
    r->grid_floats = (size_t)GRID_BLOCKS * 48 * (r->def.shadows ? 2 : 1);
    r->solids = SAC_NEW_ARRAY(solid, geoms);
    r->opaque = SAC_NEW_ARRAY(int, geoms);
    r->clear = SAC_NEW_ARRAY(int, geoms);
    r->row_list = SAC_NEW_ARRAY(int, geoms);
    r->tile_list = SAC_NEW_ARRAY(int, geoms);
    r->tile_clear = SAC_NEW_ARRAY(int, geoms);
    r->tile_mirror = SAC_NEW_ARRAY(int, geoms);
    r->sky_pixels = SAC_NEW_ARRAY(int32_t, packets * 16);
    r->sky_is_there = SAC_NEW_ARRAY(uint8_t, packets);
    r->grid_colours = SAC_NEW_ARRAY(float, r->grid_floats);
    r->block_numbers = SAC_NEW_ARRAY(int32_t, GRID_BLOCKS);
    r->keys = r->def.antialias ? SAC_NEW_ARRAY(int32_t, packets * 16) : NULL;
    r->mixed = r->def.antialias ? SAC_NEW_ARRAY(uint8_t, packets) : NULL;
    bool lights = true;
    for (int l = 0; l < LIGHTS && r->def.shadows; l++)
    {
        r->lights[l].casters = SAC_NEW_ARRAY(int, geoms);
        lights = lights && r->lights[l].casters;
    }
    return r->solids && r->opaque && r->clear && r->row_list && r->tile_list && r->tile_clear && r->tile_mirror &&
           r->sky_pixels && r->sky_is_there && r->grid_colours && r->block_numbers &&
           ((r->keys && r->mixed) || !r->def.antialias) && lights;
}

sac_status sac_renderer_create(sac_renderer **out, const sac_renderer_def *def)
{
    *out = NULL;
    SAC_TRY(check_def(def));
    sac_renderer *r = SAC_NEW(sac_renderer);
    if (!r) return sac_fail_memory("a renderer");
    r->def = *def;
    r->packet_columns = (def->width + 3) / 4;
    r->packet_rows = (def->height + 3) / 4;
    if (!allocate(r))
    {
        sac_renderer_destroy(r);
        return sac_fail_memory("a renderer");
    }
    *out = r;
    return SAC_OK;
}

void sac_renderer_destroy(sac_renderer *r)
{
    if (!r) return;
    for (int l = 0; l < LIGHTS; l++) sac_free(r->lights[l].casters);
    sac_free(r->solids);
    sac_free(r->opaque);
    sac_free(r->clear);
    sac_free(r->row_list);
    sac_free(r->tile_list);
    sac_free(r->tile_clear);
    sac_free(r->tile_mirror);
    sac_free(r->sky_pixels);
    sac_free(r->sky_is_there);
    sac_free(r->grid_colours);
    sac_free(r->block_numbers);
    sac_free(r->keys);
    sac_free(r->mixed);
    sac_free(r);
}

void sac_renderer_size(const sac_renderer *renderer, int *width, int *height)
{
    *width = renderer->def.width;
    *height = renderer->def.height;
}

sac_status sac_render(sac_renderer *renderer, const sac_scene *scene, const sac_picture *picture)
{
    SAC_TRY(sac_frame_prepare(renderer, scene));
    SAC_AT_LEVEL(sac_draw)(renderer, picture);
    return SAC_OK;
}

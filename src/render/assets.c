#include "render/assets.h"

#include "base/error.h"
#include "base/memory.h"

static sac_status fill_assets(sac_render_assets *assets, const sac_texture *textures, int texture_count,
                              const sac_mesh *meshes, int mesh_count)
{
    assets->textures = SAC_NEW_ARRAY(render_texture, (size_t)texture_count);
    assets->meshes = SAC_NEW_ARRAY(render_mesh, (size_t)mesh_count);
    if (!assets->textures || !assets->meshes) return sac_fail_memory("the pictures' assets");
    for (; assets->texture_count < texture_count; assets->texture_count++)
    {
        sac_status status =
            sac_render_texture_create(&assets->textures[assets->texture_count], &textures[assets->texture_count]);
        if (status != SAC_OK) return sac_fail_in(status, "texture %d", assets->texture_count);
    }
    for (; assets->mesh_count < mesh_count; assets->mesh_count++)
    {
        sac_status status =
            sac_render_mesh_create(&assets->meshes[assets->mesh_count], &meshes[assets->mesh_count], false);
        if (status != SAC_OK) return sac_fail_in(status, "mesh %d", assets->mesh_count);
    }
    return SAC_OK;
}

sac_status sac_render_assets_create(sac_render_assets **out, const sac_texture *textures, int texture_count,
                                    const sac_mesh *meshes, int mesh_count)
{
    *out = NULL;
    if (texture_count < 0 || mesh_count < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "the pictures' assets: %d textures and %d meshes, expected 0 or more",
                        texture_count, mesh_count);
    sac_render_assets *assets = SAC_NEW(sac_render_assets);
    if (!assets) return sac_fail_memory("the pictures' assets");
    sac_status status = fill_assets(assets, textures, texture_count, meshes, mesh_count);
    if (status != SAC_OK)
    {
        sac_render_assets_destroy(assets);
        return status;
    }
    *out = assets;
    return SAC_OK;
}

sac_status sac_render_assets_extend(sac_render_assets **out, const sac_render_assets *base, const sac_mesh *meshes,
                                    int mesh_count)
{
    *out = NULL;
    if (mesh_count < 0) return sac_fail(SAC_ERROR_ARGUMENT, "%d meshes, expected 0 or more", mesh_count);
    sac_render_assets *assets = SAC_NEW(sac_render_assets);
    if (!assets) return sac_fail_memory("the pictures' assets");
    *assets = (sac_render_assets){.textures = base->textures, .texture_count = base->texture_count, .base = base};
    assets->meshes = SAC_NEW_ARRAY(render_mesh, (size_t)base->mesh_count + (size_t)mesh_count);
    sac_status status = assets->meshes ? SAC_OK : sac_fail_memory("the pictures' assets");
    for (int i = 0; i < base->mesh_count && assets->meshes; i++) assets->meshes[i] = base->meshes[i];
    assets->mesh_count = base->mesh_count;
    for (int i = 0; i < mesh_count && status == SAC_OK; i++)
    {
        status = sac_render_mesh_create(&assets->meshes[assets->mesh_count], &meshes[i], true);
        if (status == SAC_OK) assets->mesh_count++;
    }
    if (status != SAC_OK)
        sac_render_assets_destroy(assets);
    else
        *out = assets;
    return status;
}

sac_status sac_render_assets_move(sac_render_assets *assets, int mesh, const sac_mesh *corners)
{
    SAC_ASSERT(assets->base && mesh >= assets->base->mesh_count && mesh < assets->mesh_count);
    return sac_render_mesh_move(&assets->meshes[mesh], corners);
}

void sac_render_assets_destroy(sac_render_assets *assets)
{
    if (!assets) return;
    const sac_render_assets *base = assets->base;
    for (int i = 0; i < assets->texture_count && !base; i++) sac_free(assets->textures[i].blocks);
    for (int i = base ? base->mesh_count : 0; i < assets->mesh_count; i++) sac_render_mesh_release(&assets->meshes[i]);
    if (!base) sac_free(assets->textures);
    sac_free(assets->meshes);
    sac_free(assets);
}

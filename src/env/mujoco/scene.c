#include "env/mujoco/scene.h"

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/mjv.h"

enum
{
    GEOMS = 1000 ///< what MuJoCo's scene has room for
};

// --- the model

static sac_mjv_model take_model(const mjModel *m)
{
    return (sac_mjv_model){
        .ngeom = (int)m->ngeom,
        .nmat = (int)m->nmat,
        .nmesh = (int)m->nmesh,
        .nhfield = (int)m->nhfield,
        .ntex = (int)m->ntex,
        .geom_size = m->geom_size,
        .mat_texid = m->mat_texid,
        .mat_roles = mjNTEXROLE,
        .mat_rgb = mjTEXROLE_RGB,
        .mat_texrepeat = m->mat_texrepeat,
        .mat_texuniform = (const uint8_t *)m->mat_texuniform,
        .tex_type = m->tex_type,
        .tex_width = m->tex_width,
        .tex_height = m->tex_height,
        .tex_nchannel = m->tex_nchannel,
        .tex_adr = m->tex_adr,
        .tex_data = m->tex_data,
        .ntexdata = m->ntexdata,
        .mesh_vertadr = m->mesh_vertadr,
        .mesh_vertnum = m->mesh_vertnum,
        .mesh_normaladr = m->mesh_normaladr,
        .mesh_normalnum = m->mesh_normalnum,
        .mesh_texcoordadr = m->mesh_texcoordadr,
        .mesh_texcoordnum = m->mesh_texcoordnum,
        .mesh_faceadr = m->mesh_faceadr,
        .mesh_facenum = m->mesh_facenum,
        .mesh_graphadr = m->mesh_graphadr,
        .nmeshvert = m->nmeshvert,
        .nmeshnormal = m->nmeshnormal,
        .nmeshtexcoord = m->nmeshtexcoord,
        .nmeshface = m->nmeshface,
        .nmeshgraph = m->nmeshgraph,
        .mesh_vert = m->mesh_vert,
        .mesh_normal = m->mesh_normal,
        .mesh_texcoord = m->mesh_texcoord,
        .mesh_face = m->mesh_face,
        .mesh_facenormal = m->mesh_facenormal,
        .mesh_facetexcoord = m->mesh_facetexcoord,
        .mesh_graph = m->mesh_graph,
        .hfield_size = m->hfield_size,
        .hfield_nrow = m->hfield_nrow,
        .hfield_ncol = m->hfield_ncol,
        .hfield_adr = m->hfield_adr,
        .hfield_data = m->hfield_data,
        .nhfielddata = m->nhfielddata,
    };
}

sac_status sac_mujoco_assets_create(sac_render_assets **assets, const mjModel *m)
{
    sac_mjv_model model = take_model(m);
    return sac_mjv_assets_create(assets, &model);
}

// --- where the headers say that fields lie

#define AFTER_POS(type, field) ((int)offsetof(type, field) - (int)offsetof(type, pos))
#define GEOM(field)            .geom_##field = AFTER_POS(mjvGeom, field)
#define LIGHT(field)           .light_##field = AFTER_POS(mjvLight, field)
#define CAMERA(field)          .camera_##field = AFTER_POS(mjvGLCamera, field)

static const sac_mjv_layout layout = {
    .geom_stride = sizeof(mjvGeom),
    GEOM(type),
    GEOM(dataid),
    GEOM(objtype),
    GEOM(objid),
    GEOM(category),
    GEOM(matid),
    GEOM(texcoord),
    GEOM(segid),
    GEOM(size),
    GEOM(mat),
    GEOM(rgba),
    GEOM(emission),
    GEOM(specular),
    GEOM(shininess),
    GEOM(reflectance),
    GEOM(label),
    GEOM(texid),
    GEOM(texuniform),
    GEOM(texrepeat),
    .geom_castshadow = SAC_MJV_ABSENT,
    .light_stride = sizeof(mjvLight),
    LIGHT(dir),
    LIGHT(attenuation),
    LIGHT(cutoff),
    LIGHT(exponent),
    LIGHT(ambient),
    LIGHT(diffuse),
    LIGHT(specular),
    LIGHT(castshadow),
    LIGHT(type),
    .light_directional = SAC_MJV_ABSENT,
    .camera_stride = sizeof(mjvGLCamera),
    CAMERA(forward),
    CAMERA(up),
    CAMERA(orthographic),
    CAMERA(frustum_center),
    CAMERA(frustum_width),
    CAMERA(frustum_bottom),
    CAMERA(frustum_top),
    CAMERA(frustum_near),
    CAMERA(frustum_far),
};

// --- scene

struct sac_mujoco_scene
{
    const sac_mujoco *mj;
    mjvScene abstract;
    mjvOption option;
    mjvPerturb perturb;
    sac_mjv_scene *scene;
};

sac_status sac_mujoco_scene_create(sac_mujoco_scene **out, const sac_mujoco *mj, const mjModel *model,
                                   const sac_render_assets *assets)
{
    *out = NULL;
    sac_mujoco_scene *s = SAC_NEW(sac_mujoco_scene);
    if (!s) return sac_fail_memory("a scene");
    sac_status status = sac_mjv_scene_create(&s->scene, &layout, assets, &(sac_mjv_model){0}, NULL, GEOMS);
    if (status != SAC_OK)
    {
        sac_free(s);
        return status;
    }
    s->mj = mj;
    mj->mjv_defaultScene(&s->abstract);
    mj->mjv_makeScene(model, &s->abstract, GEOMS);
    mj->mjv_defaultOption(&s->option);
    mj->mjv_defaultPerturb(&s->perturb);
    *out = s;
    return SAC_OK;
}

void sac_mujoco_scene_destroy(sac_mujoco_scene *scene)
{
    if (!scene) return;
    scene->mj->mjv_freeScene(&scene->abstract);
    sac_mjv_scene_destroy(scene->scene);
    sac_free(scene);
}

// Everything is on: what a picture leaves out is said by its renderer.
static sac_mjv_frame take_frame(const mjvScene *abstract, const mjModel *m)
{
    const float *haze = m->vis.rgba.haze;
    return (sac_mjv_frame){
        .geoms = abstract->geoms->pos,
        .ngeom = abstract->ngeom,
        .lights = abstract->lights->pos,
        .nlight = abstract->nlight,
        .camera = abstract->camera->pos,
        .extent = m->stat.extent,
        .zfar = m->vis.map.zfar,
        .shadowclip = m->vis.map.shadowclip,
        .shadowscale = m->vis.map.shadowscale,
        .haze = m->vis.map.haze,
        .haze_rgb = {haze[0], haze[1], haze[2]},
        .shadows = true,
        .reflections = true,
        .skybox = true,
        .hazy = true,
    };
}

sac_scene *sac_mujoco_scene_update(sac_mujoco_scene *s, const mjModel *m, mjData *data, int camera, int width,
                                   int height)
{
    mjvCamera cam;
    s->mj->mjv_defaultCamera(&cam);
    if (camera >= 0 && camera < m->ncam)
    {
        cam.type = mjCAMERA_FIXED;
        cam.fixedcamid = camera;
    }
    else
        s->mj->mjv_defaultFreeCamera(m, &cam);
    // Endless planes follow the camera that was set last, so the camera is set before the scene is made.
    s->mj->mjv_updateCamera(m, data, &cam, &s->abstract);
    s->mj->mjv_updateScene(m, data, &s->option, &s->perturb, &cam, mjCAT_ALL, &s->abstract);
    sac_mjv_model model = take_model(m);
    sac_mjv_frame frame = take_frame(&s->abstract, m);
    return sac_mjv_scene_update(s->scene, &model, &frame, width, height);
}

mjvScene *sac_mujoco_scene_abstract(sac_mujoco_scene *scene)
{
    return &scene->abstract;
}

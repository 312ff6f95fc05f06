#pragma once

#include "saccade/render.h"

/// Scenes that MuJoCo has made (its mjvScene), whatever version of MuJoCo made them, turned into scenes for sac_render.
/// Nothing here needs MuJoCo or its headers: the caller says where the fields of its structs lie.
///
///     layout (where the fields are; the same for all scenes of one MuJoCo)
///     model (the arrays of an mjModel that pictures depend on; assets are made from them)
///     frame (what mjv_updateScene has filled, read where it lies)
///
/// Integers of MuJoCo's that are used as indices are checked, so no scene makes the library read beyond its arrays.

// --- what is read

/// The arrays of an mjModel that pictures depend on, by MuJoCo's names for them. They belong to the caller. Those of
/// textures, meshes and height fields are read when assets are made, the others whenever a scene is.
typedef struct sac_mjv_model
{
    int ngeom, nmat, nmesh, nhfield, ntex;
    const double *geom_size;    ///< [ngeom, 3]
    const int *mat_texid;       ///< [nmat, mat_roles]
    int mat_roles;              ///< textures of a material
    int mat_rgb;                ///< which of them is its colour
    const float *mat_texrepeat; ///< [nmat, 2]
    const uint8_t *mat_texuniform;
    bool flat_by_shape; ///< flat textures lie around solids and are repeated on texcoords, as from MuJoCo 3.12 on
    int box_cells; ///< squares along a box's side at whose corners it is lit, quality.numquads; 0: lit at every pixel

    const int *tex_type; ///< [ntex] 0: flat, 1: a cube, 2: the sky
    const int *tex_width, *tex_height;
    const int *tex_nchannel;   ///< NULL: three each
    const int *tex_colorspace; ///< 2: sRGB; colours of flat ones are made linear. NULL: none is
    const int64_t *tex_adr;
    const uint8_t *tex_data; ///< [ntexdata]
    int64_t ntexdata;

    const int *mesh_vertadr, *mesh_vertnum, *mesh_normaladr, *mesh_normalnum;
    const int *mesh_texcoordadr; ///< -1: a mesh without
    const int *mesh_texcoordnum, *mesh_faceadr, *mesh_facenum;
    const int *mesh_graphadr; ///< -1: a mesh without a hull
    int64_t nmeshvert, nmeshnormal, nmeshtexcoord, nmeshface, nmeshgraph;
    const float *mesh_vert, *mesh_normal;                       ///< [nmeshvert, 3], [nmeshnormal, 3]
    const float *mesh_texcoord;                                 ///< [nmeshtexcoord, 2]
    const int *mesh_face, *mesh_facenormal, *mesh_facetexcoord; ///< [nmeshface, 3]
    const int *mesh_graph;                                      ///< [nmeshgraph]

    const double *hfield_size; ///< [nhfield, 4]
    const int *hfield_nrow, *hfield_ncol;
    const int *hfield_adr;
    const float *hfield_data; ///< [nhfielddata]
    int64_t nhfielddata;

    int nskin;
    const int *skin_vertadr, *skin_vertnum, *skin_faceadr, *skin_facenum;
    const int *skin_texcoordadr; ///< -1: a skin without
    int64_t nskinvert, nskinface, nskintexvert;
    const float *skin_vert;     ///< [nskinvert, 3], where the skin is at rest
    const float *skin_texcoord; ///< [nskintexvert, 2]
    const int *skin_face;       ///< [nskinface, 3]
} sac_mjv_model;

enum
{
    SAC_MJV_ABSENT = 1 << 24 ///< the place of a field that this version of MuJoCo does not have
};

/// Where fields lie in MuJoCo's structs: bytes from the struct's field `pos`. A stride is the size of a struct.
typedef struct sac_mjv_layout
{
    int geom_stride;
    int geom_type, geom_dataid, geom_objtype, geom_objid, geom_category, geom_matid, geom_texcoord, geom_segid;
    int geom_size, geom_mat, geom_rgba, geom_emission, geom_specular, geom_shininess, geom_reflectance;
    int geom_label;                                  ///< a text of bytes
    int geom_texid, geom_texuniform, geom_texrepeat; ///< where absent, the material's
    int geom_castshadow;                             ///< a byte; where absent, all but decor cast shadows

    int light_stride;
    int light_dir, light_attenuation, light_cutoff, light_exponent, light_ambient, light_diffuse, light_specular;
    int light_castshadow;  ///< a byte
    int light_type;        ///< where absent, there is light_directional
    int light_directional; ///< a byte; where absent, there is light_type

    int camera_stride;
    int camera_forward, camera_up, camera_orthographic;
    int camera_frustum_center, camera_frustum_width, camera_frustum_bottom, camera_frustum_top;
    int camera_frustum_near, camera_frustum_far;
} sac_mjv_layout;

/// What a scene says of flexes, by MuJoCo's names. All of it is the scene's own memory.
typedef struct sac_mjv_flexes
{
    int nflex;
    const int *flexvertadr, *flexvertnum, *flexedgeadr, *flexedgenum, *flexfaceadr, *flexfacenum; ///< [nflex]
    const int *flexfaceused;                                                                      ///< [nflex]
    const int *flexedge;                               ///< pairs of a flex's vertices
    const float *flexvert;                             ///< [vertices, 3]
    const float *flexface, *flexnormal, *flextexcoord; ///< [faces, 3, 3], the same, [faces, 3, 2]
    bool flexvertopt, flexedgeopt, flexskinopt;        ///< whether vertices, edges and skins are shown
} sac_mjv_flexes;

/// A scene that mjv_updateScene has filled, and what pictures of it depend on besides.
typedef struct sac_mjv_frame
{
    const void *geoms; ///< the field `pos` of the first geom
    int ngeom;
    const void *lights; ///< of the first light
    int nlight;
    const void *camera;                 ///< of the first of two cameras, the left and the right eye
    const float *skinvert, *skinnormal; ///< as the model's skin_vert; NULL without skins
    sac_mjv_flexes flexes;
    double extent;                             ///< the model's stat.extent
    float zfar, shadowclip, shadowscale, haze; ///< its vis.map
    float haze_rgb[3];                         ///< its vis.rgba.haze
    bool shadows, reflections, skybox, hazy;   ///< flags of the scene
    bool solid; ///< as for segmentation: what has no segid is left out, the rest is opaque, and there is no sky
} sac_mjv_frame;

// --- what is made

/// The textures, meshes, hulls and height fields of a model, for all scenes of it.
/// @param[out] out  released by sac_render_assets_destroy; NULL on failure
/// @return SAC_OK, SAC_ERROR_ARGUMENT (an index or a number is out of range) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_mjv_assets_create(sac_render_assets **out, const sac_mjv_model *model);

/// Geoms and lights as sac_render wants them. One thread at a time.
typedef struct sac_mjv_scene sac_mjv_scene;

/// @param[out] out        released by sac_mjv_scene_destroy; NULL on failure
/// @param      layout     copied
/// @param      assets     of the model; must outlive the scene
/// @param      model      whose skins move
/// @param      flexes     of a scene of the model; must have as many faces in all updates. NULL: none
/// @param      max_geoms  of a frame; more are not drawn. A geom may be drawn by several
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_mjv_scene_create(sac_mjv_scene **out, const sac_mjv_layout *layout,
                                                    const sac_render_assets *assets, const sac_mjv_model *model,
                                                    const sac_mjv_flexes *flexes, int max_geoms);

/// NULL is ignored.
SAC_API void sac_mjv_scene_destroy(sac_mjv_scene *scene);

/// Take what is to be seen from a frame. Allocates nothing.
/// @param model  whose assets the scene has
/// @param width, height  of the picture, for its aspect
/// @return what to draw, until the next call; the caller may change it, its view above all
SAC_API sac_scene *sac_mjv_scene_update(sac_mjv_scene *scene, const sac_mjv_model *model, const sac_mjv_frame *frame,
                                        int width, int height);

/// What the last update left out because sac_render does not draw it: bit i for geoms of mjtGeom 100 + i, of which 107
/// stands for the labels of other geoms too.
SAC_API uint32_t sac_mjv_scene_left_out(const sac_mjv_scene *scene);

/// Draw a frame: update, then sac_render.
/// @param      picture  as for sac_render; its ids become the frame's segids
/// @param[out] objects  [height, width, 2]: objid and objtype of what is seen, -1 for nothing; NULL: not wanted.
///                      Needs `picture.ids`
/// @return as sac_render
SAC_API SAC_CHECKED sac_status sac_mjv_draw(sac_renderer *renderer, sac_mjv_scene *scene, const sac_mjv_model *model,
                                            const sac_mjv_frame *frame, const sac_picture *picture, int32_t *objects);

// --- many frames at once

/// Frames of one model that several threads draw. What a frame points to is copied when it is taken, so one mjvScene of
/// MuJoCo's serves for all.
typedef struct sac_mjv_batch sac_mjv_batch;

/// @param[out] out      released by sac_mjv_batch_destroy; NULL on failure
/// @param      def      of the renderers, one a thread; its max_geoms is a frame's, as sac_mjv_scene_create has it
/// @param      layout   copied
/// @param      assets, model, flexes  as for sac_mjv_scene_create. Assets and flexes must outlive the batch
/// @param      threads  1..1024, the caller's among them
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_mjv_batch_create(sac_mjv_batch **out, const sac_renderer_def *def,
                                                    const sac_mjv_layout *layout, const sac_render_assets *assets,
                                                    const sac_mjv_model *model, const sac_mjv_flexes *flexes,
                                                    int threads);

/// NULL is ignored.
SAC_API void sac_mjv_batch_destroy(sac_mjv_batch *batch);

/// Say how many frames there are. Those that were taken stay, as far as there are as many.
/// @param count  0..2^20
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_mjv_batch_resize(sac_mjv_batch *batch, int count);

/// Take a frame. Several threads may take frames of different indices at once. Allocates only for an index that was
/// never taken or has more geoms than ever.
/// @param index  0..count - 1
/// @param frame  copied, with all that it points to; its flexes must be those of the batch's creation, moved
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_mjv_batch_take(sac_mjv_batch *batch, int index, const sac_mjv_model *model,
                                                  const sac_mjv_frame *frame);

/// Draw all frames, each by one thread, as sac_mjv_draw does: the same bytes for any number of threads. Allocates
/// nothing.
/// @param      look     what all frames have in common: extent and what stands behind it. The rest of it is not read
/// @param      picture  as for sac_mjv_draw, its arrays with a first dimension of `count`
/// @param[out] objects  [count, height, width, 2]; NULL: not wanted
/// @return as sac_render for the first frame that fails, which sac_last_error names; all others are drawn
SAC_API SAC_CHECKED sac_status sac_mjv_batch_draw(sac_mjv_batch *batch, const sac_mjv_model *model,
                                                  const sac_mjv_frame *look, const sac_picture *picture,
                                                  int32_t *objects);

/// As sac_mjv_scene_left_out, of all frames of the last draw.
SAC_API uint32_t sac_mjv_batch_left_out(const sac_mjv_batch *batch);

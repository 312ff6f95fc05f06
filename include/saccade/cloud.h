#pragma once

#include "saccade/tokens.h"

/// Point clouds: from a depth picture to the things that stand on a table.
///
///     depth picture -> points in the world -> bounds -> voxel grid -> plane removed -> clusters -> centre, main axis
///
/// Each step is a function of its own, and a segmenter does all of them in one call. Points are planar as tokens are,
/// [3, stride] float32 in metres: x of all points, then y, then z. N is their number.
///
/// What steps need beside their arrays is a sac_cloud_memory, which is made once for a largest number of points; only
/// the create functions allocate. A memory and a segmenter belong to one thread at a time. Results have the same bits
/// on every machine and at every CPU level, and do not depend on what a memory was used for before.

/// How a frame lies in another one: x' = R x + t.
typedef struct sac_pose
{
    double rotation[9]; ///< R [3, 3], orthonormal, rows first
    double position[3]; ///< t in metres
} sac_pose;

/// A box along the axes, in metres. A point belongs to it where least <= x <= most on all three axes.
typedef struct sac_bounds
{
    float least[3], most[3];
} sac_bounds;

/// Write the points of a depth picture that lie within bounds, in the order of pixels.
///
/// A pixel is the point that sac_depth_points describes, R (x, y, z) + t in the world: to the right of a camera is x,
/// down is y, forward z. Sums are float32, so a point is off by at most 8 roundings of the largest of its terms.
/// @param[out] points  [3, stride]; stride >= ceil(height / step) * ceil(width / step)
/// @param[out] pixels  [stride] row * width + column of each point; NULL: not wanted
/// @param      pose    of the camera in the world; NULL: points stay in the camera's frame
/// @param      bounds  in the world; NULL: all valid pixels
/// @param      step    every `step`-th row and column is read; 1 at least
/// @return N
SAC_API int sac_cloud_from_depth(float *points, int stride, int *pixels, const sac_depth *depth,
                                 const sac_intrinsics *camera, const sac_pose *pose, const sac_bounds *bounds,
                                 int step);

/// Keep the points within bounds, in their order (a pass-through filter on three axes). What is not a number is
/// dropped.
/// @param[out] out   [3, out_stride], out_stride >= N; may be `points` itself
/// @param[out] kept  [N] indices of the points that were kept; NULL: not wanted
/// @return how many were kept
SAC_API int sac_cloud_pass(float *out, int out_stride, int *kept, const float *points, int stride, int count,
                           const sac_bounds *bounds);

typedef struct sac_cloud_memory sac_cloud_memory;

/// Make the memory of the steps below: about 210 bytes a point.
/// @param[out] out         owned by the caller, released by sac_cloud_memory_destroy; NULL on failure
/// @param      max_points  the largest N that it serves, 1..2^22
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_cloud_memory_create(sac_cloud_memory **out, int max_points);

/// NULL is ignored.
SAC_API void sac_cloud_memory_destroy(sac_cloud_memory *memory);

/// Replace the points of each cube of a grid by their mean. A point belongs to cube (floor(x / size), floor(y / size),
/// floor(z / size)), where x / size is the float32 product with 1 / size. Cubes come in the order of their first
/// points. Time N.
/// @param[out] out        [3, out_stride], out_stride >= N; may be `points` itself
/// @param[out] out_count  the number of cubes that hold points
/// @param      size       side of a cube in metres, above 0
/// @return SAC_OK; SAC_ERROR_ARGUMENT where there are more points than the memory serves, where one is not finite, or
///         where one lies 2^20 cubes or more from the origin
SAC_API SAC_CHECKED sac_status sac_cloud_voxels(sac_cloud_memory *memory, float *out, int out_stride, int *out_count,
                                                const float *points, int stride, int count, float size);

/// A plane: normal . x + offset = 0.
typedef struct sac_cloud_plane
{
    double normal[3]; ///< of length 1, its largest component positive
    double offset;    ///< metres; the signed distance of a point x is normal . x + offset
    int count;        ///< the points within the distance that was asked for
} sac_cloud_plane;

/// How a plane is looked for: by RANSAC (Fischler and Bolles, 1981). A trial takes three points at random and counts
/// the points near their plane. Trials end when, if the best plane so far were the largest one, three of its own points
/// would have been drawn with probability `confidence`. A least-squares plane through the best one's points is the
/// result, and what is near it is counted anew.
typedef struct sac_plane_search
{
    float distance;    ///< from the plane at most, metres, above 0
    int trials;        ///< at most, 1..100000
    double confidence; ///< above 0 and below 1
    uint64_t seed;     ///< of the draws: the same seed, the same plane
} sac_plane_search;

/// 0.01 m, at most 200 trials, 0.99, seed 1.
SAC_API sac_plane_search sac_plane_search_default(void);

/// Find the plane that most points lie near. Time (trials + 2) N.
/// @param[out] out  all zeros on failure
/// @return SAC_OK; SAC_ERROR_ARGUMENT where there are fewer than 3 points, where one is not finite, where a field of
/// the
///         search is out of range, or where no three points that were drawn span a plane
SAC_API SAC_CHECKED sac_status sac_cloud_find_plane(sac_cloud_plane *out, const float *points, int stride, int count,
                                                    const sac_plane_search *search);

/// Keep the points that are farther than `distance` from a plane, in their order.
/// @param[out] out   [3, out_stride], out_stride >= N; may be `points` itself
/// @param[out] kept  [N] indices of the points that were kept; NULL: not wanted
/// @return how many were kept
SAC_API int sac_cloud_off_plane(float *out, int out_stride, int *kept, const float *points, int stride, int count,
                                const sac_cloud_plane *plane, float distance);

/// Put points into clusters: two points are in one where a chain of points leads from one to the other whose neighbours
/// are at most `reach` apart. Clusters come by size, the largest first, and of equal ones that of the earlier point.
/// The time is that of N and of the cubes of side 0.577 reach that hold points: 62 neighbours are looked at for each.
/// @param[out] labels  [N] the index of each point's cluster; -1 where its cluster has fewer than `least` or more than
///                     `most` points
/// @param[out] out_count  clusters
/// @param      reach      metres, above 0
/// @return SAC_OK or SAC_ERROR_ARGUMENT, as sac_cloud_voxels
SAC_API SAC_CHECKED sac_status sac_cloud_clusters(sac_cloud_memory *memory, int *labels, int *out_count,
                                                  const float *points, int stride, int count, float reach, int least,
                                                  int most);

/// What a segmenter does. Start from sac_segmenter_default_def().
typedef struct sac_segmenter_def
{
    int max_points;         ///< of a picture, 1..2^22, default 307,200: 640 x 480
    sac_bounds bounds;      ///< what is looked at of the world, finite; default -1 to 1 m on each axis
    int step;               ///< every `step`-th row and column of a picture is read, 1..1024, default 1
    float voxel;            ///< side of the voxel grid's cubes in metres, default 0.005; 0: no voxel grid
    bool remove_plane;      ///< default true
    sac_plane_search plane; ///< default sac_plane_search_default()
    float reach;            ///< of a cluster's neighbours in metres, default 0.02
    int least_points;       ///< of a cluster, 1 at least, default 30
    int most_points;        ///< of a cluster, default 2^22
    int max_objects;        ///< 1..4096, default 64; the largest ones are kept
    uint32_t internal;      ///< marks a def that came from the default; do not set
} sac_segmenter_def;

/// A thing that was found.
typedef struct sac_cloud_object
{
    int first, count; ///< its columns of the points
    float center[3];  ///< mean of its points, metres
    float axis[3];    ///< in which they spread most: sac_cloud_axis
} sac_cloud_object;

/// What a segmenter found. The arrays are the segmenter's own and stay as they are until it runs again.
typedef struct sac_segments
{
    const float *points; ///< [3, stride] of all objects, one object behind the other, each in the order of the picture
    int stride;
    const sac_cloud_object *objects; ///< [object_count] largest first
    int object_count;
    int clusters;          ///< that were found; more than object_count where max_objects cuts them
    int seen, cells, left; ///< points within the bounds, of the voxel grid, and beside the plane
    sac_cloud_plane plane; ///< zeros where none is removed
} sac_segments;

typedef struct sac_segmenter sac_segmenter;

SAC_API sac_segmenter_def sac_segmenter_default_def(void);

/// Create a segmenter with all its memory: about 240 bytes a point.
/// @param[out] out  owned by the caller, released by sac_segmenter_destroy; NULL on failure
/// @param      def  copied
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_segmenter_create(sac_segmenter **out, const sac_segmenter_def *def);

/// NULL is ignored.
SAC_API void sac_segmenter_destroy(sac_segmenter *segmenter);

/// Find the things of a depth picture.
/// @param      pose  of the camera in the world; NULL: the bounds are in the camera's frame
/// @return SAC_OK, also where no object is found; SAC_ERROR_ARGUMENT where the picture has more pixels than max_points,
///         where no pixel lies within the bounds, or where a plane is wanted and there is none
SAC_API SAC_CHECKED sac_status sac_segmenter_run(sac_segmenter *segmenter, sac_segments *out, const sac_depth *depth,
                                                 const sac_intrinsics *camera, const sac_pose *pose);

/// The same from points [3, stride] in the world, of which those within the bounds are taken; `step` is not used.
SAC_API SAC_CHECKED sac_status sac_segmenter_run_points(sac_segmenter *segmenter, sac_segments *out,
                                                        const float *points, int stride, int count);

// --- depth pictures of others

/// A depth picture that a file holds (docs/clouds.md): metres, the camera, and how it stands in the world.
typedef struct sac_cloud_file
{
    sac_depth depth; ///< [height, width] float32 metres, which lie in the file's memory; `least` 0, `most` FLT_MAX
    sac_intrinsics camera;
    sac_pose pose; ///< the identity where the file has none
    void *internal;
} sac_cloud_file;

/// Read such a file of at most 256 MiB. What is refused: a picture without pixels or of more than 32768 a side, focal
/// lengths that are not within 0.001 to 1e6 pixels, a middle or a position beyond 1e6 pixels or metres, and rotations
/// whose rows are not orthonormal within 0.002, or which mirror. Pixels may be any floats: what is no depth is not
/// valid.
/// @param[out] file  emptied by sac_cloud_file_clear; empty after a failure
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_cloud_file_load(sac_cloud_file *file, const char *path);

/// The same from memory.
/// @param bytes  [size], which may be released afterwards
/// @param where  names the source in errors
SAC_API SAC_CHECKED sac_status sac_cloud_file_read(sac_cloud_file *file, const void *bytes, size_t size,
                                                   const char *where);

/// An empty one is left as it is.
SAC_API void sac_cloud_file_clear(sac_cloud_file *file);

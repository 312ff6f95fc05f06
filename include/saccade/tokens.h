#pragma once

#include "saccade/base.h"

/// These functions make tokens from what a sensor delivers: camera frames, depth images and point clouds.
///
/// Tokens are planar, as attention wants them: [D, stride] float32, one row a dimension, one column a token. A frame
/// describes memory that belongs to someone else: rows may be any number of bytes apart, a crop is such a description
/// as well, and blue may come first. Nothing is copied on the way to tokens.
///
/// Objects that a create function makes are immutable, so threads may share them, each with its own workspace. Only
/// create functions allocate and fail; the others assert their arguments. Results have the same bits on every machine
/// and CPU level.

/// The meaning of a pixel's bytes. Tokens always see red, green, blue.
typedef enum sac_pixel_order
{
    SAC_PIXELS_PLAIN, ///< `channels` bytes, taken in their order: grey (1), RGB (3), or any number
    SAC_PIXELS_BGR,   ///< blue, green, red; channels = 3
    SAC_PIXELS_RGBX,  ///< red, green, blue and a byte that is ignored, such as alpha; channels = 3
    SAC_PIXELS_BGRX,  ///< blue, green, red and a byte that is ignored; channels = 3
    SAC_PIXELS_GREY,  ///< one byte, which stands for each of the `channels`: a grey camera where colours were meant
} sac_pixel_order;

/// A description of an 8-bit image in memory.
typedef struct sac_image
{
    const uint8_t *pixels; ///< the first byte of the upper left pixel
    int height, width;     ///< pixels
    int channels;          ///< that tokens see, see sac_pixel_order
    sac_pixel_order order;
    ptrdiff_t row_stride; ///< bytes from a row to the one below; negative where the lowest row comes first
} sac_image;

/// A description of an image of floats in memory, such as metres, in any unit.
typedef struct sac_float_image
{
    const float *pixels; ///< [height, row_stride], a pixel is `channels` floats
    int height, width, channels;
    ptrdiff_t row_stride; ///< floats (not bytes) from a row to the one below
} sac_float_image;

/// Describe an image whose rows follow each other without a gap.
SAC_API sac_image sac_image_of(const uint8_t *pixels, int height, int width, int channels, sac_pixel_order order);
SAC_API sac_float_image sac_float_image_of(const float *pixels, int height, int width, int channels);

/// The part of an image from (top, left) on; it must lie inside.
SAC_API sac_image sac_image_crop(const sac_image *image, int top, int left, int height, int width);

/// Bytes from a pixel to the next.
SAC_API int sac_pixel_size(const sac_image *image);

/// How an image is cut into square patches: row-major, without padding, so rows = (height - patch) / stride + 1. A
/// stride below `patch` overlaps them, one equal to it tiles the image, patch = stride = 1 takes single pixels.
typedef struct sac_grid
{
    int patch, stride; ///< pixels
    int rows, columns;
    int count; ///< N = rows * columns
} sac_grid;

/// patch in 1..min(height, width), stride >= 1.
SAC_API sac_grid sac_grid_of(int height, int width, int patch, int stride);

/// The pixel in the middle of a patch (below and right of the middle where the patch is even).
SAC_API void sac_grid_center(const sac_grid *grid, int index, int *row, int *column);

/// The patches themselves as tokens: bytes become 0..1. The order inside a patch is row, column, channel.
/// @param[out] tokens  [patch * patch * channels, stride]; columns past N are not written
SAC_API void sac_image_patches(float *tokens, int stride, const sac_image *image, const sac_grid *grid);
SAC_API void sac_float_image_patches(float *tokens, int stride, const sac_float_image *image, const sac_grid *grid);

/// A projection multiplies patches by weights, directly from the image: token_o = sum_i weights[o][i] pixel_i +
/// bias[o]. For bytes the sums are whole numbers: weights are rounded to 16 bits, each output with its own scale s_o =
/// max |w| / 32767 (larger where 255 times a patch's weights would pass 2^31), so a token is off by at most s_o / 2
/// times the sum of the patch's pixels. A typical use places the weights of queries and keys one below the other, with
/// outputs = 2 D.
typedef struct sac_projection_def
{
    int height, width, channels; ///< of the images, 1..32768, 1..32768, 1..64; no default
    sac_pixel_order order;       ///< of their pixels; default SAC_PIXELS_PLAIN
    int patch, stride;           ///< pixels, 1..256; default 1, 1
    int outputs;                 ///< O in 1..4096, no default
    const float *weights;        ///< [O, patch * patch * channels] for pixels in 0..1, copied; no default
    const float *bias;           ///< [O], copied; NULL: zero
    uint32_t internal;           ///< marks a def that came from the default; do not set
} sac_projection_def;

typedef struct sac_projection sac_projection;

SAC_API sac_projection_def sac_projection_default_def(void);

/// Create a projection.
/// @param[out] out  owned by the caller, released by sac_projection_destroy; NULL on failure
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_projection_create(sac_projection **out, const sac_projection_def *def);

/// NULL is ignored.
SAC_API void sac_projection_destroy(sac_projection *projection);

SAC_API sac_grid sac_projection_grid(const sac_projection *projection);

/// Bytes of workspace, which depend on the width of the image but not on its height.
SAC_API size_t sac_projection_workspace_size(const sac_projection *projection);

/// Project an image of the size, channels and order of the def.
/// @param[out] tokens     [O, stride], stride >= N
/// @param      workspace  sac_projection_workspace_size bytes, 64-byte aligned, contents ignored
SAC_API void sac_projection_run(const sac_projection *projection, float *tokens, int stride, const sac_image *image,
                                void *workspace);

/// Project an image of floats with the float weights themselves; the def's order has no effect.
SAC_API void sac_projection_run_floats(const sac_projection *projection, float *tokens, int stride,
                                       const sac_float_image *image, void *workspace);

/// Project only `rows` rows of the grid, from row `first` on, into the first rows * columns columns of tokens [O,
/// stride]. This allows work on blocks that stay in the cache.
SAC_API void sac_projection_run_rows(const sac_projection *projection, float *tokens, int stride,
                                     const sac_image *image, int first, int rows, void *workspace);

/// Compute sinusoids that encode positions: for position p, dimension 2 i is sin(p / 10000^(2 i / D)) and dimension 2 i
/// + 1 is cos of the same.
/// @param[out] out    [D, stride], position p in column p
/// @param      size   D >= 1
/// @param      count  N in 0..2^20
SAC_API void sac_positions_flat(float *out, int stride, int size, int count);

/// The same for a grid of patches in row-major order: the first D / 2 dimensions encode the row, the others the column,
/// each as above with D / 2 in place of D. D is even.
SAC_API void sac_positions_grid(float *out, int stride, int size, int rows, int columns);

/// tokens += other, both [D, N] within their strides.
SAC_API void sac_tokens_add(float *tokens, int stride, const float *other, int other_stride, int size, int count);

/// How an image is resized.
typedef enum sac_resize_method
{
    SAC_RESIZE_BILINEAR, ///< as Pillow does it, for bytes to the bit: a triangle filter that widens when shrinking
    SAC_RESIZE_AREA,     ///< the mean of the area that a new pixel covers, which keeps the picture's mean
} sac_resize_method;

typedef struct sac_resize sac_resize;

/// Prepare to resize images from height x width to new_height x new_width, all in 1..32768.
/// @param[out] out       owned by the caller, released by sac_resize_destroy; NULL on failure
/// @param      channels  1..64
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_resize_create(sac_resize **out, int height, int width, int channels, int new_height,
                                                 int new_width, sac_resize_method method);

/// NULL is ignored.
SAC_API void sac_resize_destroy(sac_resize *resize);

SAC_API size_t sac_resize_workspace_size(const sac_resize *resize);

/// Resize bytes: weights have 22 bits after the point, results are rounded to whole numbers after each of the two
/// passes, columns first.
/// @param[out] out        [new_height, new_width, channels], red first, without gaps; must not overlap the image
/// @param      image      of the sizes and channels given to create, in any order
/// @param      workspace  sac_resize_workspace_size bytes, 64-byte aligned, contents ignored
SAC_API void sac_resize_run(const sac_resize *resize, uint8_t *out, const sac_image *image, void *workspace);

/// The same for floats, summed in double and rounded to float after each pass.
SAC_API void sac_resize_run_floats(const sac_resize *resize, float *out, const sac_float_image *image, void *workspace);

/// What a depth camera delivers.
typedef enum sac_depth_format
{
    SAC_DEPTH_METRES,      ///< float32 metres
    SAC_DEPTH_MILLIMETRES, ///< uint16 millimetres
} sac_depth_format;

/// A description of a depth image in memory. A pixel is valid where least <= depth <= most; 0, NaN and infinity never
/// are.
typedef struct sac_depth
{
    const void *pixels;   ///< the first pixel, aligned as its type
    int height, width;    ///< pixels
    ptrdiff_t row_stride; ///< bytes from a row to the one below
    sac_depth_format format;
    float least, most; ///< metres
} sac_depth;

/// Write metres (0 where they are not valid) and validity (1 or 0), for patches and projections of a float image.
/// @param[out] out  [height, width, 2]
SAC_API void sac_depth_image(float *out, const sac_depth *depth);

/// A pinhole camera: pixel (row, column) at depth z is x = (column - center_column) z / focal_column, y = (row -
/// center_row) z / focal_row; x to the right, y down, z forward, in metres. In a crop the centre moves with its corner.
typedef struct sac_intrinsics
{
    double focal_row, focal_column;   ///< pixels
    double center_row, center_column; ///< pixels
} sac_intrinsics;

/// Write the valid pixels of every `step`-th row and column as points.
/// @param[out] points  [3, stride] x, y, z; stride >= ceil(height / step) * ceil(width / step)
/// @param[out] pixels  row * width + column of each point; NULL: not wanted
/// @return the number of points
SAC_API int sac_depth_points(float *points, int stride, int *pixels, const sac_depth *depth,
                             const sac_intrinsics *camera, int step);

/// A description of points in memory, each x, y, z and then `fields` further numbers (a PointCloud2 calls them fields),
/// all float32. Points whose x, y or z is not finite are skipped, because organised clouds hold NaN where a sensor saw
/// nothing.
typedef struct sac_cloud
{
    const void *points;     ///< x of the first point; need not be aligned
    int count;              ///< N
    int fields;             ///< F
    ptrdiff_t point_stride; ///< bytes from a point to the next
} sac_cloud;

/// Write points as tokens, relative to `center` (NULL: as they are).
/// @param[out] tokens  [3 + F, stride], stride >= N
/// @return the number of tokens
SAC_API int sac_cloud_tokens(float *tokens, int stride, const sac_cloud *cloud, const float center[3]);

/// Compute the mean of the points; it is zero where there are none.
SAC_API void sac_cloud_center(float center[3], const sac_cloud *cloud);

/// Compute the direction in which the points spread most: the unit eigenvector of their covariance's largest
/// eigenvalue, with its largest component positive. It is (0, 0, 1) where the points do not spread at all.
SAC_API void sac_cloud_axis(float axis[3], const sac_cloud *cloud);

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "files/arrays/safetensors.h"
#include "saccade/cloud.h"

/// Files of depth pictures: a safetensors file with the arrays `depth`, `intrinsics` and, where the camera does not
/// stand in the world's origin, `pose`.

enum
{
    MOST_BYTES = 1 << 28,
    MOST_SIDE = 1 << 15
};

static const double least_focal = 1e-3, most_pixels = 1e6, most_metres = 1e6;
static const double most_off = 2e-3; // of products of rows that were written with three decimals

static sac_status take_depth(sac_depth *out, const sac_tensors *tensors, const char *where)
{
    const sac_tensor *depth;
    SAC_TRY(sac_tensors_get(&depth, tensors, "depth", SAC_F32, 2, (const int64_t[]){-1, -1}));
    const int64_t *sides = depth->shape;
    if (sides[0] < 1 || sides[1] < 1 || sides[0] > MOST_SIDE || sides[1] > MOST_SIDE)
        return sac_fail(SAC_ERROR_FORMAT, "%.300s: depth is %lld x %lld, expected 1 to %d a side", where,
                        (long long)sides[0], (long long)sides[1], MOST_SIDE);
    *out = (sac_depth){.pixels = depth->data,
                       .height = (int)sides[0],
                       .width = (int)sides[1],
                       .row_stride = (ptrdiff_t)sides[1] * (ptrdiff_t)sizeof(float),
                       .format = SAC_DEPTH_METRES,
                       .most = FLT_MAX};
    return SAC_OK;
}

static sac_status take_camera(sac_intrinsics *out, const sac_tensors *tensors, const char *where)
{
    const sac_tensor *camera;
    SAC_TRY(sac_tensors_get(&camera, tensors, "intrinsics", SAC_F64, 1, (const int64_t[]){4}));
    const double *c = camera->data;
    for (int i = 0; i < 2; i++)
    {
        if (!(c[i] >= least_focal && c[i] <= most_pixels))
            return sac_fail(SAC_ERROR_FORMAT, "%.300s: a focal length of intrinsics is %g, expected %g to %g pixels",
                            where, c[i], least_focal, most_pixels);
        if (!(fabs(c[2 + i]) <= most_pixels))
            return sac_fail(SAC_ERROR_FORMAT, "%.300s: the middle of intrinsics is at %g, expected %g to %g pixels",
                            where, c[2 + i], -most_pixels, most_pixels);
    }
    *out = (sac_intrinsics){c[0], c[1], c[2], c[3]};
    return SAC_OK;
}

// R is a rotation where its rows have length 1 and stand at right angles, and do not mirror.
static sac_status check_rotation(const double r[9], const char *where)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
        {
            const double product = r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
            if (!(fabs(product - (i == j)) <= most_off))
                return sac_fail(SAC_ERROR_FORMAT,
                                "%.300s: rows %d and %d of the pose's rotation have the product %g, expected %d: rows "
                                "of length 1 at right angles",
                                where, j, i, product, i == j);
        }
    const double determinant =
        r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
    if (determinant > 0) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%.300s: the pose's rotation mirrors, expected a determinant of 1", where);
}

static sac_status take_pose(sac_pose *out, const sac_tensors *tensors, const char *where)
{
    const sac_tensor *pose;
    *out = (sac_pose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
    if (!sac_tensors_find(tensors, "pose")) return SAC_OK;
    SAC_TRY(sac_tensors_get(&pose, tensors, "pose", SAC_F64, 2, (const int64_t[]){3, 4}));
    for (int row = 0; row < 3; row++)
    {
        const double *numbers = (const double *)pose->data + (ptrdiff_t)4 * row;
        memcpy(out->rotation + (ptrdiff_t)3 * row, numbers, 3 * sizeof *numbers);
        out->position[row] = numbers[3];
        if (!(fabs(numbers[3]) <= most_metres))
            return sac_fail(SAC_ERROR_FORMAT, "%.300s: the pose has the position %g, expected %g to %g metres", where,
                            numbers[3], -most_metres, most_metres);
    }
    return check_rotation(out->rotation, where);
}

// The file keeps its arrays, in which the pixels lie; after a failure it is empty.
static sac_status finish(sac_cloud_file *f, sac_status status, const char *where)
{
    if (status == SAC_OK) status = take_depth(&f->depth, f->internal, where);
    if (status == SAC_OK) status = take_camera(&f->camera, f->internal, where);
    if (status == SAC_OK) status = take_pose(&f->pose, f->internal, where);
    if (status != SAC_OK) sac_cloud_file_clear(f);
    return status;
}

sac_status sac_cloud_file_load(sac_cloud_file *f, const char *path)
{
    sac_tensors *tensors;
    const sac_status status = sac_tensors_load(&tensors, path, MOST_BYTES);
    *f = (sac_cloud_file){.internal = tensors};
    return finish(f, status, path);
}

sac_status sac_cloud_file_read(sac_cloud_file *f, const void *bytes, size_t size, const char *where)
{
    sac_tensors *tensors;
    const sac_status status = sac_tensors_read(&tensors, bytes, size, where);
    *f = (sac_cloud_file){.internal = tensors};
    return finish(f, status, where);
}

void sac_cloud_file_clear(sac_cloud_file *f)
{
    sac_tensors_destroy(f->internal);
    *f = (sac_cloud_file){0};
}

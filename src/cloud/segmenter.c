#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cloud/cloud.h"
#include "tokens/axis.h"

/// All steps in one call.

enum
{
    COOKIE = 0xc10d,
    MOST_STEP = 1024,
    MOST_OBJECTS = 4096,
    MOST_POINTS = 1 << 22
};

struct sac_segmenter
{
    sac_segmenter_def def;
    sac_cloud_memory *memory;
    float *points;  ///< [3, max_points]
    float *objects; ///< [3, max_points]
    int *labels;    ///< [max_points]
    sac_cloud_object *list;
};

sac_segmenter_def sac_segmenter_default_def(void)
{
    return (sac_segmenter_def){.max_points = 640 * 480,
                               .bounds = {{-1, -1, -1}, {1, 1, 1}},
                               .step = 1,
                               .voxel = 0.005f,
                               .remove_plane = true,
                               .plane = sac_plane_search_default(),
                               .reach = 0.02f,
                               .least_points = 30,
                               .most_points = MOST_POINTS,
                               .max_objects = 64,
                               .internal = COOKIE};
}

static sac_status check_number(const char *name, int value, int least, int most)
{
    if (value >= least && value <= most) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: %s is %d, expected %d to %d", name, value, least, most);
}

static sac_status check(const sac_segmenter_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: the def does not come from sac_segmenter_default_def()");
    SAC_TRY(check_number("max_points", def->max_points, 1, MOST_POINTS));
    SAC_TRY(check_number("step", def->step, 1, MOST_STEP));
    SAC_TRY(check_number("least_points", def->least_points, 1, MOST_POINTS));
    SAC_TRY(check_number("most_points", def->most_points, def->least_points, MOST_POINTS));
    SAC_TRY(check_number("max_objects", def->max_objects, 1, MOST_OBJECTS));
    for (int d = 0; d < 3; d++)
        if (!(def->bounds.least[d] < def->bounds.most[d]) || !isfinite(def->bounds.most[d] - def->bounds.least[d]))
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "segmenter: bounds of axis %d are %g and %g, expected finite ones in "
                            "order",
                            d, (double)def->bounds.least[d], (double)def->bounds.most[d]);
    if (!(def->voxel >= 0) || !isfinite(def->voxel))
        return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: voxel is %g m, expected 0 or more", (double)def->voxel);
    if (!(def->reach > 0) || !isfinite(def->reach))
        return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: reach is %g m, expected more than 0", (double)def->reach);
    return SAC_OK;
}

static sac_status make(sac_segmenter *s)
{
    const size_t n = (size_t)s->def.max_points;
    s->points = SAC_NEW_MATRIX(float, 3, n);
    s->objects = SAC_NEW_MATRIX(float, 3, n);
    s->labels = SAC_NEW_ARRAY(int, n);
    s->list = SAC_NEW_ARRAY(sac_cloud_object, (size_t)s->def.max_objects);
    if (!s->points || !s->objects || !s->labels || !s->list) return sac_fail_memory("a segmenter");
    return sac_cloud_memory_create(&s->memory, s->def.max_points);
}

sac_status sac_segmenter_create(sac_segmenter **out, const sac_segmenter_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_segmenter *s = SAC_NEW(sac_segmenter);
    if (!s) return sac_fail_memory("a segmenter");
    s->def = *def;
    const sac_status status = make(s);
    if (status == SAC_OK)
        *out = s;
    else
        sac_segmenter_destroy(s);
    return status;
}

void sac_segmenter_destroy(sac_segmenter *segmenter)
{
    if (!segmenter) return;
    sac_cloud_memory_destroy(segmenter->memory);
    sac_free(segmenter->points);
    sac_free(segmenter->objects);
    sac_free(segmenter->labels);
    sac_free(segmenter->list);
    sac_free(segmenter);
}

// Put the points of each cluster one behind the other; clusters beyond the largest ones are left out.
static void gather(sac_segmenter *s, sac_segments *out)
{
    const ptrdiff_t stride = s->def.max_points;
    out->object_count = out->clusters < s->def.max_objects ? out->clusters : s->def.max_objects;
    memset(s->list, 0, (size_t)out->object_count * sizeof *s->list);
    for (int i = 0; i < out->left; i++)
        if (s->labels[i] >= 0 && s->labels[i] < out->object_count) s->list[s->labels[i]].count++;
    for (int o = 0, first = 0; o < out->object_count; first += s->list[o].count, s->list[o++].count = 0)
        s->list[o].first = first;
    for (int i = 0; i < out->left; i++)
    {
        if (s->labels[i] < 0 || s->labels[i] >= out->object_count) continue;
        sac_cloud_object *object = &s->list[s->labels[i]];
        const int at = object->first + object->count++;
        for (int d = 0; d < 3; d++) s->objects[d * stride + at] = s->points[d * stride + i];
    }
}

static void describe(sac_cloud_object *object, const float *points, ptrdiff_t stride)
{
    double mean[3] = {0}, a[3][3] = {{0}};
    const float *x = points + object->first;
    for (int i = 0; i < object->count; i++)
        for (int d = 0; d < 3; d++) mean[d] += (double)x[d * stride + i];
    for (int d = 0; d < 3; d++) mean[d] /= object->count;
    for (int i = 0; i < object->count; i++)
        for (int d = 0; d < 3; d++)
            for (int e = 0; e < 3; e++)
                a[d][e] += ((double)x[d * stride + i] - mean[d]) * ((double)x[e * stride + i] - mean[e]);
    sac_major_axis(object->axis, a);
    for (int d = 0; d < 3; d++) object->center[d] = (float)mean[d];
}

// From the points within the bounds, which lie in s->points, to objects.
static sac_status run(sac_segmenter *s, sac_segments *out)
{
    const sac_segmenter_def *def = &s->def;
    const int stride = def->max_points;
    if (out->seen == 0) return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: no point lies within the bounds");
    out->cells = out->seen;
    if (def->voxel > 0)
        SAC_TRY(sac_cloud_voxels(s->memory, s->points, stride, &out->cells, s->points, stride, out->seen, def->voxel));
    out->left = out->cells;
    if (def->remove_plane)
    {
        SAC_TRY(sac_cloud_find_plane(&out->plane, s->points, stride, out->cells, &def->plane));
        out->left = sac_cloud_off_plane(s->points, stride, NULL, s->points, stride, out->cells, &out->plane,
                                        def->plane.distance);
    }
    SAC_TRY(sac_cloud_clusters(s->memory, s->labels, &out->clusters, s->points, stride, out->left, def->reach,
                               def->least_points, def->most_points));
    gather(s, out);
    for (int o = 0; o < out->object_count; o++) describe(&s->list[o], s->objects, stride);
    out->points = s->objects;
    out->stride = stride;
    out->objects = s->list;
    return SAC_OK;
}

sac_status sac_segmenter_run(sac_segmenter *segmenter, sac_segments *out, const sac_depth *depth,
                             const sac_intrinsics *camera, const sac_pose *pose)
{
    memset(out, 0, sizeof *out);
    const sac_segmenter_def *def = &segmenter->def;
    const int64_t pixels =
        (int64_t)((depth->height + def->step - 1) / def->step) * ((depth->width + def->step - 1) / def->step);
    if (pixels > def->max_points)
        return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: a picture of %lld points, but max_points is %d",
                        (long long)pixels, def->max_points);
    out->seen =
        sac_cloud_from_depth(segmenter->points, def->max_points, NULL, depth, camera, pose, &def->bounds, def->step);
    return run(segmenter, out);
}

sac_status sac_segmenter_run_points(sac_segmenter *segmenter, sac_segments *out, const float *points, int stride,
                                    int count)
{
    memset(out, 0, sizeof *out);
    const int most = segmenter->def.max_points;
    if (count > most) return sac_fail(SAC_ERROR_ARGUMENT, "segmenter: %d points, but max_points is %d", count, most);
    out->seen = sac_cloud_pass(segmenter->points, most, NULL, points, stride, count, &segmenter->def.bounds);
    return run(segmenter, out);
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "files/arrays/safetensors.h"
#include "files/json.h"
#include "saccade/cloud.h"

/// saccade cloud: the things that a depth picture shows.

enum
{
    NAME_SIZE = 24
};

static const cli_flag flags[] = {
    {"set", "KEY=VALUE", "an option: bounds of what is looked at, sizes, the search for the plane", true},
    {"out", "F.safetensors", "write the points of each object, their centres and their axes", false},
    {"json", NULL, "print JSON", false},
    {0},
};

typedef struct config
{
    double least_x, most_x, least_y, most_y, least_z, most_z, least_depth, most_depth, voxel, distance, confidence,
        reach;
    int step, trials, least_points, most_points, max_objects;
    bool remove_plane;
    uint64_t seed;
} config;

#define METRES(name, fallback, least, help)                                              \
    {                                                                                    \
#name, SAC_OPTION_REAL, offsetof(config, name), fallback, least, 1e6, NULL, help \
    }
#define COUNT(name, fallback, most, help)                                            \
    {                                                                                \
#name, SAC_OPTION_INT, offsetof(config, name), fallback, 1, most, NULL, help \
    }

static const sac_option options[] = {
    METRES(least_x, "-1", -1e6, "metres: what is looked at of the world"),
    METRES(most_x, "1", -1e6, "metres"),
    METRES(least_y, "-1", -1e6, "metres"),
    METRES(most_y, "1", -1e6, "metres"),
    METRES(least_z, "-1", -1e6, "metres"),
    METRES(most_z, "1", -1e6, "metres"),
    METRES(least_depth, "0.1", 0, "metres: a pixel that is nearer is not valid"),
    METRES(most_depth, "10", 0, "metres: one that is farther"),
    COUNT(step, "1", 1024, "every how many rows and columns are read"),
    METRES(voxel, "0.005", 0, "metres: side of the voxel grid's cubes; 0: none"),
    {"remove_plane", SAC_OPTION_BOOL, offsetof(config, remove_plane), "true", 0, 0, NULL,
     "leave out the plane that most points lie near"},
    METRES(distance, "0.01", 0, "metres from that plane, within which points are left out"),
    COUNT(trials, "200", 100000, "of RANSAC at most"),
    {"confidence", SAC_OPTION_REAL, offsetof(config, confidence), "0.99", 0, 1, NULL,
     "that the largest plane was tried, at which trials end"},
    {"seed", SAC_OPTION_SEED, offsetof(config, seed), "1", 0, 0, NULL, "of the trials"},
    METRES(reach, "0.02", 0, "metres between neighbours of one object at most"),
    COUNT(least_points, "30", 1 << 22, "of an object"),
    COUNT(most_points, "4194304", 1 << 22, "of an object"),
    COUNT(max_objects, "64", 4096, "objects, the largest ones"),
    {0},
};

static sac_segmenter_def def_of(const config *c, const sac_cloud_file *p)
{
    sac_segmenter_def def = sac_segmenter_default_def();
    def.max_points = ((p->depth.height + c->step - 1) / c->step) * ((p->depth.width + c->step - 1) / c->step);
    def.bounds = (sac_bounds){{(float)c->least_x, (float)c->least_y, (float)c->least_z},
                              {(float)c->most_x, (float)c->most_y, (float)c->most_z}};
    def.step = c->step;
    def.voxel = (float)c->voxel;
    def.remove_plane = c->remove_plane;
    def.plane = (sac_plane_search){(float)c->distance, c->trials, c->confidence, c->seed};
    def.reach = (float)c->reach;
    def.least_points = c->least_points, def.most_points = c->most_points, def.max_objects = c->max_objects;
    return def;
}

static void print_text(const sac_segments *s)
{
    printf("%d points within the bounds, %d in the voxel grid, %d beside the plane; %d objects", s->seen, s->cells,
           s->left, s->object_count);
    printf(s->clusters > s->object_count ? " of %d\n" : "\n", s->clusters);
    if (s->plane.count > 0)
        printf("plane of %d points: (%.4f, %.4f, %.4f) . x %+.4f m = 0\n", s->plane.count, s->plane.normal[0],
               s->plane.normal[1], s->plane.normal[2], s->plane.offset);
    if (s->object_count > 0) printf("%6s %6s %26s %25s\n", "object", "points", "centre in metres", "main axis");
    for (int i = 0; i < s->object_count; i++)
    {
        const sac_cloud_object *o = &s->objects[i];
        printf("%6d %6d  %8.4f %8.4f %8.4f  %8.4f %8.4f %8.4f\n", i, o->count, (double)o->center[0],
               (double)o->center[1], (double)o->center[2], (double)o->axis[0], (double)o->axis[1], (double)o->axis[2]);
    }
}

static json_t *three(double x, double y, double z)
{
    return json_pack("[f, f, f]", x, y, z);
}

static sac_status print_json(const sac_segments *s)
{
    json_t *list = json_array(), *plane = json_null();
    for (int i = 0; i < s->object_count; i++)
    {
        const float *c = s->objects[i].center, *a = s->objects[i].axis;
        json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "points", s->objects[i].count, "center",
                                              three((double)c[0], (double)c[1], (double)c[2]), "axis",
                                              three((double)a[0], (double)a[1], (double)a[2])));
    }
    if (s->plane.count > 0)
        plane =
            json_pack("{s:o, s:f, s:i}", "normal", three(s->plane.normal[0], s->plane.normal[1], s->plane.normal[2]),
                      "offset", s->plane.offset, "points", s->plane.count);
    return sac_json_print(stdout, json_pack("{s:i, s:i, s:i, s:i, s:o, s:o}", "seen", s->seen, "cells", s->cells,
                                            "left", s->left, "clusters", s->clusters, "plane", plane, "objects", list));
}

// An object's points as rows, in the room of a file's tensor.
static void turn(float *to, const sac_segments *s, const sac_cloud_object *o)
{
    for (int i = 0; i < o->count; i++)
        for (int d = 0; d < 3; d++) *to++ = s->points[d * (ptrdiff_t)s->stride + o->first + i];
}

static sac_status save(const sac_segments *s, const char *path)
{
    const int count = s->object_count;
    size_t points = 0;
    for (int i = 0; i < count; i++) points += (size_t)s->objects[i].count;
    float *numbers = SAC_NEW_ARRAY(float, 3 * points + 6 * (size_t)count);
    sac_tensor *tensors = SAC_NEW_ARRAY(sac_tensor, (size_t)count + 2);
    char(*names)[NAME_SIZE] = sac_alloc_array((size_t)count, NAME_SIZE);
    sac_status status = numbers && tensors && names ? SAC_OK : sac_fail_memory("a file of objects");
    if (status == SAC_OK)
    {
        float *centers = numbers, *axes = centers + 3 * (ptrdiff_t)count, *at = axes + 3 * (ptrdiff_t)count;
        tensors[0] = (sac_tensor){.name = "center", .dtype = SAC_F32, .rank = 2, .shape = {count, 3}, .data = centers};
        tensors[1] = (sac_tensor){.name = "axis", .dtype = SAC_F32, .rank = 2, .shape = {count, 3}, .data = axes};
        for (int i = 0; i < count; at += 3 * (ptrdiff_t)s->objects[i++].count)
        {
            memcpy(centers + (ptrdiff_t)3 * i, s->objects[i].center, sizeof s->objects[i].center);
            memcpy(axes + (ptrdiff_t)3 * i, s->objects[i].axis, sizeof s->objects[i].axis);
            snprintf(names[i], NAME_SIZE, "object_%d", i);
            tensors[2 + i] = (sac_tensor){
                .name = names[i], .dtype = SAC_F32, .rank = 2, .shape = {s->objects[i].count, 3}, .data = at};
            turn(at, s, &s->objects[i]);
        }
        status = sac_tensors_save(path, tensors, count + 2, NULL, 0);
    }
    sac_free(numbers);
    sac_free(tensors);
    sac_free(names);
    return status;
}

static sac_status segment(const cli_args *args, const config *c, sac_cloud_file *p)
{
    const char *path = cli_positional(args, 0), *out = cli_value(args, "out");
    sac_segmenter *segmenter;
    sac_segments found;
    SAC_TRY(sac_cloud_file_load(p, path));
    p->depth.least = (float)c->least_depth, p->depth.most = (float)c->most_depth;
    const sac_segmenter_def def = def_of(c, p);
    SAC_TRY(sac_segmenter_create(&segmenter, &def));
    sac_status status = sac_segmenter_run(segmenter, &found, &p->depth, &p->camera, &p->pose);
    if (status != SAC_OK) status = sac_fail_in(status, "%s", path);
    if (status == SAC_OK && out) status = save(&found, out);
    if (status == SAC_OK && cli_has(args, "json"))
        status = print_json(&found);
    else if (status == SAC_OK)
        print_text(&found);
    sac_segmenter_destroy(segmenter);
    return status;
}

static int run(const cli_args *args)
{
    config c;
    sac_cloud_file p = {0};
    const sac_setting *settings;
    const int count = cli_settings(args, "set", &settings);
    if (count < 0) return CLI_USAGE;
    sac_status status = sac_options_read(options, &c, settings, count, "cloud");
    if (status == SAC_OK) status = segment(args, &c, &p);
    sac_cloud_file_clear(&p);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_cloud = {"cloud", "PICTURE.safetensors", "the things that a depth picture shows", flags, run};

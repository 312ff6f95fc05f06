#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "files/atomic.h"
#include "files/pictures/png.h"
#include "saccade/overlay.h"
#include "saccade/policy.h"

/// saccade attend: where a policy looks in one image.

enum
{
    LISTED = 10, // patches, where the policy keeps none
    PIXEL_LIMIT = 1 << 24,
    SHOWN_SIDE = 480, // about, of each half of the picture
    GAP = 16,
    LINE_SIZE = 64
};

static const cli_flag flags[] = {
    {"csv", "F.csv", "write row, column, importance and rank of every patch", false},
    {"png", "F.png", "write the image with the overlay, and beside it the rank of every patch in colours", false},
    {0},
};

static const float *sorted_importance; // qsort has no other way

static int by_rank(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    float x = sorted_importance[i], y = sorted_importance[j];
    return x > y ? -1 : x < y ? 1 : i - j;
}

// rank of every patch, the most important is 0, ties to the lower index
static void rank_patches(const sac_gaze *gaze, int *order, int *ranks)
{
    int count = gaze->rows * gaze->columns;
    for (int i = 0; i < count; i++) order[i] = i;
    sorted_importance = sac_gaze_shown(gaze);
    qsort(order, (size_t)count, sizeof *order, by_rank);
    for (int rank = 0; rank < count; rank++) ranks[order[rank]] = rank;
}

static sac_status write_csv(const sac_gaze *gaze, const int *ranks, const char *path)
{
    int count = gaze->rows * gaze->columns;
    char *text = malloc((size_t)(count + 1) * LINE_SIZE), *at = text;
    if (!text) return SAC_ERROR_MEMORY;
    at += snprintf(at, LINE_SIZE, "row,column,%s,rank\n", gaze->contribution ? "contribution" : "importance");
    for (int i = 0; i < count; i++)
        at += snprintf(at, LINE_SIZE, "%d,%d,%.9g,%d\n", i / gaze->columns, i % gaze->columns,
                       (double)sac_gaze_shown(gaze)[i], ranks[i]);
    sac_status status = sac_write_file(path, text, (size_t)(at - text));
    free(text);
    return status;
}

// the two halves of the picture: the image with the overlay, and the heat map
static void draw_half(const sac_gaze *gaze, int part, const float *levels, float *keep, uint8_t *half, int h, int w,
                      int height, int width)
{
    if (part == 1)
        sac_heat_map(half, h, w, gaze, levels);
    else if (gaze->kept > 0)
    {
        sac_overlay_keep(keep, height, width, gaze);
        sac_overlay_blend(half, h, w, keep, height, width, 1);
    }
    else
    {
        sac_overlay_light(keep, height, width, gaze, levels);
        sac_overlay_dim(half, h, w, keep, height, width, 1);
    }
}

static sac_status write_png(const sac_gaze *gaze, const float *levels, const uint8_t *rgb, int height, int width,
                            const char *path)
{
    int longest = height > width ? height : width, scale = SHOWN_SIDE / longest > 1 ? SHOWN_SIDE / longest : 1;
    int h = scale * height, w = scale * width, all = 2 * w + GAP;
    float *keep = malloc((size_t)height * (size_t)width * sizeof *keep);
    uint8_t *half = malloc((size_t)h * (size_t)w * 3), *picture = calloc((size_t)h * (size_t)all, 3);
    sac_status status = keep && half && picture ? SAC_OK : SAC_ERROR_MEMORY;
    for (int part = 0; part < 2 && status == SAC_OK; part++)
    {
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) memcpy(half + (y * w + x) * 3, rgb + (y / scale * width + x / scale) * 3, 3);
        draw_half(gaze, part, levels, keep, half, h, w, height, width);
        for (int y = 0; y < h; y++) memcpy(picture + (y * all + part * (w + GAP)) * 3, half + y * w * 3, (size_t)w * 3);
    }
    if (status == SAC_OK) status = sac_png_write(path, picture, h, all);
    free(keep);
    free(half);
    free(picture);
    return status;
}

// the patches that are kept; where none is, the most important ones
static void print_top(const sac_gaze *gaze, const int *order, double best_share)
{
    double sum = 0;
    const float *shown = sac_gaze_shown(gaze);
    int count = gaze->rows * gaze->columns, best = (count + 19) / 20, listed = count < LISTED ? count : LISTED;
    for (int i = 0; i < count; i++) sum += (double)shown[i];
    if (gaze->kept > 0)
        printf("%d of %d x %d patches\n", gaze->kept, gaze->rows, gaze->columns);
    else
        printf("keeps none of %d x %d patches but mixes all; the best %d (5 %%) %s %.1f %% of %s, the first %d of "
               "them:\n",
               gaze->rows, gaze->columns, best, gaze->contribution ? "give" : "get", 100 * best_share,
               gaze->contribution ? "what it is told" : "the attention", listed);
    printf("%4s %4s %7s %12s %7s\n", "rank", "row", "column", gaze->contribution ? "contribution" : "importance",
           "share");
    for (int rank = 0; rank < (gaze->kept > 0 ? gaze->kept : listed); rank++)
    {
        int i = gaze->kept > 0 ? gaze->top[rank] : order[rank];
        double importance = (double)shown[i];
        printf("%4d %4d %7d %12.6g %6.2f%%\n", rank, i / gaze->columns, i % gaze->columns, importance,
               100 * importance / sum);
    }
}

static sac_status report(const cli_args *args, const sac_gaze *gaze, const uint8_t *rgb, int height, int width)
{
    size_t count = (size_t)(gaze->rows * gaze->columns);
    int *order = malloc(2 * count * sizeof *order), *ranks = order ? order + count : NULL;
    float *levels = malloc(2 * count * sizeof *levels);
    double best_share = NAN;
    sac_status status = order && levels ? SAC_OK : SAC_ERROR_MEMORY;
    if (status == SAC_OK)
    {
        rank_patches(gaze, order, ranks);
        best_share = sac_heat_levels(levels, levels + count, sac_gaze_shown(gaze), (int)count);
    }
    if (status == SAC_OK && cli_value(args, "csv")) status = write_csv(gaze, ranks, cli_value(args, "csv"));
    if (status == SAC_OK && cli_value(args, "png"))
        status = write_png(gaze, levels, rgb, height, width, cli_value(args, "png"));
    if (status == SAC_OK) print_top(gaze, order, best_share);
    free(order);
    free(levels);
    return status;
}

// An image file holds one picture in three colours, so this is what the policy must look at. Vectors that it takes
// beside it change what it does, and not where it looks.
static sac_status check_input(const sac_policy *policy, int *image)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    char taken[SAC_SPACE_TEXT_SIZE];
    *image = -1;
    for (int i = 0; i < def->input_count; i++)
        if (sac_space_is_image(&def->inputs[i])) *image = *image < 0 ? i : def->input_count;
    const bool one = *image >= 0 && *image < def->input_count;
    if (one && def->inputs[*image].kind == SAC_SPACE_PICTURE && def->channels == 3) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT,
                    "an image file is one picture in three colours, but the policy takes '%s'%s; "
                    "'saccade watch' shows where it looks in its world",
                    sac_space_format(&def->inputs[one ? *image : 0], taken),
                    def->input_count > 1 ? " and other parts" : "");
}

// Looks at the picture, with zeros for all other parts.
static sac_status look(sac_policy_state *state, const sac_policy_def *def, int image, const uint8_t *rgb)
{
    const void *inputs[SAC_MAX_PARTS] = {NULL};
    size_t most = 1;
    for (int i = 0; i < def->input_count; i++)
        if (i != image && sac_space_bytes(&def->inputs[i]) > most) most = sac_space_bytes(&def->inputs[i]);
    void *zeros = calloc(most, 1);
    float *action = malloc((size_t)def->action_size * sizeof *action);
    for (int i = 0; i < def->input_count; i++) inputs[i] = i == image ? (const void *)rgb : zeros;
    const sac_status status = zeros && action ? SAC_OK : SAC_ERROR_MEMORY;
    if (status == SAC_OK) sac_policy_act_on(state, inputs, action);
    free(zeros);
    free(action);
    return status;
}

static sac_status attend(const cli_args *args, const sac_policy *policy)
{
    const char *path = cli_positional(args, 1);
    const sac_policy_def *def = sac_policy_get_def(policy);
    int image;
    SAC_TRY(check_input(policy, &image));
    uint8_t *rgb;
    int height, width;
    SAC_TRY(sac_png_read(&rgb, &height, &width, path, PIXEL_LIMIT));
    sac_policy_state *state = NULL;
    sac_status status = SAC_OK;
    if (height != def->height || width != def->width)
        status = sac_fail(SAC_ERROR_FORMAT, "%s is %d x %d pixels, the policy looks at %d x %d", path, height, width,
                          def->height, def->width);
    if (status == SAC_OK) status = sac_policy_state_create(&state, policy);
    if (status == SAC_OK) status = look(state, def, image, rgb);
    if (status == SAC_OK)
    {
        sac_gaze gaze;
        sac_policy_gaze(state, &gaze);
        if (sac_gaze_shown(&gaze) && gaze.top)
            status = report(args, &gaze, rgb, height, width);
        else
            status = sac_fail(SAC_ERROR_FORMAT, "the policy is of kind '%s', which has no attention", def->kind);
    }
    sac_policy_state_destroy(state);
    sac_free(rgb);
    return status;
}

static int run(const cli_args *args)
{
    sac_policy *policy;
    sac_status status = sac_policy_load(&policy, NULL, cli_positional(args, 0));
    if (status == SAC_OK) status = attend(args, policy);
    sac_policy_destroy(policy);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_attend = {"attend", "POLICY IMAGE.png", "where a policy looks in one image", flags, run};

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "stop.h"
#include "watch.h"

/// saccade watch: a film of an episode with the attention drawn on it, or a live window.

enum
{
    MAX_STEPS = 1000000,
    FRAMES_PER_SECOND = 50
};

static const cli_flag flags[] = {
    CLI_TARGET_FLAGS,
    {"seed", "S", "of the episode; default 0", false},
    {"video", "F.mp4", "write a film instead of opening a window", false},
    {"frames", "DIR", "write the film as PNG images into a folder", false},
    {"histogram", "F.svg", "plot how concentrated attention was over the episode; .svg or .png", false},
    {"attention", "F.csv",
     "write in which rows and columns the patches lay that it kept, step by step; for saccade plot", false},
    {"patches", "F.png", "picture of patches that won attention over the episode, and of some that did not", false},
    {"steps", "N", "stop after so many steps; default: when the episode ends", false},
    {"size", "WxH", "of the film or window; default 1136x720", false},
    {"fps", "N", "frames a second, and so steps, or moments of a step that lasts long; default 50", false},
    {0},
};

// "WxH"; false after a message
static bool read_size(const cli_args *args, watch_plan *watch)
{
    watch->width = SAC_FRAME_WIDTH;
    watch->height = SAC_FRAME_HEIGHT;
    const char *size = cli_value(args, "size");
    char rest;
    if (!size || sscanf(size, "%5dx%5d%c", &watch->width, &watch->height, &rest) == 2) return true;
    cli_usage("watch: --size is '%.80s', expected WIDTHxHEIGHT, such as 1136x720", size);
    return false;
}

// The frames go to these outputs, each of which may be absent.
typedef struct film_pair
{
    sac_film *video, *images;
    sac_attention_share *share;
    sac_patch_sheet *sheet;
    sac_attention_track *track;
} film_pair;

static sac_status write_frame(film_pair *films, const uint8_t *rgb)
{
    if (films->video) SAC_TRY(sac_film_add(films->video, rgb));
    return films->images ? sac_film_add(films->images, rgb) : SAC_OK;
}

static sac_status add_frame(film_pair *films, sac_viewer *viewer, const char *title)
{
    const uint8_t *rgb;
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    if (films->share && gaze) sac_attention_share_add(films->share, gaze);
    if (films->sheet && gaze) sac_patch_sheet_add(films->sheet, viewer);
    if (films->track && gaze) SAC_TRY(sac_attention_track_add(films->track, gaze));
    if (!films->video && !films->images) return SAC_OK;
    SAC_TRY(sac_viewer_draw(viewer, title, NULL, &rgb));
    return write_frame(films, rgb);
}

// A step that lasts long, such as a grasp, has frames of its own.
static sac_status step(const watch_plan *watch, film_pair *films, sac_viewer *viewer, const char *title)
{
    SAC_TRY(sac_viewer_start(viewer, NULL));
    const int moments = films->video || films->images ? sac_viewer_moments(viewer) : 0;
    for (int i = 0; i < moments && !*watch->interrupt; i++)
    {
        const uint8_t *rgb;
        SAC_TRY(sac_viewer_draw_moment(viewer, i, title, NULL, &rgb));
        SAC_TRY(write_frame(films, rgb));
    }
    return sac_viewer_finish(viewer);
}

static sac_status play(const watch_plan *watch, film_pair *films, sac_viewer *viewer, const char *title)
{
    sac_status status = add_frame(films, viewer, title);
    while (status == SAC_OK && !sac_viewer_ended(viewer) && sac_viewer_steps(viewer) < watch->steps &&
           !*watch->interrupt)
    {
        status = step(watch, films, viewer, title);
        if (status == SAC_OK) status = add_frame(films, viewer, title);
    }
    return status;
}

static sac_status open_films(const watch_plan *watch, film_pair *films, sac_viewer *viewer)
{
    if (watch->video)
        SAC_TRY(sac_film_create(&films->video, watch->video, watch->width, watch->height, watch->frames_per_second));
    if (watch->folder) SAC_TRY(sac_film_create_images(&films->images, watch->folder, watch->width, watch->height));
    SAC_TRY(sac_viewer_reset(viewer, watch->seed));
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    if (!watch->histogram && !watch->patches && !watch->attention) return SAC_OK;
    if (!gaze)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "watch: --histogram, --patches and --attention need a policy that has attention");
    if (watch->patches && gaze->patch == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "watch: --patches needs a policy that cuts a picture into patches");
    if (watch->attention) SAC_TRY(sac_attention_track_create(&films->track, gaze->rows, gaze->columns));
    if (watch->patches) SAC_TRY(sac_patch_sheet_create(&films->sheet, gaze, sac_viewer_spec(viewer)->channels));
    return watch->histogram ? sac_attention_share_create(&films->share, gaze->rows * gaze->columns) : SAC_OK;
}

// Prints the share of attention that the best twentieth of the patches got.
static void print_share(const watch_plan *watch, sac_attention_share *share, sac_viewer *viewer)
{
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    const double *mean = sac_attention_share_mean(share);
    int patches = gaze->rows * gaze->columns, best = (patches + 19) / 20;
    double total = 0;
    for (int i = 0; i < best; i++) total += mean[i];
    printf("%d of %d patches (5 %%) %s %.1f %% of %s (%s)\n", best, patches, gaze->contribution ? "gave" : "got",
           100 * total, gaze->contribution ? "what the agent was told" : "the attention", watch->histogram);
}

static sac_status record(const watch_plan *watch, film_pair *films, sac_viewer *viewer)
{
    char title[128];
    watch_title(watch, title, sizeof title);
    SAC_TRY(open_films(watch, films, viewer));
    SAC_TRY(play(watch, films, viewer, title));
    if (films->video) SAC_TRY(sac_film_finish(films->video));
    if (films->images) SAC_TRY(sac_film_finish(films->images));
    if (films->share) SAC_TRY(sac_attention_share_plot(films->share, title, watch->histogram));
    if (films->share) print_share(watch, films->share, viewer);
    if (films->sheet) SAC_TRY(sac_patch_sheet_write(films->sheet, watch->patches));
    if (films->track) SAC_TRY(sac_attention_track_write(films->track, watch->attention));
    char value[SAC_VALUE_SIZE];
    sac_format_value(value, sac_viewer_return(viewer));
    printf("return %s after %d step%s (%s)\n", value, sac_viewer_steps(viewer), sac_plural(sac_viewer_steps(viewer)),
           title);
    return SAC_OK;
}

static sac_status film(const watch_plan *watch)
{
    sac_viewer *viewer;
    film_pair films = {0};
    sac_status status =
        sac_viewer_create(&viewer, watch->target.policy, &watch->target.env, watch->width, watch->height);
    if (status == SAC_OK) status = record(watch, &films, viewer);
    sac_film_destroy(films.video);
    sac_film_destroy(films.images);
    sac_attention_share_destroy(films.share);
    sac_patch_sheet_destroy(films.sheet);
    sac_attention_track_destroy(films.track);
    sac_viewer_destroy(viewer);
    return status;
}

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t last;
    watch_plan watch = {.path = cli_positional(args, 0),
                        .video = cli_value(args, "video"),
                        .folder = cli_value(args, "frames"),
                        .histogram = cli_value(args, "histogram"),
                        .patches = cli_value(args, "patches"),
                        .attention = cli_value(args, "attention")};
    cli_range(args, "seed", "0", &watch.seed, &last, &ok);
    watch.steps = (int)cli_integer(args, "steps", MAX_STEPS, 1, MAX_STEPS, &ok);
    watch.frames_per_second = (int)cli_integer(args, "fps", FRAMES_PER_SECOND, 1, 1000, &ok);
    if (!ok || !read_size(args, &watch)) return CLI_USAGE;
    if (last != watch.seed) return cli_usage("watch: --seed takes one seed");
    int code = cli_target_open(&watch.target, args, watch.path);
    if (code != CLI_OK) return code;

    bool live = !watch.video && !watch.folder && !watch.histogram && !watch.patches && !watch.attention;
    if (!live) watch.interrupt = cli_catch_signals();
    sac_status status = live ? watch_live(&watch) : film(&watch);
    cli_target_close(&watch.target);
    if (status != SAC_OK) return cli_fail(status);
    return watch.interrupt && *watch.interrupt ? CLI_INTERRUPTED : CLI_OK;
}

const cli_command cli_watch = {"watch", "[POLICY]", "film or live window of an episode, with what the policy looks at",
                               flags, run};

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
    {"steps", "N", "stop after so many steps; default: when the episode ends", false},
    {"size", "WxH", "of the film or window; default 1136x720", false},
    {"fps", "N", "frames, and so steps, a second; default 50", false},
    {0},
};

void watch_title(const watch_plan *watch, char *title, size_t size)
{
    snprintf(title, size, "%s, %s, seed %" PRIu64, watch->target.env.id, cli_target_variant(&watch->target),
             watch->seed);
}

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

typedef struct film_pair
{
    sac_film *video, *images;
} film_pair;

static sac_status add_frame(film_pair *films, sac_viewer *viewer, const char *title)
{
    const uint8_t *rgb;
    sac_status status = sac_viewer_draw(viewer, title, NULL, &rgb);
    if (status == SAC_OK && films->video) status = sac_film_add(films->video, rgb);
    if (status == SAC_OK && films->images) status = sac_film_add(films->images, rgb);
    return status;
}

static sac_status record(const watch_plan *watch, film_pair *films, sac_viewer *viewer)
{
    char title[128];
    watch_title(watch, title, sizeof title);
    sac_status status = sac_viewer_reset(viewer, watch->seed);
    if (status == SAC_OK) status = add_frame(films, viewer, title);
    while (status == SAC_OK && !sac_viewer_ended(viewer) && sac_viewer_steps(viewer) < watch->steps)
    {
        status = sac_viewer_step(viewer, NULL);
        if (status == SAC_OK) status = add_frame(films, viewer, title);
    }
    if (status == SAC_OK && films->video) status = sac_film_finish(films->video);
    if (status == SAC_OK && films->images) status = sac_film_finish(films->images);
    if (status == SAC_OK)
        printf("return %.1f after %d steps (%s)\n", sac_viewer_return(viewer), sac_viewer_steps(viewer), title);
    return status;
}

static sac_status film(const watch_plan *watch, const char *video, const char *folder)
{
    sac_viewer *viewer;
    film_pair films = {0};
    int width = watch->width, height = watch->height;
    sac_status status = sac_viewer_create(&viewer, watch->target.policy, &watch->target.env, width, height);
    if (status == SAC_OK && video)
        status = sac_film_create(&films.video, video, width, height, watch->frames_per_second);
    if (status == SAC_OK && folder) status = sac_film_create_images(&films.images, folder, width, height);
    if (status == SAC_OK) status = record(watch, &films, viewer);
    sac_film_destroy(films.video);
    sac_film_destroy(films.images);
    sac_viewer_destroy(viewer);
    return status;
}

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t last;
    watch_plan watch = {.path = cli_positional(args, 0)};
    cli_range(args, "seed", "0", &watch.seed, &last, &ok);
    watch.steps = (int)cli_integer(args, "steps", MAX_STEPS, 1, MAX_STEPS, &ok);
    watch.frames_per_second = (int)cli_integer(args, "fps", FRAMES_PER_SECOND, 1, 1000, &ok);
    if (!ok || !read_size(args, &watch)) return CLI_USAGE;
    if (last != watch.seed) return cli_usage("watch: --seed takes one seed");
    int code = cli_target_open(&watch.target, args, watch.path);
    if (code != CLI_OK) return code;

    const char *video = cli_value(args, "video"), *folder = cli_value(args, "frames");
    sac_status status = video || folder ? film(&watch, video, folder) : watch_live(&watch);
    cli_target_close(&watch.target);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_watch = {"watch", "[POLICY]", "film or live window of an episode, with what the policy looks at",
                               flags, run};

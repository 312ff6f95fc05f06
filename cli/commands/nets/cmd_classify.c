#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli.h"
#include "commands/nets/score.h"
#include "files/atomic.h"
#include "files/json.h"
#include "files/pictures/png.h"
#include "saccade/classifier.h"

/// saccade classify: what a net of `saccade fit` makes of its test pictures, or of PNG files.

enum
{
    MAX_THREADS = 1024,
    PIXEL_LIMIT = 1 << 24,
    LISTED = 3 // classes a picture
};

static const cli_flag flags[] = {
    {"set", "data.KEY=VALUE", "where the test pictures lie: data.folder, data.format, data.limit; without PICTURE",
     true},
    {"threads", "N", "default 1", false},
    {"json", NULL, "print JSON: one object a PICTURE, or one with the confusion table", false},
    {0},
};

// --- the test pictures of its data set ---

static const char *data_key(const void *unused, int index)
{
    static const char *const keys[] = {"data.folder", "data.format", "data.limit", NULL};
    (void)unused;
    return keys[index];
}

// The net is what it is, so nothing but the set can be another. @return an exit code
static int check_settings(const sac_setting *settings, int count)
{
    for (int i = 0; i < count; i++)
    {
        int k = 0;
        while (data_key(NULL, k) && strcmp(data_key(NULL, k), settings[i].key) != 0) k++;
        if (!data_key(NULL, k))
            return cli_usage("classify: --set %.80s: expected data.folder, data.format or data.limit%s",
                             settings[i].key, sac_did_you_mean(sac_nearest(settings[i].key, data_key, NULL)));
    }
    return CLI_OK;
}

static sac_status classify_set(const cli_args *args, const sac_setting *settings, int count, int threads)
{
    sac_trained_net net;
    sac_classify_score score;
    SAC_TRY(sac_trained_net_load(&net, cli_positional(args, 0), settings, count));
    sac_status status = sac_trained_net_evaluate(&score, &net, threads);
    sac_trained_net_clear(&net);
    if (status == SAC_ERROR_FORMAT) status = sac_fail_in(status, "%.400s", cli_positional(args, 0));
    if (status == SAC_OK && cli_has(args, "json"))
        status = cli_print_score_json(&score);
    else if (status == SAC_OK)
        cli_print_score(&score);
    sac_free(score.confusion);
    return status;
}

// --- pictures of one's own ---

// Brightness as Rec. 601 weighs colours, in 1/65536; these sum to 1, so that grey stays as it is.
static uint8_t grey_of(const uint8_t *rgb)
{
    return (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

static sac_status read_picture(uint8_t *out, const char *path, const sac_classifier_shape *s)
{
    uint8_t *rgb;
    int height, width;
    SAC_TRY(sac_png_read(&rgb, &height, &width, path, PIXEL_LIMIT));
    sac_status status = SAC_OK;
    const size_t pixels = (size_t)s->rows * (size_t)s->columns;
    if (height != s->rows || width != s->columns)
        status = sac_fail(SAC_ERROR_FORMAT, "%.400s is %d x %d pixels, the net takes %d x %d", path, height, width,
                          s->rows, s->columns);
    else if (s->channels == 3)
        memcpy(out, rgb, 3 * pixels);
    else
        for (size_t i = 0; i < pixels; i++) out[i] = grey_of(rgb + 3 * i);
    sac_free(rgb);
    return status;
}

static sac_status print_picture_json(const char *path, const int *likely, int count, const float *probabilities)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:i, s:o}", "class", likely[i], "probability",
                                              sac_json_number((double)probabilities[likely[i]])));
    json_t *name = json_string(path); // NULL where a path is no UTF-8
    return sac_json_print(stdout, json_pack("{s:o, s:i, s:o}", "picture", name ? name : json_null(), "class", likely[0],
                                            "most_likely", list));
}

static void print_picture(const char *path, const int *likely, int count, const float *probabilities)
{
    printf("%s: class %d", path, likely[0]);
    for (int i = 0; i < count; i++)
        printf("%s %d %.2f %%", i == 0 ? ";" : ",", likely[i], 100 * (double)probabilities[likely[i]]);
    putchar('\n');
}

// the picture's class, and after it the most probable others
static int list_likely(int likely[LISTED], int best, const float *probabilities, int classes)
{
    int count = 0;
    likely[count++] = best;
    while (count < LISTED && count < classes)
    {
        int next = -1;
        for (int c = 0; c < classes; c++)
        {
            bool listed = false;
            for (int i = 0; i < count; i++) listed |= likely[i] == c;
            if (!listed && (next < 0 || probabilities[c] > probabilities[next])) next = c;
        }
        likely[count++] = next;
    }
    return count;
}

static sac_status print_pictures(const cli_args *args, int count, const int *best, const float *probabilities,
                                 int classes)
{
    for (int i = 0; i < count; i++, probabilities += classes)
    {
        int likely[LISTED];
        const char *path = cli_positional(args, 1 + i);
        const int listed = list_likely(likely, best[i], probabilities, classes);
        if (cli_has(args, "json"))
            SAC_TRY(print_picture_json(path, likely, listed, probabilities));
        else
            print_picture(path, likely, listed, probabilities);
    }
    return SAC_OK;
}

// Finite numbers of a net may still be too large for the sums that it takes of them.
static sac_status check_numbers(const cli_args *args, const float *probabilities, size_t count)
{
    if (sac_all_finite(probabilities, count)) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: its outputs are no numbers: the net has diverged",
                    cli_positional(args, 0));
}

// All pictures are read before the first is classified, so that one that does not fit leaves no half of an answer.
static sac_status classify_with(const cli_args *args, sac_classifier *classifier, int count)
{
    const sac_classifier_shape s = sac_classifier_get_shape(classifier);
    const size_t size = (size_t)s.rows * (size_t)s.columns * (size_t)s.channels;
    if (s.channels != 1 && s.channels != 3)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s takes pictures of %d channels, and PNG files give 1 or 3",
                        cli_positional(args, 0), s.channels);
    uint8_t *pictures = SAC_NEW_MATRIX(uint8_t, (size_t)count, size);
    int *best = SAC_NEW_ARRAY(int, (size_t)count);
    float *probabilities = SAC_NEW_MATRIX(float, (size_t)count, (size_t)s.classes);
    sac_status status = pictures && best && probabilities ? SAC_OK : sac_fail_memory("pictures");
    for (int i = 0; i < count && status == SAC_OK; i++)
        status = read_picture(pictures + (size_t)i * size, cli_positional(args, 1 + i), &s);
    if (status == SAC_OK)
    {
        sac_classifier_run(classifier, pictures, count, best, probabilities);
        status = check_numbers(args, probabilities, (size_t)count * (size_t)s.classes);
    }
    if (status == SAC_OK) status = print_pictures(args, count, best, probabilities, s.classes);
    sac_free(pictures);
    sac_free(best);
    sac_free(probabilities);
    return status;
}

static sac_status classify_pictures(const cli_args *args, int count, int threads)
{
    sac_classifier *classifier;
    SAC_TRY(sac_classifier_load(&classifier, cli_positional(args, 0), threads));
    sac_status status = classify_with(args, classifier, count);
    sac_classifier_destroy(classifier);
    return status;
}

// What is typed in the place of the net, though it is none. @return an exit code
static int check_net(const char *path)
{
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".png") == 0)
        return cli_usage("classify: %.400s is a picture, and the net comes first: NET.safetensors", path);
    return CLI_OK;
}

static int run(const cli_args *args)
{
    bool ok = true;
    const int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    const sac_setting *settings;
    const int count = cli_settings(args, "set", &settings);
    if (!ok || count < 0 || check_settings(settings, count) != CLI_OK) return CLI_USAGE;
    if (check_net(cli_positional(args, 0)) != CLI_OK) return CLI_USAGE;
    int pictures = 0;
    while (cli_positional(args, 1 + pictures)) pictures++;
    if (pictures > 0 && count > 0) return cli_usage("classify: --set is for the test pictures, without PICTURE.png");
    const sac_status status =
        pictures > 0 ? classify_pictures(args, pictures, threads) : classify_set(args, settings, count, threads);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_classify = {
    "classify", "NET.safetensors [PICTURE.png...]",
    "classify PNG pictures, turned to grey for a grey net, or else the test pictures of a net's data set", flags, run};

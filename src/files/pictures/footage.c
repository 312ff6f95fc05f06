#include "files/pictures/footage.h"
#include "base/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/module.h"
#include "files/pictures/film_module.h"
#include "files/pictures/png.h"

enum
{
    PIXEL_LIMIT = 1 << 26
};

// The memory for the frames of a video doubles when it is full.
static sac_status read_frames(const sac_film_calls *film, void *source, uint8_t **frames, int *count, int max_frames,
                              size_t frame_size)
{
    char error[SAC_FILM_ERROR_SIZE] = "";
    int room = 0;
    while (*count < max_frames)
    {
        if (*count == room)
        {
            int larger = room ? 2 * room : 64;
            if (larger > max_frames) larger = max_frames;
            uint8_t *grown = sac_alloc_array((size_t)larger, frame_size);
            if (!grown) return sac_fail_memory("footage");
            if (room) memcpy(grown, *frames, (size_t)room * frame_size);
            sac_free(*frames);
            *frames = grown;
            room = larger;
        }
        int got = film->next(source, *frames + (size_t)*count * frame_size, error);
        if (got < 0) return sac_fail(SAC_ERROR_FORMAT, "%s", error);
        if (got == 0) break;
        ++*count;
    }
    return *count > 0 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "no frame can be decoded");
}

static sac_status read_video(uint8_t **frames, int *count, int max_frames, const char *path, int height, int width)
{
    const void *table;
    SAC_TRY(sac_module_open(&table, "film"));
    const sac_film_calls *film = table;
    char error[SAC_FILM_ERROR_SIZE] = "";
    void *source = film->open(path, &width, &height, error);
    if (!source) return sac_fail(SAC_ERROR_FORMAT, "%s", error);
    sac_status status = read_frames(film, source, frames, count, max_frames, (size_t)height * (size_t)width * 3);
    film->close(source);
    return status == SAC_OK ? status : sac_fail_in(status, "%.200s", path);
}

// Scale by area average, or by the nearest pixel where the picture is enlarged; both in whole numbers.
static void resize(uint8_t *out, int height, int width, const uint8_t *in, int in_height, int in_width)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            int64_t y0 = (int64_t)y * in_height / height, y1 = (int64_t)(y + 1) * in_height / height;
            int64_t x0 = (int64_t)x * in_width / width, x1 = (int64_t)(x + 1) * in_width / width;
            if (y1 == y0) y1++;
            if (x1 == x0) x1++;
            int64_t sums[3] = {0}, area = (y1 - y0) * (x1 - x0);
            for (int64_t v = y0; v < y1; v++)
                for (int64_t u = x0; u < x1; u++)
                    for (int c = 0; c < 3; c++) sums[c] += in[(v * in_width + u) * 3 + c];
            for (int c = 0; c < 3; c++) *out++ = (uint8_t)((sums[c] + area / 2) / area);
        }
}

static int is_image(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return sac_ends_in(name, ".png") || sac_ends_in(name, ".jpg") || sac_ends_in(name, ".jpeg");
}

// FFmpeg reads other images as films of one frame.
static sac_status read_still(uint8_t *frame, const char *path, int height, int width)
{
    SAC_ASSERT(frame);
    uint8_t *frames = NULL;
    int count = 0;
    sac_status status = read_video(&frames, &count, 1, path, height, width);
    if (status == SAC_OK && frames) memcpy(frame, frames, (size_t)height * (size_t)width * 3);
    sac_free(frames);
    return status;
}

static sac_status read_image(uint8_t *frame, const char *folder, const char *name, int height, int width)
{
    char path[SAC_PATH_SIZE];
    uint8_t *rgb;
    int in_height, in_width;
    SAC_TRY(sac_join_path(path, folder, name));
    if (!sac_ends_in(name, ".png")) return read_still(frame, path, height, width);
    SAC_TRY(sac_png_read(&rgb, &in_height, &in_width, path, PIXEL_LIMIT));
    resize(frame, height, width, rgb, in_height, in_width);
    sac_free(rgb);
    return SAC_OK;
}

static sac_status read_folder(uint8_t **frames, int *count, int max_frames, const char *path, int height, int width)
{
    struct dirent **entries = NULL;
    int found = scandir(path, &entries, is_image, alphasort);
    if (found < 0) return sac_fail(SAC_ERROR_FILE, "%.200s: the folder cannot be read", path);
    int wanted = found < max_frames ? found : max_frames;
    size_t frame_size = (size_t)height * (size_t)width * 3;
    sac_status status = SAC_OK;
    if (found == 0)
        status = sac_fail(SAC_ERROR_FORMAT, "%.200s: there is no .png or .jpg file in the folder", path);
    else if (!(*frames = sac_alloc_array((size_t)wanted, frame_size)))
        status = sac_fail_memory("footage");
    while (status == SAC_OK && *count < wanted)
    {
        status = read_image(*frames + (size_t)*count * frame_size, path, entries[*count]->d_name, height, width);
        ++*count;
    }
    for (int i = 0; i < found; i++) free(entries[i]);
    free(entries);
    return status;
}

sac_status sac_footage_read(uint8_t **frames, int *count, int max_frames, const char *path, int height, int width)
{
    SAC_ASSERT(max_frames >= 1 && height >= 1 && width >= 1);
    *frames = NULL;
    *count = 0;
    struct stat facts;
    if (stat(path, &facts) != 0) return sac_fail(SAC_ERROR_FILE, "%.200s: there is no such file", path);
    sac_status status = S_ISDIR(facts.st_mode) ? read_folder(frames, count, max_frames, path, height, width)
                                               : read_video(frames, count, max_frames, path, height, width);
    if (status == SAC_OK) return status;
    sac_free(*frames);
    *frames = NULL;
    *count = 0;
    return status;
}

#include "files/footage.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/film_module.h"
#include "files/module.h"

// frames of a video go into memory that doubles
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
    SAC_TRY(sac_module_open(&table, "film", "FFmpeg's libraries (libavformat, libavcodec, libswscale)"));
    const sac_film_calls *film = table;
    char error[SAC_FILM_ERROR_SIZE] = "";
    void *source = film->open(path, &width, &height, error);
    if (!source) return sac_fail(SAC_ERROR_FORMAT, "%s", error);
    sac_status status = read_frames(film, source, frames, count, max_frames, (size_t)height * (size_t)width * 3);
    film->close(source);
    return status == SAC_OK ? status : sac_fail_in(status, "%.200s", path);
}

sac_status sac_footage_read(uint8_t **frames, int *count, int max_frames, const char *path, int height, int width)
{
    SAC_ASSERT(max_frames >= 1 && height >= 1 && width >= 1);
    *frames = NULL;
    *count = 0;
    struct stat facts;
    if (stat(path, &facts) != 0) return sac_fail(SAC_ERROR_FILE, "%.200s: there is no such file", path);
    sac_status status = read_video(frames, count, max_frames, path, height, width);
    if (status == SAC_OK) return status;
    sac_free(*frames);
    *frames = NULL;
    *count = 0;
    return status;
}

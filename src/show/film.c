#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/module.h"
#include "files/pictures/film_module.h"
#include "files/pictures/png.h"
#include "saccade/film.h"

struct sac_film
{
    int width, height, count;
    char path[SAC_PATH_SIZE], aside[SAC_PATH_SIZE]; // aside: "" for images
    const sac_film_calls *calls;
    void *writer; // the module's; NULL for images and after the end
};

static sac_status create(sac_film **out, const char *path, int width, int height)
{
    *out = NULL;
    if (strlen(path) + 8 > SAC_PATH_SIZE) return sac_fail(SAC_ERROR_ARGUMENT, "film: the path is too long");
    sac_film *film = SAC_NEW(sac_film);
    if (!film) return sac_fail_memory("a film");
    film->width = width;
    film->height = height;
    snprintf(film->path, sizeof film->path, "%s", path);
    *out = film;
    return SAC_OK;
}

static sac_status open_writer(sac_film *film, int frames_per_second)
{
    const void *table;
    char error[SAC_FILM_ERROR_SIZE] = "";
    sac_status status = sac_module_open(&table, "film");
    if (status != SAC_OK) return sac_fail_in(status, "film %.200s (PNG frames would need nothing)", film->path);
    film->calls = table;
    int length = snprintf(film->aside, sizeof film->aside, "%s.tmp", film->path);
    if (length < 0 || (size_t)length >= sizeof film->aside) return sac_fail(SAC_ERROR_ARGUMENT, "film: path too long");
    film->writer = film->calls->create(film->aside, film->width, film->height, frames_per_second, error);
    return film->writer ? SAC_OK : sac_fail(SAC_ERROR_FILE, "film %.200s: %s", film->path, error);
}

sac_status sac_film_create(sac_film **out, const char *path, int width, int height, int frames_per_second)
{
    *out = NULL;
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".mp4") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "film '%.200s': expected a name that ends in .mp4", path);
    if (width < 2 || height < 2 || width % 2 || height % 2)
        return sac_fail(SAC_ERROR_ARGUMENT, "film of %dx%d: expected even sides", width, height);
    if (frames_per_second < 1 || frames_per_second > 1000)
        return sac_fail(SAC_ERROR_ARGUMENT, "film: %d frames a second, expected 1 to 1000", frames_per_second);
    sac_film *film;
    SAC_TRY(create(&film, path, width, height));
    sac_status status = open_writer(film, frames_per_second);
    if (status == SAC_OK)
        *out = film;
    else
        sac_film_destroy(film);
    return status;
}

sac_status sac_film_create_images(sac_film **out, const char *folder, int width, int height)
{
    *out = NULL;
    SAC_TRY(sac_make_folders(folder));
    return create(out, folder, width, height);
}

sac_status sac_film_add(sac_film *film, const uint8_t *rgb)
{
    if (film->writer)
    {
        char error[SAC_FILM_ERROR_SIZE] = "";
        if (film->calls->add(film->writer, rgb, error) < 0)
            return sac_fail(SAC_ERROR_FILE, "film %.200s: %s", film->path, error);
    }
    else
    {
        char name[32], path[SAC_PATH_SIZE];
        snprintf(name, sizeof name, "%06d.png", film->count);
        SAC_TRY(sac_join_path(path, film->path, name));
        SAC_TRY(sac_png_write(path, rgb, film->height, film->width));
    }
    film->count++;
    return SAC_OK;
}

sac_status sac_film_finish(sac_film *film)
{
    if (!film->writer) return SAC_OK;
    char error[SAC_FILM_ERROR_SIZE] = "";
    int result = film->calls->finish(film->writer, 1, error);
    film->writer = NULL;
    if (result == 0 && rename(film->aside, film->path) == 0) return SAC_OK;
    remove(film->aside);
    return sac_fail(SAC_ERROR_FILE, "film %.200s: %s", film->path, result < 0 ? error : "cannot be put in its place");
}

void sac_film_destroy(sac_film *film)
{
    if (!film) return;
    if (film->writer)
    {
        char error[SAC_FILM_ERROR_SIZE];
        film->calls->finish(film->writer, 0, error);
        remove(film->aside);
    }
    sac_free(film);
}

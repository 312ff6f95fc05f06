#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "env/carracing/picture/picture.h"

/// Scenes of CarRacing with Gymnasium's picture of each, as tests/golden/car_picture.py stores them.

enum
{
    CAR_FRAME_BYTES = CAR_CAMERA_SIDE * CAR_CAMERA_SIDE * 3
};

typedef struct car_shot
{
    car_scene scene;
    uint8_t touched[CAR_MAX_NODES];
    const uint8_t *frame; ///< [96, 96, 3]
} car_shot;

typedef struct car_shots
{
    int count, track_count;
    car_shot *shots;
    car_track **tracks;
    uint8_t *frames;
} car_shots;

/// Tiles and kerbs from the nodes of a lap, as the track is defined.
static inline void car_build_tiles(car_track *t)
{
    for (int i = 0; i < t->count; i++)
    {
        int nodes[2] = {i, i > 0 ? i - 1 : t->count - 1};
        double side = t->beta[nodes[1]] - t->beta[i] < 0 ? -1 : 1;
        for (int k = 0; k < 2; k++)
        {
            int n = nodes[k];
            double at[2] = {t->x[n], t->y[n]}, right[2] = {cos(t->beta[n]), sin(t->beta[n])};
            for (int c = 0; c < 2; c++)
            {
                t->tile[i][k ? 3 : 0][c] = at[c] - 40.0 / 6 * right[c];
                t->tile[i][k ? 2 : 1][c] = at[c] + 40.0 / 6 * right[c];
                t->border[i][k ? 3 : 0][c] = at[c] + side * 40.0 / 6 * right[c];
                t->border[i][k ? 2 : 1][c] = at[c] + side * 48.0 / 6 * right[c];
            }
        }
    }
}

static inline car_track *car_read_track(FILE *file)
{
    car_track *t = calloc(1, sizeof *t);
    if (!t || fscanf(file, "%d", &t->count) != 1) abort();
    for (int i = 0; i < t->count; i++)
    {
        int kerb;
        if (fscanf(file, "%lf %lf %lf %lf %d", &t->alpha[i], &t->beta[i], &t->x[i], &t->y[i], &kerb) != 5) abort();
        t->has_border[i] = kerb;
    }
    car_build_tiles(t);
    return t;
}

static inline void car_read_shot(FILE *file, car_shot *shot, const car_track *track)
{
    car_scene *s = &shot->scene;
    s->track = track;
    s->touched = shot->touched;
    int read = fscanf(file, "%lf %lf", &s->time, &s->shown_reward);
    read += fscanf(file, "%f %f %f %f %f %f %f", &s->hull.x, &s->hull.y, &s->hull.angle, &s->hull.vx, &s->hull.vy,
                   &s->hull.omega, &s->joint_angle);
    for (int i = 0; i < CAR_WHEELS; i++)
        read += fscanf(file, "%f %f %f %lf %lf", &s->wheel[i].x, &s->wheel[i].y, &s->wheel[i].angle, &s->wheel_omega[i],
                       &s->wheel_phase[i]);
    read += fscanf(file, " ");
    for (int i = 0; i < track->count; i++) shot->touched[i] = (uint8_t)(fgetc(file) == '1');
    if (read != 2 + 7 + 4 * 5) abort();
}

/// Read `path`.txt and `path`.png. Aborts when they are not there: they are part of the repository.
static inline car_shots car_shots_read(const char *path)
{
    car_shots all = {0};
    char name[4096], word[16];
    snprintf(name, sizeof name, "%s.txt", path);
    FILE *file = fopen(name, "r");
    if (!file) abort();
    enum
    {
        MOST = 4096
    };
    all.shots = calloc(MOST, sizeof *all.shots);
    all.tracks = calloc(MOST, sizeof *all.tracks);
    while (all.count < MOST && fscanf(file, "%15s", word) == 1)
        if (strcmp(word, "track") == 0)
            all.tracks[all.track_count++] = car_read_track(file);
        else
            car_read_shot(file, &all.shots[all.count++], all.tracks[all.track_count - 1]);
    fclose(file);

    snprintf(name, sizeof name, "%s.png", path);
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, name)) abort();
    image.format = PNG_FORMAT_RGB;
    all.frames = malloc(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, NULL, all.frames, 0, NULL)) abort();
    for (int i = 0; i < all.count; i++) all.shots[i].frame = all.frames + (size_t)i * CAR_FRAME_BYTES;
    return all;
}

static inline void car_shots_free(car_shots *all)
{
    for (int i = 0; i < all->track_count; i++) free(all->tracks[i]);
    free(all->tracks);
    free(all->shots);
    free(all->frames);
}

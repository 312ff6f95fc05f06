#include "test.h"

#include "car_scenes.h"

static const char *const data = SAC_SOURCE_DIR "/tests/golden/data/car_picture";

/// Where the reward is written: its glyphs are our own.
static bool is_text(int row, int column)
{
    return row >= 87 && row < 93 && column < 12;
}

typedef struct difference
{
    double mean;
    double far; ///< share of values that are off by more than 24 grey levels
} difference;

static difference compare(const car_shots *all, bool zooming)
{
    car_picture *picture;
    assert_ok(sac_car_picture_create(&picture, CAR_VIEW, CAR_VIEW, CAR_STYLE_AGENT));
    static uint8_t rgb[CAR_FRAME_BYTES];
    long count = 0, sum = 0, far = 0;
    for (int i = 0; i < all->count; i++)
    {
        const car_shot *shot = &all->shots[i];
        if ((shot->scene.time < 1) != zooming) continue;
        sac_car_draw(picture, &shot->scene, NULL, rgb);
        for (int k = 0; k < CAR_FRAME_BYTES; k++)
        {
            if (is_text(k / 3 / CAR_VIEW, k / 3 % CAR_VIEW)) continue;
            int off = abs(rgb[k] - shot->frame[k]);
            count++, sum += off, far += off > 24;
        }
    }
    sac_car_picture_destroy(picture);
    assert_true(count > 0);
    return (difference){(double)sum / (double)count, (double)far / (double)count};
}

TEST(pictures_are_gymnasiums)
{
    car_shots all = car_shots_read(data);
    difference near = compare(&all, false), zooming = compare(&all, true);
    assert_true(near.mean <= 0.12);
    assert_true(near.far < 0.001);
    assert_true(zooming.mean <= 0.3);
    car_shots_free(&all);
}

TESTS(pictures_are_gymnasiums)

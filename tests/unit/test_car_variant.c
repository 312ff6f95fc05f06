#include "test.h"

#include <unistd.h>

#include "car_scenes.h"
#include "env/carracing/picture/variant.h"

/// CarRacing's variants: what each may change in the picture, and that the episode's seed decides it.

static const char *const data = SAC_SOURCE_DIR "/tests/golden/data/car_picture";

static const char *const names[] = {"color", "bars", "blob", "noise", "video=procedural", "fake-lane"};

enum
{
    NAMES = sizeof names / sizeof *names,
    FIELD_BYTES = 84 * CAR_CAMERA_SIDE * 3,
    SHOT = 45
};

typedef struct picture_pair
{
    uint8_t before[CAR_FRAME_BYTES], after[CAR_FRAME_BYTES];
} picture_pair;

static void draw(const car_scene *scene, const car_variant *variant, uint8_t *rgb)
{
    car_picture *picture;
    assert_ok(sac_car_picture_create(&picture, CAR_CAMERA_SIDE, CAR_CAMERA_SIDE, CAR_STYLE_AGENT));
    sac_car_draw(picture, scene, variant, rgb);
    sac_car_picture_destroy(picture);
}

static void draw_pair(const car_scene *scene, const char *name, uint64_t seed, picture_pair *pair)
{
    car_variant *variant;
    assert_ok(sac_car_variant_create(&variant, name));
    assert_non_null(variant);
    sac_car_variant_reset(variant, seed);
    draw(scene, NULL, pair->before);
    draw(scene, variant, pair->after);
    sac_car_variant_destroy(variant);
}

static bool is_grass(const uint8_t *pixel)
{
    return pixel[0] == 100 && pixel[2] == 100 && (pixel[1] == 202 || pixel[1] == 228);
}

static bool same(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, 3) == 0;
}

TEST(each_variant_changes_the_field_and_never_the_bar)
{
    car_shots all = car_shots_read(data);
    picture_pair pair;
    for (int i = 0; i < NAMES; i++)
    {
        draw_pair(&all.shots[SHOT].scene, names[i], 5, &pair);
        assert_memory_not_equal(pair.before, pair.after, FIELD_BYTES);
        assert_memory_equal(pair.before + FIELD_BYTES, pair.after + FIELD_BYTES, CAR_FRAME_BYTES - FIELD_BYTES);
    }
    car_shots_free(&all);
}

TEST(the_seed_decides)
{
    static const bool random[NAMES] = {true, false, false, true, true, false};
    car_shots all = car_shots_read(data);
    picture_pair one, again, other;
    for (int i = 0; i < NAMES; i++)
    {
        draw_pair(&all.shots[SHOT].scene, names[i], 5, &one);
        draw_pair(&all.shots[SHOT].scene, names[i], 5, &again);
        draw_pair(&all.shots[SHOT].scene, names[i], 6, &other);
        assert_memory_equal(one.after, again.after, CAR_FRAME_BYTES);
        assert_int_equal(memcmp(one.after, other.after, CAR_FRAME_BYTES) != 0, random[i]);
    }
    car_shots_free(&all);
}

// the paper replaces pixels that are exactly grass, and only those; in each step by new ones
TEST(noise_and_video_replace_grass_alone)
{
    car_shots all = car_shots_read(data);
    car_scene next = all.shots[SHOT].scene;
    next.time += 0.02;
    for (int i = 3; i <= 4; i++)
    {
        picture_pair pair, later;
        draw_pair(&all.shots[SHOT].scene, names[i], 5, &pair);
        draw_pair(&next, names[i], 5, &later);
        int grass = 0, replaced = 0, renewed = 0;
        for (int k = 0; k < FIELD_BYTES; k += 3)
        {
            bool is = is_grass(pair.before + k);
            grass += is;
            replaced += !same(pair.before + k, pair.after + k);
            renewed += !same(pair.after + k, later.after + k);
            if (!is) assert_true(same(pair.before + k, pair.after + k));
        }
        assert_true(grass > 2000);
        assert_true(replaced > grass * 99 / 100);
        assert_true(renewed > grass * 99 / 100);
    }
    car_shots_free(&all);
}

// noise is uniform: mean 127.5 and variance 256^2 / 12, each within 4 standard errors of about 16,000 values
TEST(noise_is_uniform)
{
    car_shots all = car_shots_read(data);
    picture_pair pair;
    draw_pair(&all.shots[SHOT].scene, "noise", 1, &pair);
    double count = 0, sum = 0, squares = 0;
    for (int k = 0; k < FIELD_BYTES; k++)
        if (is_grass(pair.before + k / 3 * 3)) count++, sum += pair.after[k], squares += pair.after[k] * pair.after[k];
    double mean = sum / count, variance = squares / count - mean * mean;
    assert_near(mean, 127.5, 4 * 73.9 / sqrt(count));
    assert_near(variance, 65535 / 12.0, 4 * 4885 / sqrt(count)); // fourth moment of a uniform number
    car_shots_free(&all);
}

TEST(color_moves_road_and_grass_and_keeps_light_squares)
{
    car_shots all = car_shots_read(data);
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        picture_pair pair;
        draw_pair(&all.shots[SHOT].scene, "color", seed, &pair);
        int grass = 0, road = 0;
        for (int k = 0; k < FIELD_BYTES; k += 3)
        {
            const uint8_t *a = pair.before + k, *b = pair.after + k;
            if (!is_grass(a) && !(a[0] == 100 && a[1] == 100)) continue;
            for (int c = 0; c < 3; c++)
            {
                int change = b[c] - a[c];
                // a level of 228 stands for at least 0.96 of a light square, and the rest may change by 51
                if (a[1] == 228) assert_true(abs(change) <= 2);
                if (a[1] == 228) continue;
                assert_true(abs(change) <= 52);
                assert_true(abs(change - (b[0] - a[0])) <= 1); // the same in all three, but for cutting
                *(a[1] == 202 ? &grass : &road) = change;
            }
        }
        assert_true(grass != 0 || road != 0);
    }
    car_shots_free(&all);
}

TEST(bars_are_as_wide_as_the_papers)
{
    car_shots all = car_shots_read(data);
    picture_pair pair;
    draw_pair(&all.shots[SHOT].scene, "bars", 1, &pair);
    for (int k = 0; k < FIELD_BYTES; k += 3)
    {
        int x = k / 3 % CAR_CAMERA_SIDE, edge = x < 48 ? x : 95 - x;
        const uint8_t *a = pair.before + k, *b = pair.after + k;
        for (int c = 0; c < 3; c++)
            if (edge < 7)
                assert_int_equal(b[c], 0);
            else // 7.2 pixels, with hard edges as in the article's picture
                assert_int_equal(b[c], a[c]);
    }
    car_shots_free(&all);
}

TEST(the_blob_is_red_and_goes_with_the_car)
{
    car_shots all = car_shots_read(data);
    picture_pair pair;
    draw_pair(&all.shots[SHOT].scene, "blob", 1, &pair);
    // x 21..29 and y 7.6..15.6 world units from the car, 1.5552 and 1.944 pixels a unit
    for (int y = 0; y < 84; y++)
        for (int x = 0; x < CAR_CAMERA_SIDE; x++)
        {
            const uint8_t *a = &pair.before[(y * CAR_CAMERA_SIDE + x) * 3],
                          *b = &pair.after[(y * CAR_CAMERA_SIDE + x) * 3];
            static const uint8_t red[] = {202, 0, 0};
            if (x >= 81 && x < 93 && y >= 42 && y < 57) assert_true(same(b, red));
            if (x < 80 || x > 93 || y < 41 || y > 57) assert_true(same(a, b));
        }
    car_shots_free(&all);
}

// the second road lies under the road and is bluer than it by a tenth
TEST(the_fake_lane_is_bluish_and_spares_the_road)
{
    car_shots all = car_shots_read(data);
    picture_pair pair;
    draw_pair(&all.shots[SHOT].scene, "fake-lane", 1, &pair);
    int lane = 0;
    for (int k = 0; k < FIELD_BYTES; k += 3)
    {
        const uint8_t *a = pair.before + k, *b = pair.after + k;
        if (a[0] == a[1] && a[0] >= 100 && a[0] <= 105) assert_true(same(a, b));
        lane += b[0] == 100 && b[1] == 100 && b[2] == 126; // 127.5 - 1.01, cut
    }
    assert_true(lane > 500);
    car_shots_free(&all);
}

TEST(a_folder_of_images_is_a_video)
{
    char folder[] = "/tmp/saccade-clip-XXXXXX", name[64], variant_name[64];
    assert_non_null(mkdtemp(folder));
    static uint8_t blue[16 * 16 * 3];
    for (int i = 0; i < 16 * 16; i++) blue[3 * i + 2] = 200;
    snprintf(name, sizeof name, "%s/1.png", folder);
    png_image image = {.version = PNG_IMAGE_VERSION, .width = 16, .height = 16, .format = PNG_FORMAT_RGB};
    assert_true(png_image_write_to_file(&image, name, 0, blue, 0, NULL));
    snprintf(variant_name, sizeof variant_name, "video=%s", folder);

    car_shots all = car_shots_read(data);
    picture_pair pair;
    draw_pair(&all.shots[SHOT].scene, variant_name, 1, &pair);
    for (int k = 0; k < FIELD_BYTES; k += 3)
        if (is_grass(pair.before + k)) assert_true(same(pair.after + k, blue));
    car_shots_free(&all);
    unlink(name);
    rmdir(folder);
}

// each episode of "any" looks as an episode with its seed does in one of the kinds; each kind comes in its turn
TEST(any_is_one_of_the_kinds_in_each_episode)
{
    enum
    {
        SEEDS = 70
    };
    static const char *const whole[] = {"color", "bars", "blob", "noise", "video=procedural", "fake-lane", "original"};
    static const char *const part[] = {"noise", "original", "blob"};
    static picture_pair pair, like;
    car_shots all = car_shots_read(data);
    for (int round = 0; round < 2; round++)
    {
        const char *const *choices = round == 0 ? whole : part;
        int count = round == 0 ? 7 : 3, seen[7] = {0};
        car_variant *same[7], *any;
        for (int i = 0; i < count; i++) assert_ok(sac_car_variant_create(&same[i], choices[i]));
        assert_ok(sac_car_variant_create(&any, round == 0 ? "any" : "any=noise+original+blob"));
        for (uint64_t seed = 0; seed < SEEDS; seed++)
        {
            int matches = 0;
            sac_car_variant_reset(any, seed);
            draw(&all.shots[SHOT].scene, any, pair.after);
            for (int i = 0; i < count; i++)
            {
                sac_car_variant_reset(same[i], seed);
                draw(&all.shots[SHOT].scene, same[i], like.after);
                bool is = memcmp(pair.after, like.after, CAR_FRAME_BYTES) == 0;
                matches += is;
                seen[i] += is;
            }
            assert_int_equal(matches, 1);
        }
        for (int i = 0; i < count; i++)
        {
            assert_true(seen[i] > 0);
            sac_car_variant_destroy(same[i]);
        }
        sac_car_variant_destroy(any);
    }
    car_shots_free(&all);
}

TEST(names_are_checked)
{
    car_variant *variant;
    assert_ok(sac_car_variant_create(&variant, "original"));
    assert_null(variant);
    assert_fails(sac_car_variant_create(&variant, "colour"), SAC_ERROR_ARGUMENT, "did you mean 'color'");
    assert_null(variant);
    assert_fails(sac_car_variant_create(&variant, "video"), SAC_ERROR_ARGUMENT, "video=PATH");
    assert_fails(sac_car_variant_create(&variant, "video="), SAC_ERROR_ARGUMENT, "video=PATH");
    assert_fails(sac_car_variant_create(&variant, "video=/nowhere/at/all"), SAC_ERROR_FILE, "/nowhere/at/all");
    assert_fails(sac_car_variant_create(&variant, "any=noise+bar"), SAC_ERROR_ARGUMENT, "did you mean 'bars'");
    assert_fails(sac_car_variant_create(&variant, "any=noise+noise"), SAC_ERROR_ARGUMENT, "names noise twice");
    assert_fails(sac_car_variant_create(&variant, "any="), SAC_ERROR_ARGUMENT, "unknown variant ''");
    assert_null(variant);
    sac_car_variant_destroy(NULL);
    sac_car_variant_reset(NULL, 1);
}

TESTS(each_variant_changes_the_field_and_never_the_bar, the_seed_decides, noise_and_video_replace_grass_alone,
      noise_is_uniform, color_moves_road_and_grass_and_keeps_light_squares, bars_are_as_wide_as_the_papers,
      the_blob_is_red_and_goes_with_the_car, the_fake_lane_is_bluish_and_spares_the_road, a_folder_of_images_is_a_video,
      any_is_one_of_the_kinds_in_each_episode, names_are_checked)

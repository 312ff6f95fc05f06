#include "saccade/env.h"

#include "base/memory.h"

#include "test.h"

/// `renderer: opengl`: MuJoCo's own pictures, where there is OpenGL, beside ours.

enum
{
    HEIGHT = 100,
    WIDTH = 100,
    SIZE = HEIGHT * WIDTH * 3
};

typedef struct scene
{
    sac_env *env;
    uint8_t picture[SIZE];
    float action[16];
    double reward;
    uint8_t terminated, truncated;
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} scene;

static sac_status create(sac_env **env, const char *id, const char *variant, const char *renderer, const char *all)
{
    const sac_setting settings[] = {{"height", "100"}, {"width", "100"},     {"renderer", renderer},
                                    {"shadows", all},  {"reflections", all}, {"antialias", all}};
    return sac_env_create(env, &(sac_env_def){.id = id, .variant = variant, .settings = settings, .setting_count = 6});
}

static void open_scene(scene *s, const char *id, const char *variant, const char *renderer, const char *all)
{
    *s = (scene){0};
    assert_ok(create(&s->env, id, variant, renderer, all));
    s->parts[0] = s->picture;
    s->row = (sac_env_row){s->action, s->parts, &s->reward, &s->terminated, &s->truncated};
    assert_ok(sac_env_reset(s->env, 3, &s->row));
    for (int i = 0; i < 16; i++) s->action[i] = 0.3f * (float)(i % 3 - 1);
    for (int i = 0; i < 4; i++) assert_ok(sac_env_step(s->env, &s->row));
}

static void skip_without_opengl(void)
{
    sac_env *env;
    sac_status status = create(&env, "cheetah-run", NULL, "opengl", "false");
    if (status == SAC_ERROR_UNAVAILABLE) skip_without(sac_last_error());
    assert_ok(status);
    sac_env_destroy(env);
}

// the bars of the renderer, plain and with everything
static void compare(const char *id, const char *variant, const char *all)
{
    scene ours, theirs;
    open_scene(&ours, id, variant, "own", all);
    open_scene(&theirs, id, variant, "opengl", all);
    double sum = 0;
    int off = 0;
    for (int i = 0; i < SIZE; i += 3)
    {
        int largest = 0;
        for (int c = 0; c < 3; c++)
        {
            int difference = abs(ours.picture[i + c] - theirs.picture[i + c]);
            sum += difference;
            largest = difference > largest ? difference : largest;
        }
        off += largest > 24;
    }
    bool plain = all[0] == 'f';
    assert_true(sum / SIZE <= (plain ? 0.3 : 1.0));
    assert_true(off <= (plain ? 0.001 : 0.01) * HEIGHT * WIDTH);
    assert_true(ours.reward == theirs.reward);
    sac_env_destroy(ours.env);
    sac_env_destroy(theirs.env);
}

TEST(both_renderers_show_the_same)
{
    static const char *const ids[] = {"cheetah-run", "walker-walk", "cartpole-swingup", "ball-in-cup-catch",
                                      "reacher-easy"};
    skip_without_opengl();
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) compare(ids[i], NULL, "false");
    compare("walker-walk", NULL, "true");
    compare("cheetah-run", "camera:hard+color:hard", "false");
}

// two worlds drawn in turn, and one that is drawn by another size for people
TEST(contexts_do_not_meet)
{
    scene a, b;
    uint8_t before[SIZE], *poster = sac_alloc(90 * 120 * 3);
    skip_without_opengl();
    open_scene(&a, "cheetah-run", NULL, "opengl", "false");
    memcpy(before, a.picture, SIZE);
    sac_env_destroy(a.env);
    open_scene(&a, "cheetah-run", NULL, "opengl", "false");
    open_scene(&b, "reacher-easy", NULL, "opengl", "false");
    assert_ok(sac_env_picture(a.env, poster, 90, 120));
    assert_ok(sac_env_step(b.env, &b.row));
    assert_ok(sac_env_reset(a.env, 3, &a.row));
    for (int i = 0; i < 4; i++) assert_ok(sac_env_step(a.env, &a.row));
    assert_memory_equal(before, a.picture, SIZE);
    sac_env_destroy(a.env);
    sac_env_destroy(b.env);
    sac_free(poster);
}

TEST(what_it_cannot_draw_is_named)
{
    sac_env *env;
    skip_without_opengl();
    assert_fails(create(&env, "cheetah-run", "color:easy+background:easy", "opengl", "false"), SAC_ERROR_ARGUMENT,
                 "shows no background");
    assert_fails(create(&env, "cheetah-run", NULL, "vulkan", "false"), SAC_ERROR_ARGUMENT, "renderer");
}

TESTS(both_renderers_show_the_same, contexts_do_not_meet, what_it_cannot_draw_is_named)

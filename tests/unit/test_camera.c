#include "failing_memory.h"
#include "saccade/camera.h"
#include "test.h"

// straight from bytes against tokens that are written out: sac_projection, then sac_attention_importance

enum
{
    MAX_SIZE = 8,
    MAX_SIDE = 48,
    MAX_COUNT = MAX_SIDE * MAX_SIDE
};

_Alignas(64) static unsigned char workspace[1 << 21];
static uint8_t pixels[MAX_SIDE * MAX_SIDE * 3];
static float query_weights[MAX_SIZE * 300], key_weights[MAX_SIZE * 300], bias[MAX_SIZE];
static float importance[MAX_COUNT], expected[MAX_COUNT];

typedef struct shape
{
    int height, width, channels, patch, stride, d, m;
} shape;

static const shape shapes[] = {
    {48, 48, 3, 2, 2, 8, 8}, {31, 23, 3, 7, 4, 4, 16}, {9, 47, 1, 1, 1, 5, 3},
    {7, 7, 3, 7, 1, 1, 1},   {40, 33, 2, 3, 2, 8, 0},
};

enum
{
    SHAPE_COUNT = sizeof shapes / sizeof *shapes
};

static sac_camera_def def_of(const shape *s, const char *form)
{
    sac_camera_def def = sac_camera_default_def();
    def.attention.form = form;
    def.attention.key_size = s->d;
    def.attention.feature_count = s->m;
    def.height = s->height, def.width = s->width, def.channels = s->channels;
    def.patch = s->patch, def.stride = s->stride;
    def.query_weights = query_weights, def.key_weights = key_weights;
    def.query_bias = def.key_bias = bias;
    return def;
}

static void fill(void)
{
    sac_stream stream = sac_stream_create(1, 0, 0);
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)sac_stream_below(&stream, 256);
    fill_uniform(query_weights, sizeof query_weights / sizeof *query_weights, 2);
    fill_uniform(key_weights, sizeof key_weights / sizeof *key_weights, 3);
    fill_uniform(bias, MAX_SIZE, 4);
}

// queries or keys in floats, from the float weights
static void tokens_of(float *out, const sac_camera_def *def, const float *weights, int count)
{
    sac_projection_def p = sac_projection_default_def();
    p.height = def->height, p.width = def->width, p.channels = def->channels;
    p.patch = def->patch, p.stride = def->stride;
    p.outputs = def->attention.key_size;
    p.weights = weights, p.bias = bias;
    sac_projection *projection;
    assert_ok(sac_projection_create(&projection, &p));
    assert_true(sac_projection_workspace_size(projection) <= sizeof workspace);
    sac_image image = sac_image_of(pixels, def->height, def->width, def->channels, SAC_PIXELS_PLAIN);
    sac_projection_run(projection, out, count, &image, workspace);
    sac_projection_destroy(projection);
}

static void look(sac_camera *camera, const sac_camera_def *def)
{
    sac_image image = sac_image_of(pixels, def->height, def->width, def->channels, SAC_PIXELS_PLAIN);
    assert_true(sac_camera_workspace_size(camera) <= sizeof workspace);
    sac_camera_importance(camera, importance, &image, workspace);
}

static void check(const shape *s, const char *form, bool normalise)
{
    static float queries[MAX_SIZE * MAX_COUNT], keys[MAX_SIZE * MAX_COUNT];
    sac_camera_def def = def_of(s, form);
    def.attention.normalise = normalise;
    def.attention.scale = 0.05;
    sac_camera *camera;
    assert_ok(sac_camera_create(&camera, &def));
    look(camera, &def);
    int n = sac_camera_grid(camera).count;
    tokens_of(queries, &def, query_weights, n);
    tokens_of(keys, &def, key_weights, n);
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, &def.attention));
    assert_true(sac_attention_workspace_size(attention, n) <= sizeof workspace);
    sac_attention_importance(attention, expected, queries, keys, n, n, workspace);
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs((double)expected[i]));
    // unfolded the tokens are the same and only the order of the queries' sum differs: n + F terms of the largest
    // magnitude that rounds. Folded, each u is off by half a step of a 16-bit weight for every pixel
    double tolerance =
        sac_camera_is_folded(camera) ? 4.0 / 65534 * s->patch * s->patch * s->channels : (n + 800) * 6e-8;
    for (int i = 0; i < n; i++) assert_near(importance[i], expected[i], tolerance * largest);
    sac_attention_destroy(attention);
    sac_camera_destroy(camera);
}

TEST(a_frame_is_its_tokens)
{
    fill();
    const char *name;
    for (int form = 0; (name = sac_attention_form_at(form, NULL)); form++)
        for (int i = 0; i < SHAPE_COUNT; i++)
        {
            bool raw = strncmp(name, "sara", 4) == 0 || strcmp(name, "relu") == 0;
            if (strcmp(name, "softmax") == 0 || (shapes[i].m == 0 && !raw)) continue;
            check(&shapes[i], name, false);
            check(&shapes[i], name, true);
        }
}

TEST(folding_is_chosen_where_it_is_less_work)
{
    fill();
    struct
    {
        shape s;
        const char *form;
        bool normalise, folded;
    } cases[] = {{{48, 48, 3, 2, 2, 8, 8}, "relu", false, true},      {{48, 48, 3, 2, 2, 8, 8}, "relu", true, false},
                 {{48, 48, 3, 2, 2, 8, 8}, "positive", false, false}, {{48, 48, 3, 7, 4, 4, 64}, "relu", false, false},
                 {{48, 48, 3, 2, 2, 8, 8}, "sara-relu", false, true}, {{48, 48, 3, 2, 2, 8, 0}, "relu", false, false}};
    for (int i = 0; i < 6; i++)
    {
        sac_camera_def def = def_of(&cases[i].s, cases[i].form);
        def.attention.normalise = cases[i].normalise;
        sac_camera *camera;
        assert_ok(sac_camera_create(&camera, &def));
        assert_int_equal(sac_camera_is_folded(camera), cases[i].folded);
        sac_camera_destroy(camera);
    }
}

TEST(a_constant_frame_ties_to_the_first_patches)
{
    fill();
    memset(pixels, 77, sizeof pixels);
    sac_camera_def def = def_of(&shapes[0], "relu");
    sac_camera *camera;
    assert_ok(sac_camera_create(&camera, &def));
    look(camera, &def);
    int top[10];
    sac_camera_top(camera, top, 10, importance);
    for (int i = 0; i < 10; i++) assert_int_equal(top[i], i);
    sac_camera_destroy(camera);
}

TEST(every_level_gives_the_same_bits)
{
    fill();
    sac_cpu_level best = sac_get_cpu_level();
    const char *const forms[] = {"relu", "positive", "hybrid"};
    for (int i = 0; i < 3; i++)
        for (int level = SAC_CPU_SCALAR; level <= (int)best; level++)
        {
            sac_set_cpu_level((sac_cpu_level)level);
            sac_camera_def def = def_of(&shapes[1], forms[i]);
            sac_camera *camera;
            assert_ok(sac_camera_create(&camera, &def));
            look(camera, &def);
            int n = sac_camera_grid(camera).count;
            if (level == SAC_CPU_SCALAR) memcpy(expected, importance, (size_t)n * sizeof(float));
            assert_memory_equal(importance, expected, (size_t)n * sizeof(float));
            sac_camera_destroy(camera);
        }
    sac_set_cpu_level(best);
}

TEST(create_names_the_bad_field)
{
    fill();
    sac_camera *camera;
    sac_camera_def def = def_of(&shapes[0], "softmax");
    assert_fails(sac_camera_create(&camera, &def), SAC_ERROR_ARGUMENT, "softmax is not a linear form");
    assert_null(camera);
    def = def_of(&shapes[0], "relu");
    def.key_weights = NULL;
    assert_fails(sac_camera_create(&camera, &def), SAC_ERROR_ARGUMENT, "key_weights");
    def = def_of(&shapes[0], "relu");
    def.width = 0;
    assert_fails(sac_camera_create(&camera, &def), SAC_ERROR_ARGUMENT, "width");
    def.patch = 0;
    assert_fails(sac_camera_create(&camera, &def), SAC_ERROR_ARGUMENT, "patch");
    def.internal = 0;
    assert_fails(sac_camera_create(&camera, &def), SAC_ERROR_ARGUMENT, "default_def");
    sac_camera_destroy(NULL);
}

TEST(create_survives_lack_of_memory)
{
    fill();
    sac_camera *camera;
    sac_camera_def def = def_of(&shapes[0], "relu");
    assert_survives_lack_of_memory(sac_camera_create(&camera, &def), sac_camera_destroy(camera));
}

TESTS(a_frame_is_its_tokens, folding_is_chosen_where_it_is_less_work, a_constant_frame_ties_to_the_first_patches,
      every_level_gives_the_same_bits, create_names_the_bad_field, create_survives_lack_of_memory)

#include "attention/form.h"
#include "policy_scene.h"
#include "saccade/export.h"
#include "scratch.h"

// SARA's maps with G and v that are tensors of a policy: zero is the drawn map, other numbers move it, every reading
// and level sees the same

static uint8_t image[SCENE_SIZE];

typedef struct acted
{
    sac_policy *policy;
    sac_policy_state *state;
    float action[3];
    sac_gaze gaze;
} acted;

static acted act(sac_policy *policy)
{
    acted a = {.policy = policy, .state = scene_state(policy)};
    scene_image(image, 3);
    sac_policy_act(a.state, image, a.action);
    sac_policy_gaze(a.state, &a.gaze);
    return a;
}

static void forget(acted *a)
{
    sac_policy_state_destroy(a->state);
    sac_policy_destroy(a->policy);
}

// the same tensors under a policy with other settings; what it has besides is zero
static sac_policy *with_tensors_of(const sac_policy *from, const char *settings)
{
    sac_policy *shape, *policy;
    assert_ok(scene_create(&shape, settings));
    float *parameters = calloc((size_t)sac_policy_parameter_count(shape), sizeof *parameters);
    assert_non_null(parameters);
    for (int i = 0; i < sac_policy_tensor_count(shape); i++)
        for (int j = 0; j < sac_policy_tensor_count(from); j++)
        {
            const sac_policy_tensor *to = sac_policy_tensor_at(shape, i), *tensor = sac_policy_tensor_at(from, j);
            if (strcmp(to->name, tensor->name) == 0)
                memcpy(parameters + to->offset, sac_policy_parameters(from) + tensor->offset,
                       sac_policy_tensor_size(tensor) * sizeof *parameters);
        }
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    return policy;
}

static const char *const kinds[] = {
    "attention=sara-relu",
    "attention=sara-exp,heads=2,divide=true",
    "attention=sara-square,normalise_tokens=true,key_period=2",
    "kind=iap-rank,attention=sara-relu,projection=learned",
    "kind=iap-trans,attention=sara-exp,heads=2",
    "kind=iap-trans,attention=sara-relu,divide=true,normalise_tokens=false",
};

static const char *learned(const char *settings)
{
    static char text[256];
    snprintf(text, sizeof text, "%s,attention_map=learned", settings);
    return text;
}

TEST(zeros_are_the_drawn_map)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    {
        acted drawn = act(scene_any_policy(kinds[i]));
        acted same = act(with_tensors_of(drawn.policy, learned(kinds[i])));
        assert_true(sac_policy_parameter_count(same.policy) > sac_policy_parameter_count(drawn.policy));
        assert_memory_equal(drawn.action, same.action, sizeof drawn.action);
        assert_memory_equal(drawn.gaze.importance, same.gaze.importance,
                            (size_t)(drawn.gaze.rows * drawn.gaze.columns) * sizeof(float));
        forget(&same);
        forget(&drawn);
    }
}

TEST(each_tensor_moves_what_is_seen)
{
    static const char *const names[] = {"attention.query_map", "attention.key_map", "attention.gain"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < 3; k++)
        {
            acted before = act(scene_any_policy(learned(kinds[i])));
            float *parameters = malloc((size_t)sac_policy_parameter_count(before.policy) * sizeof *parameters);
            memcpy(parameters, sac_policy_parameters(before.policy),
                   (size_t)sac_policy_parameter_count(before.policy) * sizeof *parameters);
            ptrdiff_t at = scene_tensor(before.policy, names[k]) - sac_policy_parameters(before.policy);
            parameters[at + 1] += 0.5f;
            sac_policy *moved;
            assert_ok(sac_policy_create_with(&moved, before.policy, parameters));
            acted after = act(moved);
            assert_memory_not_equal(before.gaze.importance, after.gaze.importance,
                                    (size_t)(before.gaze.rows * before.gaze.columns) * sizeof(float));
            free(parameters);
            forget(&after);
            forget(&before);
        }
}

// an attention that is given the same G and v gives the same importance: the bits of one matrix that is made in another
// place, times the same factor
TEST(it_is_the_attention_of_that_map)
{
    enum
    {
        M = 6,
        D = 4,
        N = 529
    };
    static _Alignas(64) unsigned char workspace[1 << 20];
    static float importance[N], queries[D * N], keys[D * N], projection[M * D];
    acted a = act(scene_any_policy("attention=sara-exp,attention_map=learned,attention_features=6,scale=0.7"));
    float given[2][M * D], gains[M];
    sac_attention_def def = sac_attention_default_def();
    assert_ok(sac_draw_features(projection, M, D, true, def.seed));
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < M * D; i++)
            given[side][i] =
                projection[i] + scene_tensor(a.policy, side ? "attention.key_map" : "attention.query_map")[i];
    for (int i = 0; i < M; i++) gains[i] = 1 + scene_tensor(a.policy, "attention.gain")[i];
    def.form = "sara-exp", def.key_size = D, def.feature_count = M, def.scale = 0.7;
    def.projection = given[0], def.key_projection = given[1], def.feature_gains = gains;
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, &def));
    assert_true(sac_attention_workspace_size(attention, N) <= sizeof workspace);
    for (int n = 0; n < N; n++)
        for (int d = 0; d < D; d++)
            queries[d * N + n] = a.gaze.queries[n * D + d], keys[d * N + n] = a.gaze.keys[n * D + d];
    sac_attention_importance(attention, importance, queries, keys, N, N, workspace);
    // each number of G is rounded twice more in one of them, and an exponent of D such products moves e^x by as much
    for (int n = 0; n < N; n++) assert_near(a.gaze.importance[n], importance[n], 64 * 0x1p-24 * (double)importance[n]);
    sac_attention_destroy(attention);
    forget(&a);
}

TEST(every_level_gives_the_same_bits)
{
    static const char *const more[] = {
        "kind=iap-trans,attention=softmax,heads=2", "kind=iap-trans,attention=relu,divide=true,order=left",
        "kind=iap-trans,attention=positive,divide=true,order=right", "attention=relu,attention_features=0,divide=true"};
    const sac_cpu_level best = sac_get_cpu_level();
    const size_t count = sizeof kinds / sizeof *kinds;
    for (size_t i = 0; i < count + sizeof more / sizeof *more; i++)
    {
        acted first = {0};
        for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
        {
            sac_set_cpu_level(level);
            if (sac_get_cpu_level() != level) continue;
            acted a = act(scene_any_policy(i < count ? learned(kinds[i]) : more[i - count]));
            if (!first.policy)
            {
                first = a;
                continue;
            }
            assert_memory_equal(first.action, a.action, sizeof a.action);
            assert_memory_equal(first.gaze.importance, a.gaze.importance, 529 * sizeof(float));
            forget(&a);
        }
        forget(&first);
    }
    sac_set_cpu_level(best);
}

TEST(a_file_holds_the_map)
{
    scratch_open();
    const char *path = scratch_path("policy.safetensors");
    acted a = act(scene_any_policy("attention=sara-relu,attention_map=learned,divide=true"));
    sac_policy *loaded;
    assert_ok(sac_policy_save(a.policy, NULL, NULL, path));
    assert_ok(sac_policy_load(&loaded, NULL, path));
    acted b = act(loaded);
    assert_memory_equal(a.action, b.action, sizeof a.action);
    sac_export_def def = {0};
    assert_fails(sac_export_c(loaded, &def, scratch_path("agent.c"), NULL), SAC_ERROR_UNAVAILABLE,
                 "attention_map is 'learned', but only 'drawn' can be exported");
    forget(&a);
    forget(&b);
    sac_policy *mixer = scene_any_policy("kind=iap-trans,attention=softmax");
    assert_fails(sac_export_c(mixer, &def, scratch_path("agent.c"), NULL), SAC_ERROR_UNAVAILABLE,
                 "attention is 'softmax', but of iap-trans only forms with features can be exported");
    sac_policy_destroy(mixer);
}

TEST(what_makes_no_sense_is_named)
{
    static const char *const refused[][2] = {
        {"attention=relu,attention_map=learned", "attention_map is learned, which is for sara-relu"},
        {"attention_map=learned", "sara-relu, sara-exp and sara-square, not softmax"},
        {"attention=sara-relu,attention_map=learned,attention_features=0", "leaves no map to learn"},
        {"attention=sara-relu,attention_map=lerned", "did you mean 'learned'"},
        {"attention=trig,divide=true", "rows of trig"},
        {"attention=relu,divide=true,projection=learned", "divide is true, but projection is learned"},
        {"attention=relu,divide=true,key_period=2", "divide is true, but key_period is more than 1"},
        {"attention=relu,divide=true,selection=tree", "divide is true, but selection is tree"},
    };
    sac_policy *policy;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_fails(scene_create(&policy, refused[i][0]), SAC_ERROR_ARGUMENT, refused[i][1]);
}

TESTS(zeros_are_the_drawn_map, each_tensor_moves_what_is_seen, it_is_the_attention_of_that_map,
      every_level_gives_the_same_bits, a_file_holds_the_map, what_makes_no_sense_is_named)

#include "saccade/export.h"

#include <sys/wait.h>
#include <unistd.h>

#include "policy/kind.h"
#include "policy_scene.h"
#include "scratch.h"

// an exported agent repeats the library's actions to the bit, whatever its parts: its own recorded ones are the witness

// every row of the tables of parts, some together
static const char *const agents[] = {
    "attention=softmax",
    "attention=softmax,normalise_tokens=true,scale=300",
    "attention=softmax,scale=2000,patch=5,stride=9,key_size=3",
    "attention=relu,attention_features=0",
    "attention=relu,attention_features=16,normalise_tokens=true",
    "attention=positive,position_encoding=flat",
    "attention=trig,normalise_tokens=true",
    "attention=sara-exp,attention_features=8",
    "attention=sara-square,stride=5",
    "attention=sara-relu,patch_features=values+positions,value_size=3,controller=linear",
    "patch_features=histogram+positions,controller=mlp,activation=clip",
    "patch_features=conv,conv_channels=4:2,top=5,controller=mlp,activation=none",
    "attention=relu,image_size=64,patch_features=positions+values",
    "attention=softmax,image_size=120,patch=9,stride=7",
    "kind=cnn,conv_channels=6:5:4",
    "kind=iap-trans",
    "kind=iap-trans,attention=relu,rows=3,value_size=5,order=left,residual=false",
    "kind=iap-trans,attention=sara-exp,order=middle,layer_norm=false,image_size=70",
    "kind=cnn,image_size=48,conv_channels=3,controller=mlp",
    "kind=cnn,image_size=40,conv_channels=4:5:3,conv_kernel=3,conv_stride=1,conv_pool=2:1:3,controller=mlp",
    "kind=cnn,image_size=40,conv_channels=3,conv_stride=2,conv_pool=2,controller=linear",
    "attention=relu,masking=true,stride=11,position_encoding=flat,normaliser=true",
    "attention=relu,motion=true,normaliser=true,controller=mlp",
    "kind=iap-trans,attention=relu,motion=true",
    "kind=iap-trans,attention=relu,centre_pixels=true,position_encoding=flat",
    "attention=hybrid,attention_features=5,attention_directions=3",
    "attention=hybrid,normalise_tokens=true,attention_features=9,attention_directions=1",
    "kind=iap-trans,attention=hybrid,attention_features=4,attention_directions=2,order=right,stride=9",
    "attention=relu,image_size=44,patch_features=conv+histogram,masking=true,stride=9",
    // some rows of the picture alone, as they are, resized, and by their pixels
    "kind=iap-trans,attention=relu,crop_top=17,crop_height=40,patch=6,stride=5",
    "attention=softmax,crop_top=23,patch_features=values+positions+histogram",
    "kind=cnn,crop_top=5,crop_height=70,image_size=48,conv_channels=3,controller=mlp",
    // more sums than are in hand at once: rows in several groups
    "kind=iap-trans,attention=relu,attention_features=100,rows=7,value_size=3,order=left",
    "kind=iap-trans,attention=trig,attention_features=40,rows=5,value_size=60,order=right",
    "kind=iap-trans,attention=positive,attention_features=300,rows=2,value_size=5,order=middle",
    "kind=iap-rank",
    "kind=iap-rank,masking=true,stride=11,projection=ones,selection=top",
};

static int run_command(const char *format, ...)
{
    char command[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    int status = system(command); // NOLINT: names made here
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// parameters several times as large as drawn ones reach the far ends of every function
static sac_policy *agent(const char *settings, uint64_t seed)
{
    sac_policy *shape = scene_policy(settings, seed), *policy;
    size_t size = (size_t)sac_policy_parameter_count(shape);
    float *parameters = malloc(size * sizeof *parameters);
    assert_non_null(parameters);
    for (size_t i = 0; i < size; i++) parameters[i] = 3 * sac_policy_parameters(shape)[i];
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    return policy;
}

static void export_agent(const char *settings, bool int8, uint64_t seed)
{
    sac_policy *policy = agent(settings, seed);
    sac_export_sizes sizes;
    const sac_export_def def = {.int8 = int8};
    assert_ok(sac_export_c(policy, &def, scratch_path("agent.c"), &sizes));
    assert_true(sizes.constants > 0 && sizes.memory > 0);
    sac_policy_destroy(policy);
}

static void assert_repeats(const char *settings)
{
    const char *folder = scratch_path("");
    if (run_command("cc -std=c99 -pedantic -Wall -Wextra -Wconversion -Werror -O1 -DSELF_TEST %sagent.c -o %sagent",
                    folder, folder) != 0)
        fail_msg("%s: the C file does not compile", settings);
    int scene = run_command("%sagent", folder);
    if (scene != 0) fail_msg("%s: scene %d gives another action than the library", settings, scene);
}

TEST(agents_of_all_parts_repeat_the_library)
{
    scratch_open();
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
    {
        export_agent(agents[i], i % 3 == 1, i);
        assert_repeats(agents[i]);
    }
}

// a step of a weight is the largest of its row over 127, so that rounding is off by half a step at most
TEST(rounding_is_within_half_a_step)
{
    sac_policy *policy = agent("attention=relu", 1), *rounded;
    assert_ok(sac_export_round(&rounded, policy));
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        size_t columns = tensor->rank < 2 ? 0 : sac_policy_tensor_size(tensor) / (size_t)tensor->shape[0];
        for (size_t j = 0; j < sac_policy_tensor_size(tensor); j++)
        {
            const float *exact = sac_policy_parameters(policy) + tensor->offset;
            const float *rough = sac_policy_parameters(rounded) + tensor->offset;
            float largest = 0;
            for (size_t k = 0; k < columns; k++) largest = fmaxf(largest, fabsf(exact[j / columns * columns + k]));
            assert_near((double)rough[j], (double)exact[j], (double)largest / 253); // half of 1/127 and its roundings
        }
    }
    sac_policy_destroy(rounded);
    sac_policy_destroy(policy);
}

// the test within the file is one that can fail
TEST(a_changed_agent_fails_its_own_test)
{
    scratch_open();
    export_agent("attention=softmax", false, 5);
    const char *folder = scratch_path("");
    assert_int_equal(run_command("sed -i 's/^    TOP = 10,/    TOP = 9,/' %sagent.c", folder), 0);
    assert_int_equal(run_command("cc -w -DSELF_TEST %sagent.c -o %sagent", folder, folder), 0);
    assert_int_equal(run_command("%sagent", folder), 1);
}

// what a policy file says of itself never becomes code
TEST(names_from_files_stay_in_their_comment)
{
    scratch_open();
    sac_policy *policy = agent("attention=relu", 3);
    sac_policy_info info = {.environment = "x */ int main(void) { return 7; } /* \\"};
    const sac_export_def def = {.info = &info};
    assert_ok(sac_export_c(policy, &def, scratch_path("agent.c"), NULL));
    sac_policy_destroy(policy);
    assert_repeats("a hostile name");
}

// an exporter's own view of what it is given: a kind and options that it has never heard of
static void assert_refused(sac_policy *policy, const char *words)
{
    const sac_export_def def = {0};
    assert_fails(sac_export_c(policy, &def, scratch_path("a.c"), NULL), SAC_ERROR_UNAVAILABLE, words);
    assert_fails(sac_export_onnx(policy, scratch_path("a.onnx")), SAC_ERROR_UNAVAILABLE, words);
    assert_int_equal(access(scratch_path("a.c"), F_OK), -1);
    assert_int_equal(access(scratch_path("a.onnx"), F_OK), -1);
}

// a kind says by its ops that it can be exported, and one that says nothing is refused, whatever its name is
TEST(an_unknown_kind_is_refused)
{
    scratch_open();
    sac_policy *policy = agent("attention=relu", 1);
    const sac_policy_ops *ops = policy->ops;
    sac_policy_ops newer = *ops;
    newer.exported = NULL;
    policy->ops = &newer;
    assert_refused(policy, "kind 'attention-agent' cannot be exported");
    newer.name = "legs";
    assert_refused(policy, "kind 'legs' cannot be exported");
    policy->ops = ops;
    sac_policy_destroy(policy);
}

// an option that is newer than the exporter may have its default, as every policy before it had, and nothing else
TEST(an_unknown_option_is_refused_unless_it_has_its_default)
{
    scratch_open();
    sac_policy *policy = agent("attention=relu", 1);
    const sac_policy_ops *ops = policy->ops;
    static sac_option options[64];
    int count = 0, last = -1;
    for (; ops->options[count].name; count++)
    {
        options[count] = ops->options[count];
        if (strcmp(options[count].name, "bins") == 0) last = count;
    }
    assert_in_range(last, 0, count);
    options[last].name = "ears"; // its default is 4, and so is its value
    sac_policy_ops newer = *ops;
    newer.options = options;
    policy->ops = &newer;
    sac_setting *settings = (sac_setting *)policy->def.settings;
    for (int i = 0; i < policy->def.setting_count; i++)
        if (strcmp(settings[i].key, "bins") == 0) last = i;
    settings[last].key = "ears";
    const sac_export_def def = {0};
    assert_ok(sac_export_c(policy, &def, scratch_path("b.c"), NULL));
    assert_ok(sac_export_onnx(policy, scratch_path("b.onnx")));
    settings[last].value = "8";
    assert_refused(policy, "ears is '8', but only '4' can be exported");
    settings[last].key = "bins";
    policy->ops = ops;
    sac_policy_destroy(policy);
}

// every row of the tables of parts has a graph, too; tests/export/run.sh runs them
TEST(agents_of_all_parts_have_a_graph)
{
    scratch_open();
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
    {
        sac_policy *policy = agent(agents[i], i);
        assert_ok(sac_export_onnx(policy, scratch_path("a.onnx")));
        sac_policy_destroy(policy);
    }
}

// readings of attention that neither kind of file has
TEST(readings_without_a_file_are_said)
{
    static const char *const others[][2] = {
        {"kind=iap-rank,projection=learned", "projection is 'learned', but only 'ones' can be exported"},
        {"selection=sample", "selection is 'sample', but only 'top'"},
        {"kind=iap-rank,selection=tree", "selection is 'tree', but only 'top'"},
        {"heads=2", "heads is '2', but only '1'"},
        {"kind=iap-trans,heads=2", "heads is '2', but only '1'"},
        {"kind=iap-rank,key_period=2", "key_period is '2', but only '1'"},
    };
    scratch_open();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    {
        sac_policy *policy = scene_policy(others[i][0], 1);
        assert_fails(sac_export_c(policy, &(sac_export_def){0}, scratch_path("a.c"), NULL), SAC_ERROR_UNAVAILABLE,
                     others[i][1]);
        sac_policy_destroy(policy);
    }
    sac_policy *policy = scene_policy("attention=relu,projection=learned", 1);
    assert_fails(sac_export_onnx(policy, scratch_path("a.c")), SAC_ERROR_UNAVAILABLE,
                 "projection is 'learned', but only 'ones' can be exported");
    sac_policy_destroy(policy);
    assert_int_equal(access(scratch_path("a.c"), F_OK), -1);
}

// neither file knows of numbers beside a picture, or of a depth picture
TEST(more_than_a_picture_is_refused)
{
    static const float low[] = {-1}, high[] = {1};
    static const sac_space inputs[] = {{.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {64, 64, 3}},
                                       {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {4}},
                                       {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {64, 64}}};
    for (int i = 0; i < 2; i++)
    {
        sac_policy *policy;
        sac_policy_def def = {.kind = "cnn",
                              .action_size = 1,
                              .action_low = low,
                              .action_high = high,
                              .inputs = i ? &inputs[2] : inputs,
                              .input_count = i ? 1 : 2};
        assert_ok(sac_policy_create(&policy, &def));
        assert_refused(policy, i ? "takes 1 part, the first of them 'depth'" : "takes 2 parts");
        sac_policy_destroy(policy);
    }
}

TESTS(agents_of_all_parts_repeat_the_library, rounding_is_within_half_a_step, a_changed_agent_fails_its_own_test,
      names_from_files_stay_in_their_comment, an_unknown_kind_is_refused,
      an_unknown_option_is_refused_unless_it_has_its_default, agents_of_all_parts_have_a_graph,
      readings_without_a_file_are_said, more_than_a_picture_is_refused)

#include "failing_memory.h"
#include "policy_scene.h"
#include "scratch.h"

// lack of memory at any moment of creation is a status and leaks nothing; acting takes no memory

static sac_policy *policy;
static sac_policy_state *episode;
static sac_policy_info info;

static void destroy(void)
{
    sac_policy_state_destroy(episode);
    sac_policy_destroy(policy);
    sac_policy_info_clear(&info);
    episode = NULL;
    policy = NULL;
}

static sac_status create(const char *settings)
{
    sac_status status = scene_create(&policy, settings);
    if (status == SAC_OK) status = sac_policy_state_create(&episode, policy);
    if (status != SAC_OK)
    {
        assert_null(episode);
        destroy();
    }
    return status;
}

TEST(every_allocation_may_fail)
{
    assert_survives_lack_of_memory(create(""), destroy());
    assert_survives_lack_of_memory(create("attention=relu,image_size=48,patch_features=positions+conv"), destroy());
    assert_survives_lack_of_memory(create("attention=positive,controller=mlp"), destroy());
    assert_survives_lack_of_memory(create("patch_features=values,masking=true,position_encoding=flat"), destroy());
    assert_survives_lack_of_memory(create("kind=iap-trans"), destroy());
    assert_survives_lack_of_memory(create("kind=iap-trans,attention=softmax"), destroy());
    assert_survives_lack_of_memory(create("attention=sara-exp,attention_map=learned,heads=2,divide=true"), destroy());
    assert_survives_lack_of_memory(create("kind=cnn,image_size=64"), destroy());
    assert_survives_lack_of_memory(create("kind=hierarchical,high.image_size=64"), destroy());
}

TEST(saving_and_loading_may_lack_memory)
{
    scratch_open();
    const char *path = scratch_path("policy.safetensors");
    sac_policy *saved = scene_policy("", 1);
    sac_setting setting = {"rules", "v0"};
    sac_policy_info facts = {.environment = "toy", .settings = &setting, .setting_count = 1};
    assert_survives_lack_of_memory(sac_policy_save(saved, NULL, &facts, path), (void)0);
    assert_survives_lack_of_memory(sac_policy_load(&policy, &info, path), destroy());
    assert_survives_lack_of_memory(sac_policy_create_with(&policy, saved, sac_policy_parameters(saved)), destroy());
    sac_policy_destroy(saved);
}

TEST(acting_takes_no_memory)
{
    static uint8_t image[SCENE_SIZE];
    static float floats[SCENE_SIZE], action[3];
    static const char *const agents[] = {
        "",
        "attention=relu",
        "image_size=64,patch_features=positions+histogram+conv",
        "controller=mlp,attention=positive",
        "patch_features=values,masking=true,normalise_tokens=true,position_encoding=flat",
        "kind=iap-trans,attention=hybrid",
        "kind=iap-trans,attention=softmax,heads=2",
        "attention=sara-exp,attention_map=learned,heads=2,divide=true",
        "kind=hierarchical,shortest=1,longest=1",
        "kind=action-tokens",
        "kind=action-tokens,attention=sara-relu",
        "kind=cnn,conv_channels=4:4,conv_pool=2"};
    scene_image(image, 1);
    scene_floats(floats, image);
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
    {
        assert_ok(create(agents[i]));
        // from here on the first allocation fails, and is noted
        sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
        failing.until_failure = 0;
        failing.failed = false;
        sac_gaze gaze;
        sac_policy_act(episode, image, action);
        sac_policy_act_float(episode, floats, action);
        sac_policy_gaze(episode, &gaze);
        sac_policy_state_set_parameters(episode, sac_policy_parameters(policy));
        sac_policy_state_reset(episode);
        sac_policy_act(episode, image, action);
        assert_false(failing.failed);
        sac_set_allocator(NULL);
        destroy();
    }
}

TESTS(every_allocation_may_fail, saving_and_loading_may_lack_memory, acting_takes_no_memory)

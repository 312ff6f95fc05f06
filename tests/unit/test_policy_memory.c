#include "policy_scene.h"

#include <unistd.h>

// lack of memory at any moment of creation is a status and leaks nothing; acting takes no memory

typedef struct meter
{
    int left;  // allocations that succeed; below 0: all
    int calls; // so far
    int held;  // blocks
} meter;

static void *allocate(void *user, size_t size, size_t alignment)
{
    meter *m = user;
    m->calls++;
    if (m->left == 0) return NULL;
    if (m->left > 0) m->left--;
    m->held++;
    return aligned_alloc(alignment, size);
}

static void release(void *user, void *memory)
{
    meter *m = user;
    m->held -= memory != NULL;
    free(memory);
}

static sac_status create_both(sac_policy **policy, sac_policy_state **episode, const char *settings)
{
    *episode = NULL;
    sac_status status = scene_create(policy, settings);
    return status == SAC_OK ? sac_policy_state_create(episode, *policy) : status;
}

static void fail_each_allocation(const char *settings)
{
    meter m = {.left = -1};
    sac_set_allocator(&(sac_allocator){allocate, release, &m});
    int failures = 0;
    for (;; failures++)
    {
        sac_policy *policy;
        sac_policy_state *episode;
        m.left = failures;
        sac_status status = create_both(&policy, &episode, settings);
        m.left = -1;
        if (status != SAC_OK)
        {
            assert_int_equal(status, SAC_ERROR_MEMORY);
            assert_null(episode);
        }
        sac_policy_state_destroy(episode);
        sac_policy_destroy(policy);
        assert_int_equal(m.held, 0);
        if (status == SAC_OK) break;
    }
    assert_true(failures > 20);
    sac_set_allocator(NULL);
}

TEST(every_allocation_may_fail)
{
    fail_each_allocation("");
    fail_each_allocation("attention=relu,image_size=48,features=positions+conv");
    fail_each_allocation("attention=positive,controller=mlp");
}

TEST(saving_and_loading_may_lack_memory)
{
    char path[] = "/tmp/saccade_XXXXXX";
    close(mkstemp(path));
    meter m = {.left = -1};
    sac_set_allocator(&(sac_allocator){allocate, release, &m});
    sac_policy *policy = scene_policy("", 1), *loaded;
    sac_policy_info info = {.environment = "toy"};
    int before = m.held, failures = 0;
    for (sac_status status = SAC_ERROR_MEMORY; status != SAC_OK; failures++)
    {
        m.left = failures;
        status = sac_policy_save(policy, NULL, &info, path);
        m.left = -1;
        if (status != SAC_OK) assert_int_equal(status, SAC_ERROR_MEMORY);
        assert_int_equal(m.held, before);
    }
    assert_true(failures > 2);
    sac_policy_destroy(policy);
    assert_int_equal(m.held, 0);
    for (failures = 0;; failures++)
    {
        sac_policy_info read;
        m.left = failures;
        sac_status status = sac_policy_load(&loaded, &read, path);
        m.left = -1;
        if (status != SAC_OK) assert_int_equal(status, SAC_ERROR_MEMORY);
        sac_policy_info_clear(&read);
        sac_policy_destroy(loaded);
        assert_int_equal(m.held, 0);
        if (status == SAC_OK) break;
    }
    assert_true(failures > 10);
    sac_set_allocator(NULL);
    remove(path);
}

TEST(acting_takes_no_memory)
{
    static uint8_t image[SCENE_SIZE];
    static float floats[SCENE_SIZE], action[3];
    static const char *const agents[] = {"", "attention=relu", "image_size=64,features=positions+histogram+conv",
                                         "controller=mlp,attention=positive"};
    scene_image(image, 1);
    scene_floats(floats, image);
    for (int i = 0; i < 4; i++)
    {
        meter m = {.left = -1};
        sac_set_allocator(&(sac_allocator){allocate, release, &m});
        sac_policy *policy = scene_policy(agents[i], 1);
        sac_policy_state *episode = scene_state(policy);
        int before = m.calls;
        sac_gaze gaze;
        sac_policy_act(episode, image, action);
        sac_policy_act_float(episode, floats, action);
        sac_policy_gaze(episode, &gaze);
        sac_policy_state_set_parameters(episode, sac_policy_parameters(policy));
        sac_policy_state_reset(episode);
        sac_policy_act(episode, image, action);
        assert_int_equal(m.calls, before);
        sac_policy_state_destroy(episode);
        sac_policy_destroy(policy);
        assert_int_equal(m.held, 0);
        sac_set_allocator(NULL);
    }
}

TESTS(every_allocation_may_fail, saving_and_loading_may_lack_memory, acting_takes_no_memory)

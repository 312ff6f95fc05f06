#include "env_scene.h"
#include "test.h"

/// Options and variants of the worlds `legs:*`: what is wrong with them is said.

TEST(what_is_wrong_is_named)
{
    sac_env *env;
    assert_fails(env_create(&env, "legs:stones", "gravity", ""), SAC_ERROR_ARGUMENT, "unknown variant 'gravity'");
    assert_fails(env_create(&env, "legs:stones", NULL, "robot=spot"), SAC_ERROR_ARGUMENT, "laikago");
    assert_fails(env_create(&env, "legs:stones", NULL, "physics_ms=3"), SAC_ERROR_ARGUMENT,
                 "physics_ms 3 does not go into");
    assert_fails(env_create(&env, "legs:flat", NULL, "feet=next"), SAC_ERROR_ARGUMENT, "'feet' is for the actions");
    assert_fails(env_create(&env, "legs:stairs", NULL, "feet=either"), SAC_ERROR_ARGUMENT,
                 "'either' for footholds alone");
    assert_fails(env_create(&env, "legs:stone", NULL, ""), SAC_ERROR_ARGUMENT, "legs:stones");
    // the world is said once
    assert_fails(env_create(&env, "legs:stones", "gravity", ""), SAC_ERROR_ARGUMENT, "legs:stones: unknown variant");
    assert_null(strstr(sac_last_error(), "legs:stones: legs"));
}

// An option that would do nothing is refused, so that nobody takes what they get for what they asked for.
TEST(options_without_effect_are_refused)
{
    const struct
    {
        const char *id, *variant, *settings, *said;
    } bad[] = {{"legs:flat", NULL, "walls=varied", "'walls' is for the world legs:obstacles"},
               {"legs:stones", NULL, "walls=any", "'walls' is for the world legs:obstacles"},
               {"legs:flat", NULL, "stones=released", "'stones' is for the world legs:stones"},
               {"legs:grid", NULL, "stones=released", "'stones' is for the world legs:stones"},
               {"legs:flat", NULL, "level=3", "'level' is for worlds with a course"},
               {"legs:flat", NULL, "least_level=3", "'least_level' is for worlds with a course"},
               {"legs:flat", NULL, "length=7", "'length' is for worlds with a course"},
               {"legs:stones", NULL, "gait=walk", "'gait' is for the action pmtg"},
               {"legs:stones", NULL, "heights=4", "'heights' is for the action pmtg"},
               {"legs:obstacles", NULL, "action=footholds,heights=1", "'heights' is for the action pmtg"},
               {"legs:flat", NULL, "period=0.3", "'period' is for the actions footholds"},
               {"legs:flat", NULL, "instant=true", "'instant' is for the actions footholds"},
               {"legs:flat", NULL, "released_stance=true", "'released_stance' is for the actions footholds"},
               {"legs:flat", NULL, "told_speed=true", "'told_speed' is for the actions footholds"},
               {"legs:stones", NULL, "level=5,least_level=9", "least_level is 9, expected at most level, which is 5"},
               {"legs:flat", "terrain", "", "variant 'terrain' is for worlds with a course"},
               {"legs:flat", "mass+terrain", "", "variant 'terrain' is for worlds with a course"},
               {"legs:stones", "terrain", "stones=released", "terrain' has sizes of its own, so that stones: released"},
               {"legs:stones", "mass+terrain", "stones=released", "set stones: article, or take another variant"},
               {"legs:flat", NULL, "camera_latency_ms=500",
                "expected at most what an action lasts: repeat 1 times control_ms"},
               {"legs:stones", NULL, "repeat=5", "camera_latency_ms is 30, expected at most what an action lasts"},
               {"legs:stones", NULL, "control_ms=0.5,physics_ms=0.5",
                "is 5; it is this world's default, so set camera_latency_ms"}};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++)
    {
        sac_env *env;
        assert_fails(env_create(&env, bad[i].id, bad[i].variant, bad[i].settings), SAC_ERROR_ARGUMENT, bad[i].said);
    }
}

// Tasks and policies spell out all options: what is a world's default is not refused where it has no effect.
TEST(defaults_without_effect_are_accepted)
{
    const char *const good[][3] = {
        {"legs:flat", "any", "walls=alternating,stones=article,level=10,least_level=12,length=50,period=0.5"},
        {"legs:flat", NULL, "instant=false,released_stance=false,camera_latency_ms=10"},
        {"legs:flat", NULL, "action=footholds,robot=laikago,period=0.3,instant=true,released_stance=true"},
        {"legs:stones", "terrain", "gait=trot,heights=1,stones=article,level=3,least_level=12"},
        {"legs:stones", "any", "stones=released"},
        {"legs:stones", "mass+friction", "stones=released"},
        {"legs:stones", NULL, "action=pmtg,gait=walk,heights=4,period=0.50"},
        {"legs:obstacles", NULL, "action=footholds,heights=4,walls=varied,level=3,least_level=3"}};
    for (int i = 0; i < (int)(sizeof good / sizeof *good); i++)
    {
        sac_env *env;
        assert_ok(env_create(&env, good[i][0], good[i][1], good[i][2]));
        sac_env_destroy(env);
    }
}

TESTS(what_is_wrong_is_named, options_without_effect_are_refused, defaults_without_effect_are_accepted)

#include "ppo_scene.h"

// learning by reward solves a tiny world, by every kind of action and with memory

// an agent that goes straight to the target and stays has 18.7 on average; one that does nothing has 6.7
TEST(it_learns)
{
    static const char *const box[] = {"train.generations", "60", NULL};
    static const char *const ending[] = {"train.generations", "60", "env.terminates", "true", NULL};
    static const char *const choice[] = {"train.generations", "60",     "env.choices", "true",
                                         "policy.choice",     "argmax", NULL};
    static const char *const threshold[] = {"train.generations", "60", "env.choices", "true", NULL};
    static const char *const memory[] = {"train.generations", "60", "policy.controller", "lstm", NULL};
    static const char *const pushed[] = {"train.generations",
                                         "60",
                                         "search.push_every",
                                         "20",
                                         "search.push_steps",
                                         "3",
                                         "search.deviation_floor",
                                         "0.2",
                                         NULL};
    assert_true(trained("box", box) > 18.3);
    assert_true(trained("ending", ending) > 18.3);
    assert_true(trained("memory", memory) > 18);
    assert_true(trained("pushed", pushed) > 18);
    // steps of 0.2 end 0.05 from the target on average, which costs 1 over an episode
    assert_true(trained("choice", choice) > 17.3);
    assert_true(trained("threshold", threshold) > 16);
}

// the same without what makes the difference: nothing is learned where the rate is 0
TEST(it_is_the_gradient_that_learns)
{
    static const char *const still[] = {"train.generations", "20", "search.rate", "0", NULL};
    assert_true(trained("still", still) < 9);
}

// where control costs far more than the target brings, it learns to hold still, and the return is the world's own: what
// doing nothing brings
TEST(what_control_costs_is_learned_from_and_not_reported)
{
    static const char *const dear[] = {"train.generations", "60", "search.control_cost", "1000", NULL};
    const double returned = trained("dear", dear);
    assert_true(returned > 6 && returned < 8);
}

// Where it costs far more to leave the middle than the target brings, it stays there, and the return is the world's
// own: 10 on average for a point at 0, less what the way there costs. A limit that is never reached costs nothing.
TEST(what_strays_costs_and_that_is_not_reported)
{
    static const char *const near[] = {"train.generations",
                                       "60",
                                       "search.stray",
                                       "place",
                                       "search.stray_limit",
                                       "0.1",
                                       "search.stray_cost",
                                       "1000",
                                       NULL};
    static const char *const far[] = {"train.generations",
                                      "60",
                                      "search.stray",
                                      "place",
                                      "search.stray_limit",
                                      "9",
                                      "search.stray_cost",
                                      "1000",
                                      NULL};
    const double stays = trained("near", near);
    assert_true(stays > 8 && stays < 12);
    assert_true(trained("far", far) > 18.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns),
        cmocka_unit_test(it_is_the_gradient_that_learns),
        cmocka_unit_test(what_control_costs_is_learned_from_and_not_reported),
        cmocka_unit_test(what_strays_costs_and_that_is_not_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

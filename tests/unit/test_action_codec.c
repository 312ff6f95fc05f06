#include <locale.h>
#include <math.h>

#include "saccade/action_codec.h"
#include "test.h"

/// Actions as tokens and as text. tests/golden compares tokens, decoded values and strings with the reference.

typedef struct range
{
    double low, high;
    int bins;
} range;

static const range ranges[] = {{-1, 1, 256}, {0, 1, 256}, {-0.1, 0.7, 256}, {-1e-30, 3e30, 2}, {5, 5.5, 65536}};

enum
{
    RANGES = sizeof ranges / sizeof *ranges
};

TEST(every_bin_keeps_its_index)
{
    for (int r = 0; r < RANGES; r++)
        for (int b = 0; b < ranges[r].bins; b++)
        {
            const double value = sac_action_value(b, ranges[r].low, ranges[r].high, ranges[r].bins);
            assert_int_equal(sac_action_bin(value, ranges[r].low, ranges[r].high, ranges[r].bins, SAC_BIN_NEAREST), b);
        }
}

TEST(bins_are_as_far_as_their_rounding_says)
{
    sac_stream stream = sac_stream_create(7, 0, 0);
    for (int r = 0; r < RANGES; r++)
        for (int i = 0; i < 2000; i++)
        {
            const range *g = &ranges[r];
            const double x = sac_stream_uniform(&stream, g->low, g->high);
            const double width = (g->high - g->low) / (g->bins - 1);
            // of x, of the value and of the place between: each rounded at most a few times at the range's magnitude
            const double rounding = 8 * 0x1p-53 * (fabs(g->low) + fabs(g->high)) * 2;
            const double near = sac_action_value(sac_action_bin(x, g->low, g->high, g->bins, SAC_BIN_NEAREST), g->low,
                                                 g->high, g->bins);
            const double below =
                sac_action_value(sac_action_bin(x, g->low, g->high, g->bins, SAC_BIN_BELOW), g->low, g->high, g->bins);
            assert_true(fabs(x - near) <= width / 2 + rounding);
            assert_true(x - below >= -rounding && x - below <= width + rounding);
        }
}

TEST(what_is_out_of_range_is_cut)
{
    const sac_bin_rounding roundings[] = {SAC_BIN_BELOW, SAC_BIN_NEAREST};
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(sac_action_bin(-2, -1, 1, 256, roundings[i]), 0);
        assert_int_equal(sac_action_bin(-INFINITY, -1, 1, 256, roundings[i]), 0);
        assert_int_equal(sac_action_bin(1, -1, 1, 256, roundings[i]), 255);
        assert_int_equal(sac_action_bin(INFINITY, -1, 1, 256, roundings[i]), 255);
        assert_int_equal(sac_action_bin(NAN, -1, 1, 256, roundings[i]), 127);
    }
    assert_true(sac_action_value(0, -0.1, 0.7, 256) == -0.1);
    assert_true(sac_action_value(255, -0.1, 0.7, 256) == 0.7);
}

TEST(strings_have_four_decimals)
{
    char text[64];
    assert_ok(sac_action_format(text, sizeof text, (const double[]){0.46543938, -0.0703208, 1, 0.00005}, 4));
    // 0.00005 as a double is a little above the tie
    assert_string_equal(text, "0.4654 -0.0703 1.0000 0.0001");
    assert_ok(sac_action_format(text, sizeof text, (const double[]){0.03125}, 1)); // a tie, to the even digit
    assert_string_equal(text, "0.0312");
}

TEST(texts_that_cannot_be_written)
{
    char text[16];
    assert_fails(sac_action_format(text, sizeof text, (const double[]){1, NAN}, 2), SAC_ERROR_ARGUMENT,
                 "number 1 is not finite");
    assert_string_equal(text, "");
    assert_fails(sac_action_format(text, 6, (const double[]){1}, 1), SAC_ERROR_ARGUMENT, "no room");
    assert_string_equal(text, "");
    assert_ok(sac_action_format(text, 7, (const double[]){1}, 1));
}

TEST(strings_are_read_back)
{
    double action[3];
    assert_ok(sac_action_parse(action, 3, "0.4654 -0.0703 1\n", "a test"));
    assert_true(action[0] == 0.4654 && action[1] == -0.0703 && action[2] == 1);
}

TEST(strings_that_are_no_actions)
{
    static const char *const bad[] = {"",          "1",
                                      "1 2 ",      "1 2 3",
                                      "1  2",      " 1 2",
                                      "1 2\n\n",   "1 x",
                                      "nan 1",     "1 inf",
                                      "1 .5",      "1 0x10",
                                      "1 0.12345", "1 1e3",
                                      "1 +2",      "1,2",
                                      "1 1.",      "1 -",
                                      "1\n2",      "1 2x",
                                      "1 --2",     "1 1234567890123456",
                                      "1 2\r\n",   "1\t2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        double action[2] = {7, 8};
        assert_fails(sac_action_parse(action, 2, bad[i], "a test"), SAC_ERROR_FORMAT, "a test: ");
        assert_true(action[0] == 7 && action[1] == 8);
    }
}

TESTS(every_bin_keeps_its_index, bins_are_as_far_as_their_rounding_says, what_is_out_of_range_is_cut,
      strings_have_four_decimals, texts_that_cannot_be_written, strings_are_read_back, strings_that_are_no_actions)

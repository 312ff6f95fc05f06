#include <stdlib.h>

#include "policy/action_tokens/rt.h"
#include "policy_scene.h"
#include "saccade/action_codec.h"
#include "saccade/learn.h"

/// How a policy of kind action-tokens spells the numbers of an action (policy/action_tokens/spelling.c), beside the
/// strings of the codec, which the golden values check.

enum
{
    SIDE = 24,
    PLUS = 10,
    MINUS = 11,
    MOST = 64 // tokens
};

static sac_policy_def spelled_def(const sac_setting *setting, int numbers, const float *low, const float *high)
{
    return (sac_policy_def){.kind = "action-tokens",
                            .settings = setting,
                            .setting_count = 1,
                            .height = SIDE,
                            .width = SIDE,
                            .channels = 3,
                            .action_size = numbers,
                            .action_low = low,
                            .action_high = high};
}

static const sac_setting decimals = {"spelling", "decimals"}, bins = {"spelling", "bins"};

static sac_policy *spelled_policy(const sac_setting *setting, int numbers, const float *low, const float *high)
{
    const sac_policy_def def = spelled_def(setting, numbers, low, high);
    sac_policy *shape, *policy;
    assert_ok(sac_policy_create(&shape, &def));
    float *parameters = malloc((size_t)sac_policy_parameter_count(shape) * sizeof *parameters);
    assert_non_null(parameters);
    sac_policy_draw(shape, 1, parameters);
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    return policy;
}

// What the tokens of a number say, as a text: the sign of a negative number, digits with the point, no zeros in front.
static void text_of(char *text, const int *tokens, int whole)
{
    const char *begin = text;
    int first = 1;
    while (first < whole && tokens[first] == 0) first++;
    if (tokens[0] == MINUS) *text++ = '-';
    for (int i = first; i <= whole; i++) *text++ = (char)('0' + tokens[i]);
    *text++ = '.';
    for (int i = whole + 1; i <= whole + SAC_ACTION_DIGITS; i++) *text++ = (char)('0' + tokens[i]);
    *text = 0;
    assert_true(strlen(begin) < 32);
}

// Words are the codec's text, and are read as C reads that text, for ranges of one digit before the point and more.
TEST(words_are_the_text_of_the_codec)
{
    static const float lows[][2] = {{-1, 0}, {-120.5f, -3}, {0.25f, -0.5f}},
                       highs[][2] = {{1, 1}, {7, 4}, {0.5f, 0.5f}};
    static const int wholes[] = {1, 3, 1};
    for (int r = 0; r < 3; r++)
    {
        sac_policy *policy = spelled_policy(&decimals, 2, lows[r], highs[r]);
        const sac_rt *rt = policy->self;
        const int each = 1 + wholes[r] + SAC_ACTION_DIGITS;
        sac_stream stream = sac_stream_create(7, (uint64_t)r, 0);
        assert_int_equal(rt->tokens, 2 * each);
        assert_int_equal(rt->bins, 12);
        for (int draw = 0; draw < 2000; draw++)
        {
            float action[2], read[2];
            int tokens[MOST];
            for (int i = 0; i < 2; i++)
                action[i] = (float)sac_stream_uniform(&stream, (double)lows[r][i], (double)highs[r][i]);
            sac_rt_spell(rt, &policy->def, tokens, action);
            sac_rt_read(rt, &policy->def, read, tokens);
            for (int i = 0; i < 2; i++)
            {
                char text[64], expected[64];
                const double number = (double)action[i];
                text_of(text, tokens + i * each, wholes[r]);
                assert_ok(sac_action_format(expected, sizeof expected, &number, 1));
                if (strcmp(expected, "-0.0000") != 0) assert_string_equal(text, expected);
                const double said = strtod(text, NULL); // a bound may have more than four digits, and is not left
                const double low = (double)lows[r][i], high = (double)highs[r][i];
                assert_true(read[i] == (float)(said < low ? low : said > high ? high : said));
            }
        }
        sac_policy_destroy(policy);
    }
}

TEST(numbers_are_cut_and_zero_has_one_spelling)
{
    static const float low[] = {-1, 0, 0, -2}, high[] = {1, 1, 2, 2};
    static const float action[] = {-0.00001f, 1.5f, NAN, -INFINITY};
    static const int expected[] = {PLUS, 0, 0, 0, 0, 0, PLUS, 1, 0, 0, 0, 0, PLUS, 1, 0, 0, 0, 0, MINUS, 2, 0, 0, 0, 0};
    sac_policy *policy = spelled_policy(&decimals, 4, low, high);
    int tokens[MOST];
    sac_rt_spell(policy->self, &policy->def, tokens, action);
    for (int i = 0; i < 24; i++) assert_int_equal(tokens[i], expected[i]);
    sac_policy_destroy(policy);
}

// Words that cannot stand in a place are not said, whatever their logits; a logit that is not a number counts only
// where its word can stand.
TEST(a_place_has_signs_or_digits)
{
    static const float low[] = {-1}, high[] = {1};
    sac_policy *policy = spelled_policy(&decimals, 1, low, high);
    const sac_rt *rt = policy->self;
    float logits[12] = {[3] = 5, [MINUS] = 4, [PLUS] = 3};
    assert_int_equal(sac_rt_likeliest(rt, &policy->def, logits, 0), MINUS);
    assert_int_equal(sac_rt_likeliest(rt, &policy->def, logits, 1), 3);
    logits[3] = NAN;
    assert_int_equal(sac_rt_likeliest(rt, &policy->def, logits, 0), MINUS);
    assert_int_equal(sac_rt_likeliest(rt, &policy->def, logits, 5), 0);
    logits[MINUS] = NAN;
    assert_int_equal(sac_rt_likeliest(rt, &policy->def, logits, 0), PLUS);
    sac_policy_destroy(policy);
}

TEST(what_has_no_digits_is_refused)
{
    static const float low[] = {-1}, high[] = {1}, far[] = {1e7f};
    sac_policy *policy;
    sac_policy_def def = spelled_def(&decimals, 1, low, far);
    assert_fails(sac_policy_create(&policy, &def), SAC_ERROR_ARGUMENT, "more than 6 digits");
    def = spelled_def(&decimals, 1, NULL, NULL);
    def.action_choices = 5;
    assert_fails(sac_policy_create(&policy, &def), SAC_ERROR_ARGUMENT, "is a choice");
    const sac_setting both[] = {decimals, {"bins", "16"}};
    def = spelled_def(both, 1, low, high);
    def.setting_count = 2;
    assert_fails(sac_policy_create(&policy, &def), SAC_ERROR_ARGUMENT, "bins is for 'spelling: bins'");
    policy = spelled_policy(&decimals, 1, low, high);
    sac_fit_def fit_def = sac_fit_default_def();
    sac_fit *fit;
    fit_def.spread = 6;
    assert_fails(sac_fit_create(&fit, policy, &fit_def), SAC_ERROR_ARGUMENT, "spelling: decimals");
    sac_policy_destroy(policy);
    policy = spelled_policy(&bins, 1, low, high);
    assert_ok(sac_fit_create(&fit, policy, &fit_def));
    sac_fit_destroy(fit);
    sac_policy_destroy(policy);
}

// A fit of pictures with one action each makes the policy say that action, to the fourth decimal.
TEST(a_fit_learns_the_digits)
{
    static const float low[] = {-1, 0}, high[] = {1, 1};
    static const float actions[2][2] = {{-0.0703f, 0.4654f}, {0.9f, 0.0012f}};
    static uint8_t pictures[2][SIDE * SIDE * 3];
    sac_policy *policy = spelled_policy(&decimals, 2, low, high), *fitted;
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < SIDE * SIDE * 3; k++) pictures[f][k] = (uint8_t)(f ? 220 - k / 50 : 20 + k / 30);
    sac_fit_def def = sac_fit_default_def();
    def.batch = 2;
    def.steps = 1;
    def.lead = 0;
    def.rate = 0.005;
    def.largest_norm = 1;
    sac_fit *fit;
    assert_ok(sac_fit_create(&fit, policy, &def));
    static const uint8_t starts[] = {1, 1};
    const sac_examples examples = {.count = 2, .observations = pictures[0], .actions = actions[0], .starts = starts};
    double loss[2];
    assert_ok(sac_fit_run(fit, &examples, 300, loss));
    assert_ok(sac_policy_create_with(&fitted, policy, sac_fit_parameters(fit)));
    sac_policy_state *state = scene_state(fitted);
    for (int f = 0; f < 2; f++)
    {
        float action[2];
        const void *inputs[] = {pictures[f]};
        sac_policy_state_reset(state);
        sac_policy_act_on(state, inputs, action);
        for (int i = 0; i < 2; i++) assert_true(action[i] == actions[f][i]);
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(fitted);
    sac_fit_destroy(fit);
    sac_policy_destroy(policy);
}

TESTS(words_are_the_text_of_the_codec, numbers_are_cut_and_zero_has_one_spelling, a_place_has_signs_or_digits,
      what_has_no_digits_is_refused, a_fit_learns_the_digits)

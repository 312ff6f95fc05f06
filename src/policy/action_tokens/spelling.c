#include <math.h>
#include <string.h>

#include "base/error.h"
#include "policy/action_tokens/rt.h"
#include "saccade/action_codec.h"

#define SCALE 1e4 ///< 10 to the power of SAC_ACTION_DIGITS

// How actions become tokens and tokens actions.
//
// The spelling `decimals` says what the strings of SARA-RT hold, such as "-0.0703", word by word: the sign, which is
// said of positive numbers too, `whole` digits before the point, with zeros in front, and four behind it. The point and
// the spaces between numbers are always in the same places, so they are not said.

enum
{
    PLUS = 10, // behind the digits, which stand for themselves
    MINUS,
    LETTERS,
    BINS = 256,     // of the spelling that has them, where nothing else is said
    MOST_WHOLE = 6, // digits before the point
    TEXT = 32
};

// The text of a number as the codec writes it, without its sign. Returns the digits before the point.
static int write_number(char text[TEXT], double number)
{
    const double positive = fabs(number);
    if (sac_action_format(text, TEXT, &positive, 1) != SAC_OK) return TEXT;
    return (int)(strchr(text, '.') - text);
}

static int tokens_of_number(const sac_rt *rt)
{
    return rt->whole ? 1 + rt->whole + SAC_ACTION_DIGITS : 1;
}

static int whole_digits(const sac_policy_def *def)
{
    int whole = 1;
    for (int i = 0; i < def->action_size; i++)
    {
        char low[TEXT], high[TEXT];
        const int below = write_number(low, (double)def->action_low[i]);
        const int above = write_number(high, (double)def->action_high[i]);
        whole = below > whole ? below : whole;
        whole = above > whole ? above : whole;
    }
    return whole;
}

sac_status sac_rt_plan_spelling(sac_rt *rt, const sac_policy_def *def)
{
    rt->tokens = def->action_size;
    rt->bins = def->action_choices ? def->action_choices : rt->config.bins;
    if (strcmp(rt->config.spelling, "bins") == 0) return SAC_OK;
    if (def->action_choices)
        return sac_fail(
            SAC_ERROR_ARGUMENT,
            "policy: spelling is %s, but the world's action is a choice, which has no digits; expected bins",
            rt->config.spelling);
    rt->whole = whole_digits(def);
    if (rt->whole > MOST_WHOLE)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: spelling is decimals, but a bound of the action has more than %d digits before the "
                        "point; expected bins",
                        MOST_WHOLE);
    if (rt->config.bins != BINS) // its default, as far as a policy that is read can tell
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: bins is for 'spelling: bins', and spelling is decimals");
    rt->bins = LETTERS;
    rt->tokens = def->action_size * tokens_of_number(rt);
    return SAC_OK;
}

// The first of the words that can stand in the place of a token, how many they are, and that which is said where a
// logit is not a number.
typedef struct choices
{
    int first, count, unsure;
} choices;

static choices choices_at(const sac_rt *rt, const sac_policy_def *def, int token)
{
    if (!rt->whole) return (choices){0, rt->bins, def->action_choices ? 0 : (rt->bins - 1) / 2};
    if (token % tokens_of_number(rt) == 0) return (choices){PLUS, 2, PLUS};
    return (choices){0, PLUS, 0};
}

int sac_rt_likeliest(const sac_rt *rt, const sac_policy_def *def, const float *logits, int token)
{
    const choices c = choices_at(rt, def, token);
    int best = c.first;
    for (int b = c.first; b < c.first + c.count; b++)
    {
        if (isnan(logits[b])) return c.unsure;
        if (logits[b] > logits[best]) best = b;
    }
    return best;
}

static double within(double number, double low, double high)
{
    if (isnan(number)) return low + (high - low) / 2;
    return number < low ? low : number > high ? high : number;
}

static void spell_number(const sac_rt *rt, int *tokens, double number)
{
    char text[TEXT];
    const int written = write_number(text, number), zeros = rt->whole - written;
    bool anything = false; // a digit that is not 0
    int *digits = tokens + 1;
    for (int i = 0; i < rt->whole + SAC_ACTION_DIGITS; i++)
    {
        const int behind = i < rt->whole ? 0 : 1; // the point is left out
        digits[i] = i < zeros ? 0 : text[i - zeros + behind] - '0';
        anything = anything || digits[i] != 0;
    }
    tokens[0] = anything && number < 0 ? MINUS : PLUS; // zero has one spelling
}

static double read_number(const sac_rt *rt, const int *tokens)
{
    long long digits = 0;
    for (int i = 1; i < tokens_of_number(rt); i++) digits = 10 * digits + tokens[i];
    const double number = (double)digits / SCALE; // of two integers: the double that the text would be read as
    return tokens[0] == MINUS ? -number : number;
}

void sac_rt_spell(const sac_rt *rt, const sac_policy_def *def, int *tokens, const float *action)
{
    for (int i = 0; i < def->action_size; i++, tokens += tokens_of_number(rt))
    {
        const double low = (double)def->action_low[i], high = (double)def->action_high[i], number = (double)action[i];
        if (def->action_choices)
            *tokens = (int)action[i];
        else if (rt->whole)
            spell_number(rt, tokens, within(number, low, high));
        else
            *tokens = sac_action_bin(number, low, high, rt->bins, SAC_BIN_NEAREST);
    }
}

void sac_rt_read(const sac_rt *rt, const sac_policy_def *def, float *action, const int *tokens)
{
    for (int i = 0; i < def->action_size; i++, tokens += tokens_of_number(rt))
    {
        const double low = (double)def->action_low[i], high = (double)def->action_high[i];
        if (def->action_choices)
            action[i] = (float)*tokens;
        else if (rt->whole)
            action[i] = (float)within(read_number(rt, tokens), low, high);
        else
            action[i] = (float)sac_action_value(*tokens, low, high, rt->bins);
    }
}

#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/action_codec.h"

// actions as tokens and as text, computed in double precision; the decoded numbers are then rounded to float

enum
{
    MAX_ACTION = 64,
    LINE = 32 * MAX_ACTION
};

// one action a line
static sac_status write_lines(golden *g, const double *action, int64_t rows, int64_t columns)
{
    sac_status status = SAC_OK;
    char *text = golden_scratch(g, &status, (size_t)rows, LINE);
    SAC_TRY(status);
    int64_t length = 0;
    for (int64_t i = 0; i < rows; i++)
    {
        SAC_TRY(sac_action_format(text + length, LINE, action + i * columns, (int)columns));
        length += (int64_t)strlen(text + length);
        text[length] = '\n';
        length += i + 1 < rows;
    }
    uint8_t *out = golden_output(g, &status, "vector_repr", SAC_U8, 1, &length);
    SAC_TRY(status);
    memcpy(out, text, (size_t)length);
    return SAC_OK;
}

static sac_status run(golden *g)
{
    const sac_tensor *actions;
    sac_status status = SAC_OK;
    const double *action = golden_doubles(g, &status, "action", 2, (const int64_t[]){GOLDEN_ANY, GOLDEN_ANY}, &actions);
    SAC_TRY(status);
    const int64_t rows = actions->shape[0], columns = actions->shape[1];
    if (columns > MAX_ACTION)
        return sac_fail(SAC_ERROR_FORMAT, "action has %d numbers, expected %d at most", (int)columns, MAX_ACTION);
    const double *low = golden_doubles(g, &status, "lo", 1, &columns, NULL);
    const double *high = golden_doubles(g, &status, "hi", 1, &columns, NULL);
    int32_t *tokens = golden_output(g, &status, "tokens", SAC_I32, 2, actions->shape);
    float *decoded = golden_output(g, &status, "decoded", SAC_F32, 2, actions->shape);
    SAC_TRY(status);
    for (int64_t i = 0; i < rows * columns; i++)
    {
        const int64_t c = i % columns;
        if (!(low[c] < high[c])) return sac_fail(SAC_ERROR_FORMAT, "lo is not below hi in dimension %d", (int)c);
        tokens[i] = sac_action_bin(action[i], low[c], high[c], SAC_ACTION_BINS, SAC_BIN_BELOW);
        decoded[i] = (float)sac_action_value(tokens[i], low[c], high[c], SAC_ACTION_BINS);
    }
    return write_lines(g, action, rows, columns);
}

const golden_family golden_codec = {"codec", run};

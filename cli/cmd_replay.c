#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "files/atomic.h"
#include "files/csv.h"
#include "files/png.h"
#include "saccade/env.h"

/// replay: recorded actions in, a table of states out, and the pictures that the agent would have seen.

enum
{
    MAX_COLUMNS = 256,
    NUMBER_SIZE = 32
};

static const size_t action_limit = 10000000; // steps

typedef struct replay
{
    sac_env *env;
    const sac_env_spec *spec;
    float *actions; // [rows, action_size]
    size_t rows;
    double reward;
    uint8_t terminated, truncated;
    uint8_t *observation, *rgb;
    sac_env_row row;
    sac_atomic out;
    const char *frames; // folder or NULL
    long long every;
} replay;

// actions must be in the environment's own bounds: anything else would be another episode than the recorded one
static sac_status check_actions(const replay *r, const char *path)
{
    size_t size = (size_t)r->spec->action_size;
    int choices = r->spec->action_choices;
    for (size_t i = 0; i < r->rows * size; i++)
    {
        float value = r->actions[i], low = choices ? 0 : r->spec->action_low[i % size];
        float high = choices ? (float)(choices - 1) : r->spec->action_high[i % size];
        if (value >= low && value <= high && (!choices || value == (float)(int)value)) continue;
        return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: column %zu: %g, expected %s%g..%g", path, i / size + 1,
                        i % size + 1, (double)value, choices ? "a whole number in " : "", (double)low, (double)high);
    }
    return SAC_OK;
}

static sac_status read_actions(replay *r, const char *path)
{
    SAC_TRY(sac_csv_load(&r->actions, &r->rows, path, r->spec->action_size, action_limit));
    return check_actions(r, path);
}

static sac_status write_header(replay *r)
{
    const char *first = "step,reward,terminated,truncated";
    SAC_TRY(sac_atomic_write(&r->out, first, strlen(first)));
    for (int i = 0; i < r->spec->column_count; i++)
    {
        SAC_TRY(sac_atomic_write(&r->out, ",", 1));
        SAC_TRY(sac_atomic_write(&r->out, r->spec->columns[i].name, strlen(r->spec->columns[i].name)));
    }
    return sac_atomic_write(&r->out, "\n", 1);
}

static sac_status write_row(replay *r, int step)
{
    char line[(MAX_COLUMNS + 4) * NUMBER_SIZE];
    double values[MAX_COLUMNS];
    sac_env_state(r->env, values);
    int length = sprintf(line, "%d,%.17g,%d,%d", step, r->reward, r->terminated, r->truncated);
    for (int i = 0; i < r->spec->column_count; i++) switch (r->spec->columns[i].type)
        {
        case SAC_COLUMN_FLOAT: length += sprintf(line + length, ",%.9g", values[i]); break;
        case SAC_COLUMN_DOUBLE: length += sprintf(line + length, ",%.17g", values[i]); break;
        case SAC_COLUMN_INT: length += sprintf(line + length, ",%d", (int)values[i]); break;
        }
    line[length++] = '\n';
    return sac_atomic_write(&r->out, line, (size_t)length);
}

// the observation as a picture: one channel becomes grey, more than three are cut
static sac_status write_frame(replay *r, int step)
{
    if (!r->frames || step % r->every != 0) return SAC_OK;
    int channels = r->spec->channels;
    size_t pixels = (size_t)r->spec->height * (size_t)r->spec->width;
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++)
            r->rgb[i * 3 + (size_t)c] = r->observation[i * (size_t)channels + (size_t)(channels >= 3 ? c : 0)];
    char name[32], path[SAC_PATH_SIZE];
    snprintf(name, sizeof name, "%06d.png", step);
    SAC_TRY(sac_join_path(path, r->frames, name));
    return sac_png_write(path, r->rgb, r->spec->height, r->spec->width);
}

static sac_status play(replay *r, uint64_t seed)
{
    SAC_TRY(sac_env_reset(r->env, seed, &r->row));
    SAC_TRY(write_header(r));
    SAC_TRY(write_row(r, 0));
    SAC_TRY(write_frame(r, 0));
    for (size_t step = 1; step <= r->rows && !r->terminated && !r->truncated; step++)
    {
        r->row.action = r->actions + (step - 1) * (size_t)r->spec->action_size;
        SAC_TRY(sac_env_step(r->env, &r->row));
        SAC_TRY(write_row(r, (int)step));
        SAC_TRY(write_frame(r, (int)step));
    }
    return SAC_OK;
}

static sac_status open_env(replay *r, const sac_env_def *def)
{
    SAC_TRY(sac_env_create(&r->env, def));
    r->spec = sac_env_get_spec(r->env);
    if (r->spec->column_count > MAX_COLUMNS)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "replay: %s has %d columns, expected at most %d", def->id,
                        r->spec->column_count, MAX_COLUMNS);
    size_t pixels = (size_t)r->spec->height * (size_t)r->spec->width;
    r->observation = sac_alloc_array(pixels, (size_t)r->spec->channels);
    r->rgb = sac_alloc_array(pixels, 3);
    if (!r->observation || !r->rgb) return sac_fail_memory("replay");
    r->row = (sac_env_row){NULL, r->observation, &r->reward, &r->terminated, &r->truncated};
    return SAC_OK;
}

static sac_status replay_all(replay *r, const sac_env_def *def, uint64_t seed, const char *actions, const char *out)
{
    SAC_TRY(open_env(r, def));
    SAC_TRY(read_actions(r, actions));
    if (r->frames) SAC_TRY(sac_make_folders(r->frames));
    SAC_TRY(sac_atomic_begin(&r->out, out));
    SAC_TRY(play(r, seed));
    return sac_atomic_commit(&r->out);
}

static int run(const cli_args *args)
{
    static const char *const needed[] = {"seed", "actions", "out"};
    for (int i = 0; i < 3; i++)
        if (!cli_has(args, needed[i]))
            return cli_usage("replay: --%s is needed (see 'saccade replay --help')", needed[i]);
    bool ok = true;
    uint64_t seed = (uint64_t)cli_integer(args, "seed", 0, 0, INT64_MAX, &ok);
    replay r = {.frames = cli_value(args, "frames"), .every = cli_integer(args, "every", 1, 1, 1000000000, &ok)};
    if (!ok) return CLI_USAGE;
    if (cli_has(args, "every") && !r.frames) return cli_usage("replay: --every is for --frames, which is missing");

    sac_env_def def = {.id = cli_positional(args, 0), .variant = cli_value(args, "variant")};
    def.setting_count = cli_settings(args, "set", &def.settings);
    if (def.setting_count < 0) return CLI_USAGE;
    if (cli_has(args, "state-from"))
        return cli_usage("replay: %.80s cannot start from a stored state, leave --state-from out", def.id);

    sac_status status = replay_all(&r, &def, seed, cli_value(args, "actions"), cli_value(args, "out"));
    sac_atomic_abort(&r.out);
    sac_free(r.actions);
    sac_free(r.observation);
    sac_free(r.rgb);
    sac_env_destroy(r.env);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

static const cli_flag flags[] = {
    {"seed", "S", "the episode", false},
    {"actions", "FILE.csv", "one action a line, numbers with commas, no header", false},
    {"out", "FILE.csv", "the table: step, reward, ends, state", false},
    {"frames", "DIR", "the agent's pictures as DIR/000000.png, numbered by row", false},
    {"every", "N", "only rows 0, N, 2N, ... as pictures (default 1)", false},
    {"variant", "NAME", "a changed world, see 'saccade envs'", false},
    {"set", "KEY=VALUE", "an option of the environment", true},
    {"state-from", "FILE", "start from a stored state, where the environment can", false},
    {0},
};

const cli_command cli_replay = {"replay", "ENV", "play recorded actions and write what happens", flags, run};

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "files/arrays/safetensors.h"
#include "files/atomic.h"
#include "files/csv.h"
#include "files/pictures/png.h"
#include "play/play.h"

/// replay: recorded actions in, a table of states out, and the pictures that the agent would have seen.

enum
{
    MAX_COLUMNS = 256,
    NUMBER_SIZE = 32,
    MAX_PARTS = 64,
    MAX_SETTINGS = 128,
    STATE_LIMIT = 1 << 20
};

static const size_t action_limit = 10000000; // steps

typedef struct replay
{
    sac_play play;
    const sac_env_spec *spec;
    double *actions; // [rows, action_size]
    size_t rows;
    uint8_t *rgb; // of a frame
    sac_atomic out;
    const char *frames; // folder or NULL
    const char *state;  // file or NULL
    long long every;
} replay;

// actions must be in the environment's own bounds: anything else would be another episode than the recorded one
static sac_status check_actions(const replay *r, const char *path)
{
    size_t size = (size_t)r->spec->action_size;
    int choices = r->spec->action_choices;
    for (size_t i = 0; i < r->rows * size; i++)
    {
        double value = r->actions[i], low = choices ? 0 : (double)r->spec->action_low[i % size];
        double high = choices ? choices - 1 : (double)r->spec->action_high[i % size];
        if (value >= low && value <= high && (!choices || value == (int)value)) continue;
        return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: column %zu: %g, expected %s%g..%g", path, i / size + 1,
                        i % size + 1, value, choices ? "a whole number in " : "", low, high);
    }
    return SAC_OK;
}

static sac_status read_actions(replay *r, const char *path)
{
    SAC_TRY(sac_csv_load(&r->actions, &r->rows, path, r->spec->action_size, action_limit));
    if (r->rows == 0) return sac_fail(SAC_ERROR_FORMAT, "%.400s: there is no action, expected one a line", path);
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
    sac_env_state(r->play.env, values);
    int length = sprintf(line, "%d,%.17g,%d,%d", step, r->play.reward, r->play.terminated, r->play.truncated);
    for (int i = 0; i < r->spec->column_count; i++) switch (r->spec->columns[i].type)
        {
        case SAC_COLUMN_FLOAT: length += sprintf(line + length, ",%.9g", values[i]); break;
        case SAC_COLUMN_DOUBLE: length += sprintf(line + length, ",%.17g", values[i]); break;
        case SAC_COLUMN_FLAG:
        case SAC_COLUMN_COUNT:
        case SAC_COLUMN_INT: length += sprintf(line + length, ",%d", (int)values[i]); break;
        }
    line[length++] = '\n';
    return sac_atomic_write(&r->out, line, (size_t)length);
}

// Makes a picture of what is seen: one channel becomes grey, more than three are cut
static sac_status write_frame(replay *r, int step)
{
    if (!r->frames || step % r->every != 0) return SAC_OK;
    int height, width, channels;
    const uint8_t *seen = sac_play_sight(&r->play, &height, &width, &channels);
    if (!seen) return sac_fail(SAC_ERROR_ARGUMENT, "replay: --frames: this world with these options shows no picture");
    size_t pixels = (size_t)height * (size_t)width;
    if (!r->rgb) r->rgb = sac_alloc_array(pixels, 3);
    if (!r->rgb) return sac_fail_memory("replay");
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++)
            r->rgb[i * 3 + (size_t)c] = seen[i * (size_t)channels + (size_t)(channels >= 3 ? c : 0)];
    char name[32], path[SAC_PATH_SIZE];
    snprintf(name, sizeof name, "%06d.png", step);
    SAC_TRY(sac_join_path(path, r->frames, name));
    return sac_png_write(path, r->rgb, height, width);
}

// a stored state: whatever numbers the file holds by name
static sac_status restore(replay *r)
{
    sac_tensors *tensors;
    sac_env_field parts[MAX_PARTS];
    int count = 0;
    sac_env *env = r->play.env;
    if (!sac_env_get_ops(env)->set_state) return sac_env_set_state(env, NULL, 0, &r->play.row); // says so
    SAC_TRY(sac_tensors_load(&tensors, r->state, STATE_LIMIT));
    for (int i = 0; i < sac_tensors_count(tensors) && count < MAX_PARTS; i++)
    {
        const sac_tensor *tensor = sac_tensors_at(tensors, i);
        if (tensor->dtype == SAC_F64)
            parts[count++] = (sac_env_field){tensor->name, tensor->data, sac_tensor_count(tensor)};
    }
    sac_status status = sac_env_set_state(env, parts, count, &r->play.row);
    sac_tensors_destroy(tensors);
    return status == SAC_OK ? SAC_OK : sac_fail_in(status, "%.200s", r->state);
}

static sac_status play(replay *r, uint64_t seed)
{
    SAC_TRY(sac_play_reset(&r->play, seed));
    if (r->state) SAC_TRY(restore(r));
    SAC_TRY(write_header(r));
    SAC_TRY(write_row(r, 0));
    SAC_TRY(write_frame(r, 0));
    for (size_t step = 1; step <= r->rows && !sac_play_ended(&r->play); step++)
    {
        const double *action = r->actions + (step - 1) * (size_t)r->spec->action_size;
        for (int i = 0; i < r->spec->action_size; i++) r->play.action[i] = (float)action[i];
        sac_env_act_precisely(r->play.env, action);
        SAC_TRY(sac_play_step(&r->play));
        SAC_TRY(write_row(r, (int)step));
        SAC_TRY(write_frame(r, (int)step));
    }
    return SAC_OK;
}

// actions are for single steps: a world that repeats them by default does not here
static void set_defaults(sac_env_def *def, sac_setting settings[MAX_SETTINGS])
{
    int count = 0;
    for (int i = 0; i < sac_env_count(); i++)
    {
        const sac_env_ops *ops = sac_env_at(i);
        if (strcmp(ops->name, def->id) != 0) continue;
        for (const sac_option *o = ops->options; o && o->name; o++)
            if (strcmp(o->name, "action_repeat") == 0) settings[count++] = (sac_setting){o->name, "1"};
    }
    for (int i = 0; i < def->setting_count && count < MAX_SETTINGS; i++) settings[count++] = def->settings[i];
    def->settings = settings;
    def->setting_count = count;
}

static sac_status open_env(replay *r, const sac_env_def *def)
{
    SAC_TRY(sac_play_open(&r->play, NULL, def, r->frames ? SAC_PLAY_SIGHT : SAC_PLAY_INPUTS));
    r->spec = sac_env_get_spec(r->play.env);
    if (r->spec->column_count > MAX_COLUMNS)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "replay: %s has %d columns, expected at most %d", def->id,
                        r->spec->column_count, MAX_COLUMNS);
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
    sac_setting settings[MAX_SETTINGS];
    set_defaults(&def, settings);
    r.state = cli_value(args, "state-from");

    sac_status status = replay_all(&r, &def, seed, cli_value(args, "actions"), cli_value(args, "out"));
    sac_atomic_abort(&r.out);
    sac_free(r.actions);
    sac_free(r.rgb);
    sac_play_close(&r.play);
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

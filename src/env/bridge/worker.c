#define _GNU_SOURCE
#include "env/bridge/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/module.h"
#include "files/variable.h"

enum
{
    SCENE = 20,
    MESSAGE = 64,
    MESSAGE_SIZE = 448,
    ACTION = 512,
    ALIGNMENT = 64,
    LINE_SIZE = 1 << 16,
    START_SECONDS = 120, // at least: Python's imports from a cold disk
    MAX_SIDE = 16384,
    MAX_BYTES = 1 << 28,
    MAX_STEPS = 1 << 24
};

// Chooses the interpreter: the one asked for, that of SACCADE_PYTHON, that of a checkout, or the first on the path.
static sac_status find_python(const char **python, const char *asked)
{
    SAC_TRY(sac_read_variable(python, "SACCADE_PYTHON"));
    if (asked[0]) *python = asked;
    if (!*python) *python = access(".venv/bin/python", X_OK) == 0 ? ".venv/bin/python" : "python3";
    return SAC_OK;
}

// Reads up to a newline. The time allowed counts from the last bytes that came, so that a slow start is no failure.
static sac_status receive_line(sac_worker *w, char line[LINE_SIZE], double timeout)
{
    sac_reason reason;
    size_t length = 0;
    while (length == 0 || line[length - 1] != '\n')
    {
        size_t count = sac_process_receive(&w->process, line + length, LINE_SIZE - 1 - length, timeout, &reason);
        if (count == 0) return sac_fail(SAC_ERROR_ENVIRONMENT, "%s", reason.text);
        length += count;
        if (length == LINE_SIZE - 1) return sac_fail(SAC_ERROR_FORMAT, "the worker's introduction is too long");
    }
    line[length] = 0;
    return SAC_OK;
}

static sac_status unexpected(const char *what)
{
    return sac_fail(SAC_ERROR_FORMAT, "the worker's introduction: %s is missing or out of range", what);
}

// Adds a part's bounds to those of all parts.
static sac_status read_bounds(sac_worker_spaces *s, int index, json_t *low, json_t *high)
{
    s->parts[index].first_bound = -1;
    if (!low || json_is_null(low)) return SAC_OK;
    size_t count = json_array_size(low);
    size_t needed = s->parts[index].kind == SAC_SPACE_VECTOR ? (size_t)s->parts[index].shape[0] : 1;
    if (count != needed || json_array_size(high) != count) return unexpected("the bounds of a part");
    if (count + (size_t)s->bound_count > SAC_WORKER_MAX_BOUNDS) return SAC_OK; // many numbers go without
    s->parts[index].first_bound = s->bound_count;
    for (size_t i = 0; i < count; i++)
    {
        s->part_low[s->bound_count] = (float)json_number_value(json_array_get(low, i));
        s->part_high[s->bound_count++] = (float)json_number_value(json_array_get(high, i));
    }
    return SAC_OK;
}

static sac_status read_part(sac_worker_spaces *s, int index, json_t *part)
{
    // Indexed by sac_space_kind. Choices have no word, because no worker shows them.
    static const char *const kinds[] = {"picture", "depth", "vector", "", "floats"};
    enum
    {
        KINDS = sizeof kinds / sizeof *kinds
    };
    const char *name = json_string_value(json_object_get(part, "name"));
    const char *kind = json_string_value(json_object_get(part, "kind"));
    json_t *shape = json_object_get(part, "shape");
    if (!name || strlen(name) >= SAC_WORKER_NAME) return unexpected("the name of a part");
    snprintf(s->parts[index].name, SAC_WORKER_NAME, "%s", name);
    int known = 0;
    while (kind && known < KINDS && strcmp(kinds[known], kind) != 0) known++;
    if (!kind || !kind[0] || known == KINDS) return unexpected("the kind of a part");
    s->parts[index].kind = (sac_space_kind)known;
    for (size_t i = 0; i < 3; i++)
    {
        json_int_t side = json_integer_value(json_array_get(shape, i));
        if (side < 1 || side > MAX_SIDE) return unexpected("the shape of a part");
        s->parts[index].shape[i] = (int)side;
    }
    s->parts[index].privileged = json_is_true(json_object_get(part, "privileged"));
    return read_bounds(s, index, json_object_get(part, "low"), json_object_get(part, "high"));
}

void sac_worker_observations(const sac_worker_spaces *s, sac_space *observations)
{
    for (int i = 0; i < s->part_count; i++)
    {
        int bound = s->parts[i].first_bound;
        const int *shape = s->parts[i].shape;
        observations[i] = (sac_space){.name = s->parts[i].name,
                                      .kind = s->parts[i].kind,
                                      .shape = {shape[0], shape[1], shape[2]},
                                      .low = bound < 0 ? NULL : &s->part_low[bound],
                                      .high = bound < 0 ? NULL : &s->part_high[bound],
                                      .privileged = s->parts[i].privileged};
    }
}

static sac_status read_parts(sac_worker_spaces *s, json_t *parts)
{
    size_t count = json_array_size(parts), size = 0;
    if (!json_is_array(parts) || count < 1 || count > SAC_MAX_PARTS) return unexpected("the list of parts");
    s->part_count = (int)count;
    for (int i = 0; i < s->part_count; i++) SAC_TRY(read_part(s, i, json_array_get(parts, (size_t)i)));
    sac_space spaces[SAC_MAX_PARTS];
    sac_worker_observations(s, spaces);
    SAC_TRY(sac_space_check_parts(spaces, s->part_count, "the worker's introduction"));
    for (int i = 0; i < s->part_count; i++) size += sac_space_bytes(&spaces[i]);
    return size <= MAX_BYTES ? SAC_OK : unexpected("the size of observations");
}

static sac_status read_action(sac_worker_spaces *s, json_t *choices, json_t *low, json_t *high)
{
    size_t count = json_array_size(low);
    json_int_t words = json_integer_value(choices);
    if (count < 1 || count > SAC_WORKER_MAX_ACTION || json_array_size(high) != count || words < 0 || words > 1 << 20)
        return unexpected("the action");
    s->action_size = (int)count;
    s->action_choices = (int)words;
    for (size_t i = 0; i < count; i++)
    {
        s->low[i] = (float)json_number_value(json_array_get(low, i));
        s->high[i] = (float)json_number_value(json_array_get(high, i));
        if (!(s->low[i] <= s->high[i])) return unexpected("a bound of the action");
    }
    return SAC_OK;
}

static sac_status read_columns(sac_worker_spaces *s, json_t *columns)
{
    size_t count = json_array_size(columns);
    if (!json_is_array(columns)) return unexpected("the list of columns");
    if (count > SAC_WORKER_MAX_COLUMNS)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "an observation of %zu numbers, expected at most %d", count,
                        SAC_WORKER_MAX_COLUMNS);
    s->column_count = (int)count;
    for (size_t i = 0; i < count; i++)
    {
        const char *name = json_string_value(json_array_get(columns, i));
        if (!name || strlen(name) >= SAC_WORKER_NAME || strpbrk(name, ",\"\n")) return unexpected("a column's name");
        snprintf(s->columns[i], SAC_WORKER_NAME, "%s", name);
    }
    return SAC_OK;
}

static void read_versions(sac_worker_spaces *s, json_t *versions)
{
    const char *name;
    json_t *version;
    size_t length = 0;
    json_object_foreach(versions, name, version)
    {
        if (length < sizeof s->versions)
            length += (size_t)snprintf(s->versions + length, sizeof s->versions - length, "%s%.40s %.40s",
                                       length ? ", " : "", name, json_string_value(version));
    }
}

// Everything that a worker says of itself is checked against limits before memory is taken for it.
static sac_status read_spaces(sac_worker *w, json_t *line)
{
    sac_worker_spaces *s = &w->spaces;
    memset(s, 0, sizeof *s); // padding too: spaces are compared byte by byte
    SAC_TRY(read_parts(s, json_object_get(line, "parts")));
    SAC_TRY(
        read_action(s, json_object_get(line, "choices"), json_object_get(line, "low"), json_object_get(line, "high")));
    SAC_TRY(read_columns(s, json_object_get(line, "columns")));
    read_versions(s, json_object_get(line, "versions"));
    json_int_t steps = json_integer_value(json_object_get(line, "max_steps"));
    if (steps < 0 || steps > MAX_STEPS) return unexpected("the number of steps");
    s->max_steps = (int)steps;
    return SAC_OK;
}

static size_t up(size_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Maps the memory that the worker has sized. It is sealed first, so that the worker cannot shrink it later.
static sac_status map_memory(sac_worker *w)
{
    const sac_worker_spaces *s = &w->spaces;
    size_t columns = up(ACTION + sizeof(float) * (size_t)s->action_size);
    size_t places[SAC_MAX_PARTS] = {0}, size = columns + sizeof(double) * (size_t)s->column_count;
    sac_space spaces[SAC_MAX_PARTS];
    sac_worker_observations(s, spaces);
    for (int i = 0; i < s->part_count; i++)
    {
        places[i] = up(size);
        size = places[i] + sac_space_bytes(&spaces[i]);
    }
    struct stat facts;
    if (fcntl(w->process.memory, F_ADD_SEALS, F_SEAL_SHRINK) != 0 || fstat(w->process.memory, &facts) != 0)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "the memory shared with a worker: %s", strerror(errno));
    if ((size_t)facts.st_size != size)
        return sac_fail(SAC_ERROR_FORMAT, "the worker shares %lld bytes, expected %zu", (long long)facts.st_size, size);
    uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, w->process.memory, 0);
    if (memory == MAP_FAILED) return sac_fail(SAC_ERROR_MEMORY, "the memory shared with a worker: %s", strerror(errno));
    w->memory = memory;
    w->size = size;
    w->seed = (uint64_t *)(void *)memory;
    w->reward = (double *)(void *)(memory + 8);
    w->ends = memory + 16;
    w->scene = (uint32_t *)(void *)(memory + SCENE);
    w->action = (float *)(void *)(memory + ACTION);
    w->columns = (double *)(void *)(memory + columns);
    for (int i = 0; i < s->part_count; i++) w->parts[i] = memory + places[i];
    return SAC_OK;
}

// Reads one line of the worker's introduction.
static sac_status read_line(sac_worker *w, const sac_worker_def *def, const char *text, bool *ready)
{
    json_t *line = json_loads(text, 0, NULL);
    if (!line) return sac_fail(SAC_ERROR_FORMAT, "the worker's introduction is not JSON: %.80s", text);
    const char *error = json_string_value(json_object_get(line, "error"));
    const char *scenario = json_string_value(json_object_get(line, "scenario"));
    json_int_t protocol = json_integer_value(json_object_get(line, "protocol"));
    sac_status status = SAC_OK;
    if (protocol != SAC_WORKER_PROTOCOL)
        status = sac_fail(SAC_ERROR_UNAVAILABLE, "the worker speaks protocol %lld, expected %d: install saccade anew",
                          (long long)protocol, SAC_WORKER_PROTOCOL);
    else if (error)
        status = sac_fail(SAC_ERROR_UNAVAILABLE, "%.500s", error);
    else if (scenario && def->scenario)
    {
        status = def->scenario(def->user, scenario, w->process.scenario);
        sac_process_send(&w->process, 'g');
    }
    else
    {
        *ready = true;
        status = read_spaces(w, line);
    }
    json_decref(line);
    return status;
}

// A worker says one line and is ready, or asks for a scenario of ours first and then says it.
static sac_status introduce(sac_worker *w, const sac_worker_def *def)
{
    double patience = def->timeout > START_SECONDS ? def->timeout : START_SECONDS;
    char *line = sac_alloc(LINE_SIZE);
    bool ready = false;
    sac_status status = line ? SAC_OK : sac_fail_memory("a worker");
    while (status == SAC_OK && !ready)
    {
        status = receive_line(w, line, patience);
        if (status == SAC_OK) status = read_line(w, def, line, &ready);
    }
    sac_free(line);
    return status == SAC_OK ? map_memory(w) : status;
}

sac_status sac_worker_start(sac_worker *worker, const sac_worker_def *def)
{
    *worker = (sac_worker){0};
    char script[SAC_PATH_SIZE];
    const char *python;
    SAC_TRY(sac_module_find(script, "saccade-worker.py"));
    if (!script[0])
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "saccade-worker.py is not there: install saccade, or set SACCADE_MODULES to its folder");
    SAC_TRY(find_python(&python, def->python));
    SAC_TRY(sac_process_start(&worker->process, python, script, def->config));
    sac_status status = introduce(worker, def);
    if (status != SAC_OK) sac_worker_stop(worker, true);
    return status;
}

// At once where the worker may hang; otherwise it is asked to end, and killed when it does not.
void sac_worker_stop(sac_worker *worker, bool at_once)
{
    if (at_once)
        sac_process_kill(&worker->process);
    else
        sac_process_stop(&worker->process);
    if (worker->memory) munmap(worker->memory, worker->size);
    worker->memory = NULL;
}

void sac_worker_ask(const sac_worker *worker, char command)
{
    sac_process_send(&worker->process, command);
}

// 'k' means done. Any other byte means that the worker has written its reason into the shared memory.
bool sac_worker_wait(sac_worker *worker, double timeout, sac_reason *reason)
{
    char answer;
    if (sac_process_receive(&worker->process, &answer, 1, timeout, reason) == 0) return false;
    if (answer == 'k') return true;
    const char *message = (const char *)worker->memory + MESSAGE;
    int length = (int)strnlen(message, MESSAGE_SIZE);
    snprintf(reason->text, sizeof reason->text, "%.*s", length ? length : 64, length ? message : "no reason given");
    return false;
}

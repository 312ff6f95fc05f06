#define _GNU_SOURCE
#include "env/bridge/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/module.h"

enum
{
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

// the interpreter: as asked for, or what a checkout or a person offers
static const char *find_python(const char *asked)
{
    const char *set = getenv("SACCADE_PYTHON");
    if (asked[0]) return asked;
    if (set && set[0]) return set;
    return access(".venv/bin/python", X_OK) == 0 ? ".venv/bin/python" : "python3";
}

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

static sac_status read_shape(sac_worker_spaces *s, json_t *shape)
{
    int *sides[] = {&s->height, &s->width, &s->channels};
    for (size_t i = 0; i < 3; i++)
    {
        json_int_t side = json_integer_value(json_array_get(shape, i));
        if (side < 1 || side > MAX_SIDE) return unexpected("the shape of observations");
        *sides[i] = (int)side;
    }
    return (size_t)s->height * (size_t)s->width * (size_t)s->channels <= MAX_BYTES
               ? SAC_OK
               : unexpected("the size of observations");
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

static sac_status read_spaces(sac_worker *w, json_t *line)
{
    sac_worker_spaces *s = &w->spaces;
    *s = (sac_worker_spaces){0};
    SAC_TRY(read_shape(s, json_object_get(line, "shape")));
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

// maps what the worker has sized; from now on it cannot be shrunk under our feet
static sac_status map_memory(sac_worker *w)
{
    const sac_worker_spaces *s = &w->spaces;
    size_t columns = up(ACTION + sizeof(float) * (size_t)s->action_size);
    size_t observation = up(columns + sizeof(double) * (size_t)s->column_count);
    size_t size = observation + (size_t)s->height * (size_t)s->width * (size_t)s->channels;
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
    w->action = (float *)(void *)(memory + ACTION);
    w->columns = (double *)(void *)(memory + columns);
    w->observation = memory + observation;
    return SAC_OK;
}

// one line of the worker's introduction
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
    if (!sac_module_find(script, "saccade-worker.py"))
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "saccade-worker.py is not there: install saccade, or set SACCADE_MODULES to its folder");
    SAC_TRY(sac_process_start(&worker->process, find_python(def->python), script, def->config));
    sac_status status = introduce(worker, def);
    if (status != SAC_OK) sac_worker_stop(worker, true);
    return status;
}

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

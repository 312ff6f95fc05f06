#include "base/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    ERROR_SIZE = 1024
};

static _Thread_local char last_error[ERROR_SIZE];
static _Thread_local uint64_t failure_count;

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static sac_log_fn *log_callback;
static void *log_user;

const char *sac_status_text(sac_status status)
{
    switch (status)
    {
#define X(name, value, text) \
    case SAC_##name: return text;
        SAC_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *sac_last_error(void)
{
    return last_error;
}

const char *sac_version(void)
{
#define TEXT(x)          #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
    return VERSION(SAC_VERSION_MAJOR, SAC_VERSION_MINOR, SAC_VERSION_PATCH);
}

sac_status sac_fail(sac_status status, const char *format, ...)
{
    // The arguments may point into the last error, so the text is formatted elsewhere first.
    char text[ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // An error is one line, whatever a file or a person put into it.
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
    memcpy(last_error, text, sizeof text);
    failure_count++;
    return status;
}

uint64_t sac_failure_count(void)
{
    return failure_count;
}

sac_status sac_fail_in(sac_status status, const char *format, ...)
{
    char prefix[ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    return sac_fail(status, "%.500s: %.500s", prefix, last_error);
}

static bool is_known(sac_status status)
{
    switch (status)
    {
#define X(name, value, text) case SAC_##name:
        SAC_STATUS_LIST(X)
#undef X
        return true;
    }
    return false;
}

sac_status sac_outcome(sac_status status, uint64_t failures, const char *who, const char *what)
{
    if (status == SAC_OK) return SAC_OK;
    sac_status known = is_known(status) ? status : SAC_ERROR_ENVIRONMENT;
    if (failure_count != failures) return known;
    return sac_fail(known, "%.200s: %s failed with status %d (%s) and gave no reason", who, what, (int)status,
                    sac_status_text(status));
}

void sac_set_log(sac_log_fn *log, void *user)
{
    pthread_mutex_lock(&log_mutex);
    log_callback = log;
    log_user = user;
    pthread_mutex_unlock(&log_mutex);
}

void sac_log(sac_log_level level, const char *format, ...)
{
    pthread_mutex_lock(&log_mutex);
    if (log_callback)
    {
        char line[ERROR_SIZE];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        log_callback(log_user, level, line);
    }
    pthread_mutex_unlock(&log_mutex);
}

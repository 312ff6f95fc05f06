#define _GNU_SOURCE
#include "env/bridge/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum
{
    // The worker's descriptors, by the numbers that saccade-worker.py uses.
    CHILD_ASK = 3,
    CHILD_ANSWER,
    CHILD_MEMORY,
    CHILD_LIFE,
    CHILD_SCENARIO,
    CHILD_END,
    STOP_MILLISECONDS = 2000,
    LOG_TAIL = 2048
};

/// Both ends of everything, before they are divided.
typedef struct ends
{
    int ask[2], answer[2], life[2], memory, scenario, log;
} ends;

static void close_if(int descriptor)
{
    if (descriptor >= 0) close(descriptor);
}

static sac_status open_ends(ends *e)
{
    *e = (ends){{-1, -1}, {-1, -1}, {-1, -1}, -1, -1, -1};
    bool ok = pipe2(e->ask, O_CLOEXEC) == 0 && pipe2(e->answer, O_CLOEXEC) == 0 && pipe2(e->life, O_CLOEXEC) == 0;
    if (ok) e->memory = memfd_create("saccade", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ok) e->scenario = memfd_create("saccade-scenario", MFD_CLOEXEC);
    if (ok) e->log = memfd_create("saccade-log", MFD_CLOEXEC);
    if (ok && e->memory >= 0 && e->scenario >= 0 && e->log >= 0 && fcntl(e->log, F_SETFL, O_APPEND) == 0) return SAC_OK;
    sac_status status = sac_fail(SAC_ERROR_ENVIRONMENT, "a worker's descriptors: %s", strerror(errno));
    int all[] = {e->ask[0],  e->ask[1], e->answer[0], e->answer[1], e->life[0],
                 e->life[1], e->memory, e->scenario,  e->log};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) close_if(all[i]);
    return status;
}

// Asks the kernel to kill the whole group, the worker and what it has started, when the other end of the pipe closes.
// False where it is closed already.
static bool tie_life(int life)
{
    struct pollfd gone = {.fd = life};
    return fcntl(life, F_SETOWN, -getpid()) == 0 && fcntl(life, F_SETSIG, SIGKILL) == 0 &&
           fcntl(life, F_SETFL, O_ASYNC) == 0 && poll(&gone, 1, 0) == 0;
}

// This runs in the child, where only functions that are safe after fork may be called.
static _Noreturn void become_worker(const ends *e, const char *python, const char *script, const char *config)
{
    setsid();
    if (!tie_life(e->life[0])) _exit(126);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    // Descriptors are first moved out of the way, so that no target is the source of a later one.
    int source[] = {e->ask[0], e->answer[1], e->memory, e->life[0], e->scenario}, log = fcntl(e->log, F_DUPFD, 16);
    for (int i = 0; i < CHILD_END - CHILD_ASK; i++) source[i] = fcntl(source[i], F_DUPFD, 16);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    for (int i = 0; i < CHILD_END - CHILD_ASK; i++) dup2(source[i], CHILD_ASK + i);
    close_range(CHILD_END, ~0u, 0);
    execlp(python, python, "-B", script, config, (char *)NULL);
    dprintf(STDERR_FILENO, "%s: %s\n", python, strerror(errno));
    _exit(127);
}

sac_status sac_process_start(sac_process *process, const char *python, const char *script, const char *config)
{
    *process = (sac_process){0};
    ends e;
    SAC_TRY(open_ends(&e));
    pid_t pid = fork();
    if (pid == 0) become_worker(&e, python, script, config);
    close(e.answer[1]);
    close(e.life[0]);
    if (pid > 0)
    {
        *process = (sac_process){pid, {e.ask[0], e.ask[1]}, e.answer[0], e.memory, e.scenario, e.log, e.life[1]};
        return SAC_OK;
    }
    sac_status status = sac_fail(SAC_ERROR_ENVIRONMENT, "a worker process: %s", strerror(errno));
    int rest[] = {e.ask[0], e.ask[1], e.answer[0], e.memory, e.scenario, e.log, e.life[1]};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) close(rest[i]);
    return status;
}

void sac_process_kill(sac_process *process)
{
    if (process->pid <= 0) return;
    // The group comes first: its number is ours as long as its leader has not been waited for.
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) continue;
    int all[] = {process->ask[0],   process->ask[1], process->answer, process->memory,
                 process->scenario, process->log,    process->life};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) close(all[i]);
    process->pid = 0;
}

void sac_process_stop(sac_process *process)
{
    if (process->pid <= 0) return;
    sac_process_send(process, 'q');
    // The worker's end of the pipe closes when it ends.
    double deadline = sac_clock() + STOP_MILLISECONDS / 1000.0;
    for (;;)
    {
        struct pollfd end = {.fd = process->answer, .events = POLLIN};
        double left = deadline - sac_clock();
        int ready = left > 0 ? poll(&end, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        char byte;
        if (ready <= 0 || read(process->answer, &byte, 1) <= 0) break;
    }
    sac_process_kill(process);
}

void sac_process_send(const sac_process *process, char byte)
{
    while (write(process->ask[1], &byte, 1) < 0 && errno == EINTR) continue;
}

// Cuts the last line off a text and returns it.
static const char *cut_line(char *text)
{
    size_t end = strlen(text);
    while (end > 0 && (unsigned char)text[end - 1] <= ' ') text[--end] = 0;
    char *start = strrchr(text, '\n');
    if (!start) return text;
    *start = 0;
    return start + 1;
}

static void read_tail(const sac_process *process, char text[LOG_TAIL])
{
    off_t size = lseek(process->log, 0, SEEK_END), from = size > LOG_TAIL - 2 ? size - (LOG_TAIL - 2) : 0;
    text[0] = '\n'; // so that there is always a line to cut
    ssize_t length = pread(process->log, text + 1, LOG_TAIL - 2, from);
    text[length > 0 ? length + 1 : 1] = 0;
}

// The guard of a worker tells how it ended; without a guard, the process itself does.
static void explain_death(sac_process *process, sac_reason *reason)
{
    static const char guard[] = "saccade-worker: ";
    char text[LOG_TAIL], end[64];
    siginfo_t info = {0};
    // A process may end a moment after its pipe. Its number must stay ours until the group is killed.
    for (int i = 0; i < STOP_MILLISECONDS && info.si_pid == 0; i++)
    {
        if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0) break;
        if (info.si_pid == 0) poll(NULL, 0, 1);
    }
    read_tail(process, text);
    const char *line = cut_line(text);
    bool exited = info.si_pid == 0 || info.si_code == CLD_EXITED;
    snprintf(end, sizeof end, exited ? "ended with code %d" : "was killed by signal %d", info.si_status);
    if (strncmp(line, guard, sizeof guard - 1) == 0)
    {
        snprintf(end, sizeof end, "%.50s", line + sizeof guard - 1);
        line = cut_line(text);
    }
    bool told = line[0] && strncmp(end, "ended", 5) == 0;
    snprintf(reason->text, sizeof reason->text, "the worker %s%s%.300s", end, told ? ": " : "", told ? line : "");
}

size_t sac_process_receive(sac_process *process, void *bytes, size_t size, double seconds, sac_reason *reason)
{
    double deadline = 0;
    for (;;)
    {
        struct pollfd answer = {.fd = process->answer, .events = POLLIN};
        double left = deadline > 0 ? deadline - sac_clock() : seconds;
        if (deadline == 0) deadline = sac_clock() + seconds;
        int ready = left > 0 ? poll(&answer, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0)
        {
            snprintf(reason->text, sizeof reason->text, "the worker did not answer in %.3g s", seconds);
            return 0;
        }
        ssize_t count = read(process->answer, bytes, size);
        if (count > 0) return (size_t)count;
        if (count < 0 && errno == EINTR) continue;
        explain_death(process, reason);
        return 0;
    }
}

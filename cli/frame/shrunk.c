#define _GNU_SOURCE
#include "frame/shrunk.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/// The kernel's own table says what is mapped where, so that nobody keeps another one. A handler may call little: what
/// stands here is on the list of functions that are safe in one.

enum
{
    LINE_SIZE = 4608 // of the table: about 70 bytes and a path
};

// the next line of the table, without its newline; false: there is none
static bool read_line(int file, char line[LINE_SIZE])
{
    size_t length = 0;
    char one;
    while (read(file, &one, 1) == 1 && one != '\n')
        if (length < LINE_SIZE - 1) line[length++] = one;
    line[length] = 0;
    return length > 0;
}

static uintptr_t read_hexadecimal(const char **at)
{
    uintptr_t value = 0;
    for (; **at; ++*at)
    {
        const char c = **at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) break;
        value = value * 16 + (uintptr_t)digit;
    }
    return value;
}

// The file that is mapped at an address, inside `line`: "begin-end rights offset device inode   /path"; NULL: none is.
static const char *find_file(uintptr_t address, char line[LINE_SIZE])
{
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const char *path = NULL;
    while (file >= 0 && !path && read_line(file, line))
    {
        const char *at = line;
        const uintptr_t begin = read_hexadecimal(&at);
        if (*at++ != '-') continue;
        const uintptr_t end = read_hexadecimal(&at);
        if (address < begin || address >= end) continue;
        path = strchr(at, '/');
        break;
    }
    if (file >= 0) close(file);
    return path;
}

static void say(const char *words)
{
    if (write(STDERR_FILENO, words, strlen(words)) < 0) return;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    static char line[LINE_SIZE];
    (void)context;
    const char *path = info->si_code == BUS_ADRERR ? find_file((uintptr_t)info->si_addr, line) : NULL;
    if (!path)
    {
        signal(number, SIG_DFL); // something else: it happens again, and ends the process as ever
        return;
    }
    say("saccade: ");
    say(path);
    say(" became shorter while it was read\n");
    _exit(CLI_FAILURE);
}

void cli_watch_mapped_files(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

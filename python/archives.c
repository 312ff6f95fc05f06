// Debian's archives are made for programs, which may reach libc's streams without a detour; a shared object may
// not. The linker is told (--defsym) that these are meant.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

FILE *saccade_stdin, *saccade_stdout, *saccade_stderr;

__attribute__((constructor)) static void find_streams(void)
{
    FILE **const ours[] = {&saccade_stdin, &saccade_stdout, &saccade_stderr};
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    for (int i = 0; i < 3; i++)
    {
        FILE **libc = (FILE **)dlsym(RTLD_DEFAULT, names[i]);
        if (libc) *ours[i] = *libc;
    }
}

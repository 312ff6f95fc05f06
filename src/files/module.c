#define _GNU_SOURCE // dladdr1
#include "files/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/variable.h"

enum
{
    PATH_SIZE = SAC_MODULE_PATH_SIZE,
    FOLDER_COUNT = 4
};

static const sac_module modules[] = {
    {"film", "films (watch --video)", "apt-get install libavformat-dev libavcodec-dev libavutil-dev libswscale-dev"},
    {"window", "the window (watch)", "apt-get install libsdl2-dev"},
    {"plot", "plots (plot, report)", "apt-get install libcairo2-dev"},
    {"web", "the live page (dash, train --dash)", "apt-get install libmicrohttpd-dev"},
    {"mpi", "ranks (mpirun saccade train)", "apt-get install libopenmpi-dev openmpi-bin"},
    {"mujoco", "the control suite", "make mujoco"},
};

const sac_module *sac_module_at(int index)
{
    return index >= 0 && (size_t)index < sizeof modules / sizeof *modules ? &modules[index] : NULL;
}

// Find the folder of the object that holds this code, with its slash, "" when unknown: of Python's extension, of the
// shared library, or of the running executable, which has no name among the loaded objects.
static void own_folder(char folder[PATH_SIZE])
{
    Dl_info info;
    struct link_map *object = NULL;
    folder[0] = 0;
    if (dladdr1((const void *)&sac_module_at, &info, (void **)&object, RTLD_DL_LINKMAP) && object && object->l_name[0])
        snprintf(folder, PATH_SIZE, "%s", object->l_name);
    else
    {
        ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
        folder[length > 0 ? length : 0] = 0;
    }
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = 0;
}

static bool file_path(char path[PATH_SIZE], int place, const char *extra, const char *name)
{
    char folder[PATH_SIZE];
    own_folder(folder);
    int length = 0;
    switch (place)
    {
    case 0: length = snprintf(path, PATH_SIZE, "%s%s", folder, name); break;
    case 1: length = snprintf(path, PATH_SIZE, "%s../%s/saccade/%s", folder, SAC_LIBDIR, name); break;
    case 2: length = snprintf(path, PATH_SIZE, "%s/saccade/%s", SAC_FULL_LIBDIR, name); break;
    default: length = extra ? snprintf(path, PATH_SIZE, "%s/%s", extra, name) : 0;
    }
    return length > 0 && length < PATH_SIZE && access(path, R_OK) == 0;
}

sac_status sac_module_find(char path[PATH_SIZE], const char *file)
{
    const char *extra;
    path[0] = 0;
    SAC_TRY(sac_read_variable(&extra, "SACCADE_MODULES"));
    int place = 0;
    while (place < FOLDER_COUNT && !file_path(path, place, extra, file)) place++;
    if (place == FOLDER_COUNT) path[0] = 0;
    return SAC_OK;
}

static bool has_avx(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx");
#else
    return true; // other processors lack AVX, and their libraries do not need it
#endif
}

// What MuJoCo's module is linked with. The libraries that MuJoCo ships are built for AVX and end the process where it
// is missing. The module finds a library that is open already, wherever it lies.
static sac_status prepare_mujoco(const sac_module *module)
{
    const char *folder;
    char path[PATH_SIZE];
    if (!has_avx())
        return sac_fail(SAC_ERROR_UNAVAILABLE, "MuJoCo, for %s, needs a processor with AVX, which this one has not",
                        module->does);
    SAC_TRY(sac_read_variable(&folder, "SACCADE_MUJOCO"));
    if (!folder) return SAC_OK;
    if (snprintf(path, sizeof path, "%s/libmujoco.so." SAC_MUJOCO_VERSION, folder) >= PATH_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "SACCADE_MUJOCO is too long a path");
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
        return sac_fail(SAC_ERROR_UNAVAILABLE, "SACCADE_MUJOCO names no folder of MuJoCo " SAC_MUJOCO_VERSION ": %s",
                        dlerror());
    return SAC_OK;
}

sac_status sac_module_open(const void **table, const char *name)
{
    *table = NULL;
    int i = 0;
    while (sac_module_at(i) && strcmp(modules[i].name, name) != 0) i++;
    const sac_module *module = sac_module_at(i);
    if (!module) return sac_fail(SAC_ERROR_ARGUMENT, "there is no module '%s'", name);

    char path[PATH_SIZE], file[64], symbol[64];
    snprintf(file, sizeof file, "saccade-%s.so", name);
    SAC_TRY(sac_module_find(path, file));
    if (!path[0])
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "%s is not there, for %s: %s and build again, or set SACCADE_MODULES to its folder", file,
                        module->does, module->install);
    if (strcmp(name, "mujoco") == 0) SAC_TRY(prepare_mujoco(module));
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "%s cannot be opened, %s: %s", file, module->install, dlerror());
    snprintf(symbol, sizeof symbol, "sac_%s_module", name);
    *table = dlsym(object, symbol);
    if (!*table) return sac_fail(SAC_ERROR_UNAVAILABLE, "%s is not of this version: it has no %s", path, symbol);
    return SAC_OK;
}

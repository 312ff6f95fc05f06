#include "env/mujoco/gl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/// The two libraries are declared here, as far as they are called, so that building needs neither.

enum // of EGL and OSMesa
{
    EGL_PLATFORM_DEVICE = 0x313F,
    EGL_OPENGL_API = 0x30A2,
    EGL_NONE = 0x3038,
    GL_RGBA = 0x1908,
    GL_UNSIGNED_BYTE = 0x1401,
    MAX_DEVICES = 16,
    SIDE = 16 // of OSMesa's own picture; MuJoCo draws into one of its own
};

// 8 bits of red, green, blue and alpha, 24 of depth, 8 of stencil, no window, OpenGL
static const int32_t attributes[] = {0x3024, 8,      0x3023, 8,      0x3022, 8,      0x3021, 8,       0x3025,
                                     24,     0x3026, 8,      0x3033, 1,      0x3040, 0x0008, EGL_NONE};

typedef void *handle;
typedef void (*any_function)(void);

typedef struct egl_calls
{
    any_function (*GetProcAddress)(const char *name);
    unsigned (*Initialize)(handle display, int32_t *major, int32_t *minor);
    unsigned (*ChooseConfig)(handle display, const int32_t *wanted, handle *configs, int32_t size, int32_t *count);
    unsigned (*BindAPI)(unsigned api);
    handle (*CreateContext)(handle display, handle config, handle shared, const int32_t *wanted);
    unsigned (*DestroyContext)(handle display, handle context);
    unsigned (*MakeCurrent)(handle display, handle draw, handle read, handle context);
} egl_calls;

typedef struct osmesa_calls
{
    handle (*CreateContextExt)(unsigned format, int depth, int stencil, int accumulation, handle shared);
    void (*DestroyContext)(handle context);
    unsigned char (*MakeCurrent)(handle context, void *buffer, unsigned type, int width, int height);
    handle (*GetCurrentContext)(void);
} osmesa_calls;

static struct
{
    pthread_mutex_t lock;
    bool tried, has_egl, has_osmesa;
    egl_calls egl;
    osmesa_calls osmesa;
    handle display, config;
} library = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct control_gl
{
    handle context;
    uint8_t buffer[SIDE * SIDE * 4]; // OSMesa's
};

// C has no cast from an object's address to a function's
static bool find(handle from, const char *name, void *function)
{
    void *address = from ? dlsym(from, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address;
}

static bool find_extension(const char *name, void *function)
{
    any_function address = library.egl.GetProcAddress(name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

// Finds the first device that can be used. A machine without a graphics card has one that draws in software.
static bool open_display(void)
{
    unsigned (*query_devices)(int32_t size, handle * devices, int32_t * count);
    handle (*get_display)(unsigned platform, handle device, const int32_t *wanted);
    handle devices[MAX_DEVICES];
    int32_t count = 0;
    if (!find_extension("eglQueryDevicesEXT", &query_devices) ||
        !find_extension("eglGetPlatformDisplayEXT", &get_display) || !query_devices(MAX_DEVICES, devices, &count))
        return false;
    for (int32_t i = 0; i < count; i++)
    {
        int32_t configs = 0;
        library.display = get_display(EGL_PLATFORM_DEVICE, devices[i], NULL);
        if (library.display && library.egl.Initialize(library.display, NULL, NULL) &&
            library.egl.ChooseConfig(library.display, attributes, &library.config, 1, &configs) && configs > 0)
            return true;
    }
    return false;
}

// The library is opened globally, so that MuJoCo finds the functions by their names.
static handle open_library(const char *const *names)
{
    handle found = NULL;
    for (int i = 0; names[i] && !found; i++) found = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    return found;
}

static bool open_egl(void)
{
    handle from = open_library((const char *const[]){"libEGL.so.1", "libEGL.so", NULL});
    egl_calls *egl = &library.egl;
    return find(from, "eglGetProcAddress", &egl->GetProcAddress) && find(from, "eglInitialize", &egl->Initialize) &&
           find(from, "eglChooseConfig", &egl->ChooseConfig) && find(from, "eglBindAPI", &egl->BindAPI) &&
           find(from, "eglCreateContext", &egl->CreateContext) &&
           find(from, "eglDestroyContext", &egl->DestroyContext) && find(from, "eglMakeCurrent", &egl->MakeCurrent) &&
           open_display();
}

static bool open_osmesa(void)
{
    handle from = open_library((const char *const[]){"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so", NULL});
    osmesa_calls *mesa = &library.osmesa;
    return find(from, "OSMesaCreateContextExt", &mesa->CreateContextExt) &&
           find(from, "OSMesaDestroyContext", &mesa->DestroyContext) &&
           find(from, "OSMesaMakeCurrent", &mesa->MakeCurrent) &&
           find(from, "OSMesaGetCurrentContext", &mesa->GetCurrentContext);
}

static sac_status open_any(void)
{
    pthread_mutex_lock(&library.lock);
    const char *asked = getenv("MUJOCO_GL");
    if (!library.tried)
    {
        library.has_egl = !(asked && strcmp(asked, "osmesa") == 0) && open_egl();
        library.has_osmesa = !library.has_egl && !(asked && strcmp(asked, "egl") == 0) && open_osmesa();
        // MuJoCo asks this variable where its functions are
        if (library.has_egl || library.has_osmesa) setenv("MUJOCO_GL", library.has_egl ? "egl" : "osmesa", 1);
    }
    library.tried = true;
    pthread_mutex_unlock(&library.lock);
    if (library.has_egl || library.has_osmesa) return SAC_OK;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "renderer opengl: neither EGL with a device nor OSMesa is there (Debian: "
                                           "libegl1, libosmesa6)");
}

sac_status sac_gl_create(control_gl **out)
{
    *out = NULL;
    SAC_TRY(open_any());
    control_gl *gl = SAC_NEW(control_gl);
    if (!gl) return sac_fail_memory("an OpenGL context");
    if (library.has_egl)
    {
        library.egl.BindAPI(EGL_OPENGL_API);
        gl->context = library.egl.CreateContext(library.display, library.config, NULL, NULL);
    }
    else
        gl->context = library.osmesa.CreateContextExt(GL_RGBA, 24, 8, 0, NULL);
    if (!gl->context)
    {
        sac_free(gl);
        return sac_fail(SAC_ERROR_UNAVAILABLE, "renderer opengl: %s makes no context",
                        library.has_egl ? "EGL" : "OSMesa");
    }
    *out = gl;
    return SAC_OK;
}

void sac_gl_destroy(control_gl *gl)
{
    if (!gl) return;
    if (library.has_egl)
        library.egl.DestroyContext(library.display, gl->context);
    else
        library.osmesa.DestroyContext(gl->context);
    sac_free(gl);
}

sac_status sac_gl_enter(control_gl *gl)
{
    bool entered =
        library.has_egl
            ? library.egl.BindAPI(EGL_OPENGL_API) && library.egl.MakeCurrent(library.display, NULL, NULL, gl->context)
            : library.osmesa.MakeCurrent(gl->context, gl->buffer, GL_UNSIGNED_BYTE, SIDE, SIDE) != 0;
    return entered ? SAC_OK : sac_fail(SAC_ERROR_UNAVAILABLE, "renderer opengl: the context is of no use here");
}

void sac_gl_leave(control_gl *gl)
{
    (void)gl;
    if (library.has_egl)
        library.egl.MakeCurrent(library.display, NULL, NULL, NULL);
    else
        library.osmesa.MakeCurrent(NULL, NULL, 0, 0, 0);
}

#pragma once

#include "saccade/base.h"

/// OpenGL without a window, for MuJoCo's own renderer: EGL, or OSMesa where that is missing; $MUJOCO_GL (egl, osmesa)
/// says which. The libraries are opened when the first context is made.

typedef struct control_gl control_gl;

/// @param[out] out  released by sac_gl_destroy; NULL on failure
/// @return SAC_ERROR_UNAVAILABLE where there is no OpenGL
SAC_CHECKED sac_status sac_gl_create(control_gl **out);

/// NULL is ignored. Not while it is entered.
void sac_gl_destroy(control_gl *gl);

/// Make it this thread's OpenGL until sac_gl_leave; one thread at a time.
SAC_CHECKED sac_status sac_gl_enter(control_gl *gl);
void sac_gl_leave(control_gl *gl);

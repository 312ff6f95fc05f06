#pragma once

#include <mujoco/mujoco.h>

/// The functions of MuJoCo that saccade calls, as the table that saccade-mujoco.so exports as `sac_mujoco_module`.
/// Whatever else is needed of MuJoCo is one more word in this list.
#define MUJOCO_FUNCTIONS(X)                      \
    /* models and data */                        \
    X(mj_version)                                \
    X(mj_loadXML)                                \
    X(mj_deleteModel)                            \
    X(mj_copyModel)                              \
    X(mj_makeData)                               \
    X(mj_deleteData)                             \
    X(mj_resetData)                              \
    X(mj_stateSize)                              \
    X(mj_getState)                               \
    X(mj_setState)                               \
    X(mj_name2id)                                \
    X(mj_parseXML)                               \
    X(mj_parseXMLString)                         \
    X(mj_compile)                                \
    X(mj_deleteSpec)                             \
    X(mjs_findElement)                           \
    X(mjs_firstElement)                          \
    X(mjs_nextElement)                           \
    X(mjs_asGeom)                                \
    X(mjs_asSensor)                              \
    X(mjs_delete)                                \
    X(mjs_getError)                              \
    /* physics */                                \
    X(mj_step)                                   \
    X(mj_step1)                                  \
    X(mj_step2)                                  \
    X(mj_forward)                                \
    X(mj_setConst)                               \
    X(mj_kinematics)                             \
    X(mj_comPos)                                 \
    X(mj_camlight)                               \
    X(mj_collision)                              \
    X(mj_tendon)                                 \
    X(mju_axisAngle2Quat)                        \
    /* the abstract scene */                     \
    X(mjv_defaultScene)                          \
    X(mjv_makeScene)                             \
    X(mjv_freeScene)                             \
    X(mjv_defaultOption)                         \
    X(mjv_defaultCamera)                         \
    X(mjv_defaultFreeCamera)                     \
    X(mjv_defaultPerturb)                        \
    X(mjv_updateScene)                           \
    X(mjv_updateCamera)                          \
    /* MuJoCo's own pictures, to compare with */ \
    X(mjr_defaultContext)                        \
    X(mjr_makeContext)                           \
    X(mjr_freeContext)                           \
    X(mjr_setBuffer)                             \
    X(mjr_render)                                \
    X(mjr_readPixels)

typedef struct sac_mujoco
{
    size_t size; // of this table: a module with another list is refused
    // MuJoCo calls these before it ends the process or writes a file
    void (**mju_user_error)(const char *message);
    void (**mju_user_warning)(const char *message);
#define X(name) __typeof__(name) *name;
    MUJOCO_FUNCTIONS(X)
#undef X
} sac_mujoco;

# MuJoCo and the models of dm_control, as `make mujoco` installs them, or where these options point. Sets MUJOCO_FOUND;
# the target mujoco_headers serves whoever includes <mujoco/mujoco.h>, mujoco_library who links it.
set(SAC_MUJOCO "" CACHE PATH "folder of the Python package mujoco; empty: the one in .venv")
set(SAC_DM_CONTROL "" CACHE PATH "folder of the Python package dm_control; empty: the one in .venv")
set(SAC_MUJOCO_VERSION 3.17.0) # the one whose states are promised to the bit

if(NOT CMAKE_CROSSCOMPILING) # .venv holds this machine's
  file(GLOB found_mujoco ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/mujoco)
endif()
file(GLOB found_dm_control ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/dm_control)
foreach(folder ${SAC_MUJOCO} ${found_mujoco})
  if(NOT MUJOCO_FOUND AND EXISTS ${folder}/libmujoco.so.${SAC_MUJOCO_VERSION})
    set(MUJOCO_FOUND TRUE)
    add_library(mujoco_headers INTERFACE)
    target_include_directories(mujoco_headers SYSTEM INTERFACE ${folder}/include)
    add_library(mujoco_library INTERFACE)
    target_link_libraries(mujoco_library INTERFACE mujoco_headers ${folder}/libmujoco.so.${SAC_MUJOCO_VERSION})
    set(MUJOCO_FOLDER ${folder})
  endif()
endforeach()
foreach(folder ${found_dm_control} ${SAC_DM_CONTROL})
  set(DM_CONTROL_FOLDER ${folder}) # where models are looked for at run time
endforeach()
if(NOT MUJOCO_FOUND)
  message(STATUS "the control suite is left out: MuJoCo ${SAC_MUJOCO_VERSION} is not there (make mujoco)")
endif()

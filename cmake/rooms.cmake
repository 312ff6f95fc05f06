# A room is a folder of src/ and one target, sac_<name>. A room sees the headers of the rooms it names and of those they
# name: each room has an include folder of its own in the build tree, so a wrong include does not compile.
#
#   sac_room(NAME [WORLD] [FOLDER path] [PARTS folder...] [PUBLIC header...] [USES room...] [LIBRARIES target...] [LEVELS file.c...] [ONLY file.c...])
#
# WORLD     the room holds environments: its folder is env/NAME unless FOLDER says another, it uses env, and SAC_WORLDS
#           names it
# PARTS     folders inside the room's folder that belong to it
# PUBLIC    headers of include/saccade that belong to the room
# LEVELS    sources that are compiled once a CPU level, with SAC_LEVEL and SAC_LEVEL_NAME(f) set (f_scalar, f_avx2, ...)
#           and with intrinsics of that level allowed
# ONLY      where what the rest needs is not installed: the sources that are left
# The room's other sources are all *.c in its folder and its parts.

set(SAC_FLAGS_scalar "")
set(SAC_FLAGS_neon "")
set(SAC_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(SAC_FLAGS_avx512 -mavx2 -mfma -mf16c -mbmi2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni
                     -mprefer-vector-width=512)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(SAC_LEVELS scalar avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(SAC_LEVELS scalar neon)
else()
  set(SAC_LEVELS scalar)
endif()

set_property(GLOBAL PROPERTY SAC_ROOMS "")
set_property(GLOBAL PROPERTY SAC_WORLDS "")

function(sac_room name)
  cmake_parse_arguments(ROOM "WORLD" "FOLDER" "PARTS;PUBLIC;USES;LIBRARIES;LEVELS;ONLY" ${ARGN})
  if(ROOM_WORLD)
    if(NOT ROOM_FOLDER)
      set(ROOM_FOLDER env/${name})
    endif()
    list(PREPEND ROOM_USES env)
    set_property(GLOBAL APPEND PROPERTY SAC_WORLDS ${name})
  elseif(NOT ROOM_FOLDER)
    set(ROOM_FOLDER ${name})
  endif()
  set(folder ${CMAKE_SOURCE_DIR}/src/${ROOM_FOLDER})
  set(seen ${CMAKE_BINARY_DIR}/rooms/${name})
  get_filename_component(parent ${seen}/${ROOM_FOLDER} DIRECTORY)
  file(MAKE_DIRECTORY ${parent} ${seen}/saccade)
  file(CREATE_LINK ${folder} ${seen}/${ROOM_FOLDER} SYMBOLIC)
  foreach(header ${ROOM_PUBLIC})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include/saccade/${header} ${seen}/saccade/${header} SYMBOLIC)
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
  foreach(part ${ROOM_PARTS})
    file(GLOB more CONFIGURE_DEPENDS ${folder}/${part}/*.c)
    list(APPEND sources ${more})
  endforeach()
  if(ROOM_ONLY)
    list(TRANSFORM ROOM_ONLY PREPEND ${folder}/ OUTPUT_VARIABLE sources)
  endif()
  foreach(file ${ROOM_LEVELS})
    list(REMOVE_ITEM sources ${folder}/${file})
    foreach(level ${SAC_LEVELS})
      get_filename_component(stem ${file} NAME_WE)
      set(wrapper ${CMAKE_BINARY_DIR}/levels/${name}_${stem}_${level}.c)
      string(TOUPPER ${level} upper)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT
"#define SAC_LEVEL SAC_CPU_${upper}
#define SAC_LEVEL_${upper} 1
#define SAC_LEVEL_NAME(function) function##_${level}
#include \"${folder}/${file}\"
")
      set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "${SAC_FLAGS_${level}}"
                                  OBJECT_DEPENDS ${folder}/${file})
      list(APPEND sources ${wrapper})
    endforeach()
  endforeach()
  # a file named after a level holds that level's intrinsics
  foreach(level neon avx2 avx512)
    if(EXISTS ${folder}/${level}.c)
      if(level IN_LIST SAC_LEVELS)
        set_source_files_properties(${folder}/${level}.c PROPERTIES COMPILE_OPTIONS "${SAC_FLAGS_${level}}")
      else()
        list(REMOVE_ITEM sources ${folder}/${level}.c)
      endif()
    endif()
  endforeach()

  add_library(sac_${name} OBJECT ${sources})
  target_include_directories(sac_${name} PUBLIC ${seen})
  foreach(room ${ROOM_USES})
    target_link_libraries(sac_${name} PUBLIC sac_${room})
  endforeach()
  target_link_libraries(sac_${name} PUBLIC ${ROOM_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY SAC_ROOMS ${name})
endfunction()

# A library made of rooms: sac_library(NAME STATIC|SHARED room...)
function(sac_library name type)
  add_library(${name} ${type})
  foreach(room ${ARGN})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:sac_${room}>)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/rooms/${room}>)
    get_target_property(libraries sac_${room} INTERFACE_LINK_LIBRARIES)
    foreach(library ${libraries})
      if(library AND NOT library MATCHES "^sac_")
        target_link_libraries(${name} PUBLIC ${library})
      endif()
    endforeach()
  endforeach()
endfunction()

# Take files along as text: sac_embed(ROOM file...) gives the room "ROOM_files.h", a table `embedded` of
# their names and texts.
function(sac_embed room)
  set(output ${CMAKE_BINARY_DIR}/embedded/${room}_files.h)
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND paths ${path})
  endforeach()
  add_custom_command(OUTPUT ${output} COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${paths}"
                     -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(sac_${room} PRIVATE ${output})
  target_include_directories(sac_${room} PRIVATE ${CMAKE_BINARY_DIR}/embedded)
endfunction()

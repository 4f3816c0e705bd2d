# streammap_add_executable(name source...
#   [CLUSTER cluster.json]        also map it: <name>.tasks.json and <name>.placement.json beside the program
#   [ARGS argument...]            the program's command line the task graph is expanded with
#   [DEVICE cuda|cpu]             what to build for; default cuda
#   [GPU_ARCHS sm_80...]          architectures to report resources for
#   [STRATEGY name]               of `streammap map`; default auto
#   [OPTIONS flag...])            compiler flags, passed after --
#
# Builds the program with `streammap build` as part of `all`, again when a source or the cluster file changes.
function(streammap_add_executable name)
  cmake_parse_arguments(arg "" "CLUSTER;DEVICE;STRATEGY" "ARGS;GPU_ARCHS;OPTIONS" ${ARGN})
  set(sources)
  foreach(source ${arg_UNPARSED_ARGUMENTS})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    # A source that the build itself makes may come later; one without a suffix is a misspelt keyword.
    if(NOT EXISTS ${path} AND NOT source MATCHES "\\.[A-Za-z]+$")
      message(FATAL_ERROR "streammap_add_executable(${name}): '${source}' is no source file, and the keywords are "
        "CLUSTER, ARGS, DEVICE, GPU_ARCHS, STRATEGY and OPTIONS")
    endif()
    list(APPEND sources ${path})
  endforeach()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "streammap_add_executable(${name}): nothing follows ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT sources)
    message(FATAL_ERROR "streammap_add_executable(${name}): no sources given")
  endif()
  if(NOT arg_DEVICE)
    set(arg_DEVICE cuda)
  endif()
  if(NOT arg_DEVICE MATCHES "^(cuda|cpu)$")
    message(FATAL_ERROR "streammap_add_executable(${name}): DEVICE is cuda or cpu, not '${arg_DEVICE}'")
  endif()
  if(NOT arg_STRATEGY)
    set(arg_STRATEGY auto)
  endif()
  set(flags)
  if(arg_OPTIONS)
    set(flags -- ${arg_OPTIONS})
  endif()

  add_custom_command(OUTPUT ${name}
    COMMAND StreamMAP::streammap build ${sources} -o ${name} --device ${arg_DEVICE} ${flags}
    DEPENDS ${sources} StreamMAP::streammap
    COMMENT "Building ${name} for ${arg_DEVICE}" VERBATIM)
  set(outputs ${CMAKE_CURRENT_BINARY_DIR}/${name})

  if(arg_CLUSTER)
    cmake_path(ABSOLUTE_PATH arg_CLUSTER BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT EXISTS ${arg_CLUSTER})
      message(FATAL_ERROR "streammap_add_executable(${name}): no such cluster file: ${arg_CLUSTER}")
    endif()
    set(expand)
    foreach(argument ${arg_ARGS})
      list(APPEND expand --arg ${argument})
    endforeach()
    foreach(arch ${arg_GPU_ARCHS})
      list(APPEND expand --gpu-arch ${arch})
    endforeach()
    add_custom_command(OUTPUT ${name}.tasks.json
      COMMAND StreamMAP::streammap annotate ${sources} -o ${name}.tasks.json ${expand} ${flags}
      DEPENDS ${sources} StreamMAP::streammap
      COMMENT "Annotating ${name}" VERBATIM)
    add_custom_command(OUTPUT ${name}.placement.json
      COMMAND StreamMAP::streammap map ${name}.tasks.json --cluster ${arg_CLUSTER} --strategy ${arg_STRATEGY}
              -o ${name}.placement.json
      DEPENDS ${name}.tasks.json ${arg_CLUSTER} StreamMAP::streammap
      COMMENT "Mapping ${name}" VERBATIM)
    list(APPEND outputs ${CMAKE_CURRENT_BINARY_DIR}/${name}.placement.json)
  endif()
  add_custom_target(${name}-program ALL DEPENDS ${outputs})
endfunction()

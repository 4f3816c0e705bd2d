# Language, compiler cache, linker, warnings and sanitizers: what every target is built with.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(STREAMMAP_CCACHE ccache)
if(STREAMMAP_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${STREAMMAP_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STREAMMAP_CCACHE})
endif()

# Programs find each other and the runtime beside themselves, in the build tree and once installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_library(streammap_flags INTERFACE)
target_compile_options(streammap_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<BOOL:${STREAMMAP_WERROR}>:-Werror>)
# g++ 12 reports these from inside the standard library's own headers at -O2 (GCC bugs 105329, 105651).
target_compile_options(streammap_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>)
# Clang reports libstdc++ 12's own stable_sort, and __COUNTER__ in Catch2's macros.
target_compile_options(streammap_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations -Wno-c2y-extensions -Wno-unknown-warning-option>)
if(STREAMMAP_SANITIZE)
  target_compile_options(streammap_flags INTERFACE -fsanitize=${STREAMMAP_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(streammap_flags INTERFACE -fsanitize=${STREAMMAP_SANITIZE})
endif()
# Coverage for libFuzzer in every file; what the sanitizers find ends the run.
if(STREAMMAP_FUZZ)
  target_compile_options(streammap_flags INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize-recover=all)
endif()

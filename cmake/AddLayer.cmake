# One static library per layer, with the links the picture in CONTRIBUTING.md allows and no others.
#
#   streammap_add_layer(sim SOURCES CostModel.cpp ... HEADERS CostModel.h ... LINKS streammap_model)
#
# makes streammap_sim. HEADERS become a header set, so `all_verify_interface_header_sets` proves that each
# compiles alone.
function(streammap_add_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;LINKS" ${ARGN})
  set(target streammap_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(StreamMAP::${name} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/lib FILES ${arg_HEADERS})
  target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE $<BUILD_INTERFACE:streammap_flags>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# A layer or program that includes Clang or LLVM headers: their warnings are theirs, and LLVM has no RTTI.
function(streammap_use_llvm target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE -fno-rtti -Wno-unused-parameter)
  target_link_libraries(${target} PUBLIC clang-cpp LLVM)
endfunction()

# streammap_add_test(model.json SOURCES JsonTest.cpp LINKS streammap_model LABELS quick)
# One Catch2 executable, one ctest entry of the same name. `quick` tests run in seconds (ctest -L quick).
function(streammap_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINKS;LABELS;DEFINITIONS" ${ARGN})
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE streammap_test_support ${arg_LINKS} $<BUILD_INTERFACE:streammap_flags>)
  target_compile_definitions(${target} PRIVATE
    STREAMMAP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" STREAMMAP_BINARY_DIR="${PROJECT_BINARY_DIR}" ${arg_DEFINITIONS})
  add_test(NAME ${name} COMMAND ${target})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

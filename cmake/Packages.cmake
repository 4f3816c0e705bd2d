# Finds the packages we stand on and says, in one line each, how to get what is missing.
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(LibXml2 REQUIRED)

set(STREAMMAP_HAS_ANALYSIS OFF)
if(STREAMMAP_ANALYSIS)
  # LLVM's version file accepts only an exact major.minor, so ask for any and look at what came.
  find_package(LLVM CONFIG QUIET HINTS /usr/lib/llvm-22)
  if(LLVM_FOUND AND LLVM_VERSION_MAJOR EQUAL 22)
    find_package(Clang CONFIG QUIET HINTS ${LLVM_DIR}/../clang /usr/lib/llvm-22/lib/cmake/clang NO_DEFAULT_PATH)
  else()
    set(LLVM_FOUND OFF)
  endif()
  if(LLVM_FOUND AND Clang_FOUND)
    set(STREAMMAP_HAS_ANALYSIS ON)
    message(STATUS "Clang/LLVM ${LLVM_PACKAGE_VERSION}: annotate, check and the CPU device are built")
  else()
    message(STATUS "Clang/LLVM 22 not found: annotate, check and build are left out "
                   "(apt-get install llvm-22-dev libclang-22-dev clang-22)")
  endif()
endif()

# The toolkit is found through nvcc on PATH, CUDA_HOME, CUDAToolkit_ROOT or /usr/local/cuda; pip's wheels
# (nvidia-cuda-runtime nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl) will do as well.
find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  list(GET CUDAToolkit_INCLUDE_DIRS 0 STREAMMAP_CUDA_INCLUDE)
  get_filename_component(STREAMMAP_CUDA_ROOT ${CUDAToolkit_BIN_DIR} DIRECTORY)
  message(STATUS "CUDA Toolkit ${CUDAToolkit_VERSION}: ${STREAMMAP_CUDA_ROOT}")
else()
  message(STATUS "CUDA Toolkit not found: the runtime is left out and annotate reports resources as unknown "
                 "(pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl, "
                 "then set CUDAToolkit_ROOT)")
endif()

set(STREAMMAP_HAS_RUNTIME OFF)
if(STREAMMAP_RUNTIME)
  find_package(MPI COMPONENTS CXX QUIET)
  if(MPI_CXX_FOUND AND CUDAToolkit_FOUND)
    set(STREAMMAP_HAS_RUNTIME ON)
  else()
    message(STATUS "The runtime is left out: it needs MPI (apt-get install libopenmpi-dev) and the CUDA Toolkit")
  endif()
endif()

if(STREAMMAP_TESTS)
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    message(STATUS "Catch2 not found: the tests are left out (apt-get install catch2)")
    set(STREAMMAP_TESTS OFF)
  endif()
endif()

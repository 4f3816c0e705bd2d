#include "build/CompilerFlags.h"
#include "support/Catch.h"

using namespace streammap;
using Flags = std::vector<std::string>;

TEST_CASE("nvcc's device options mean nothing to the CPU device and are dropped with their values") {
  CHECK(flagsForClang({"-arch=sm_90", "-gencode", "arch=compute_80,code=sm_80", "-Xptxas", "-v", "-lineinfo",
                       "-O3", "--generate-code=arch=compute_90,code=sm_90", "-maxrregcount=64",
                       "--use_fast_math", "-rdc=true"}) == Flags{"-O3"});
}

TEST_CASE("host compiler options are unwrapped for Clang") {
  CHECK(flagsForClang({"-Xcompiler", "-Wall,-fopenmp", "-Xcompiler=-march=native", "-DN=4"}) ==
        Flags{"-Wall", "-fopenmp", "-march=native", "-DN=4"});
}

TEST_CASE("standards that CUDA 13's headers no longer accept are raised to C++17") {
  CHECK(flagsForClang({"-std=c++11", "-std=gnu++14", "--std=c++14", "-std", "c++20"}) ==
        Flags{"-std=c++17", "-std=gnu++17", "-std=c++17", "-std=c++20"});
}

TEST_CASE("nvcc's per-thread default stream is Clang's, and the CUDA headers hear of it") {
  const Flags perThread{"-Xclang", "-fgpu-default-stream=per-thread",
                        "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"};
  CHECK(flagsForClang({"--default-stream", "per-thread"}) == perThread);
  CHECK(flagsForClang({"-default-stream=per-thread"}) == perThread);
  CHECK(flagsForClang({"--default-stream=legacy", "-O2"}) == Flags{"-O2"});
}

TEST_CASE("a value that is missing at the end is not read") {
  CHECK(flagsForClang({"-O2", "-gencode"}) == Flags{"-O2"});
  CHECK(flagsForClang({"-O2", "-Xcompiler"}) == Flags{"-O2"});
}

TEST_CASE("the host compiler's options reach it through nvcc") {
  CHECK(flagsForNvcc({"-Wall", "-fopenmp", "-O3", "-DN=4", "-Iinclude", "--cuda-gpu-arch=sm_80",
                      "-pthread"}) == Flags{"-Xcompiler", "-Wall", "-Xcompiler", "-fopenmp", "-O3", "-DN=4",
                                            "-Iinclude", "-arch=sm_80", "-Xcompiler", "-pthread"});
}

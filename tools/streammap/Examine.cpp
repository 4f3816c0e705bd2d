#include "Examine.h"
#include "build/RunTool.h"
#include "build/Tools.h"
#include "support/Text.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>

namespace fs = std::filesystem;

namespace streammap {
namespace {

constexpr const char *wheels = "pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm "
                               "nvidia-cuda-cccl";

/// What the program says; nothing where it is not there, fails, or does not answer in time.
std::optional<std::string> ask(std::vector<std::string> command) {
  if (command[0].find('/') == std::string::npos && (command[0] = findOnPath(command[0])).empty())
    return std::nullopt;
  if (fs::exists("/usr/bin/timeout"))
    command.insert(command.begin(), {"/usr/bin/timeout", "5"});
  const Expected<ToolRun> ran = runTool(command);
  return ran && ran->exitCode == 0 ? std::optional(ran->output) : std::nullopt;
}

std::string firstLine(const std::string &text) {
  return std::string(trim(split(text, '\n').front()));
}

/// The rest of the line after `sign`.
std::string after(const std::string &text, std::string_view sign) {
  const std::size_t at = text.find(sign);
  if (at == std::string::npos)
    return {};
  const std::string_view rest = std::string_view(text).substr(at + sign.size());
  return std::string(trim(rest.substr(0, rest.find('\n'))));
}

/// A shared library whose file name begins so, where the linker usually looks.
std::string findLibrary(const std::string &beginning) {
  std::vector<std::string> folders{"/usr/local/lib", "/usr/lib64", "/usr/lib"};
  for (const char *machine : {"x86_64", "aarch64"})
    folders.push_back("/usr/lib/" + std::string(machine) + "-linux-gnu");
  if (const char *path = std::getenv("LD_LIBRARY_PATH"))
    for (std::string_view folder : split(path, ':'))
      folders.emplace_back(folder);
  std::vector<std::string> found;
  for (const std::string &folder : folders) {
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
      if (entry.path().filename().string().starts_with(beginning))
        found.push_back(entry.path().string());
  }
  return found.empty() ? std::string() : *std::ranges::min_element(found);
}

Component ownProgram(const std::string &file, const std::string &name, const std::string &neededFor,
                     const std::string &packages) {
  Component component{name, Presence::missing, "not built", neededFor,
                      "apt-get install " + packages + ", then build StreamMAP again"};
  if (const Expected<std::string> found = findOwnFile(programFolder(), file))
    component = {name, Presence::works, *found, neededFor, ""};
  return component;
}

Component examineClang() {
  const Expected<std::string> clang = findClang();
  Component component{"Clang 22", Presence::missing, clang ? "" : "not found", "build --device cpu",
                      "apt-get install clang-22"};
  if (!clang)
    return component;
  const std::optional<std::string> version = ask({*clang, "--version"});
  component.found = (version ? firstLine(*version) : "does not answer") + ", " + *clang;
  if (version) {
    component.presence = Presence::works;
    component.remedy.clear();
  }
  return component;
}

std::vector<Component> examineCuda() {
  const Expected<CudaInstallation> cuda = findCuda();
  Component headers{"CUDA headers", Presence::missing, "not found", "annotate, build", wheels};
  Component nvcc{"nvcc", Presence::missing, "not found", "build --device cuda", wheels};
  Component ptxas{"ptxas", Presence::missing, "not found", "annotate: registers, shared memory",
                  "pip install nvidia-cuda-nvcc"};
  if (cuda) {
    headers = {"CUDA headers", Presence::works,
               std::to_string(cuda->major) + "." + std::to_string(cuda->minor) + ", " + cuda->root,
               headers.neededFor, ""};
    if (!cuda->nvcc.empty())
      if (const auto version = ask({cuda->nvcc, "--version"}))
        nvcc = {"nvcc", Presence::works, after(*version, "release ") + ", " + cuda->nvcc, nvcc.neededFor, ""};
    std::string program = cuda->root + "/bin/ptxas";
    if (!fs::exists(program))
      program = findOnPath("ptxas");
    if (!program.empty())
      if (const auto version = ask({program, "--version"}))
        ptxas = {"ptxas", Presence::works, after(*version, "release ") + ", " + program, ptxas.neededFor, ""};
  }
  return {headers, nvcc, ptxas};
}

std::vector<Component> examineGpus() {
  Component driver{"NVIDIA driver", Presence::missing, "not found", "run on GPUs",
                   "apt-get install nvidia-driver (or the vendor's), on machines with a GPU"};
  Component gpus{"GPUs", Presence::missing, "none", "run on GPUs",
                 "none needed to map; the CPU device runs programs"};
  const auto list =
      ask({"nvidia-smi", "--query-gpu=driver_version,name,memory.total", "--format=csv,noheader"});
  if (!list) {
    if (!findOnPath("nvidia-smi").empty())
      driver.found = "nvidia-smi fails or does not answer";
    return {driver, gpus};
  }
  std::size_t count = 0;
  std::string first;
  for (std::string_view line : split(*list, '\n')) {
    if (trim(line).empty())
      continue;
    const std::vector<std::string_view> fields = split(line, ',');
    if (count++ == 0 && fields.size() >= 3) {
      driver = {"NVIDIA driver", Presence::works, std::string(trim(fields[0])), driver.neededFor, ""};
      first = std::string(trim(fields[1])) + ", " + std::string(trim(fields[2]));
    }
  }
  if (!first.empty())
    gpus = {"GPUs", Presence::works, std::to_string(count) + ": " + first, gpus.neededFor, ""};
  return {driver, gpus};
}

std::vector<Component> examineMpi() {
  Component mpi{"MPI launcher", Presence::missing, "no mpirun", "run on several ranks",
                "apt-get install openmpi-bin"};
  Component cuda{"CUDA-aware MPI", Presence::missing, "not known to be",
                 "run on GPUs: no copy through the host",
                 "Open MPI built --with-cuda (NVIDIA HPC-X has one); works without"};
  const auto version = ask({"mpirun", "--version"});
  if (!version)
    return {mpi, cuda};
  const bool openMpi = version->find("Open MPI") != std::string::npos;
  mpi = {"MPI launcher", Presence::works,
         (openMpi ? firstLine(*version) : "MPICH " + after(*version, "Version:")) + ", " +
             findOnPath("mpirun"),
         mpi.neededFor, ""};
  if (const auto info = ask({"ompi_info", "--parsable", "--all"})) {
    const std::string value = after(*info, "mpi_built_with_cuda_support:value:");
    if (value == "true")
      cuda = {"CUDA-aware MPI", Presence::works, "built with CUDA support", cuda.neededFor, ""};
    else if (!value.empty())
      cuda.found = "built without CUDA support";
  }
  return {mpi, cuda};
}

Component examineSlurm() {
  Component slurm{"Slurm", Presence::missing, "no srun", "run --launcher srun, submit",
                  "apt-get install slurm-client, and the cluster's slurm.conf"};
  if (findOnPath("srun").empty())
    return slurm;
  // Without a configuration every program of Slurm, `srun --version` too, looks for one on the network.
  const char *configuration = std::getenv("SLURM_CONF");
  const std::string file = configuration ? configuration : "/etc/slurm/slurm.conf";
  slurm.presence = Presence::partial;
  slurm.remedy = "the cluster's slurm.conf in /etc/slurm, or SLURM_CONF";
  if (!fs::exists(file)) {
    slurm.found = "srun, and no configuration in " + file; // a long path is cut in its middle
    return slurm;
  }
  const auto version = ask({"srun", "--version"});
  slurm.found = version ? firstLine(*version) : "srun does not answer";
  const auto nodes = ask({"sinfo", "--noheader", "--format=%D"});
  if (!nodes) {
    slurm.found += ", no cluster answers";
    slurm.remedy = "ask whoever runs slurmctld named in " + file;
    return slurm;
  }
  int count = 0;
  for (std::string_view line : split(*nodes, '\n'))
    count += std::atoi(std::string(line).c_str());
  const auto plugins = ask({"srun", "--mpi=list"});
  const bool pmix = plugins && plugins->find("pmix") != std::string::npos;
  slurm.found += ", " + std::to_string(count) + " nodes, " + (pmix ? "with PMIx" : "no PMIx plugin");
  slurm.remedy =
      pmix ? "" : "for Open MPI: apt-get install slurm-wlm-basic-plugins on all nodes; MPICH: --mpi pmi2";
  slurm.presence = pmix ? Presence::works : Presence::partial;
  return slurm;
}

Component byProgram(const std::string &name, std::vector<std::string> command, const std::string &neededFor,
                    const std::string &remedy) {
  const std::string path = findOnPath(command[0]);
  if (path.empty())
    return {name, Presence::missing, "no " + command[0], neededFor, remedy};
  const auto said = ask(std::move(command));
  return {name, Presence::works, (said && !said->empty() ? firstLine(*said) + ", " : "") + path, neededFor,
          ""};
}

Component byLibrary(const std::string &name, const std::string &file, const std::string &neededFor,
                    const std::string &remedy) {
  const std::string found = findLibrary(file);
  if (found.empty())
    return {name, Presence::missing, "no " + file, neededFor, remedy};
  return {name, Presence::works, found, neededFor, ""};
}

} // namespace

std::vector<Component> examineMachine() {
  std::vector<Component> all{
      ownProgram("streammap-annotate", "annotate", "annotate, check, build",
                 "llvm-22-dev libclang-22-dev clang-22"),
      ownProgram("../lib/libstreammap_runtime.a", "runtime", "build, run", "libopenmpi-dev, a CUDA Toolkit"),
      examineClang()};
  for (std::vector<Component> (*examine)() : {examineCuda, examineGpus, examineMpi})
    std::ranges::move(examine(), std::back_inserter(all));
  all.push_back(examineSlurm());
  all.push_back(byProgram("ssh", {"ssh", "-V"}, "run --on-nodes", "apt-get install openssh-client"));
  all.push_back(byProgram("kubectl", {"kubectl", "version", "--client"}, "launch-files --to kubernetes",
                          "https://kubernetes.io/docs/tasks/tools"));
  all.push_back(byLibrary("SimGrid", "libsimgrid.so", "simulate", "apt-get install libsimgrid-dev"));
  all.push_back(
      byLibrary("hwloc", "libhwloc.so", "NUMA nodes of a live machine", "apt-get install libhwloc-dev"));
  return all;
}

std::vector<Ability> abilities(const std::vector<Component> &components) {
  const auto needs = [&](std::string command, std::initializer_list<std::string_view> names) {
    Ability ability{std::move(command), {}};
    for (std::string_view name : names) {
      const auto found = std::ranges::find(components, name, &Component::name);
      if (found == components.end() || found->presence != Presence::works)
        ability.missing.emplace_back(name);
    }
    return ability;
  };
  return {needs("import, map, report, launch-files", {}),
          needs("annotate, check", {"annotate", "CUDA headers"}),
          needs("build --device cpu", {"annotate", "runtime", "Clang 22", "CUDA headers"}),
          needs("build --device cuda", {"annotate", "runtime", "nvcc"}),
          needs("run on GPUs", {"runtime", "NVIDIA driver", "GPUs"}),
          needs("run on several ranks", {"runtime", "MPI launcher"}),
          needs("run --launcher srun, submit", {"runtime", "Slurm"})};
}

} // namespace streammap

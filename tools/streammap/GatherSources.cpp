#include "GatherSources.h"
#include "model/Hostlist.h"
#include "support/Files.h"
#include "support/Text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

namespace streammap {
namespace {

constexpr const char *liveSources[] = {"this-machine", "slurm", "kubernetes"};

bool isLive(const std::string &name) {
  return std::ranges::find(liveSources, name) != std::end(liveSources);
}

/// "n[001-008]=topo.txt" as its nodes and its file. A file's own name may have an equals sign after a slash.
struct Input {
  std::string nodes, file;
};

Input splitInput(const std::string &text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || text.find('/') < equals)
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

class Gatherer {
public:
  Gatherer(const SourceOptions &options, Diagnostics &diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  Expected<std::vector<Findings>> run() {
    const SourceKind *kind = nullptr;
    for (const std::string &from : options_.from)
      if (!isLive(from))
        kind = sourceKindNamed(from);
    for (const std::string &input : options_.inputs)
      if (const Expected<void> read = readInput(splitInput(input), kind); !read)
        return std::unexpected(read.error());
    for (const std::string &from : options_.from)
      if (const Expected<void> asked = isLive(from) ? ask(from) : Expected<void>(); !asked)
        return std::unexpected(asked.error());
    if (!options_.hosts.empty())
      if (const Expected<void> asked = askHosts(); !asked)
        return std::unexpected(asked.error());
    const bool anyLive = std::ranges::any_of(options_.from, isLive);
    if (options_.inputs.empty() && options_.hosts.empty() && !anyLive)
      if (const Expected<void> asked = ask("this-machine"); !asked)
        return std::unexpected(asked.error());
    return std::move(findings_);
  }

private:
  Expected<void> readInput(const Input &input, const SourceKind *kind) {
    const Expected<std::string> text = readFile(input.file);
    if (!text)
      return std::unexpected(text.error());
    const std::string name = input.file == "-" ? "<stdin>" : input.file;
    std::optional<Findings> found = readSource(*text, name, kind, diagnostics_);
    if (!found)
      return {};
    if (!input.nodes.empty()) {
      const Expected<std::vector<std::string>> nodes = expandHostlist(input.nodes);
      if (!nodes) {
        diagnostics_.error({"--input", 0, 0, {}},
                           "hostlist '" + abbreviated(input.nodes) + "': " + nodes.error().message,
                           "bad-hostlist");
        return {};
      }
      nameNodes(*found, *nodes);
    }
    findings_.push_back(std::move(*found));
    return {};
  }

  Expected<void> ask(const std::string &source) {
    const Collected texts = source == "slurm"        ? collectSlurm(asking_)
                            : source == "kubernetes" ? collectKubernetes(asking_)
                                                     : collectThisMachine(asking_);
    if (!texts)
      return std::unexpected(texts.error());
    readTexts(*texts);
    // NVML knows more of the GPUs of this machine than nvidia-smi prints, and works where that is not
    // installed.
    if (source == "this-machine" && !findings_.empty() && !findings_.back().nodes.empty())
      if (std::optional<Findings> nvml = findByNvml()) {
        NodeFindings &reported = findings_.back().nodes[0];
        if (reported.gpuCount && reported.gpus.empty())
          reported.gpuCount.reset(); // there was no nvidia-smi to count them
        nvml->nodes[0].name = reported.name;
        findings_.push_back(std::move(*nvml));
      }
    return {};
  }

  Expected<void> askHosts() {
    const Expected<std::vector<std::string>> hosts = expandHostlist(options_.hosts);
    if (!hosts) {
      diagnostics_.error({"--hosts", 0, 0, {}},
                         "hostlist '" + abbreviated(options_.hosts) + "': " + hosts.error().message,
                         "bad-hostlist");
      return {};
    }
    std::vector<std::string> failed;
    const Collected texts = options_.via == "srun" ? collectOverSrun(asking_, *hosts, failed)
                                                   : collectOverSsh(asking_, *hosts, failed);
    if (!texts)
      return std::unexpected(texts.error());
    for (const std::string &why : failed)
      std::fprintf(stderr, "unknown: %s\n", why.c_str());
    readTexts(*texts);
    return {};
  }

  void readTexts(const std::vector<CollectedText> &texts) {
    for (const CollectedText &text : texts)
      if (std::optional<Findings> found = readSource(text.text, text.name, nullptr, diagnostics_)) {
        if (!text.nodeName.empty())
          nameNodes(*found, std::span(&text.nodeName, 1));
        findings_.push_back(std::move(*found));
      }
  }

  const SourceOptions &options_;
  Diagnostics &diagnostics_;
  SystemCommands runner_;
  SystemEnvironment environment_;
  Asking asking_{runner_, environment_, seconds(options_.limitSeconds)};
  std::vector<Findings> findings_;
};

} // namespace

void addSourceOptions(CLI::App &command, SourceOptions &options) {
  std::vector<std::string> names(std::begin(liveSources), std::end(liveSources));
  for (const SourceKind &kind : sourceKinds())
    names.emplace_back(kind.name);
  command
      .add_option("--input", options.inputs,
                  "outputs of tools, '[NODES=]FILE'; the kind is recognised by content")
      ->type_name("FILE");
  command
      .add_option(
          "--from", options.from,
          "ask now: this-machine, slurm, kubernetes; or the kind of the inputs, see discover --list-kinds")
      ->check(CLI::IsMember(names));
  command.add_option("--hosts", options.hosts, "ask these nodes now, a hostlist \"n[001-016]\"");
  command.add_option("--via", options.via, "how to reach --hosts")
      ->check(CLI::IsMember({"ssh", "srun"}))
      ->capture_default_str();
  command.add_option("--timeout", options.limitSeconds, "seconds each command may take")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
}

Expected<std::vector<Findings>> gatherSources(const SourceOptions &options, Diagnostics &diagnostics) {
  return Gatherer(options, diagnostics).run();
}

} // namespace streammap

#include "discover/GpuNames.h"
#include "discover/Scan.h"
#include "model/GpuCatalogue.h"
#include "support/Text.h"
#include <algorithm>
#include <cctype>

namespace streammap {
namespace {

std::vector<std::string> tokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  std::string token;
  for (char letter : lowered(text) + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      token += letter;
    } else if (!token.empty()) {
      tokens.push_back(token);
      token.clear();
    }
  }
  return tokens;
}

bool isMemory(std::string_view token) {
  return token.size() > 2 && token.ends_with("gb") &&
         wholeNumber(token.substr(0, token.size() - 2)).has_value();
}

bool isForm(std::string_view token) {
  return token.starts_with("sxm") || token == "pcie" || token == "nvl" || token == "sff";
}

/// "8c" of A100-8C, "4q" of A16-4Q: a share of a GPU under vGPU, which the catalogue's figures do not
/// describe.
bool isVirtual(std::string_view token) {
  return token.size() >= 2 && std::string_view("abcq").find(token.back()) != std::string_view::npos &&
         wholeNumber(token.substr(0, token.size() - 1)).has_value();
}

struct Words {
  std::string family; ///< "h100", "rtx6000ada", "rtx8000"
  std::string form;   ///< "sxm", "pcie", "nvl", "sff"; empty: not said
  std::string memory; ///< "80gb"; empty: not said
  bool isVirtual = false;
  bool byDriver =
      false; ///< as NVIDIA's driver writes it, which names every form but the SXM of an H200 or H100
};

Words wordsOf(std::string_view product) {
  static constexpr std::string_view ignored[] = {"nvidia",   "tesla",      "grid",   "geforce", "quadro",
                                                 "graphics", "generation", "tensor", "core",    "gpu",
                                                 "hbm2",     "hbm2e",      "device", "h"};
  Words result;
  for (const std::string &token : tokensOf(product)) {
    result.byDriver = result.byDriver || token == "nvidia";
    if (isMemory(token))
      result.memory = token;
    else if (token == "hbm3" || token == "hbm3e") // only the SXM boards of Hopper are called by it
      result.form = "sxm";
    else if (isForm(token))
      result.form = token.starts_with("sxm") ? "sxm" : token;
    else if (isVirtual(token) && !result.family.empty())
      result.isVirtual = true;
    else if (std::ranges::find(ignored, token) == std::end(ignored))
      result.family += token;
  }
  return result;
}

struct Entry {
  std::string name;
  Words words;
  Bytes memory;
};

/// The catalogue's GPUs with their names taken apart, once.
const std::vector<Entry> &entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> made;
    for (const std::string &name : catalogueNames())
      if (const std::optional<GpuModel> model = catalogueModel(name); !model->isCpu())
        made.push_back({name, wordsOf(name), model->memory});
    return made;
  }();
  return all;
}

} // namespace

std::vector<std::string> catalogueCandidates(std::string_view product, std::optional<Bytes> memory) {
  const Words wanted = wordsOf(wholeGpuOf(product));
  std::vector<std::string> found;
  if (wanted.family.empty() || wanted.isVirtual)
    return found;
  for (const Entry &each : entries()) {
    const Words &entry = each.words;
    if (entry.family != wanted.family)
      continue;
    if (!wanted.form.empty() && !entry.form.empty() && entry.form != wanted.form)
      continue;
    if (wanted.form.empty() && (entry.form == "sff" || (entry.form == "nvl" && wanted.byDriver)))
      continue; // drivers never leave these two out
    if (!wanted.memory.empty() && !entry.memory.empty() && entry.memory != wanted.memory)
      continue;
    // Drivers report a few per cent less than the board carries, ECC on GDDR up to a sixteenth.
    if (memory && wanted.memory.empty() && std::abs(memory->value() / each.memory.value() - 1) > 0.12)
      continue;
    found.push_back(each.name);
  }
  return found;
}

std::string_view migProfileOf(std::string_view product) {
  if (const std::size_t mig = product.find("-MIG-"); mig != std::string_view::npos)
    return product.substr(mig + 5);
  // Slurm's type of a GRES for a slice is often its profile.
  const std::size_t dot = product.find("g.");
  const bool isProfile =
      dot != std::string_view::npos && wholeNumber(product.substr(0, dot)) && product.ends_with("gb");
  return isProfile ? product : std::string_view();
}

std::string_view wholeGpuOf(std::string_view product) {
  if (product.ends_with("-SHARED"))
    product.remove_suffix(7);
  return product.substr(0, product.find("-MIG-"));
}

std::string modelNameOf(std::string_view product) {
  std::string name;
  for (std::string_view word : words(product)) {
    if (word == "NVIDIA" || word == "Tesla" || word == "GeForce" || word == "Generation" || word == "GRID")
      continue;
    name += (name.empty() ? "" : "-") + std::string(word);
  }
  if (name.starts_with("NVIDIA-"))
    name.erase(0, 7);
  return name.empty() ? "unknown-gpu" : name;
}

} // namespace streammap

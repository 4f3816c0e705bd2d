#include "support/ForeignGraphs.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace streammap::test {
namespace {

std::string contentOf(const std::string &path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<double> numbersIn(std::string text) {
  for (char &c : text)
    if (c == ',' || c == ':')
      c = ' ';
  std::istringstream in(text);
  std::vector<double> numbers;
  for (double n; in >> n;)
    numbers.push_back(n);
  return numbers;
}

double attribute(const std::string &text, const std::string &name) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("\"?" + name + "\"?\\s*=\\s*\"?([0-9.]+)"))) {
    std::fprintf(stderr, "no attribute %s in: %.80s\n", name.c_str(), text.c_str());
    std::exit(1);
  }
  return std::stod(match[1]);
}

} // namespace

ProcessorGraph readHeteroDag(const std::string &path) {
  std::istringstream lines(contentOf(path));
  std::vector<std::vector<double>> times;
  std::vector<Edge> edges;
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) {
      section = line.substr(0, line.find_last_not_of(" \r") + 1);
      continue;
    }
    std::vector<double> numbers = numbersIn(line);
    if (section == "#tasks" && numbers.size() > 1)
      times.emplace_back(numbers.begin() + 1, numbers.end());
    else if (section == "#edges" && numbers.size() == 4)
      edges.push_back(
          {static_cast<std::size_t>(numbers[1]), static_cast<std::size_t>(numbers[2]), numbers[3]});
  }
  return processorGraph(times, edges);
}

ProcessorGraph readStg(const std::string &path, std::size_t processors) {
  std::istringstream lines(contentOf(path));
  std::vector<double> times;
  std::vector<Edge> edges;
  std::string line;
  std::getline(lines, line);
  const std::size_t count = static_cast<std::size_t>(std::stoul(line)) + 2;
  while (times.size() < count && std::getline(lines, line)) {
    const std::vector<double> numbers = numbersIn(line);
    times.push_back(numbers.at(1));
    for (std::size_t i = 3; i < numbers.size(); ++i)
      edges.push_back({static_cast<std::size_t>(numbers[i]), times.size() - 1, 0});
  }
  return identicalProcessors(times, edges, processors);
}

SolvedGraph readSolvedDot(const std::string &path) {
  std::string text = std::regex_replace(contentOf(path), std::regex("\\\\\r?\n"), "");
  std::map<std::string, double> weights;
  std::vector<std::tuple<std::string, std::string, double>> arrows;
  std::string graphAttributes;
  const std::regex item(R"((\w+)(?:\s*->\s*(\w+))?\s*\[([^\]]*)\])");
  for (std::sregex_iterator it(text.begin(), text.end(), item), end; it != end; ++it) {
    const std::string from = (*it)[1], to = (*it)[2], attributes = (*it)[3];
    if (from == "graph")
      graphAttributes = attributes;
    else if (!to.empty())
      arrows.emplace_back(from, to, attribute(attributes, "Weight"));
    else if (from != "node" && from != "edge")
      weights[from] = attribute(attributes, "Weight");
  }
  std::map<std::string, std::size_t> index;
  std::vector<double> times;
  for (const auto &[name, weight] : weights) {
    index[name] = times.size();
    times.push_back(weight);
  }
  std::vector<Edge> edges;
  for (const auto &[from, to, weight] : arrows)
    edges.push_back({index.at(from), index.at(to), weight});
  const auto processors = static_cast<std::size_t>(attribute(graphAttributes, "Number of processors"));
  return {identicalProcessors(times, edges, processors), attribute(graphAttributes, "Total schedule length")};
}

std::string sharedData() {
  const char *given = std::getenv("STREAMMAP_SHARED_DATA");
  const std::string folder = given ? given : STREAMMAP_SOURCE_DIR "/../shared/data";
  return std::filesystem::is_directory(folder) ? folder : "";
}

} // namespace streammap::test

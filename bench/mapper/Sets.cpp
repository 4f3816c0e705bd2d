#include "Sets.h"
#include "mapper/Random.h"
#include "support/ForeignGraphs.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace streammap::bench {

using namespace streammap::test;

namespace {

std::vector<std::vector<std::string>> rowsOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line); // heading
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
      cells.push_back(cell);
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string ccrBand(const std::string &file) {
  const std::size_t at = file.find("CCR_");
  if (at == std::string::npos)
    return "no communication";
  const double ccr = std::stod(file.substr(at + 4));
  return ccr < 0.5 ? "CCR < 0.5" : ccr < 1.5 ? "CCR ~ 1" : ccr < 5 ? "CCR ~ 2" : "CCR ~ 10";
}

Set workedExamples(const std::string &data) {
  Set set{"worked examples of papers", {}};
  if (data.empty()) {
    set.cases = {{"Topcuoglu 2002", topcuogluExample(), 73, true},
                 {"Arabnejad, Barbosa 2014", peftExample(), 113, true}};
    return set;
  }
  const std::string folder = data + "/hetero-dag/published-examples/";
  for (const auto &row : rowsOf(folder + "optimal.csv"))
    set.cases.push_back({row[0], readHeteroDag(folder + row[0]), std::stod(row[3]), true});
  return set;
}

std::vector<Set> heteroDag(const std::string &data) {
  Set eight{"hetero-dag, 8 processors", {}}, more{"hetero-dag, 16 to 64 processors", {}};
  for (const auto &row : rowsOf(data + "/hetero-dag/reference.csv"))
    if (const std::string file = data + "/hetero-dag/generated/" + row[0]; std::filesystem::exists(file))
      (row[0].find("-8-") != std::string::npos ? eight : more)
          .cases.push_back({row[0], readHeteroDag(file), std::stod(row.back()), false});
  return {eight, more};
}

Set standardTaskGraphs(const std::string &data) {
  Set set{"STG, proved optima", {}};
  for (const auto &row : rowsOf(data + "/stg/best-known.csv"))
    if (const std::string file = data + "/stg/" + row[0]; std::filesystem::exists(file) && row[2] == row[3])
      set.cases.push_back(
          {row[0] + " on " + row[1], readStg(file, std::stoul(row[1])), std::stod(row[3]), true});
  return set;
}

std::vector<Set> optimalComm(const std::string &data) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(data + "/optimal-comm"))
    if (entry.path().extension() == ".dot")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  std::map<std::string, Set> bands;
  for (const std::string &file : files) {
    SolvedGraph solved = readSolvedDot(file);
    Set &band = bands[ccrBand(file)];
    band.name = "optimal-comm, " + ccrBand(file);
    band.cases.push_back(
        {std::filesystem::path(file).stem(), std::move(solved.problem), solved.optimum, true});
  }
  std::vector<Set> sets;
  for (auto &[name, band] : bands)
    sets.push_back(std::move(band));
  return sets;
}

} // namespace

std::vector<Set> knownSets(std::size_t sample) {
  const std::string data = sharedData();
  std::vector<Set> sets{workedExamples(data)};
  if (data.empty()) {
    std::printf("no public graphs found: set STREAMMAP_SHARED_DATA to their folder\n");
    return sets;
  }
  for (std::vector<Set> more : {heteroDag(data), optimalComm(data), {standardTaskGraphs(data)}})
    sets.insert(sets.end(), more.begin(), more.end());
  for (Set &set : sets)
    for (std::size_t kept = 0; kept < set.cases.size(); ++kept)
      set.cases.erase(set.cases.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
                      set.cases.begin() +
                          static_cast<std::ptrdiff_t>(std::min(kept + sample, set.cases.size())));
  return sets;
}

Case plantedOptimum(std::size_t tasks, std::size_t processors, std::uint64_t seed) {
  Random random(seed);
  struct Planted {
    double start, end;
    std::size_t processor;
  };
  const std::size_t each = std::max<std::size_t>(1, tasks / processors);
  const double optimum = 100.0 * static_cast<double>(each);
  std::vector<Planted> planted;
  for (std::size_t p = 0; p < processors; ++p) {
    std::vector<double> cuts{0, optimum};
    while (cuts.size() < each + 1)
      cuts.push_back(std::ceil(random.unit() * optimum));
    std::ranges::sort(cuts);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      if (cuts[i + 1] > cuts[i])
        planted.push_back({cuts[i], cuts[i + 1], p});
  }
  std::ranges::stable_sort(planted, {}, &Planted::start);
  std::vector<double> times;
  std::vector<Edge> edges;
  for (std::size_t to = 0; to < planted.size(); ++to) {
    times.push_back(planted[to].end - planted[to].start);
    std::set<std::size_t> from;
    for (int i = 0; i < 3 && to > 0; ++i)
      from.insert(to - 1 - random.below(std::min(to, 4 * processors)));
    for (std::size_t before : from) {
      const double room = planted[to].start - planted[before].end;
      if (room >= 0 && (room >= 1 || planted[before].processor == planted[to].processor))
        edges.push_back({before, to,
                         planted[before].processor == planted[to].processor ? 300 * random.unit()
                                                                            : room * random.unit()});
    }
  }
  return {"planted " + std::to_string(tasks), identicalProcessors(times, edges, processors), optimum, true};
}

} // namespace streammap::bench

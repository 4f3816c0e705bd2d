#include "support/GraphText.h"
#include "support/Text.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

namespace streammap {
namespace {

[[noreturn]] void reject(std::string_view line, std::string_view why) {
  std::fprintf(stderr, "graphFromText: %.*s: %.*s\n", static_cast<int>(line.size()), line.data(),
               static_cast<int>(why.size()), why.data());
  std::abort();
}

template <class T>
T orReject(const Expected<T> &value, std::string_view line) {
  if (!value)
    reject(line, value.error().message);
  return *value;
}

class Builder {
public:
  void line(std::string_view text) {
    text = trim(text);
    if (text.empty())
      return;
    if (text.find("->") != std::string_view::npos)
      chain(text);
    else
      attributes(text);
  }
  TaskGraph finish() {
    std::ranges::sort(graph_.dependencies, {}, [](const Dependency &d) { return std::pair(d.from, d.to); });
    return std::move(graph_);
  }

private:
  TaskId task(std::string_view name) {
    auto [found, isNew] = ids_.try_emplace(std::string(name), graph_.tasks.size());
    if (isNew) {
      Task task;
      task.id = task.name = std::string(name);
      task.seconds["*"] = seconds(1);
      graph_.tasks.push(std::move(task));
    }
    return found->second;
  }

  /// "a -> b -> c 4MiB": the bytes hold for every arrow of the line.
  void chain(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::string_view rest = text;;) {
      std::size_t arrow = rest.find("->");
      parts.push_back(trim(rest.substr(0, arrow)));
      if (arrow == std::string_view::npos)
        break;
      rest.remove_prefix(arrow + 2);
    }
    Bytes size;
    if (std::size_t space = parts.back().find(' '); space != std::string_view::npos) {
      size = orReject(parseBytes(parts.back().substr(space)), text);
      parts.back() = parts.back().substr(0, space);
    }
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      TaskId from = task(parts[i]); // in reading order: the number of a task is where it is first mentioned
      TaskId to = task(parts[i + 1]);
      graph_.dependencies.push_back({from, to, size, std::nullopt});
    }
  }

  /// "a: 3s memory=2GiB", "a 3s" or "a".
  void attributes(std::string_view text) {
    std::size_t nameEnd = text.find_first_of(": ");
    Task &task = graph_.tasks[this->task(text.substr(0, nameEnd))];
    if (nameEnd == std::string_view::npos)
      return;
    for (std::string_view word : split(text.substr(nameEnd + 1), ' '))
      if (!word.empty())
        attribute(task, word, text);
  }

  void attribute(Task &task, std::string_view word, std::string_view line) {
    std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      task.seconds["*"] = orReject(parseSeconds(word), line);
      return;
    }
    const std::string key(word.substr(0, equals)), value(word.substr(equals + 1));
    if (key == "memory")
      task.deviceMemory = orReject(parseBytes(value), line);
    else if (key == "together")
      task.constraints.together.push_back(value);
    else if (key == "apart")
      task.constraints.apart.push_back(value);
    else if (key == "node")
      task.constraints.node = value;
    else if (key == "capability")
      task.constraints.capability = value;
    else if (key == "models")
      for (std::string_view model : split(value, ','))
        task.constraints.models.emplace_back(model);
    else if (key == "priority")
      task.priority = std::atof(value.c_str());
    else if (key == "device")
      task.constraints.device = value == "cpu"   ? DeviceKind::cpu
                                : value == "any" ? DeviceKind::any
                                : value == "gpu" ? DeviceKind::gpu
                                                 : (reject(line, "unknown device"), DeviceKind::gpu);
    else
      task.seconds[key] = orReject(parseSeconds(value), line);
  }

  TaskGraph graph_;
  std::map<std::string, TaskId> ids_;
};

} // namespace

TaskGraph graphFromText(std::string_view text) {
  Builder builder;
  for (std::string_view line : split(text, '\n'))
    builder.line(line);
  return builder.finish();
}

} // namespace streammap

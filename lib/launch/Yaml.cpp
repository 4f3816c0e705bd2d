#include "launch/Yaml.h"

namespace streammap {
namespace {

using Json = nlohmann::ordered_json;

/// "|" and the lines behind `indent`. Needs a text that ends with a line end and starts with no blank.
std::string literalBlock(const std::string &text, const std::string &indent) {
  std::string result = "|\n";
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    result += indent + text.substr(begin, end - begin) + "\n";
  }
  return result;
}

/// The value with its line end; collections start on a line of their own, each line behind `indent`.
std::string block(const Json &value, const std::string &indent) {
  if (value.is_string()) {
    const std::string &text = value.get_ref<const std::string &>();
    if (text.ends_with('\n') && !text.starts_with(' ') && !text.starts_with('\n'))
      return " " + literalBlock(text, indent);
  }
  if (!value.is_structured() || value.empty())
    return " " + value.dump() + "\n";
  std::string text = "\n";
  for (const auto &[key, element] : value.items()) {
    const std::string inner = block(element, indent + "  ");
    const bool inlined = value.is_array() && element.is_structured() && !element.empty();
    // The first member of an object in a list stands on the line of its dash.
    text += indent + (value.is_object() ? key + ":" + inner
                      : inlined         ? "- " + inner.substr(1 + indent.size() + 2)
                                        : "-" + inner);
  }
  return text;
}

} // namespace

std::string toYaml(const Json &value) {
  return block(value, "").substr(1);
}

} // namespace streammap

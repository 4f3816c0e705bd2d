#pragma once
// XML as a tree of plain values that know their lines. libxml2 does the parsing; no entity is expanded and no
// DTD loaded, so a hostile file costs no more than its size.
//
//   std::optional<XmlElement> root = parseXml(text, "gpus.xml", diagnostics);
//   const XmlElement *gpu = root->child("gpu");
//   gpu->textOf("product_name");                        // "NVIDIA A100-SXM4-40GB"
#include "support/Diagnostic.h"
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace streammap {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text; ///< its own, blanks at both ends removed
  std::vector<XmlElement> children;
  unsigned line = 0;

  /// Empty when there is none.
  std::string_view attribute(std::string_view key) const;
  bool hasAttribute(std::string_view key) const;
  /// The first child of that name; null when there is none.
  const XmlElement *child(std::string_view childName) const;
  /// The first descendant by a path of names; null when a step is missing.
  const XmlElement *at(std::initializer_list<std::string_view> path) const;
  /// The text of a path of names; empty when there is none.
  std::string_view textOf(std::initializer_list<std::string_view> path) const;
  std::string_view textOf(std::string_view childName) const { return textOf({childName}); }
};

/// Nothing, and an error with the line, when `text` is no XML.
std::optional<XmlElement> parseXml(std::string_view text, const std::string &file, Diagnostics &diagnostics);

/// Whether `text` is XML whose root is `root`, judged by its beginning without parsing.
bool beginsWithElement(std::string_view text, std::string_view root);

} // namespace streammap

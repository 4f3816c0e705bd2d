#include "discover/Xml.h"
#include "support/Text.h"
#include <algorithm>
#include <cctype>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits>
#include <memory>

namespace streammap {
namespace {

std::string textOf(const xmlChar *text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char *>(text));
}

std::string attributeValue(const xmlAttr *attribute) {
  std::string value;
  for (const xmlNode *part = attribute->children; part != nullptr; part = part->next)
    value += textOf(part->content);
  return value;
}

/// libxml2 refuses more than 256 levels, so the recursion is bounded.
XmlElement convert(const xmlNode *node) {
  XmlElement element;
  element.name = textOf(node->name);
  element.line = static_cast<unsigned>(std::max<long>(0, xmlGetLineNo(node)));
  for (const xmlAttr *attribute = node->properties; attribute != nullptr; attribute = attribute->next)
    element.attributes.emplace_back(textOf(attribute->name), attributeValue(attribute));
  std::string text;
  for (const xmlNode *part = node->children; part != nullptr; part = part->next) {
    if (part->type == XML_ELEMENT_NODE)
      element.children.push_back(convert(part));
    else if (part->type == XML_TEXT_NODE || part->type == XML_CDATA_SECTION_NODE)
      text += textOf(part->content);
  }
  std::ranges::replace_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; }, ' ');
  element.text = std::string(trim(text));
  return element;
}

void ignoreMessage(void *, const char *, ...) {}

} // namespace

std::string_view XmlElement::attribute(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, &std::pair<std::string, std::string>::first);
  return found == attributes.end() ? std::string_view() : std::string_view(found->second);
}

bool XmlElement::hasAttribute(std::string_view key) const {
  return std::ranges::find(attributes, key, &std::pair<std::string, std::string>::first) != attributes.end();
}

const XmlElement *XmlElement::child(std::string_view childName) const {
  const auto found = std::ranges::find(children, childName, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

const XmlElement *XmlElement::at(std::initializer_list<std::string_view> path) const {
  const XmlElement *element = this;
  for (std::string_view step : path)
    if (element != nullptr)
      element = element->child(step);
  return element;
}

std::string_view XmlElement::textOf(std::initializer_list<std::string_view> path) const {
  const XmlElement *element = at(path);
  return element == nullptr ? std::string_view() : std::string_view(element->text);
}

std::optional<XmlElement> parseXml(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    diagnostics.error({file, 0, 0, {}}, "larger than 2 GiB, no source of ours is");
    return std::nullopt;
  }
  const std::unique_ptr<xmlParserCtxt, decltype(&xmlFreeParserCtxt)> parser(xmlNewParserCtxt(),
                                                                            &xmlFreeParserCtxt);
  if (parser->sax != nullptr) { // libxml2 prints to standard error otherwise
    parser->sax->error = ignoreMessage;
    parser->sax->warning = ignoreMessage;
  }
  const std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> document(
      xmlCtxtReadMemory(parser.get(), text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES),
      &xmlFreeDoc);
  const xmlNode *root = document ? xmlDocGetRootElement(document.get()) : nullptr;
  if (root == nullptr) {
    const xmlError *why = xmlCtxtGetLastError(parser.get());
    const std::string message = why != nullptr && why->message != nullptr ? why->message : "no element";
    diagnostics.error({file, why == nullptr ? 0 : static_cast<unsigned>(std::max(0, why->line)), 0, {}},
                      "not well-formed XML: " + std::string(trim(split(message, '\n')[0])), "bad-xml");
    return std::nullopt;
  }
  return convert(root);
}

bool beginsWithElement(std::string_view text, std::string_view root) {
  while (true) {
    while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.front())) != 0))
      text.remove_prefix(1);
    std::string_view end;
    if (text.starts_with("<?"))
      end = "?>";
    else if (text.starts_with("<!--"))
      end = "-->";
    else if (text.starts_with("<!"))
      end = ">";
    else
      break;
    const std::size_t close = text.find(end);
    if (close == std::string_view::npos)
      return false;
    text.remove_prefix(close + end.size());
  }
  if (!text.starts_with('<') || !text.substr(1).starts_with(root))
    return false;
  const std::string_view after = text.substr(1 + root.size());
  return after.empty() || after.front() == '>' || after.front() == '/' ||
         std::isspace(static_cast<unsigned char>(after.front())) != 0;
}

} // namespace streammap

#include "analysis/LibraryModels.h"
#include "analysis/ModelCuda.h"
#include <bit>
#include <clang/Basic/SourceManager.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace streammap {

using namespace clang;

using Call = Interpreter::Call;
using Model = Interpreter::Model;

namespace {

HostValue known(std::uint64_t bits) {
  return {bits, 0};
}
HostValue ofDouble(double value) {
  return {std::bit_cast<std::uint64_t>(value), 0};
}

HostValue succeed(Interpreter &, const Call &) {
  return known(0);
}
HostValue end(Interpreter &interpreter, const Call &call) {
  interpreter.endProgram(call.where);
  return {};
}
HostValue raise(Interpreter &interpreter, const Call &call) {
  interpreter.throwException(call.where);
  return {};
}

//===-- Mathematics --===//

struct Function1 {
  std::string_view name;
  double (*function)(double);
};
constexpr Function1 unaryFunctions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }},   {"fabs", [](double x) { return std::fabs(x); }},
    {"exp", [](double x) { return std::exp(x); }},     {"exp2", [](double x) { return std::exp2(x); }},
    {"log", [](double x) { return std::log(x); }},     {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }}, {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},     {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},   {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},   {"tanh", [](double x) { return std::tanh(x); }},
    {"erf", [](double x) { return std::erf(x); }},     {"erfc", [](double x) { return std::erfc(x); }},
    {"cbrt", [](double x) { return std::cbrt(x); }},   {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},   {"round", [](double x) { return std::round(x); }},
    {"trunc", [](double x) { return std::trunc(x); }}, {"rint", [](double x) { return std::rint(x); }},
};
struct Function2 {
  std::string_view name;
  double (*function)(double, double);
};
constexpr Function2 binaryFunctions[] = {
    {"pow", [](double x, double y) { return std::pow(x, y); }},
    {"fmod", [](double x, double y) { return std::fmod(x, y); }},
    {"fmax", [](double x, double y) { return std::fmax(x, y); }},
    {"fmin", [](double x, double y) { return std::fmin(x, y); }},
    {"atan2", [](double x, double y) { return std::atan2(x, y); }},
    {"hypot", [](double x, double y) { return std::hypot(x, y); }},
};

// "sqrtf", "__builtin_sqrt", "sqrtl" -> "sqrt"
std::string_view mathName(std::string_view name) {
  if (name.starts_with("__builtin_"))
    name.remove_prefix(10);
  const auto isNamed = [&](std::string_view candidate) {
    for (const Function1 &one : unaryFunctions)
      if (one.name == candidate)
        return true;
    for (const Function2 &one : binaryFunctions)
      if (one.name == candidate)
        return true;
    return false;
  };
  if (isNamed(name))
    return name;
  if (!name.empty() && (name.back() == 'f' || name.back() == 'l') && isNamed(name.substr(0, name.size() - 1)))
    return name.substr(0, name.size() - 1);
  return {};
}

HostValue mathematics(Interpreter &interpreter, const Call &call) {
  for (const HostValue &argument : call.arguments)
    if (!argument.isKnown())
      return argument;
  const std::string_view name = mathName(call.callee->getName());
  const auto argument = [&](unsigned index) { return std::bit_cast<double>(call.arguments[index].bits); };
  double result = 0;
  for (const Function1 &one : unaryFunctions)
    if (one.name == name)
      result = one.function(argument(0));
  for (const Function2 &one : binaryFunctions)
    if (one.name == name)
      result = one.function(argument(0), argument(1));
  const bool isFloat = interpreter.sizeOf(call.callee->getReturnType()) == 4;
  return ofDouble(isFloat ? static_cast<double>(static_cast<float>(result)) : result);
}

HostValue absolute(Interpreter &, const Call &call) {
  const HostValue value = call.arguments[0];
  if (!value.isKnown())
    return value;
  const auto number = static_cast<std::int64_t>(value.bits);
  return known(static_cast<std::uint64_t>(number < 0 ? -number : number));
}

//===-- std::map and std::set: the tree's links are set in the library --===//

// A node is {colour, parent, left, right}; the header's parent is the root, its left and right the ends.
// Without rebalancing the tree is as right and deeper.
constexpr std::uint64_t parentAt = 8, leftAt = 16, rightAt = 24;

HostValue treeInsert(Interpreter &interpreter, const Call &call) {
  HostMemory &memory = interpreter.memory();
  for (const HostValue &argument : call.arguments)
    if (!argument.isKnown())
      return interpreter.unknownResult(call);
  const bool isLeft = call.arguments[0].bits != 0;
  const Address node = call.arguments[1].bits, parent = call.arguments[2].bits,
                header = call.arguments[3].bits;
  memory.store(node, 4, known(1));
  memory.store(node + parentAt, 8, known(parent));
  memory.store(node + leftAt, 8, known(0));
  memory.store(node + rightAt, 8, known(0));
  memory.store(parent + (isLeft ? leftAt : rightAt), 8, known(node));
  if (parent == header) {
    memory.store(header + parentAt, 8, known(node));
    memory.store(header + leftAt, 8, known(node));
    memory.store(header + rightAt, 8, known(node));
  } else if (isLeft && memory.load(header + leftAt, 8).bits == parent) {
    memory.store(header + leftAt, 8, known(node));
  } else if (!isLeft && memory.load(header + rightAt, 8).bits == parent) {
    memory.store(header + rightAt, 8, known(node));
  }
  return {};
}

HostValue treeStep(Interpreter &interpreter, const Call &call) {
  HostMemory &memory = interpreter.memory();
  if (!call.arguments[0].isKnown())
    return call.arguments[0];
  const bool isForward = call.callee->getName() == "_Rb_tree_increment";
  const std::uint64_t towards = isForward ? rightAt : leftAt, away = isForward ? leftAt : rightAt;
  Address node = call.arguments[0].bits;
  const auto link = [&](Address from, std::uint64_t at) { return memory.load(from + at, 8).bits; };
  const bool isHeader = memory.load(node, 4).bits == 0 && link(link(node, parentAt), parentAt) == node;
  if (!isForward && isHeader)
    return known(link(node, rightAt)); // --end()
  if (link(node, towards) != 0) {
    node = link(node, towards);
    while (link(node, away) != 0)
      node = link(node, away);
    return known(node);
  }
  Address parent = link(node, parentAt);
  while (parent != 0 && node == link(parent, towards)) {
    node = parent;
    parent = link(parent, parentAt);
  }
  return known(link(node, towards) == parent ? node : parent);
}

//===-- By name --===//

constexpr NamedModel otherModels[] = {
    {"abs", absolute},
    {"labs", absolute},
    {"llabs", absolute},
    {"__builtin_abs", absolute},
    {"__builtin_labs", absolute},
    {"__builtin_llabs", absolute},
    {"printf", succeed},
    {"fprintf", succeed},
    {"vprintf", succeed},
    {"vfprintf", succeed},
    {"puts", succeed},
    {"fputs", succeed},
    {"putchar", succeed},
    {"fputc", succeed},
    {"putc", succeed},
    {"fflush", succeed},
    {"fclose", succeed},
    {"perror", succeed},
    {"srand", succeed},
    {"srand48", succeed},
    {"setvbuf", succeed},
    {"atexit", succeed},
    {"exit", end},
    {"_Exit", end},
    {"_exit", end},
    {"quick_exit", end},
    {"abort", end},
    {"terminate", end},
    {"__assert_fail", end},
    {"MPI_Abort", end},
    {"__throw_length_error", raise},
    {"__throw_bad_alloc", raise},
    {"__throw_bad_array_new_length", raise},
    {"__throw_out_of_range_fmt", raise},
    {"__throw_out_of_range", raise},
    {"__throw_logic_error", raise},
    {"__throw_invalid_argument", raise},
    {"__throw_bad_function_call", raise},
    {"_Rb_tree_insert_and_rebalance", treeInsert},
    {"_Rb_tree_increment", treeStep},
    {"_Rb_tree_decrement", treeStep},
};

HostValue errnoPlace(Interpreter &interpreter, const Call &) {
  return known(interpreter.literal(std::string(8, '\0')));
}

// Output streams: what they are given does not matter, and they return themselves.
HostValue stream(Interpreter &, const Call &call) {
  if (call.self != 0)
    return known(call.self);
  return call.arguments.empty() ? HostValue{} : call.arguments[0];
}

bool returnsStream(const FunctionDecl *function) {
  const QualType type = function->getReturnType();
  if (!type->isReferenceType())
    return false;
  const CXXRecordDecl *record = type->getPointeeType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->isInStdNamespace() &&
         record->getName() == "basic_ostream";
}

} // namespace

Model modelNamed(std::span<const NamedModel> models, std::string_view name) {

  for (const NamedModel &one : models)
    if (one.name == name)
      return one.model;
  return nullptr;
}

Model libraryModel(const FunctionDecl *function) {
  const SourceManager &sources = function->getASTContext().getSourceManager();
  const bool isSystem = isSystemCode(sources, function->getLocation());
  const bool hasBody = function->hasBody();
  if (hasBody && !isSystem)
    return nullptr; // the program's own, whatever its name
  switch (function->getOverloadedOperator()) {
  case OO_New:
  case OO_Array_New:
    return function->getNumParams() == 2 && function->getParamDecl(1)->getType()->isPointerType()
               ? nullptr
               : modelNamed(memoryModels(), "malloc");
  case OO_Delete:
  case OO_Array_Delete:
    return modelNamed(memoryModels(), "free");
  default:
    break;
  }
  if (function->isInStdNamespace() && returnsStream(function))
    return stream;
  const IdentifierInfo *identifier = function->getIdentifier();
  if (!identifier)
    return nullptr;
  const std::string_view name = identifier->getName();
  if (const auto *method = dyn_cast<CXXMethodDecl>(function)) {
    const IdentifierInfo *record = method->getParent()->getIdentifier();
    return !hasBody && record && record->getName() == "basic_string" ? modelNamed(stringModels(), name)
                                                                     : nullptr;
  }
  if (name == "__fill_a1")
    return fillModel(function);
  if (name == "__errno_location")
    return errnoPlace;
  if (const Model model = cudaModel(function))
    return model;
  if (hasBody)
    return nullptr;
  if (!mathName(name).empty() && function->getNumParams() != 0 &&
      function->getParamDecl(0)->getType()->isRealFloatingType())
    return mathematics;
  for (const std::span<const NamedModel> models :
       {textModels(), memoryModels(), std::span<const NamedModel>(otherModels)})
    if (const Model model = modelNamed(models, name))
      return model;
  return nullptr;
}

} // namespace streammap

#include "cpudevice/InlinePtx.h"
#include <array>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>
#include <map>
#include <variant>
#include <vector>

namespace streammap {
namespace {

struct Register {
  std::string name; ///< "$0" for operands of the asm statement, else as declared
};
struct SpecialRegister {
  std::string name; ///< "laneid"
};
struct Immediate {
  std::uint64_t bits;
  unsigned width; ///< 0: an integer of any width; 32, 64: a floating-point number
};
using Operand = std::variant<Register, SpecialRegister, Immediate>;

struct Guard {
  std::string predicate;
  enum class Sense { whenTrue, whenFalse } sense;
};

struct Statement {
  std::string text;
  std::optional<Guard> guard;
  std::string mnemonic;
  std::vector<std::string> results; ///< registers written
  std::vector<Operand> inputs;
  enum class Braces { none, unpack, pack } braces = Braces::none;
};

std::string identifier(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) ? c : '_';
  return result;
}

llvm::StringRef operationOf(llvm::StringRef mnemonic) {
  return mnemonic.split('.').first;
}

/// Instructions whose first operand is read, not written.
bool hasNoResult(llvm::StringRef mnemonic) {
  static constexpr llvm::StringRef names[] = {"st",        "red",  "bar",  "barrier",  "membar", "fence",
                                              "nanosleep", "trap", "exit", "prefetch", "cp",     "discard"};
  return llvm::is_contained(names, operationOf(mnemonic));
}

/// May be computed and thrown away where a predicate is false.
bool hasSideEffects(llvm::StringRef mnemonic) {
  static constexpr llvm::StringRef names[] = {"ld", "atom", "shfl", "vote", "match", "redux", "activemask"};
  return hasNoResult(mnemonic) || llvm::is_contained(names, operationOf(mnemonic));
}

std::optional<Operand> parseOperand(llvm::StringRef text) {
  text = text.trim(" \t\n[]");
  if (text.empty())
    return std::nullopt;
  if (text.consume_front("%"))
    return SpecialRegister{text.str()};
  std::uint64_t bits = 0;
  if ((text.starts_with_insensitive("0f") && text.size() == 10) ||
      (text.starts_with_insensitive("0d") && text.size() == 18)) {
    if (text.drop_front(2).getAsInteger(16, bits))
      return std::nullopt;
    return Immediate{bits, text.size() == 10 ? 32u : 64u};
  }
  if (llvm::isDigit(text.front()) || text.front() == '-') {
    std::int64_t value = 0;
    text.consume_back("U");
    if (!text.getAsInteger(0, bits))
      return Immediate{bits, 0};
    if (!text.getAsInteger(0, value))
      return Immediate{static_cast<std::uint64_t>(value), 0};
    return std::nullopt;
  }
  if (text.front() == '$' && (text.size() == 1 || !llvm::isDigit(text[1])) && !text.starts_with("$$"))
    return std::nullopt; // ${0:modifier}
  for (char c : text)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      return std::nullopt; // an address with an offset, a vector element
  return Register{text.str()};
}

/// Splits at commas outside braces.
std::vector<llvm::StringRef> splitOperands(llvm::StringRef text) {
  std::vector<llvm::StringRef> parts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && depth != 0) {
      --depth;
    }
  }
  return parts;
}

bool addInputs(Statement &statement, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    const std::optional<Operand> operand = parseOperand(part);
    if (!operand)
      return false;
    statement.inputs.push_back(*operand);
  }
  return true;
}

bool addResults(Statement &statement, llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, statement.braces == Statement::Braces::unpack ? ',' : '|');
  for (llvm::StringRef part : parts) {
    const std::optional<Operand> operand = parseOperand(part);
    if (!operand || !std::holds_alternative<Register>(*operand))
      return false;
    statement.results.push_back(std::get<Register>(*operand).name);
  }
  return true;
}

/// Nothing for what is not an instruction in straight-line code.
std::optional<Statement> parseStatement(llvm::StringRef text) {
  Statement statement{.text = text.str(), .guard = {}, .mnemonic = {}, .results = {}, .inputs = {}};
  if (text.consume_front("@")) {
    const auto sense = text.consume_front("!") ? Guard::Sense::whenFalse : Guard::Sense::whenTrue;
    const std::size_t end = text.find_first_of(" \t\n");
    statement.guard = Guard{text.substr(0, end).str(), sense};
    text = text.substr(std::min(end, text.size())).trim();
  }
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  statement.mnemonic = text.substr(0, end).str();
  const llvm::StringRef operandText = text.substr(end).trim();
  if (statement.mnemonic.empty() || llvm::StringRef(statement.mnemonic).ends_with(":") ||
      operationOf(statement.mnemonic) == "bra")
    return std::nullopt;
  if (statement.guard && hasSideEffects(statement.mnemonic))
    return std::nullopt;
  if (operandText.empty())
    return statement;
  std::vector<llvm::StringRef> operands = splitOperands(operandText);
  if (!hasNoResult(statement.mnemonic)) {
    llvm::StringRef result = operands.front();
    if (result.consume_front("{") && result.consume_back("}"))
      statement.braces = Statement::Braces::unpack;
    if (!addResults(statement, result))
      return std::nullopt;
    operands.erase(operands.begin());
  }
  for (llvm::StringRef operand : operands) {
    if (operand.consume_front("{") && operand.consume_back("}"))
      statement.braces = Statement::Braces::pack;
    if (!addInputs(statement, operand))
      return std::nullopt;
  }
  return statement;
}

/// The text's statements, without scope braces, comments and declarations.
std::vector<std::string> statementTexts(llvm::StringRef text) {
  std::string clean;
  llvm::SmallVector<llvm::StringRef, 8> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    clean += line.split("//").first.str() + " ";
  std::vector<std::string> result;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(clean).split(parts, ';');
  for (llvm::StringRef part : parts) {
    part = part.trim();
    // A brace that stands alone opens or closes a scope.
    while (part.consume_front("{") || part.consume_front("}"))
      part = part.ltrim();
    while (part.ends_with("}") && part.count('{') < part.count('}'))
      part = part.drop_back().rtrim();
    if (!part.empty() && !part.starts_with(".reg"))
      result.push_back(part.str());
  }
  return result;
}

const llvm::InlineAsm &asmOf(const llvm::CallBase &call) {
  return *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
}

bool isMove(const Statement &statement) {
  return operationOf(statement.mnemonic) == "mov";
}

/// Done without the library: copies, packing, selection.
bool isBuiltIn(const Statement &statement) {
  if (operationOf(statement.mnemonic) == "selp")
    return statement.results.size() == 1 && statement.inputs.size() == 3;
  if (!isMove(statement))
    return false;
  if (statement.braces == Statement::Braces::pack)
    return statement.results.size() == 1 && statement.inputs.size() >= 2;
  return statement.inputs.size() == 1 && !std::holds_alternative<SpecialRegister>(statement.inputs.front());
}

const llvm::Function *functionFor(const Statement &statement, const llvm::Module &library) {
  std::string name = "smcpu_ptx_" + identifier(statement.mnemonic);
  std::size_t arguments = 1;
  for (const Operand &operand : statement.inputs) {
    if (auto *special = std::get_if<SpecialRegister>(&operand))
      name += "_" + identifier(special->name);
    else
      ++arguments;
  }
  if (statement.braces != Statement::Braces::none)
    return nullptr;
  if (statement.results.size() > 1)
    name += "_p";
  const llvm::Function *found = library.getFunction(name);
  if (!found || found->isDeclaration())
    return nullptr;
  arguments += statement.results.size() > 1 ? statement.results.size() - 1 : 0;
  const bool fits =
      found->arg_size() == arguments && found->getReturnType()->isVoidTy() == statement.results.empty();
  return fits ? found : nullptr;
}

/// Carries out statements one after the other; registers hold values.
class Translation {
public:
  Translation(llvm::CallBase &call, const llvm::Module &library)
      : call_(call), library_(library), builder_(&call), function_(*call.getFunction()) {
    const unsigned outputs = outputCount();
    unsigned input = 0;
    for (const llvm::InlineAsm::ConstraintInfo &constraint : asmOf(call).ParseConstraints()) {
      if (constraint.Type != llvm::InlineAsm::isInput)
        continue;
      llvm::Value *value = call.getArgOperand(input);
      registers_["$" + std::to_string(outputs + input)] = value;
      unsigned tied = 0; // "+r": this input starts as output `tied`
      if (!constraint.Codes.empty() && !llvm::StringRef(constraint.Codes.front()).getAsInteger(10, tied))
        registers_["$" + std::to_string(tied)] = value;
      ++input;
    }
  }

  void run(const Statement &statement) {
    std::vector<llvm::Value *> results =
        isBuiltIn(statement) ? builtIn(statement) : viaLibrary(statement, *functionFor(statement, library_));
    for (std::size_t i = 0; i != statement.results.size(); ++i)
      registers_[statement.results[i]] = guarded(statement, statement.results[i], results[i]);
  }

  void finish() {
    llvm::Type *type = call_.getType();
    if (auto *fields = llvm::dyn_cast<llvm::StructType>(type)) {
      llvm::Value *result = llvm::PoisonValue::get(type);
      for (unsigned i = 0; i != fields->getNumElements(); ++i)
        result = builder_.CreateInsertValue(result, output(i, fields->getElementType(i)), i);
      call_.replaceAllUsesWith(result);
    } else if (!type->isVoidTy()) {
      call_.replaceAllUsesWith(output(0, type));
    }
    call_.eraseFromParent();
  }

private:
  unsigned outputCount() const {
    if (call_.getType()->isVoidTy())
      return 0;
    auto *fields = llvm::dyn_cast<llvm::StructType>(call_.getType());
    return fields ? fields->getNumElements() : 1;
  }

  llvm::Value *output(unsigned index, llvm::Type *type) {
    llvm::Value *value = registers_["$" + std::to_string(index)];
    return value ? coerce(value, type) : llvm::UndefValue::get(type);
  }

  /// The same low bits as another type.
  llvm::Value *coerce(llvm::Value *value, llvm::Type *to) {
    llvm::Type *from = value->getType();
    if (from == to)
      return value;
    if (from->isPointerTy() && to->isPointerTy())
      return builder_.CreateAddrSpaceCast(value, to);
    const llvm::DataLayout &layout = function_.getDataLayout();
    llvm::Value *bits = value;
    if (from->isPointerTy())
      bits = builder_.CreatePtrToInt(value, builder_.getInt64Ty());
    else if (!from->isIntegerTy())
      bits = builder_.CreateBitCast(
          value, builder_.getIntNTy(static_cast<unsigned>(layout.getTypeSizeInBits(from))));
    if (to->isPointerTy())
      return builder_.CreateIntToPtr(builder_.CreateZExtOrTrunc(bits, builder_.getInt64Ty()), to);
    llvm::Type *wanted = builder_.getIntNTy(static_cast<unsigned>(layout.getTypeSizeInBits(to)));
    return builder_.CreateBitCast(builder_.CreateZExtOrTrunc(bits, wanted), to);
  }

  llvm::Value *read(const Operand &operand, llvm::Type *wanted) {
    if (auto *immediate = std::get_if<Immediate>(&operand)) {
      const unsigned width = immediate->width != 0 ? immediate->width : 64;
      return coerce(builder_.getIntN(width, immediate->bits), wanted);
    }
    llvm::Value *value = registers_[std::get<Register>(operand).name];
    return value ? coerce(value, wanted) : llvm::UndefValue::get(wanted);
  }

  /// As it is, where the type does not matter.
  llvm::Value *readAny(const Operand &operand, unsigned width) {
    if (std::holds_alternative<Register>(operand))
      if (llvm::Value *value = registers_[std::get<Register>(operand).name])
        return value;
    return read(operand, builder_.getIntNTy(width));
  }

  std::vector<llvm::Value *> builtIn(const Statement &statement) {
    unsigned width = 32;
    const llvm::StringRef type = llvm::StringRef(statement.mnemonic).rsplit('.').second;
    type.drop_while([](char c) { return !llvm::isDigit(c); }).getAsInteger(10, width);
    llvm::IntegerType *integer = builder_.getIntNTy(width);
    if (!isMove(statement)) { // selp
      llvm::Value *choice = read(statement.inputs[2], builder_.getInt1Ty());
      return {builder_.CreateSelect(choice, read(statement.inputs[0], integer),
                                    read(statement.inputs[1], integer))};
    }
    if (statement.braces == Statement::Braces::pack) {
      const unsigned part = width / static_cast<unsigned>(statement.inputs.size());
      llvm::Value *all = llvm::ConstantInt::get(integer, 0);
      for (unsigned i = 0; i != statement.inputs.size(); ++i) {
        llvm::Value *bits = coerce(read(statement.inputs[i], builder_.getIntNTy(part)), integer);
        all = builder_.CreateOr(all, builder_.CreateShl(bits, i * part));
      }
      return {all};
    }
    if (statement.braces == Statement::Braces::unpack) {
      const unsigned part = width / static_cast<unsigned>(statement.results.size());
      llvm::Value *all = read(statement.inputs.front(), integer);
      std::vector<llvm::Value *> parts;
      for (unsigned i = 0; i != statement.results.size(); ++i)
        parts.push_back(builder_.CreateTrunc(builder_.CreateLShr(all, i * part), builder_.getIntNTy(part)));
      return parts;
    }
    return {readAny(statement.inputs.front(), width)};
  }

  std::vector<llvm::Value *> viaLibrary(const Statement &statement, const llvm::Function &found) {
    llvm::FunctionCallee callee =
        call_.getModule()->getOrInsertFunction(found.getName(), found.getFunctionType());
    llvm::cast<llvm::Function>(callee.getCallee())->setAttributes(found.getAttributes());
    std::vector<llvm::Value *> arguments{function_.getArg(0)};
    for (const Operand &operand : statement.inputs)
      if (!std::holds_alternative<SpecialRegister>(operand))
        arguments.push_back(read(operand, found.getArg(static_cast<unsigned>(arguments.size()))->getType()));
    std::vector<llvm::AllocaInst *> further;
    for (std::size_t i = 1; i < statement.results.size(); ++i) {
      further.push_back(new llvm::AllocaInst(builder_.getInt8Ty(), 0, nullptr, "predicate",
                                             function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()));
      arguments.push_back(further.back());
    }
    llvm::CallInst *made = builder_.CreateCall(callee, arguments);
    made->setAttributes(found.getAttributes());
    made->removeFnAttr(llvm::Attribute::AlwaysInline);
    std::vector<llvm::Value *> results{made};
    for (llvm::AllocaInst *predicate : further) // a C++ bool
      results.push_back(
          builder_.CreateTrunc(builder_.CreateLoad(builder_.getInt8Ty(), predicate), builder_.getInt1Ty()));
    return results;
  }

  llvm::Value *guarded(const Statement &statement, const std::string &result, llvm::Value *value) {
    if (!statement.guard)
      return value;
    llvm::Value *choice = read(Register{statement.guard->predicate}, builder_.getInt1Ty());
    llvm::Value *before = read(Register{result}, value->getType());
    return statement.guard->sense == Guard::Sense::whenTrue ? builder_.CreateSelect(choice, value, before)
                                                            : builder_.CreateSelect(choice, before, value);
  }

  llvm::CallBase &call_;
  const llvm::Module &library_;
  llvm::IRBuilder<> builder_;
  llvm::Function &function_;
  std::map<std::string, llvm::Value *> registers_;
};

} // namespace

std::optional<std::string> untranslatablePtx(const llvm::CallBase &call, const llvm::Module &library) {
  for (const std::string &text : statementTexts(asmOf(call).getAsmString())) {
    const std::optional<Statement> statement = parseStatement(text);
    if (!statement || (!isBuiltIn(*statement) && !functionFor(*statement, library)))
      return text;
  }
  return std::nullopt;
}

void translatePtx(llvm::CallBase &call, const llvm::Module &library) {
  Translation translation(call, library);
  for (const std::string &text : statementTexts(asmOf(call).getAsmString()))
    translation.run(*parseStatement(text));
  translation.finish();
}

} // namespace streammap

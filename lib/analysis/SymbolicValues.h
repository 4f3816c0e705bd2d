#pragma once
// What an integer in device IR is, as a formula over arguments, thread indices and the iterations of the
// loops around it. ScalarEvolution does the algebra; here its result gets names, and what it gives up on
// (halving loops, shifts by a variable, masks, selects) gets rules of its own.
//
//   %i = add (mul blockIdx.x, blockDim.x), threadIdx.x       "blockIdx.x*blockDim.x + threadIdx.x"
//   load (getelementptr byval %p, 8)                          "p.rows"
//   %s = phi [ blockDim.x / 2 ], [ lshr %s, 1 ]               "floordiv(blockDim.x, 2*exp2(i@21))"
#include "analysis/DeviceCompile.h"
#include "analysis/Expression.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class BinaryOperator;
class CallBase;
class Function;
class LoadInst;
class Loop;
class LoopInfo;
class PHINode;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace streammap {

/// A condition as a signed sum of conjunctions of inequalities (each expression >= 0): exactly the points
/// where it holds sum to 1, all others to 0. `a or b` is a + b - (a and b).
struct Conjunction {
  std::int64_t coefficient = 1;
  std::vector<Expression> constraints;
};
using Indicator = std::vector<Conjunction>;

Indicator conjunctionOf(const Indicator &a, const Indicator &b);
Indicator negationOf(const Indicator &a);

/// A loop variable that is multiplied or divided by a power of 2 in each iteration.
struct GeometricSequence {
  Expression first;
  std::int64_t shift = 1; ///< bits per iteration
  enum class Direction { shrinks, grows } direction = Direction::shrinks;
};

class SymbolicValues {
public:
  SymbolicValues(llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops, const DeclaredKernel &kernel);

  /// The formula of an integer (or of a pointer, "&a" standing for the address of argument a) as seen inside
  /// `scope`, the innermost loop there (null: none).
  std::optional<Expression> valueOf(const llvm::Value &value, const llvm::Loop *scope);
  std::optional<Expression> valueOf(const llvm::SCEV &value, const llvm::Loop *scope);
  std::optional<Indicator> conditionOf(const llvm::Value &condition, const llvm::Loop *scope);
  std::optional<GeometricSequence> geometric(const llvm::PHINode &phi);

  /// Gives the iterations of `loop`, counted from 0, a name; until then nothing is known of what changes in
  /// it.
  void nameIterations(const llvm::Loop &loop, const std::string &variable);
  void forgetIterations(const llvm::Loop &loop);

  /// In words, for a message: "depends on loaded data".
  std::string whyUnknown(const llvm::Value &value) const;

  /// Thread indices, loop variables and unsigned arguments.
  const std::set<std::string> &nonNegative() const { return nonNegative_; }
  /// Those of them that are arguments, as constraints.
  const std::vector<Expression> &assumptions() const { return assumptions_; }
  /// Symbols for __constant__ variables met so far.
  const std::set<std::string> &constants() const { return constants_; }

private:
  std::optional<Expression> computeValue(const llvm::SCEV &value, const llvm::Loop *scope);
  std::optional<Expression> unknownValue(const llvm::Value &value, const llvm::Loop *scope);
  std::optional<Expression> argument(const llvm::Value &value);
  std::optional<Expression> loaded(const llvm::LoadInst &load);
  std::optional<Expression> called(const llvm::CallBase &call, const llvm::Loop *scope);
  std::optional<Expression> mathCall(const llvm::CallBase &call, const llvm::Loop *scope);
  std::optional<Expression> powerAboveMask(const Expression &mask, const llvm::Value &masked);
  std::optional<Expression> computed(const llvm::BinaryOperator &operation, const llvm::Loop *scope);
  std::optional<Expression> ofBoolean(const llvm::Value &value, const llvm::Loop *scope);
  std::optional<Expression> loopPhi(const llvm::PHINode &phi);
  std::optional<Expression> mergePhi(const llvm::PHINode &phi, const llvm::Loop *scope);
  std::optional<Indicator> comparison(unsigned predicate, const llvm::Value &left, const llvm::Value &right,
                                      const llvm::Loop *scope);
  bool isNonNegative(const Expression &e) const { return e.lowerBound(nonNegative_).value_or(-1) >= 0; }
  Expression index(const std::string &name);
  Expression part(const ParameterPart &part);

  llvm::ScalarEvolution &evolution_;
  llvm::LoopInfo &loops_;
  const DeclaredKernel &kernel_;
  std::map<const llvm::Loop *, std::string> variables_;
  std::map<std::pair<const llvm::SCEV *, const llvm::Loop *>, std::optional<Expression>> known_;
  std::set<std::string> nonNegative_;
  std::set<std::string> constants_;
  std::vector<Expression> assumptions_;
  unsigned depth_ = 0;
};

} // namespace streammap

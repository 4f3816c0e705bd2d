#include "analysis/LaunchCosts.h"
#include <algorithm>
#include <bit>
#include <clang/AST/RecordLayout.h>

namespace streammap {

using namespace clang;

LaunchCosts::LaunchCosts(std::span<const KernelAnalysis> kernels,
                         const std::map<std::string, double> &factors)
    : factors_(factors.begin(), factors.end()), kernels_(kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i)
    bySymbol_.emplace(kernels[i].symbol, i);
}

std::set<std::string> LaunchCosts::usedFactors() const {
  std::set<std::string> used;
  for (const KernelAnalysis &kernel : kernels_)
    for (const auto &[metric, formula] : kernel.costs)
      for (const std::string &symbol : formula.symbols())
        if (factors_.contains(symbol) &&
            std::ranges::find(kernel.parameters, symbol, &KernelParameter::name) == kernel.parameters.end())
          used.insert(symbol);
  return used;
}

const KernelAnalysis *LaunchCosts::find(const std::string &symbol) const {
  const auto found = bySymbol_.find(symbol);
  return found == bySymbol_.end() ? nullptr : &kernels_[found->second];
}

// Scalars by name; the scalars of a struct as "p.rows".
void LaunchCosts::bind(Bindings &bindings, const std::string &name, QualType type, HostValue value,
                       Interpreter &interpreter) const {
  type = type.getNonReferenceType();
  if (const auto *record = type->getAsRecordDecl()) {
    if (!value.isKnown() || record->isUnion() || !record->isCompleteDefinition())
      return;
    const ASTRecordLayout &layout = interpreter.context().getASTRecordLayout(record);
    for (const FieldDecl *field : record->fields()) {
      if (field->isBitField() || field->getType()->isArrayType())
        continue;
      const Address at = value.bits + layout.getFieldOffset(field->getFieldIndex()) / 8;
      const bool isRecord = field->getType()->isRecordType();
      bind(bindings, name + "." + field->getNameAsString(), field->getType(),
           isRecord ? HostValue{at, 0} : interpreter.loadScalar(field->getType(), at), interpreter);
    }
    return;
  }
  if (!value.isKnown())
    return;
  const TypeShape shape = interpreter.shapeOf(type);
  if (shape.kind == TypeShape::Kind::floating)
    bindings[name] = std::bit_cast<double>(value.bits);
  else if (shape.kind == TypeShape::Kind::integer && shape.isSigned)
    bindings[name] = static_cast<double>(static_cast<std::int64_t>(value.bits));
  else if (shape.kind == TypeShape::Kind::integer || shape.kind == TypeShape::Kind::boolean)
    bindings[name] = static_cast<double>(value.bits);
}

static std::optional<ReachedBytes> reachOf(const ParameterExtent &extent, const Bindings &bindings) {
  ReachedBytes reached{extent.parameter, extent.isRead, extent.isWritten, INT64_MAX, INT64_MIN};
  for (const Expression &first : extent.firsts) {
    const auto value = streammap::evaluate(first, bindings);
    if (!value || !value->exact)
      return std::nullopt;
    reached.first = std::min(reached.first, *value->exact);
  }
  for (const Expression &end : extent.ends) {
    const auto value = streammap::evaluate(end, bindings);
    if (!value || !value->exact)
      return std::nullopt;
    reached.end = std::max(reached.end, *value->exact);
  }
  return extent.firsts.empty() || extent.ends.empty() ? std::nullopt : std::optional(reached);
}

std::vector<std::string> LaunchCosts::add(LaunchTotals &totals, const KernelAnalysis *kernel,
                                          const HostLaunch &launch, Interpreter &interpreter) {
  ++totals.launches;
  reached_ = {};
  if (!kernel || !launch.kernel) {
    totals.hasUncounted = true;
    return {};
  }
  Bindings bindings = factors_;
  for (unsigned i = 0; i < launch.kernel->getNumParams() && i < launch.arguments.size(); ++i) {
    const ParmVarDecl *parameter = launch.kernel->getParamDecl(i);
    bind(bindings, parameter->getNameAsString(), parameter->getType(), launch.arguments[i], interpreter);
  }
  constexpr const char *axes[] = {".x", ".y", ".z"};
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (launch.grid[axis].isKnown())
      bindings[std::string("gridDim") + axes[axis]] = static_cast<double>(launch.grid[axis].bits);
    if (launch.block[axis].isKnown())
      bindings[std::string("blockDim") + axes[axis]] = static_cast<double>(launch.block[axis].bits);
  }

  std::string key = kernel->symbol;
  for (const auto &[name, value] : bindings) {
    key += name;
    key.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  const auto [entry, isNew] = known_.try_emplace(std::move(key));
  Evaluation &evaluation = entry->second;
  if (isNew) {
    std::set<std::string> missing;
    for (const auto &[metric, formula] : kernel->costs) {
      const std::optional<CostMetric> which = metricNamed(metric);
      if (!which)
        continue;
      const auto index = static_cast<std::size_t>(*which);
      if (const Expected<Evaluated> value = streammap::evaluate(formula, bindings)) {
        evaluation.values[index] = value->value;
      } else {
        evaluation.isUnknown[index] = true;
        for (const std::string &symbol : formula.symbols())
          if (!bindings.contains(symbol))
            missing.insert(symbol);
      }
    }
    evaluation.missing.assign(missing.begin(), missing.end());
    for (const ParameterExtent &extent : kernel->extents)
      if (const auto reached = reachOf(extent, bindings))
        evaluation.reached.push_back(*reached);
    for (const UnknownCost &unknown : kernel->unknowns)
      for (std::size_t i = 0; i < costMetricCount; ++i)
        if (unknown.metric == "all" || unknown.metric == costMetricNames[i])
          evaluation.isUnknown[i] =
              evaluation.isUnknown[i] || !kernel->costs.contains(std::string(costMetricNames[i]));
  }
  reached_ = evaluation.reached;
  for (std::size_t i = 0; i < costMetricCount; ++i) {
    totals.values[i] += evaluation.values[i];
    totals.isUnknown[i] = totals.isUnknown[i] || evaluation.isUnknown[i];
  }
  return evaluation.missing;
}

} // namespace streammap

#pragma once
// Evaluates the host half of a program, from main, over Clang's AST: what the program would do on the host,
// with known values computed and unknown ones carried as unknown with their reason. Memory is laid out as the
// compiler would (HostMemory.h), so casts, unions, pointers to pointers and the C++ library's own containers
// need no special treatment: std::vector is evaluated like any other template. Only functions without a body
// have models (LibraryModels.h).
//
//   UnknownReasons reasons;
//   Interpreter interpreter(units, {.arguments = {"32"}}, reasons, events, diagnostics);
//   interpreter.run();       // calls events.task(...), events.launch(...), ... in program order
//
// Code that starts no task, launch or allocation (CallGraph.h) may be left half-way: a loop that takes too
// long or depends on an unknown is abandoned, and what it writes becomes unknown. Where an unknown decides
// which tasks there are, an error names it and evaluation ends.
#include "analysis/CallGraph.h"
#include "analysis/FrontEnd.h"
#include "analysis/HostMemory.h"
#include "analysis/Markers.h"
#include "analysis/UnknownReasons.h"
#include "support/Diagnostic.h"
#include <array>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace streammap {

class Interpreter;

/// A kernel launch, as met.
struct HostLaunch {
  const clang::FunctionDecl *kernel = nullptr;
  std::array<HostValue, 3> grid, block;
  HostValue dynamicShared;
  /// Scalars as values, structs as the address of a copy that lives until the event returns.
  llvm::SmallVector<HostValue, 8> arguments;
  const clang::Expr *where = nullptr;
};

/// A call of the CUDA runtime's copies or of one of NVIDIA's libraries, as met.
struct HostLibraryCall {
  std::string name;
  std::vector<std::optional<std::int64_t>> arguments; ///< nothing for those that are unknown or no integers
  std::optional<std::int64_t> result; ///< the number of the Fourier transform that the call planned
  const clang::Expr *where = nullptr;
};

enum class AllocationKind { device, managed, pinned };

/// What the evaluation reports, in program order.
class ProgramEvents {
public:
  virtual ~ProgramEvents() = default;
  /// The statement of a task was reached. The receiver evaluates the clauses and, if it wants to know what is
  /// launched, the statement (Interpreter::execute).
  virtual void task(const ParsedUnit &unit, const TaskMarker &task) = 0;
  virtual void wait(const ParsedUnit &unit, const WaitMarker &wait) = 0;
  virtual void launch(const HostLaunch &launch) = 0;
  virtual void libraryCall(const HostLibraryCall &) {}
  virtual void allocated(Address address, HostValue size, AllocationKind kind, std::string name,
                         const SourceLocation &where) = 0;
  /// A buffer got its name from the variable that its address was first stored in.
  virtual void renamed(Address address, std::string name) = 0;
  virtual void released(Address address) = 0;
  /// The stack shrank: objects from `top` on are gone.
  virtual void stackShrunk(Address top) = 0;
};

struct InterpreterOptions {
  std::vector<std::string> arguments;        ///< argv[1...]
  std::map<std::string, double> parameters;  ///< --param name=value, or function::name=value
  std::uint64_t loopSteps = 200'000;         ///< spent on one loop without tasks before it is abandoned
  std::uint64_t totalLoopSteps = 20'000'000; ///< spent on all such loops; then each gets a hundredth
  unsigned deepestCall = 2000;
};

enum class Flow { next, breaks, continues, returns, stops };

/// How a scalar lies in memory and which arithmetic it has.
struct TypeShape {
  enum class Kind : std::uint8_t { none, boolean, integer, floating, pointer, aggregate };
  Kind kind = Kind::none;
  bool isSigned = false;
  std::uint64_t bytes = 0;
};

class Interpreter {
public:
  Interpreter(std::span<const std::unique_ptr<ParsedUnit>> units, InterpreterOptions options,
              UnknownReasons &reasons, ProgramEvents &events, Diagnostics &diagnostics);
  ~Interpreter();

  /// Evaluates main. False if an error ended it early.
  bool run();

  // For the receiver of events; valid during an event, in the scope of the statement it is about.
  Flow execute(const clang::Stmt *statement);
  /// The value of a scalar expression, an lvalue loaded.
  HostValue evaluate(const clang::Expr *expression);
  HostValue addressOf(const clang::Expr *lvalue);
  /// The text of `expression` with its indices evaluated: "plan[2].buf".
  std::string nameOf(const clang::Expr *expression);
  const clang::ASTContext &context() const { return *frames_.back().context; }
  TypeShape shapeOf(clang::QualType type);
  std::uint64_t sizeOf(clang::QualType type) { return shapeOf(type).bytes; }
  HostMemory &memory() { return memory_; }
  HostValue loadScalar(clang::QualType type, Address from);
  UnknownReasons &reasons() { return reasons_; }
  std::optional<std::string> stringAt(Address address) const;
  /// Reports an error at `where` whose cause is that a value is unknown, and ends the evaluation.
  void failUnknown(const clang::Expr *where, const std::string &what, Reason reason, const char *code);
  void warn(const clang::Expr *where, std::string message, const char *code);
  void fail(const clang::Stmt *where, std::string message, const char *code);
  bool hasStopped() const { return halt_ != Halt::none; }
  SourceLocation locationOf(const clang::Stmt *statement) const;
  std::string mangledName(const clang::FunctionDecl *function);
  /// Where the program ended other than by returning from main: the place in the program's own code.
  const std::optional<SourceLocation> &endedAt() const { return endedAt_; }
  /// The `return` that main was left by.
  const std::optional<SourceLocation> &leftMainAt() const { return leftMainAt_; }
  bool endedByException() const { return halt_ == Halt::thrown; }
  /// Parameters that set some variable.
  const std::set<std::string> &usedParameters() const { return usedParameters_; }
  const std::set<std::string> &variableNames() const { return variableNames_; }
  /// The variable on the stack, or the object, that `address` lies in; size 0 if there is none.
  HostMemory::Range storageAt(Address address);

  // For the models of library functions (LibraryModels.cpp).
  struct Call {
    const clang::FunctionDecl *callee = nullptr;
    const clang::Expr *where = nullptr;
    llvm::ArrayRef<const clang::Expr *> expressions; ///< of the arguments
    llvm::SmallVector<HostValue, 6> arguments;       ///< classes and references as addresses
    Address self = 0;
    Address result = 0; ///< where a class result goes
  };
  using Model = HostValue (*)(Interpreter &, const Call &);
  HostValue unknownResult(const Call &call);
  HostValue unknown(const clang::Expr *where, const std::string &what);
  void endProgram(const clang::Stmt *where);
  void throwException(const clang::Stmt *where);
  HostValue callAddress(Address function, const Call &like);
  void allocateBuffer(const Call &call, HostValue where, HostValue size, AllocationKind kind);
  void launch(const Call &call);
  ProgramEvents &events() { return events_; }
  Address literal(const std::string &text);
  bool isDeviceMemory(Address address) const {
    return deviceObjects_.contains(memory_.objectAt(address).begin);
  }
  Address scratch(const void *key, std::uint64_t size) { return slot(key, size, 8); }

private:
  /// What is known of a function once it was called.
  struct Function {
    const clang::FunctionDecl *declaration = nullptr; ///< the one with the body, if there is one
    const clang::Stmt *body = nullptr;
    Model model = nullptr;
    bool isInert = true;
    bool isSystem = false;
    std::uint64_t frameSize = 0;
    llvm::DenseMap<const void *, std::uint32_t> slots; ///< offsets of variables and temporaries
    struct Extent {
      std::uint32_t offset;
      std::uint32_t size;
      bool isArray;
    };
    std::vector<Extent> extents; ///< of the slots, ascending
    llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> captures;
    clang::FieldDecl *thisCapture = nullptr;
  };
  struct Frame {
    Function *function = nullptr;
    const clang::ASTContext *context = nullptr;
    Address base = 0;
    Address self = 0;
    Address result = 0;
    HostValue returned;
    const clang::Expr *call = nullptr;
    llvm::ArrayRef<const clang::Expr *> arguments; ///< as written at the call
    std::size_t caller = 0;                        ///< index in frames_
    unsigned loops = 0;                            ///< enclosing loops of this frame
    unsigned inertLoops = 0;                       ///< enclosing loops of this frame that may be abandoned
  };
  /// Why evaluation is unwinding.
  enum class Halt { none, ended, thrown, failed, lostLoop, lostCall };
  struct Marker {
    std::optional<TaskMarker> task;
    std::optional<WaitMarker> wait;
    std::optional<RootMarker> root;
  };

  // Interpreter.cpp: functions, frames, variables.
  Function &functionOf(const clang::FunctionDecl *declaration);
  void pushFrame(Function &function, const clang::ASTContext &context);
  void popFrame();
  Frame &frame() { return frames_.back(); }
  Address slot(const void *key, std::uint64_t size, std::uint64_t alignment, bool isArray = false);
  HostValue variable(const clang::VarDecl *variable);
  Address global(const clang::VarDecl *variable);
  void initialiseVariable(const clang::VarDecl *variable, Address where);
  const double *parameterFor(const clang::VarDecl *variable);
  const double *parameterFor(const clang::Expr *expression);
  /// A value of options_.parameters as one of `type`; where the type cannot hold it that is an error.
  HostValue converted(const double &value, clang::QualType type);
  Reason label(Reason reason, const clang::VarDecl *variable);
  Reason label(Reason reason, const clang::Expr *expression);
  const ParsedUnit *unitOf(const clang::ASTContext &context) const;
  const Marker *markerOf(const clang::Stmt *statement);
  void storeScalar(clang::QualType type, Address to, HostValue value);
  HostValue normalised(HostValue value, const TypeShape &shape) const;
  bool isIndirect(const clang::VarDecl *variable);
  const clang::VarDecl *rootVariable(const clang::Expr *expression) const;
  Address functionAddress(const clang::FunctionDecl *function);
  std::string argumentName(const clang::Expr *expression);
  /// A statement of the program's own code.
  struct OwnPlace {
    const clang::Stmt *statement;
    const clang::ASTContext *context;
  };
  OwnPlace ownPlace(const clang::Stmt *where) const;
  SourceLocation ownLocation(const clang::Stmt *where) const;
  Diagnostic diagnosticFor(const clang::Stmt *where, Severity severity, std::string message,
                           const char *code) const;
  HostMemory::Range widened(HostMemory::Range range);

  // InterpretExpressions.cpp
  HostValue value(const clang::Expr *expression);
  HostValue place(const clang::Expr *expression);
  HostValue notEvaluated(const clang::Expr *expression);
  HostValue convert(const clang::CastExpr *cast);
  HostValue castPlace(const clang::CastExpr *cast);
  HostValue basePath(HostValue address, const clang::CastExpr *cast, bool toDerived);
  HostValue unary(const clang::UnaryOperator *operation);
  HostValue binary(const clang::BinaryOperator *operation);
  HostValue arithmetic(clang::BinaryOperatorKind kind, HostValue left, HostValue right,
                       clang::QualType leftType, clang::QualType rightType, clang::QualType resultType);
  HostValue assign(const clang::BinaryOperator *operation);
  HostValue logical(const clang::BinaryOperator *operation);
  HostValue conditional(const clang::AbstractConditionalOperator *choice, bool wantsPlace, Address to);
  HostValue stepped(const clang::UnaryOperator *operation, bool wantsOld);
  HostValue member(const clang::MemberExpr *member);
  HostValue element(const clang::ArraySubscriptExpr *subscript);
  HostValue offsetBy(HostValue pointer, HostValue index, std::uint64_t elementSize, bool negative);
  HostValue traits(const clang::UnaryExprOrTypeTraitExpr *trait);
  void discard(const clang::Expr *expression);

  // InterpretObjects.cpp
  void construct(const clang::Expr *expression, Address to);
  void initialise(const clang::Expr *expression, clang::QualType type, Address to);
  void constructor(const clang::CXXConstructExpr *construct, Address to);
  void runConstructor(const clang::CXXConstructorDecl *constructor,
                      llvm::ArrayRef<const clang::Expr *> arguments, Address to, const clang::Expr *where);
  void inheritedConstructor(const clang::CXXInheritedCtorInitExpr *inherited, Address to);
  void initialiserList(const clang::InitListExpr *list, Address to);
  void lambda(const clang::LambdaExpr *lambda, Address to);
  void writeDynamicType(const clang::CXXRecordDecl *record, Address to);
  HostValue newObject(const clang::CXXNewExpr *expression);
  void arrayLoop(const clang::ArrayInitLoopExpr *loop, Address to);
  void stringInto(const clang::StringLiteral *text, Address to, std::uint64_t size);

  // InterpretCalls.cpp
  HostValue call(const clang::CallExpr *call, Address result);
  HostValue kernelCall(const clang::CUDAKernelCallExpr *call);
  void finishLaunch(const HostLaunch &launch);
  HostValue argument(const clang::Expr *expression, clang::QualType parameter);
  HostValue invoke(Call &call);
  HostValue lose(const Call &call, const char *why);
  HostValue builtin(const clang::CallExpr *call, unsigned builtin, bool &isHandled);
  const clang::FunctionDecl *dispatched(const clang::CXXMethodDecl *method, Address self);
  void readDimensions(Address from, std::array<HostValue, 3> &into);

  // InterpretStatements.cpp
  Flow executeIf(const clang::IfStmt *branch);
  Flow unknownIf(const clang::IfStmt *branch, HostValue condition);
  Flow executeSwitch(const clang::SwitchStmt *statement);
  /// The parts of a loop, whichever keyword it has; null where there is none.
  struct Loop {
    const clang::Stmt *statement = nullptr;
    const clang::Expr *condition = nullptr;
    const clang::DeclStmt *conditionVariable = nullptr;
    const clang::Stmt *beforeBody = nullptr;
    const clang::Stmt *body = nullptr;
    const clang::Expr *step = nullptr;
    bool testsFirst = true;
  };
  Flow executeLoop(const Loop &loop);
  Flow abandon(const Loop &loop, std::size_t since, Reason reason);
  Flow executeDeclarations(const clang::DeclStmt *statement);
  Flow executeTry(const clang::CXXTryStmt *statement);

  // InterpretUnknown.cpp: leaving code half-way.
  void forgetRecorded(std::size_t since, Reason reason);
  Flow uncertain(Flow yes, Flow no, const clang::Expr *condition, Reason reason);
  void settle(std::size_t frame, unsigned loop);
  void refuseUncertainTask();
  Diagnostic unknownDiagnostic(const clang::Expr *where, const std::string &what, Reason reason,
                               const char *code);
  void forgetWrites(const clang::Stmt *code, std::size_t since, Reason reason);
  void forgetTarget(const clang::Expr *target, Reason reason, bool reachable);
  void forgetReachable(HostMemory::Range object, Reason reason);
  std::string cycleOf(const Function &function) const;
  bool endsInFailure(const clang::Stmt *arm);
  void assumeNoFailure(const clang::Expr *condition, Reason reason);

  std::span<const std::unique_ptr<ParsedUnit>> units_;
  InterpreterOptions options_;
  UnknownReasons &reasons_;
  ProgramEvents &events_;
  Diagnostics &diagnostics_;
  CallGraph graph_;
  HostMemory memory_;
  std::vector<Frame> frames_;
  Halt halt_ = Halt::none;
  Reason lostReason_ = 0; ///< of Halt::lostLoop and lostCall
  std::uint64_t steps_ = 0;
  std::uint64_t inertSteps_ = 0;
  std::uint64_t inertCallStart_ = 0; ///< steps when the outermost inert call began; 0: in none
  Address stackTop_ = 0;
  std::map<const clang::FunctionDecl *, std::unique_ptr<Function>> functions_;
  llvm::DenseMap<const clang::FunctionDecl *, Function *> functionCache_;
  llvm::DenseMap<const clang::VarDecl *, Address> globals_;
  std::map<const void *, std::unique_ptr<Function>> initialisers_;
  llvm::DenseMap<const clang::Type *, TypeShape> shapes_;
  llvm::DenseMap<const clang::Expr *, Reason> reasonCache_;
  llvm::DenseMap<std::pair<const clang::VarDecl *, unsigned>, Reason> labels_;
  llvm::DenseMap<const clang::Stmt *, std::unique_ptr<Marker>> markers_;
  llvm::DenseMap<const clang::Stmt *, Address> literals_;
  std::map<std::string, Address> texts_;
  llvm::DenseMap<const clang::FunctionDecl *, Address> functionAddresses_;
  llvm::DenseMap<Address, const clang::FunctionDecl *> addressedFunctions_;
  llvm::DenseMap<Address, const clang::CXXRecordDecl *> dynamicTypes_;
  llvm::DenseMap<const clang::CXXRecordDecl *, Address> typeTags_;
  llvm::DenseMap<const clang::OpaqueValueExpr *, HostValue> opaque_;
  std::vector<std::uint64_t> arrayIndices_;
  std::optional<SourceLocation> endedAt_;
  std::optional<SourceLocation> leftMainAt_;
  /// Control may have left a function or loop at a condition that is unknown. That is an error only if a task
  /// is reached before the function or loop ends.
  struct Uncertainty {
    std::size_t frame; ///< index of the frame
    unsigned loop;     ///< number of loops around, of the one that may have ended; 0: the function
    bool isIteration;  ///< of the loop, only the iteration
    std::size_t since; ///< writes from here on may not have happened
    Reason reason;
    Diagnostic diagnostic;
  };
  std::vector<Uncertainty> uncertain_;
  std::vector<Diagnostic> assumed_; ///< warnings that matter only if a task follows
  std::set<const void *> warned_;
  std::set<std::string> usedParameters_;
  std::set<std::string> variableNames_;
  llvm::DenseSet<Address> deviceObjects_; ///< where each lies that only kernels see
  std::size_t freshBuffers_ = 0;          ///< allocations so far, to tell which call made one
  Address freshBuffer_ = 0;
};

} // namespace streammap

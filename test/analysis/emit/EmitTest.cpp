// The transformed source: what it says, that it compiles, and that it keeps the lines.
#include "analysis/Emit.h"
#include "../pragmas/ParseText.h"
#include "analysis/Check.h"
#include "support/Catch.h"
#include <algorithm>
#include <sstream>

namespace streammap::test {
namespace {

struct Emitted {
  std::vector<EmittedFile> files;
  std::vector<std::string> lines; ///< of the main file, without the two lines in front
  std::string all() const { return files.front().text; }
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

const std::string kernels = "__global__ void k(float *a, int n) {}\n";

/// Emits `text`, then compiles what came out with Clang against the runtime's header.
Emitted emit(const SourceFolder &temporary, const std::string &text, const std::string &name = "app.cu") {
  const ParsedText parsed = parseFile(temporary.write(name, text));
  INFO("source: " << text << toText(parsed.diagnostics));
  REQUIRE(parsed.diagnostics.all().empty());
  Emitted emitted;
  emitted.files = emitTransformed(*parsed.unit, temporary.path() + "/out/" + emittedName(name));
  for (const EmittedFile &file : emitted.files)
    temporary.write(std::filesystem::path(file.path).lexically_relative(temporary.path()).string(),
                    file.text);
  emitted.lines = linesOf(emitted.files.front().text);
  REQUIRE(emitted.lines.size() >= 2);
  CHECK(emitted.lines[0] == "#include <streammap/streammap.h>");
  CHECK(emitted.lines[1].starts_with("#line 1 \""));
  emitted.lines.erase(emitted.lines.begin(), emitted.lines.begin() + 2);
  CHECK(emitted.lines.size() == linesOf(text).size());

  const ParsedText again =
      parseFile(emitted.files.front().path,
                {"-I" + std::string(STREAMMAP_SOURCE_DIR) + "/runtime", "-I" + temporary.path()});
  INFO("emitted: " << emitted.all() << toText(again.diagnostics));
  CHECK(again.diagnostics.all().empty());
  CHECK((again.unit && again.unit->sites().empty()));
  return emitted;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("braced launch arguments are read as nvcc reads them and emitted for compilers that do not") {
  SourceFolder temporary;
  const Emitted emitted = emit(temporary, kernels + R"(
template <class T> __global__ void t(T *a, dim3 size) {}
struct Runner {
  float *a;
  void late(int n) { k<<<{unsigned(n), 1, 1}, {32, 4, 1}, 0, nullptr>>>(a, n); }
};
int main() {
  float *a = nullptr;
#pragma streammap task inout(a[0:8])
  k<<<1, {8, 1, 1}>>>(a, (int){8});
  if (int *p = nullptr; p)
    t<int><<<dim3{1, 2}, {4, (unsigned)std::max(1, 2)}>>>(p, {1, 2, 3});
}
)");
  CHECK(contains(emitted.all(), "k<<<dim3{unsigned(n), 1, 1}, dim3{32, 4, 1}, 0, nullptr>>>(a, n)"));
  CHECK(contains(emitted.all(), "k<<<1, dim3{8, 1, 1}>>>(a, (int){8})"));
  CHECK(contains(emitted.all(), "t<int><<<dim3{1, 2}, dim3{4, (unsigned)std::max(1, 2)}>>>(p, {1, 2, 3})"));
}

TEST_CASE("a task becomes a builder call on the line of its statement") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary, kernels + "void f(float *a, int n) {\n"
                                "#pragma streammap task inout(a[0:n]) \\\n    name(scale, n) flops(2.0 * n)\n"
                                "  k<<<1, 32>>>(a, n);\n}\n");
  CHECK(emitted.lines[2] == "");
  CHECK(emitted.lines[3] == "");
  CHECK(emitted.lines[4] ==
        "  { auto sm_b0 = a; ::streammap::TaskBuilder sm_task(0, \"" + temporary.path() +
            "/app.cu:3:1\", \"k\"); sm_task.inout(::streammap::section(sm_b0, 0, n)).name(\"scale\", "
            "n).flops(2.0 * n); "
            "sm_task.run([=](::streammap::TaskContext &sm_context) mutable { (void)sm_context; "
            "[[maybe_unused]] auto a = sm_context.pointer(0, sm_b0); k<<<1, 32>>>(a, n); }); }");
}

TEST_CASE("every clause reaches the builder") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary, kernels + "void f(float *a, int n, double t) {\n  float m[4][5];\n"
                                "#pragma streammap task in(a) out(t) inout(m[1:2][0:n], m[0:1], a[0:n:2], "
                                "([n][8])a[0:1][2:3], m[:]) "
                                "bytes(n) seconds(1e-3) memory(4) device(any) capability(8) model(\"H100\", "
                                "\"A100\") together(n, \"x\") "
                                "apart(1) node(0) priority(2) when(n > 1)\n"
                                "  { k<<<1, 32>>>(a, n); t = m[0][0]; }\n}\n");
  for (const char *part :
       {".in(::streammap::whole(sm_b0))", ".out(::streammap::object(sm_b1))",
        "::streammap::section2d(sm_b2, 1, 2, 0, n)", "::streammap::section(sm_b2, 0, 1)",
        "::streammap::section(sm_b0, 0, n, 2)", "::streammap::section2d(sm_b0, 8, 0, 1, 2, 3)",
        ".bytes(n).seconds(1e-3).memory(4)", ".device(::streammap::DeviceKind::any)", ".capability(8.0)",
        ".model(\"H100\", \"A100\")",
        ".together(n, \"x\").apart(1).node((long long)(0)).priority(2).when(n > 1)",
        "auto &t = sm_context.object(1, sm_b1)"}) {
    INFO(part << " in " << emitted.lines[4]);
    CHECK(contains(emitted.lines[4], part));
  }
}

TEST_CASE("statements of every shape end where they end") {
  SourceFolder temporary;
  emit(temporary,
       kernels + "void g(float *a, int n);\nint f(float *a, int n) {\n"
                 "  if (n > 2)\n#pragma streammap task inout(a)\n    k<<<1, 1>>>(a, n); // unbraced\n  else\n"
                 "#pragma streammap task inout(a)\n    for (int i = 0; i < n; ++i)\n      if (i)\n        "
                 "g(a, i);\n      else\n        g(a, 0);\n"
                 "  for (int i = 0; i < n; ++i)\n#pragma streammap task inout(a)\n    { g(a, i); }\n"
                 "  while (n-- > 0)\n#pragma streammap task inout(a)\n    do g(a, n); while (false);\n"
                 "  switch (n) {\n  case 1:\n#pragma streammap task inout(a)\n    g(a, 1);\n    break;\n  "
                 "default: break;\n  }\n"
                 "#pragma streammap root\n  if (n) g(a, 1); else g(a, 2);\n  return n;\n}\n");
}

TEST_CASE("members, elements and calls are read when the statement is reached") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary, "#include <vector>\n" + kernels +
                          "struct Plan { float *buffer; int count; };\nstruct S {\n  float *field; int n; "
                          "Plan plans[3];\n  void step(int i) {\n"
                          "#pragma streammap task inout(plans[i].buffer[0:plans[i].count], field)\n"
                          "    { k<<<1, 32>>>(plans[i].buffer, n); k<<<1, 32>>>(this->field, n); }\n  }\n};\n"
                          "void f(std::vector<float> v, int n) {\n#pragma streammap task "
                          "inout(v.data()[0:n])\n  k<<<1, 32>>>(v.data(), n);\n}\n");
  CHECK(
      contains(emitted.lines[7], "auto sm_b0 = plans[i].buffer; auto sm_b1 = field; auto sm_v0 = this->n;"));
  CHECK(contains(emitted.lines[7], "{ k<<<1, 32>>>(sm_d0, n); k<<<1, 32>>>(field, n); }"));
  CHECK(contains(emitted.lines[12], "auto sm_b0 = v.data();"));
  CHECK(contains(emitted.lines[12], "k<<<1, 32>>>(sm_d0, n);"));
}

TEST_CASE("globals are read when the statement is reached, unless the statement changes them") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary, kernels + "float *current; int steps; namespace N { int size = 3; }\nvoid f() {\n"
                                "#pragma streammap task inout(current[0:N::size])\n"
                                "  { k<<<1, 32>>>(current, N::size); ++steps; }\n}\n");
  CHECK(contains(emitted.lines[4], "auto sm_b0 = current;"));
  CHECK(contains(emitted.lines[4], "auto sm_v0 = N::size;"));
  CHECK(contains(emitted.lines[4], "k<<<1, 32>>>(current, size); ++steps;"));
  CHECK(!contains(emitted.lines[4], "= steps"));
}

TEST_CASE("structured bindings and objects that cannot be copied are captured") {
  SourceFolder temporary;
  const Emitted emitted = emit(
      temporary, kernels + "#include <memory>\n#include <utility>\nstd::pair<float *, int> make();\nvoid "
                           "use(std::unique_ptr<int> &p);\n"
                           "void f() {\n  auto [a, n] = make();\n  std::unique_ptr<int> p;\n"
                           "#pragma streammap task inout(a[0:n])\n  { k<<<1, 32>>>(a, n); use(p); }\n}\n");
  CHECK(contains(emitted.lines[9], "auto sm_b0 = a; auto sm_v0 = n;"));
  CHECK(contains(emitted.lines[9], "[=, &p]"));
}

TEST_CASE("an object that cannot be copied is captured by reference also where it is only read") {
  SourceFolder temporary;
  const Emitted emitted = emit(
      temporary,
      kernels + "struct Owner {\n  float *data;\n  int n;\n  Owner();\n  Owner(const Owner &) = delete;\n};\n"
                "struct Holder {\n  Owner owner;\n};\n"
                "void f() {\n  const Owner o;\n  const Holder h;\n"
                "#pragma streammap task inout(o.data[0:o.n], h.owner.data[0:h.owner.n])\n"
                "  k<<<1, h.owner.n>>>(o.data, o.n);\n}\n");
  CHECK(contains(emitted.all(), "[=, &h, &o]"));
}

TEST_CASE("templates are transformed as templates") {
  SourceFolder temporary;
  const Emitted emitted = emit(
      temporary, "template <class T> __global__ void kt(T *a, int n) {}\n"
                 "template <class T> struct S { T *p; int n;\n  void go(int count) {\n    for (int i = 0; i "
                 "< count; ++i)\n"
                 "#pragma streammap task inout(p[0:n]) name(go, i)\n      kt<T><<<1, 32>>>(p, n);\n  }\n};\n"
                 "int main() { S<float> s{}; s.go(1); S<double> d{}; d.go(2); }\n");
  CHECK(contains(emitted.lines[5], "\"kt\""));
  CHECK(contains(emitted.lines[5], "kt<T><<<1, 32>>>(p, n);"));
}

TEST_CASE("a macro that holds a pragma is written out") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary, kernels + "#define PRAGMA(x) _Pragma(#x)\n"
                                "#define RUN(p, n) PRAGMA(streammap task inout(p[0:n])) k<<<1, 1>>>(p, n)\n"
                                "void f(float *a, int n) {\n  RUN(a, n);\n  RUN(a,\n      n + 1);\n}\n");
  CHECK(contains(emitted.lines[4], "k <<< 1 , 1 >>> ( a , n ); }); }"));
  CHECK(contains(emitted.lines[5], ".inout(::streammap::section(sm_b0, 0, n + 1))"));
  CHECK(emitted.lines[6].empty() == false);
}

TEST_CASE("a statement that is a macro keeps it") {
  SourceFolder temporary;
  const Emitted emitted = emit(
      temporary,
      kernels + "#define CHECK(x) do { x; } while (0)\n#define LAUNCH(p, n) k<<<1, 1>>>(p, n);\n"
                "void f(float *a, int n) {\n#pragma streammap task inout(a)\n  CHECK((k<<<1, 1>>>(a, n)));\n"
                "#pragma streammap task inout(a)\n  LAUNCH(a, n)\n}\n");
  CHECK(contains(emitted.lines[5], "CHECK((k<<<1, 1>>>(a, n))); }); }"));
  CHECK(contains(emitted.lines[7], "LAUNCH(a, n) }); }"));
}

TEST_CASE("waits and roots") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary,
           kernels + "int f(float *a, double t, int n) {\n#pragma streammap wait\n"
                     "#pragma streammap wait on(a[0:n], t)\n  if (n)\n#pragma streammap root\n    n = 2;\n"
                     "  else\n    n = 3;\n  return n;\n}\n");
  const std::string at = temporary.path() + "/app.cu:";
  CHECK(emitted.lines[2] == "::streammap::wait(\"" + at + "3:1\");");
  CHECK(emitted.lines[3] ==
        "::streammap::wait(\"" + at + "4:1\", ::streammap::section(a, 0, n), ::streammap::object(t));");
  CHECK(emitted.lines[6] == "    if (!::streammap::isRoot()) {} else n = 2;");
}

TEST_CASE("trips disappears") {
  SourceFolder temporary;
  const Emitted emitted =
      emit(temporary,
           "__global__ void k(int n) {\n#pragma streammap trips(n)\n  for (int i = 0; i < n; ++i) ;\n}\n");
  CHECK(emitted.lines[1] == "");
  CHECK(emitted.lines[2] == "  for (int i = 0; i < n; ++i) ;");
}

TEST_CASE("a header with pragmas gets a copy, and so does who includes it") {
  SourceFolder temporary;
  temporary.write("inner.h", kernels + "inline void inner(float *a, int n) {\n#pragma streammap task "
                                       "inout(a[0:n])\n  k<<<1, 1>>>(a, n);\n}\n");
  temporary.write("outer.h", "#include \"inner.h\"\n");
  const Emitted emitted = emit(temporary, "#include \"outer.h\"\nint main() { inner(nullptr, 1); }\n");
  REQUIRE(emitted.files.size() == 3);
  CHECK(emitted.lines[0] == "#include \"app.streammap.outer.h\"");
  CHECK(emitted.files[1].path == temporary.path() + "/out/app.streammap.inner.h");
  CHECK(contains(emitted.files[1].text, "::streammap::TaskBuilder"));
  CHECK(contains(emitted.files[2].text, "#include \"app.streammap.inner.h\""));
}

TEST_CASE("a plain C++ file is transformed as well") {
  SourceFolder temporary;
  const Emitted emitted = emit(temporary,
                               "void launch(float *a, int n);\nint main() {\n  float *a = nullptr;\n"
                               "#pragma streammap task inout(a[0:10])\n  launch(a, 10);\n}\n",
                               "app.cpp");
  CHECK(contains(emitted.lines[4], "launch(a, 10); }); }"));
}

TEST_CASE("a source without pragmas stays as it is") {
  SourceFolder temporary;
  const std::string text = "int main() { return 0; }\n";
  const Emitted emitted = emit(temporary, text);
  CHECK(emitted.files.size() == 1);
  CHECK(emitted.lines == linesOf(text));
}

TEST_CASE("pragmas in lambdas and in namespaces") {
  SourceFolder temporary;
  emit(temporary, kernels + "namespace outer { namespace { float *field; }\nvoid f(int n) {\n  float *a = "
                            "field;\n  auto run = [=](int i) {\n"
                            "#pragma streammap task inout(a[i:n], outer::field)\n    { k<<<1, 1>>>(a + i, "
                            "n); k<<<1, 1>>>(outer::field, i); }\n  };\n  run(1);\n} }\n");
}

TEST_CASE("nvcc compiles what was emitted") {
  unsetenv("STREAMMAP_NO_CUDA");
  const std::optional<CudaToolkit> cuda = findCudaToolkit();
  if (!cuda || cuda->nvcc.empty()) {
    WARN("skipped: no nvcc found");
    return;
  }
  SourceFolder temporary;
  const Emitted emitted = emit(
      temporary,
      "#include <vector>\n" + kernels +
          "template <class T> __global__ void kt(T *a, int n) {}\nstruct Plan { float *buffer; int n; };\n"
          "template <class T> struct S { T *p; int n; Plan plans[2];\n  void go(int i) {\n"
          "#pragma streammap task inout(p[0:n], plans[i].buffer[0:plans[i].n]) name(go, i)\n"
          "    { kt<T><<<1, 32>>>(p, n); k<<<1, 32>>>(plans[i].buffer, n); }\n  }\n};\n"
          "int main() {\n  S<float> s{}; s.go(1);\n  std::vector<float> v(3);\n  float m[4][5];\n  double "
          "sum = 0;\n"
          "#pragma streammap task inout(v.data()[0:3]) inout(m[0:2][0:3]) out(sum)\n  { k<<<1, "
          "1>>>(v.data(), 3); sum = m[0][0]; }\n"
          "#pragma streammap wait on(sum, m)\n#pragma streammap root\n  return 0;\n}\n");
  const std::string object = temporary / "app.o";
  const std::string command = cuda->nvcc + " -std=c++17 -arch=sm_80 -I" + STREAMMAP_SOURCE_DIR +
                              "/runtime -c " + emitted.files.front().path + " -o " + object + " > " +
                              (temporary / "log") + " 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream log(temporary / "log");
  INFO(command << "\n" << std::string(std::istreambuf_iterator<char>(log), {}));
  CHECK(status == 0);
  CHECK(std::filesystem::exists(object));
}

} // namespace
} // namespace streammap::test

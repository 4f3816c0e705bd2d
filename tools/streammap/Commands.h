#pragma once
// The subcommands of `streammap`, one file each: it declares its flags on the app and, when chosen, leaves
// the exit code of the whole program in `exitCode`.
#include "support/Diagnostic.h"
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace streammap {

/// Documented in docs/file-formats.md; every command uses these and no others.
enum class ExitCode {
  done = 0,
  inputErrors = 1,       ///< all of them were listed
  wrongUsage = 2,        ///< unknown flag, missing argument
  noPlacement = 3,       ///< nothing fits, and the reason was printed
  environmentFailed = 4, ///< a file, tool or device
};

/// Prints to standard error in the form `--diagnostics` asked for: "text", "json" or "sarif".
void printDiagnostics(const Diagnostics &diagnostics, const std::string &form);

/// "streammap: error: <message>" on standard error; returns ExitCode::environmentFailed.
ExitCode environmentFailure(const std::string &message);

void addAnnotateCommands(CLI::App &app, const std::vector<std::string> &passedOn,
                         ExitCode &exitCode); // annotate, check
void addExportCommand(CLI::App &app, ExitCode &exitCode);
void addImportCommand(CLI::App &app, ExitCode &exitCode);
void addMapCommand(CLI::App &app, ExitCode &exitCode);
void addReportCommand(CLI::App &app, ExitCode &exitCode);
void addDoctorCommand(CLI::App &app, ExitCode &exitCode);
void addLaunchFilesCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode);
void addExplainCommand(CLI::App &app, ExitCode &exitCode);
void addWhatIfCommand(CLI::App &app, ExitCode &exitCode);
void addSimulateCommand(CLI::App &app, ExitCode &exitCode);
void addDiscoverCommand(CLI::App &app, ExitCode &exitCode);
void addWatchCommand(CLI::App &app, ExitCode &exitCode);
/// `passedOn` is what follows "--" on the command line: compiler flags, the program's arguments.
void addBuildCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode);
void addSubmitCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode);
void addRunCommand(CLI::App &app, const std::vector<std::string> &passedOn, ExitCode &exitCode);

} // namespace streammap

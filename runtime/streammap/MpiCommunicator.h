#pragma once
// The other ranks through MPI.
#include "streammap/Communicator.h"
#include <memory>

namespace streammap::engine {

/// Whether a launcher started this process as one of several: without one there is no need for MPI.
bool startedByLauncher();

/// Initialises MPI if nobody has. MPI calls come from one thread at a time (MPI_THREAD_SERIALIZED at least).
std::unique_ptr<Communicator> makeMpiCommunicator();

/// Ends all ranks; does not return.
void abortAllRanks(int exitCode);

} // namespace streammap::engine

#include "streammap/MpiCommunicator.h"
#include "streammap/Failure.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <mpi.h>
#include <unistd.h>

extern "C" {
int __real_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int __real_MPI_Finalize();
}

namespace streammap::engine {
namespace {

constexpr std::uint64_t chunkSize = std::uint64_t{1} << 30; // MPI counts are int

void check(int status, const char *call) {
  if (status == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  fail(std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

class MpiCommunicator final : public Communicator {
public:
  MpiCommunicator() {
    // A communicator of our own: the program may use MPI_COMM_WORLD.
    check(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
    int *bound = nullptr, found = 0;
    check(MPI_Comm_get_attr(communicator_, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
    tagCount_ = found ? *bound : 32767; // the least the standard grants
  }
  int rank() const override { return rank_; }
  int worldSize() const override { return size_; }
  int tagCount() const override { return tagCount_; }

  Request startSend(int to, int tag, const char *data, std::uint64_t size) override {
    return start(size, [&](std::uint64_t offset, int count, MPI_Request *request) {
      check(MPI_Isend(data + offset, count, MPI_BYTE, to, tag, communicator_, request), "MPI_Isend");
    });
  }
  Request startReceive(int from, int tag, char *data, std::uint64_t size) override {
    return start(size, [&](std::uint64_t offset, int count, MPI_Request *request) {
      check(MPI_Irecv(data + offset, count, MPI_BYTE, from, tag, communicator_, request), "MPI_Irecv");
    });
  }
  Request startMeeting(int purpose, bool *agreed) override {
    // The largest purpose and, negated, the smallest.
    meeting_ = {{purpose, -purpose}, {0, 0}, agreed, 0};
    meeting_.request = start(1, [&](std::uint64_t, int, MPI_Request *request) {
      check(MPI_Iallreduce(meeting_.mine, meeting_.extremes, 2, MPI_INT, MPI_MAX, communicator_, request),
            "MPI_Iallreduce");
    });
    return meeting_.request;
  }

  std::vector<Request> takeDone() override {
    std::vector<Request> done;
    if (pending_.empty())
      return done;
    std::vector<int> indices(pending_.size());
    int count = 0;
    check(MPI_Testsome(static_cast<int>(pending_.size()), pending_.data(), &count, indices.data(),
                       MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    if (count == MPI_UNDEFINED || count == 0)
      return done;
    std::sort(indices.begin(), indices.begin() + count, std::greater<>());
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(indices[static_cast<std::size_t>(i)]);
      done.push_back(owner_[index]);
      pending_[index] = pending_.back();
      owner_[index] = owner_.back();
      pending_.pop_back();
      owner_.pop_back();
    }
    if (std::ranges::find(done, meeting_.request) != done.end())
      *meeting_.agreed = meeting_.extremes[0] == -meeting_.extremes[1];
    // A message of several chunks is done with its last one.
    std::erase_if(done, [&](Request request) {
      auto left = chunksLeft_.find(request);
      if (left == chunksLeft_.end())
        return false;
      if (--left->second > 0)
        return true;
      chunksLeft_.erase(left);
      return false;
    });
    return done;
  }

  std::vector<std::string> gather(const std::string &text) override {
    std::vector<std::string> texts;
    if (rank_ != 0) {
      std::uint64_t size = text.size();
      check(MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, communicator_), "MPI_Send");
      for (std::uint64_t offset = 0; offset < size; offset += chunkSize)
        check(MPI_Send(text.data() + offset, static_cast<int>(std::min(chunkSize, size - offset)), MPI_BYTE,
                       0, 0, communicator_),
              "MPI_Send");
      return texts;
    }
    texts.push_back(text);
    for (int from = 1; from < size_; ++from) {
      std::uint64_t size = 0;
      check(MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
      std::string received(size, '\0');
      for (std::uint64_t offset = 0; offset < size; offset += chunkSize)
        check(MPI_Recv(received.data() + offset, static_cast<int>(std::min(chunkSize, size - offset)),
                       MPI_BYTE, from, 0, communicator_, MPI_STATUS_IGNORE),
              "MPI_Recv");
      texts.push_back(std::move(received));
    }
    return texts;
  }

  void finish() override { __real_MPI_Finalize(); }

private:
  template <class Start>
  Request start(std::uint64_t size, Start startChunk) {
    const Request request = ++last_;
    std::uint64_t chunks = 0;
    for (std::uint64_t offset = 0; offset < size; offset += chunkSize, ++chunks) {
      MPI_Request handle;
      startChunk(offset, static_cast<int>(std::min(chunkSize, size - offset)), &handle);
      pending_.push_back(handle);
      owner_.push_back(request);
    }
    if (chunks > 1)
      chunksLeft_[request] = chunks;
    return request;
  }

  struct Meeting {
    int mine[2], extremes[2];
    bool *agreed;
    Request request; ///< 0 before the first
  };

  Meeting meeting_{};
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, tagCount_ = 0;
  Request last_ = 0;
  std::vector<MPI_Request> pending_;
  std::vector<Request> owner_; // of each pending one
  std::map<Request, std::uint64_t> chunksLeft_;
};

} // namespace

bool startedByLauncher() {
  for (const char *variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(variable))
      return true;
  const char *slurmTasks = std::getenv("SLURM_NTASKS");
  return slurmTasks && std::getenv("SLURM_PROCID") && std::atoi(slurmTasks) > 1;
}

/// How many processes the launcher says it started; 0 where it does not say. mpirun and Hydra come before
/// Slurm: inside an allocation they start their own agents through srun, whose variables the ranks inherit.
/// In a step of a heterogeneous job SLURM_NTASKS counts those of one component only.
int startedProcesses() {
  for (const char *variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *size = std::getenv(variable))
      return std::atoi(size);
  const char *components = std::getenv("SLURM_HET_SIZE"), *tasks = std::getenv("SLURM_NTASKS");
  const bool heterogeneous = components && std::atoi(components) > 1;
  return tasks && std::getenv("SLURM_PROCID") && !heterogeneous ? std::atoi(tasks) : 0;
}

std::unique_ptr<Communicator> makeMpiCommunicator() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised) {
    int provided = 0;
    check(__real_MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_SERIALIZED)
      fail("this MPI allows calls from its first thread only; the runtime needs MPI_THREAD_SERIALIZED");
  }
  auto communicator = std::make_unique<MpiCommunicator>();
  // A launcher of another MPI starts ranks that do not know each other, each a world of one.
  if (const int started = startedProcesses(); started > 0 && started != communicator->worldSize())
    fail(
        "the launcher started " + std::to_string(started) +
        " processes, but this one is in an MPI world of " + std::to_string(communicator->worldSize()) +
        "; choose the launcher of the MPI the program is built with (srun --mpi=pmix or mpirun for Open MPI, "
        "srun --mpi=pmi2 or mpiexec.hydra for MPICH)");
  return communicator;
}

void abortAllRanks(int exitCode) {
  MPI_Abort(MPI_COMM_WORLD, exitCode);
  _exit(exitCode);
}

} // namespace streammap::engine

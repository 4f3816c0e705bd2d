// The plan as actors of SimGrid: one per device that runs its tasks in order, and for every device that gets
// data two that receive it in order, one per copy engine; the sender of each transfer is an actor as well,
// and the two meet in a mailbox of their own. Who waits for a step acquires its semaphore, which the step
// releases once for each who waits. A device's copy engines for sending are a semaphore of two. A receiver
// acquires the sender's engine when the data is there, and from then on the transfer runs to its end, so no
// two wait for each other.
//
// Settings for plain max-min fairness (SimGrid 3.32): CM02 shares a link in inverse proportion to the latency
// of each flow's route, so links get no latency and it is slept instead, after the transfer and beside the
// next one; TCP's window and cross traffic are switched off; optim Full, since Lazy times two encodings of
// one schedule differently. Routes are explicit, in a Full zone: SimGrid's own would use one spine for all.
#include "referee/RunPlan.h"
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace streammap {
namespace {

namespace sg = simgrid::s4u;

constexpr int copyEngines = 2; ///< of a device, for each direction (Replay.h)
constexpr int unlimited = 1'000'000;

class Run {
public:
  Run(const ReplayPlan &plan, double unit) : plan_(plan), unit_(unit) {
    const std::size_t steps = plan.tasks.size() + plan.transfers.size();
    start_.resize(steps);
    end_.resize(steps);
    waiting_.resize(steps);
    done_.resize(steps);
  }

  void run() {
    std::array<const char *, 9> settings{"streammap",
                                         "--cfg=network/model:CM02",
                                         "--cfg=network/TCP-gamma:1e18",
                                         "--cfg=network/crosstraffic:0",
                                         "--cfg=network/optim:Full",
                                         "--cfg=surf/precision:1e-9",
                                         "--cfg=contexts/stack-size:64",
                                         "--log=root.thres:critical",
                                         "--log=no_loc"};
    int count = static_cast<int>(settings.size());
    std::vector<char *> arguments;
    for (const char *setting : settings)
      arguments.push_back(const_cast<char *>(setting));
    arguments.push_back(nullptr);
    sg::Engine engine(&count, arguments.data());
    buildPlatform();
    createSemaphores();
    for (const std::vector<std::size_t> &queue : plan_.queues)
      sg::Actor::create("device", anyHost_, [this, &queue] { runDevice(queue); });
    next_.resize(plan_.arrivals.size());
    for (std::size_t to = 0; to < plan_.arrivals.size(); ++to)
      for (int i = 0; i < copyEngines; ++i)
        sg::Actor::create("receiver", hosts_[plan_.transfers[plan_.arrivals[to].front()].to],
                          [this, to] { receive(to); });
    engine.run();
  }

  const std::vector<double> &starts() const { return start_; }
  const std::vector<double> &ends() const { return end_; }

private:
  void buildPlatform() {
    sg::NetZone *zone = sg::create_full_zone("cluster");
    for (const std::string &end : plan_.ends)
      hosts_.push_back(zone->create_host(end, 1.0));
    anyHost_ = zone->create_host("devices", 1.0); // tasks take time, but no part of the network
    std::vector<const sg::Link *> links;
    for (const PlanLink &link : plan_.links) {
      const double channel = link.channel.value() * unit_;
      // Uncontended, every transfer gets the bandwidth of a channel for itself.
      sg::Link *made = zone->create_link(link.name, plan_.contended ? channel * link.channels : channel);
      made->set_latency(0.0);
      made->set_sharing_policy(plan_.contended ? sg::Link::SharingPolicy::SHARED
                                               : sg::Link::SharingPolicy::FATPIPE);
      links.push_back(made->seal());
    }
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (const PlanTransfer &transfer : plan_.transfers) {
      if (transfer.links.empty() || !known.emplace(transfer.from, transfer.to).second)
        continue;
      std::vector<sg::LinkInRoute> route;
      for (std::size_t link : transfer.links)
        route.emplace_back(links[link]);
      zone->add_route(hosts_[transfer.from]->get_netpoint(), hosts_[transfer.to]->get_netpoint(), nullptr,
                      nullptr, route, false);
    }
    zone->seal();
  }

  void createSemaphores() {
    for (const PlanTask &task : plan_.tasks)
      for (StepIndex before : task.after)
        ++waiting_[before];
    for (const PlanTransfer &transfer : plan_.transfers)
      for (StepIndex before : transfer.after)
        ++waiting_[before];
    for (const std::string &end : plan_.ends) // a node's memory serves all of its GPUs at once
      engines_.push_back(sg::Semaphore::create(end.ends_with(":host") ? unlimited : copyEngines));
    for (sg::SemaphorePtr &semaphore : done_)
      semaphore = sg::Semaphore::create(0);
  }

  void finish(StepIndex step) {
    end_[step] = sg::Engine::get_clock();
    for (std::size_t i = 0; i < waiting_[step]; ++i)
      done_[step]->release();
  }

  void await(const std::vector<StepIndex> &steps) {
    for (StepIndex step : steps)
      done_[step]->acquire();
  }

  void runDevice(const std::vector<std::size_t> &queue) {
    for (std::size_t task : queue) {
      await(plan_.tasks[task].after);
      start_[task] = sg::Engine::get_clock();
      if (plan_.tasks[task].duration > Seconds())
        sg::this_actor::sleep_for(plan_.tasks[task].duration.value() / unit_);
      finish(task);
    }
  }

  sg::Mailbox *mailbox(std::size_t transfer) { return sg::Mailbox::by_name("t" + std::to_string(transfer)); }

  /// The narrowest channel of the route: one transfer uses one channel of a link.
  double rate(const PlanTransfer &transfer) const {
    BytesPerSecond narrowest = unlimitedBandwidth;
    for (std::size_t link : transfer.links)
      narrowest = std::min(narrowest, plan_.links[link].channel);
    return narrowest.value() * unit_;
  }

  bool travels(const PlanTransfer &transfer) const {
    return !transfer.links.empty() && transfer.size >= bytes(1);
  }

  void receive(std::size_t to) {
    const std::vector<std::size_t> &transfers = plan_.arrivals[to];
    while (next_[to] < transfers.size()) {
      const std::size_t i = transfers[next_[to]++];
      const PlanTransfer &transfer = plan_.transfers[i];
      await(transfer.after);
      start_[plan_.tasks.size() + i] = sg::Engine::get_clock();
      if (travels(transfer)) {
        engines_[transfer.from]->acquire();
        start_[plan_.tasks.size() + i] = sg::Engine::get_clock();
        sg::Actor::create("sender", hosts_[transfer.from], [this, i] { send(i); });
        mailbox(i)->get<char>();
        engines_[transfer.from]->release();
      }
      arrive(i);
    }
  }

  void send(std::size_t i) {
    static char payload;
    const PlanTransfer &transfer = plan_.transfers[i];
    mailbox(i)
        ->put_init(&payload, static_cast<std::uint64_t>(std::llround(transfer.size.value())))
        ->set_rate(rate(transfer))
        ->wait();
  }

  /// The links are free now; the data is there once the latency has passed.
  void arrive(std::size_t transfer) {
    const StepIndex step = plan_.tasks.size() + transfer;
    const double latency = plan_.transfers[transfer].latency.value() / unit_;
    if (latency <= 0)
      return finish(step);
    sg::Actor::create("latency", anyHost_, [this, step, latency] {
      sg::this_actor::sleep_for(latency);
      finish(step);
    });
  }

  const ReplayPlan &plan_;
  double unit_;
  std::vector<sg::Host *> hosts_;
  sg::Host *anyHost_ = nullptr;
  std::vector<std::size_t> waiting_;
  std::vector<sg::SemaphorePtr> done_, engines_;
  std::vector<double> start_, end_;
  std::vector<std::size_t> next_; ///< of each device's arrivals
};

bool writeAll(int file, const std::vector<double> &values) {
  const char *at = reinterpret_cast<const char *>(values.data());
  for (std::size_t left = values.size() * sizeof(double); left != 0;) {
    const ssize_t written = write(file, at, left);
    if (written <= 0)
      return false;
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  return true;
}

std::vector<double> readAll(int file, std::size_t count) {
  std::vector<double> values(count);
  char *at = reinterpret_cast<char *>(values.data());
  std::size_t left = count * sizeof(double);
  while (left != 0) {
    const ssize_t got = read(file, at, left);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return {};
    at += got;
    left -= static_cast<std::size_t>(got);
  }
  return values;
}

} // namespace

Expected<PlanTimes> runPlan(const ReplayPlan &plan, Seconds unit) {
  const std::size_t steps = plan.tasks.size() + plan.transfers.size();
  int ends[2];
  if (pipe(ends) != 0)
    return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  std::fflush(nullptr); // what is buffered is written once, not by the child as well
  const pid_t child = fork();
  if (child < 0)
    return failure(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    Run run(plan, unit.value());
    run.run();
    const bool written = writeAll(ends[1], run.starts()) && writeAll(ends[1], run.ends());
    _exit(written ? 0 : 1); // without the parent's buffers, which would be flushed twice
  }
  close(ends[1]);
  const std::vector<double> values = readAll(ends[0], 2 * steps);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (values.size() != 2 * steps || status != 0)
    return failure("SimGrid could not replay the placement: tasks and transfers may wait for each other");
  PlanTimes times;
  for (std::size_t i = 0; i < steps; ++i) {
    times.start.push_back(unit * values[i]);
    times.end.push_back(unit * values[steps + i]);
  }
  return times;
}

} // namespace streammap

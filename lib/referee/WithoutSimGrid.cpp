#include "referee/RunPlan.h"

namespace streammap {

Expected<PlanTimes> runPlan(const ReplayPlan &, Seconds) {
  return failure(
      "this build has no SimGrid to replay placements with; install it (apt-get install libsimgrid-dev), "
      "run cmake again and rebuild");
}

} // namespace streammap

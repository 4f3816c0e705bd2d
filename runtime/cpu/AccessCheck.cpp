#include "cpu/AccessCheck.h"

namespace streammap::cpu {
namespace {

thread_local AccessCheck current;

} // namespace

AccessCheck accessCheckOfThisThread() {
  return current;
}

} // namespace streammap::cpu

void smcpuCheckAccesses(SmcpuAccessChecker checker, void *context) {
  streammap::cpu::current = {checker, context};
}

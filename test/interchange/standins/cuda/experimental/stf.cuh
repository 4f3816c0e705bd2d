// Stands in for CUDASTF where it is not installed: the execution places that an exported header uses, by their names
// and with what they say of themselves.
#pragma once
#include <string>

namespace cuda::experimental::stf {

class exec_place {
public:
  static exec_place device(int device) { return exec_place("dev" + std::to_string(device)); }
  static exec_place host() { return exec_place("host"); }
  static exec_place current_device() { return exec_place("current"); }
  std::string to_string() const { return name_; }

private:
  explicit exec_place(std::string name) : name_(static_cast<std::string &&>(name)) {}
  std::string name_;
};

} // namespace cuda::experimental::stf

//go:build linux

#include "settings.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

namespace gt::team {

namespace {

// Returns the lowest CPU limit of a control group and its enclosing groups, or 0 for
// none. A container may not see the enclosing groups, so a group that cannot be read
// counts as a group without a limit.
template <class Limit>
double lowest(std::string group, Limit limit) {
  double low = 0;
  for (;;) {
    while (!group.empty() && group.back() == '/') group.pop_back();
    const double cpus = limit(group + "/");
    if (cpus > 0 && (low == 0 || cpus < low)) low = cpus;
    if (group.empty()) return low;
    group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

// The file cpu.max contains "max 100000" or, with a limit, for example "50000 100000".
double limit_v2(const std::string& folder) {
  double quota = 0, period = 0;
  return std::ifstream(folder + "cpu.max") >> quota >> period && period > 0 ? quota / period : 0;
}

double limit_v1(const std::string& folder) {
  double quota = 0, period = 0;
  std::ifstream(folder + "cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace

int cgroup_cpus(const char* root) {
  const std::string sys = std::string(root) + "/sys/fs/cgroup";
  std::ifstream groups(std::string(root) + "/proc/self/cgroup");
  double cpus = 0;
  // A line is "0::/path" in version 2 of control groups, and "4:cpu,cpuacct:/path" in version 1.
  for (std::string line; cpus == 0 && std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      group = line.substr(second + 1);
    if (controllers == ",,")
      cpus = lowest(group, [&](const std::string& g) { return limit_v2(sys + g); });
    else if (controllers.find(",cpu,") != std::string::npos)
      cpus = lowest(group, [&](const std::string& g) { return limit_v1(sys + "/cpu" + g); });
  }
  return static_cast<int>(std::ceil(cpus));
}

}  // namespace gt::team

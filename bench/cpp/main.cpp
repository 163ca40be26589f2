// The C++ peer of the benchmarks: answers "run CASE ITERATIONS [key=value ...]"
// on standard input with "ok NANOSECONDS" or "err TEXT" on standard output.
#include "peer.hpp"

#include <ATen/Parallel.h>

#include <iostream>
#include <sstream>

namespace peer {

std::map<std::string, Case>& cases() {
  static std::map<std::string, Case> all;
  return all;
}

static int64_t answer(const std::string& line) {
  std::istringstream words(line);
  std::string verb, name, word;
  Args args;
  if (!(words >> verb >> name >> args.iterations) || verb != "run")
    throw std::runtime_error("bad request: " + line);
  while (words >> word) {
    const auto eq = word.find('=');
    if (eq == std::string::npos) throw std::runtime_error("bad argument: " + word);
    args.named[word.substr(0, eq)] = std::stoll(word.substr(eq + 1));
  }
  const auto it = cases().find(name);
  if (it == cases().end()) throw std::runtime_error("no case " + name);
  at::set_num_threads(static_cast<int>(args.get("threads", 1)));
  return it->second(args);
}

}  // namespace peer

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const int64_t ns = peer::answer(line);
      std::cout << "ok " << ns << std::endl;
    } catch (const std::exception& e) {
      const std::string text = e.what();
      std::cout << "err " << text.substr(0, text.find('\n')) << std::endl;
    }
  }
}

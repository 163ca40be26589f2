// Calls libgomp, GNU's OpenMP runtime, which libtorch loads. libgomp runs the regions
// that the team does not run, and answers calls from outside the team's regions.
#pragma once

namespace gt::team {

// Returns the address of the definition that follows the team's own. Ends the process if there is none.
void* libgomp_symbol(const char* name);

template <auto function>
decltype(function) libgomp(const char* name) {
  static const auto found = reinterpret_cast<decltype(function)>(libgomp_symbol(name));
  return found;
}

}  // namespace gt::team

// Returns libgomp's function with that name.
#define LIBGOMP(name) gt::team::libgomp<&name>(#name)

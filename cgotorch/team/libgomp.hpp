// GNU's own runtime, libgomp, which libtorch loads: regions that are not for the team, and
// questions from outside of the team's regions, go there.
#pragma once

namespace gt::team {

// The address of the next definition after ours; the process ends if there is none.
void* libgomp_symbol(const char* name);

template <auto function>
decltype(function) libgomp(const char* name) {
  static const auto found = reinterpret_cast<decltype(function)>(libgomp_symbol(name));
  return found;
}

}  // namespace gt::team

// libgomp's function of that name.
#define LIBGOMP(name) gt::team::libgomp<&name>(#name)

// Overloads of operators that write to given results, as a replay calls them.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// The overload of an operator that writes to given results, if it has a CPU kernel. Returns nothing for
// an operator for which this library has a kernel: the overload would use libtorch's, which is slower.
std::optional<c10::OperatorHandle> out_overload(const c10::OperatorHandle& op);

// Whether that overload gives the same results as the operator when it gets results as in a replay. Some
// overloads use the results for temporaries, as means of losses do, and change their shape or memory.
// Some add to existing values, or give other results for some layouts. The test uses copies, because
// some operators, such as batch normalization, write to arguments although their schema does not say so.
bool same_results(const c10::OperatorHandle& overload, const Call& c);

}  // namespace gt::capture

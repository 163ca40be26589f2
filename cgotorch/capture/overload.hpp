// Finds and tests the overloads that write to given results, which replays call.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// Returns the overload of op that writes to given results, if it has a CPU kernel.
// Returns nothing if gotorch has a kernel for op, because the overload would use
// libtorch's slower kernel.
std::optional<c10::OperatorHandle> out_overload(const c10::OperatorHandle& op);

// Whether the overload, when given the results of a replay, computes the same values as
// the operator. Some overloads use the given tensors for temporaries, as losses do for
// means, and change their shape or memory. Others add to existing values, or compute
// something else for some layouts. The test uses copies: some operators, such as batch
// normalization, write to arguments although their schema does not say so.
bool same_results(const c10::OperatorHandle& overload, const Call& c);

}  // namespace gt::capture

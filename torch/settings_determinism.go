package torch

import "github.com/gotorch/gotorch/cgotorch"

// A DeterminismOption says how strict [UseDeterministicAlgorithms] is:
// [WarnOnly].
//
//gotorch:options WarnOnly
type DeterminismOption interface{ determinismOption() }

// WarnOnly says that an operator without a deterministic algorithm warns
// instead of panicking, warn_only in Python. The default is false.
type WarnOnly bool

// UseDeterministicAlgorithms makes operators use algorithms that give the same
// bits in every run, where they have one; an operator that has none panics with
// ErrRuntime, or warns with [WarnOnly]. Memory that is not set, as that of
// [Empty], is filled with NaN or the largest integer. It holds for the whole
// process. On the CPU nearly all algorithms are deterministic as they are. It
// panics with ErrNil for a nil option.
// Follows torch.use_deterministic_algorithms.
func UseDeterministicAlgorithms(on bool, opts ...DeterminismOption) {
	const op = "UseDeterministicAlgorithms()"
	warnOnly := false
	for _, o := range opts {
		only, ok := o.(WarnOnly)
		if !ok {
			panic(badOption(op, o))
		}
		warnOnly = bool(only)
	}
	if st := cgotorch.UseDeterministic(on, warnOnly); st != 0 {
		panic(statusError(op, st, nil))
	}
}

// AreDeterministicAlgorithmsEnabled reports what [UseDeterministicAlgorithms]
// chose. Follows torch.are_deterministic_algorithms_enabled.
func AreDeterministicAlgorithmsEnabled() bool {
	on, _ := cgotorch.Deterministic()
	return on
}

// IsDeterministicAlgorithmsWarnOnlyEnabled reports whether an operator without
// a deterministic algorithm only warns.
// Follows torch.is_deterministic_algorithms_warn_only_enabled.
func IsDeterministicAlgorithmsWarnOnlyEnabled() bool {
	_, warnOnly := cgotorch.Deterministic()
	return warnOnly
}

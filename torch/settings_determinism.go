package torch

import "github.com/gotorch/gotorch/cgotorch"

// A DeterminismOption is an option of [UseDeterministicAlgorithms]: [WarnOnly].
//
//gotorch:options WarnOnly
type DeterminismOption interface{ determinismOption() }

// WarnOnly makes an operator without a deterministic algorithm warn instead of
// panicking. The default is false. It is warn_only in Python.
type WarnOnly bool

// UseDeterministicAlgorithms makes operators use algorithms that give identical results
// in every run. An operator without such an algorithm panics with ErrRuntime, or warns
// with [WarnOnly]. Uninitialized memory, as in the results of [Empty], is filled with NaN
// or the largest integer. The setting applies to the whole process. On the CPU nearly all
// algorithms are deterministic anyway. It panics with ErrNil for a nil option.
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

// AreDeterministicAlgorithmsEnabled reports whether
// [UseDeterministicAlgorithms] is on.
// Follows torch.are_deterministic_algorithms_enabled.
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

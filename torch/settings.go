package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
)

// MatmulPrecision is the precision of float32 matrix products.
type MatmulPrecision string

// These are the precisions of matrix products. On a CPU without instructions for BFloat16 all
// three give the same results.
const (
	MatmulHighest MatmulPrecision = "highest" // float32
	MatmulHigh    MatmulPrecision = "high"    // TensorFloat32, or a sum of two BFloat16 numbers
	MatmulMedium  MatmulPrecision = "medium"  // BFloat16
)

var matmulPrecisions = []MatmulPrecision{MatmulHighest, MatmulHigh, MatmulMedium}

// SetFloat32MatmulPrecision sets the precision of float32 matrix products for
// the whole process. The default is MatmulHighest. It panics with ErrValue for
// an unknown precision. Follows torch.set_float32_matmul_precision.
func SetFloat32MatmulPrecision(precision MatmulPrecision) {
	const op = "SetFloat32MatmulPrecision()"
	level := slices.Index(matmulPrecisions, precision)
	if level < 0 {
		panic(argError(op, ErrValue, "precision",
			fmt.Sprintf("expected highest, high or medium, got %q", string(precision))))
	}
	if st := cgotorch.SetFloat32MatmulPrecision(level); st != 0 {
		panic(statusError(op, st, nil))
	}
}

// Float32MatmulPrecision returns the value set with
// [SetFloat32MatmulPrecision]. Follows torch.get_float32_matmul_precision.
func Float32MatmulPrecision() MatmulPrecision {
	return matmulPrecisions[cgotorch.Float32MatmulPrecision()]
}

// DeterministicDebugMode sets what an operator without a deterministic
// algorithm does.
type DeterministicDebugMode int

// These modes select what happens when the program calls an operator without a
// deterministic algorithm.
const (
	DeterministicDefault DeterministicDebugMode = iota // run the operator
	DeterministicWarn                                  // warn and run the operator
	DeterministicError                                 // panic with ErrRuntime
)

// SetDeterministicDebugMode is [UseDeterministicAlgorithms] with a mode. It
// panics with ErrValue for an unknown mode.
// Follows torch.set_deterministic_debug_mode.
func SetDeterministicDebugMode(mode DeterministicDebugMode) {
	if mode < DeterministicDefault || mode > DeterministicError {
		panic(argError("SetDeterministicDebugMode", ErrValue, "mode", fmt.Sprintf("expected 0, 1 or 2, got %d", mode)))
	}
	UseDeterministicAlgorithms(mode != DeterministicDefault, WarnOnly(mode == DeterministicWarn))
}

// GetDeterministicDebugMode returns the current mode.
// Follows torch.get_deterministic_debug_mode.
func GetDeterministicDebugMode() DeterministicDebugMode {
	switch {
	case !AreDeterministicAlgorithmsEnabled():
		return DeterministicDefault
	case IsDeterministicAlgorithmsWarnOnlyEnabled():
		return DeterministicWarn
	}
	return DeterministicError
}

// Seed seeds g with a random number from the operating system and returns the
// number. It panics with ErrNil for a nil g. Follows Generator.seed.
func (g *Generator) Seed() uint64 {
	seed := drawSeed()
	g.ManualSeed(seed)
	return seed
}

package torch

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
)

// MatmulPrecision says how exact products of float32 matrices are.
type MatmulPrecision string

// How exact products are. On the CPU all three are the same but where a processor
// has instructions for BFloat16.
const (
	MatmulHighest MatmulPrecision = "highest" // float32
	MatmulHigh    MatmulPrecision = "high"    // TensorFloat32, or two BFloat16 numbers for each
	MatmulMedium  MatmulPrecision = "medium"  // BFloat16
)

var matmulPrecisions = []MatmulPrecision{MatmulHighest, MatmulHigh, MatmulMedium}

// SetFloat32MatmulPrecision chooses how exact products of float32 matrices are, for
// the whole process; MatmulHighest unless called. It panics with ErrValue for
// another word. Follows torch.set_float32_matmul_precision.
func SetFloat32MatmulPrecision(precision MatmulPrecision) {
	const op = "SetFloat32MatmulPrecision()"
	level := slices.Index(matmulPrecisions, precision)
	if level < 0 {
		panic(argError(op, ErrValue, "precision", fmt.Sprintf("expected highest, high or medium, got %q", string(precision))))
	}
	if st := cgotorch.SetFloat32MatmulPrecision(level); st != 0 {
		panic(statusError(op, st, nil))
	}
}

// GetFloat32MatmulPrecision returns what [SetFloat32MatmulPrecision] chose.
// Follows torch.get_float32_matmul_precision.
func GetFloat32MatmulPrecision() MatmulPrecision {
	return matmulPrecisions[cgotorch.Float32MatmulPrecision()]
}

// DeterministicDebugMode says what an operator does that has no deterministic
// algorithm.
type DeterministicDebugMode int

// What an operator without a deterministic algorithm does.
const (
	DeterministicDefault DeterministicDebugMode = iota // it runs
	DeterministicWarn                                  // it warns and runs
	DeterministicError                                 // it panics with ErrRuntime
)

// SetDeterministicDebugMode is [UseDeterministicAlgorithms] by number. It panics
// with ErrValue for a number that is none. Follows
// torch.set_deterministic_debug_mode.
func SetDeterministicDebugMode(mode DeterministicDebugMode) {
	if mode < DeterministicDefault || mode > DeterministicError {
		panic(argError("SetDeterministicDebugMode", ErrValue, "mode", fmt.Sprintf("expected 0, 1 or 2, got %d", mode)))
	}
	UseDeterministicAlgorithms(mode != DeterministicDefault, WarnOnly(mode == DeterministicWarn))
}

// GetDeterministicDebugMode returns what was chosen. Follows
// torch.get_deterministic_debug_mode.
func GetDeterministicDebugMode() DeterministicDebugMode {
	switch {
	case !AreDeterministicAlgorithmsEnabled():
		return DeterministicDefault
	case IsDeterministicAlgorithmsWarnOnlyEnabled():
		return DeterministicWarn
	}
	return DeterministicError
}

// Seed seeds the random generator of every device with a number that the system
// draws, and returns it. Follows torch.seed.
func Seed() uint64 {
	seed := drawSeed()
	ManualSeed(seed)
	return seed
}

// Seed seeds g with a number that the system draws, and returns it. Follows
// Generator.seed. It panics with ErrNil for a nil g.
func (g *Generator) Seed() uint64 {
	seed := drawSeed()
	g.ManualSeed(seed)
	return seed
}

func drawSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	var seed uint64
	for _, v := range b {
		seed = seed<<8 | uint64(v)
	}
	return seed
}

// BroadcastShapes returns the shape that tensors of the given shapes broadcast to:
// the last dimensions of all are matched, and sizes are equal or 1. It panics with
// ErrShape if they do not fit, or for a negative size. Follows
// torch.broadcast_shapes.
func BroadcastShapes(shapes ...Shape) Shape {
	n := 0
	for _, s := range shapes {
		n = max(n, len(s))
	}
	out := make(Shape, n)
	for i := range out {
		out[i] = 1
	}
	for k, s := range shapes {
		for i, size := range s {
			switch at := &out[n-len(s)+i]; {
			case size < 0:
				panic(argError("BroadcastShapes", ErrShape, "shapes", fmt.Sprintf("shape %d has the negative size %d", k, size)))
			case size == 1 || size == *at:
			case *at == 1:
				*at = size
			default:
				panic(argError("BroadcastShapes", ErrShape, "shapes", fmt.Sprintf("shape %d, %v, does not broadcast with %v", k, s, out)))
			}
		}
	}
	return out
}

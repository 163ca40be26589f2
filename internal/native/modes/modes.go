// Package modes is the goroutine's rarer modes: autocast, the current CUDA device, the
// current CUDA streams. libtorch keeps them per thread. Here they are a row of a table,
// whose number travels with every crossing in the last sixteen bits of abi.Ctx, and the
// C++ side brings its thread into the row's state if it is in another.
//
// A closure such as amp.Autocast, cuda.WithDevice or Stream.Do runs its function by
// With, or by one of the short forms below, and so belongs to the goroutine as NoGrad
// does: it locks no thread, may be left by a panic, and goroutines that fn starts do not
// inherit it. Nothing has to be applied or put back by hand: the next crossing of
// whatever goroutine, on whatever thread, finds its own modes.
//
//	modes.Device("cuda.WithDevice", 1, fn) // torch.CUDA means cuda:1 in fn
//	modes.Stream("cuda.Stream.Do", 1, s.ID, fn)
//	modes.CurrentDevice()                  // 1 in fn; no crossing, and no CUDA needed
//	modes.CurrentStream(1)                 // 0 is the default stream
//
// The CUDA columns are applied by the functions that package cgotorch/cuda sets in
// gt::device_modes (cgotorch/modes.hpp) when it opens the library. A call of package
// cgotorch/cuda that depends on the current device or stream has to take the goroutine's
// abi.Ctx and enter with it, as operators do: without it, it finds what its thread was
// last used for.
//
// A row once made stays, so that a number never changes its meaning. A program that
// uses more than 65,536 combinations, which streams without end could make, gets an
// error of kind ErrValue.
package modes

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
)

// Modes is one combination; the zero Modes is the state outside of all closures.
type Modes = cgotorch.Modes

// Goroutines is what package torch provides, which keeps the state of goroutines.
type Goroutines interface {
	With(op string, m *Modes, fn func())
	Current() Modes
	Refuse(op, arg, message string) // panics with ErrValue
	Note(context any) *any
}

var goroutines Goroutines

// Provide is for package torch, once.
func Provide(g Goroutines) { goroutines = g }

// Current returns the modes of the running goroutine.
func Current() Modes { return goroutines.Current() }

// Note returns where a *torch.Context, of one application of a custom function, keeps
// for its backward what package amp finds at its forward.
func Note(context any) *any { return goroutines.Note(context) }

// With runs fn in the given modes. op is the exported function that it does the work of,
// for errors. It panics with a *torch.Error, of kind ErrNil for a nil fn, and of kind
// ErrValue where the table has no room for another row.
func With(op string, m *Modes, fn func()) { goroutines.With(op, m, fn) }

// Device runs fn with a CUDA device as the current one. It panics as With does.
func Device(op string, index int, fn func()) {
	m := Current()
	m.Device = uint8(index)
	With(op, &m, fn)
}

// Stream runs fn with a stream, 0 for the default one, as the current one of its device,
// which becomes the current device. It panics as With does, and with ErrValue where more
// than [cgotorch.ModesStreams] devices have streams of their own.
func Stream(op string, device int, id int64, fn func()) {
	m := Current()
	m.Device = uint8(device)
	if !m.SetStream(device, id) {
		goroutines.Refuse(op, "stream", fmt.Sprintf("%d devices have a current stream of their own already, and there is room for no other", cgotorch.ModesStreams))
	}
	With(op, &m, fn)
}

// CurrentDevice returns the number of the goroutine's current CUDA device.
func CurrentDevice() int { return int(Current().Device) }

// CurrentStream returns the ID of the goroutine's current stream of a device, 0 for the
// default one.
func CurrentStream(device int) int64 {
	m := Current()
	return m.Stream(device)
}

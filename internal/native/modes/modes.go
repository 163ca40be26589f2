// Package modes manages a goroutine's less common modes: autocast, the current CUDA
// device and the current CUDA streams. libtorch keeps them per thread. Here each
// combination is a row of a table. The row's number travels with every call in the last
// sixteen bits of abi.Ctx, and the C++ side switches its thread to the modes of that row
// if necessary.
//
// A function such as amp.Autocast, cuda.WithDevice or Stream.Do runs its fn argument with
// With, or with one of the short forms below. The modes then belong to the goroutine,
// like those of NoGrad: no thread is locked, fn may panic, and goroutines that fn starts
// do not inherit the modes. Nothing has to be restored: the next call of any goroutine,
// on any thread, uses the goroutine's own modes.
//
//	modes.Device("cuda.WithDevice", 1, fn) // torch.CUDA means cuda:1 in fn
//	modes.Stream("cuda.Stream.Do", 1, s.ID, fn)
//	modes.CurrentDevice()                  // 1 in fn; needs no call and no CUDA
//	modes.CurrentStream(1)                 // 0 is the default stream
//
// The functions in gt::device_modes (cgotorch/modes.hpp) apply the CUDA columns. Package
// cgotorch/cuda sets these functions when it opens the library. If a function of package
// cgotorch/cuda depends on the current device or stream, it must take the goroutine's
// abi.Ctx and call gt::enter with it, as operators do. Otherwise it sees the modes that
// its thread had last.
//
// Rows are never removed, so a row's number always means the same modes. A program that
// uses more than 65,536 combinations, for example by creating streams forever, gets an
// error of kind ErrValue.
package modes

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
)

// Modes is one combination of modes. A goroutine has the zero Modes unless one of the
// functions above has changed them.
type Modes = cgotorch.Modes

// Goroutines is implemented by package torch, which keeps the state of goroutines.
type Goroutines interface {
	With(op string, m *Modes, fn func())
	Current() Modes
	Refuse(op, arg, message string) // panics with ErrValue
	Note(context any) *any
}

var goroutines Goroutines

// Provide sets the implementation. Package torch calls it once.
func Provide(g Goroutines) { goroutines = g }

// Current returns the modes of the running goroutine.
func Current() Modes { return goroutines.Current() }

// Note returns the place where a *torch.Context stores modes for one application of a
// custom function. Package amp stores the modes of the forward pass there, for the
// backward pass.
func Note(context any) *any { return goroutines.Note(context) }

// With runs fn in the given modes. op is the calling exported function, for errors. With
// panics with a *torch.Error: of kind ErrNil if fn is nil, and of kind ErrValue if the
// table is full.
func With(op string, m *Modes, fn func()) { goroutines.With(op, m, fn) }

// Device runs fn with index as the current CUDA device. It panics as With does.
func Device(op string, index int, fn func()) {
	m := Current()
	m.Device = uint8(index)
	With(op, &m, fn)
}

// Stream runs fn with device as the current CUDA device and with id as the ID of its
// current stream; 0 is the default stream. Stream panics as With does, and with ErrValue
// if more than [cgotorch.ModesStreams] devices have a current stream.
func Stream(op string, device int, id int64, fn func()) {
	m := Current()
	m.Device = uint8(device)
	if !m.SetStream(device, id) {
		goroutines.Refuse(op, "stream",
			fmt.Sprintf("already %d devices have a current stream, which is the most that is supported",
				cgotorch.ModesStreams))
	}
	With(op, &m, fn)
}

// CurrentDevice returns the goroutine's current CUDA device.
func CurrentDevice() int { return int(Current().Device) }

// CurrentStream returns the ID of the goroutine's current stream of a device; 0 is the
// default stream.
func CurrentStream(device int) int64 {
	m := Current()
	return m.Stream(device)
}

package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// goroutineState is the state that libtorch keeps per thread and Go needs per
// goroutine: the innermost scope, the modes, and the defaults of WithDevice and
// WithDType. It exists while the goroutine is inside a closure such as Scope or
// NoGrad. Only that goroutine uses it.
type goroutineState struct {
	scope *scope
	ctx   abi.Ctx
	depth int // number of open closures that use this state

	crossing  string // the operator whose Crossing is running its function, or ""
	callbacks int    // nesting depth of the Go functions that libtorch called

	device    Device
	dtype     DType
	generator *Generator // the generator of the innermost WithGenerator; ctx holds the number of its slot
}

// states holds the state of each goroutine that is inside a closure such as
// Scope or NoGrad.
var states goroutine.Local[goroutineState]

// enterState returns the current goroutine's state and creates it if necessary. Every
// call needs a leave on the same goroutine.
func enterState() *goroutineState {
	st := states.Get()
	if st == nil {
		st = new(goroutineState)
		states.Set(st)
	}
	st.depth++
	return st
}

func (st *goroutineState) leave() {
	if st.depth--; st.depth == 0 {
		states.Delete()
	}
}

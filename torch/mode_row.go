package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/modes"
)

// rarerModes gives package modes access to the less common modes of goroutines.
type rarerModes struct{}

func (rarerModes) Current() modes.Modes {
	if st := states.Get(); st != nil {
		return cgotorch.ModesOf(st.ctx)
	}
	return modes.Modes{}
}

func (rarerModes) With(op string, m *modes.Modes, fn func()) {
	row, st := cgotorch.InternModes(m)
	if st != 0 {
		panic(statusError(op, st, nil))
	}
	withMode(op, row, abi.CtxModes, fn)
}

func (rarerModes) Refuse(op, arg, message string) { panic(argError(op, ErrValue, arg, message)) }

func (rarerModes) Note(context any) *any { return &context.(*Context).note }

// withoutCasts returns the modes of st for another goroutine, with autocast's cache
// turned off. Only one goroutine at a time may use that cache; see package amp.
func (st *goroutineState) withoutCasts() abi.Ctx {
	m := cgotorch.ModesOf(st.ctx)
	if !m.AutocastCPU && !m.AutocastCUDA || m.NoCache {
		return st.ctx
	}
	m.NoCache = true
	row, status := cgotorch.InternModes(&m)
	if status != 0 {
		panic(statusError("amp.Autocast", status, nil))
	}
	return st.ctx&^abi.CtxModes | row
}

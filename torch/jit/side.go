package jit

import (
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/torch"
)

// side gives package nn access to a module's program.
type side Module

// Script gives package nn access to the module's program. Programs do not need it.
func (m *Module) Script() script.Program {
	if m == nil || m.shared == nil {
		return nil
	}
	return (*side)(m)
}

func (p *side) Slot(name string) **torch.Tensor {
	if i := slices.Index(p.names, name); i >= 0 {
		return &p.tensors[i]
	}
	return nil
}

func (p *side) Origin() script.Origin {
	return script.Origin{Noun: "a script", Function: "torch.jit.script"}
}

func (p *side) Class() string { return p.class }

func (p *side) Made() bool { return p.shared.made }

func (p *side) Whole() bool { return p.root || !p.shared.made }

func (p *side) Train(op string, on bool) {
	m := (*Module)(p)
	m.enter(op, true)
	st := native.Train(p.h, on)
	m.leave(true)
	if st != 0 {
		r := torch.BeginRaw(op)
		r.Status(st)
	}
}

func (p *side) Copy(op string) any { return (*Module)(p).copied(op) }

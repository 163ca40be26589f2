package optim

import (
	"fmt"
	"runtime"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// StateDict is an optimizer's state, laid out as Python's: parameters are
// numbered through all groups.
type StateDict struct {
	State  []map[string]*torch.Tensor // for each parameter: "step", "exp_avg", "momentum_buffer" and so on; empty before its first step
	Groups []ParamGroup               // the settings
	Sizes  []int                      // how many parameters each group has
}

// Close closes the tensors of the state dict. Those of a dict that StateDict
// returned belong to the innermost scope or the collector as any new tensor,
// so this is for those who want them freed now.
func (s *StateDict) Close() error {
	for _, m := range s.State {
		for _, t := range m {
			_ = t.Close()
		}
	}
	return nil
}

// stateKind is a state tensor under Python's name.
type stateKind struct {
	name  string
	which int
}

var adamState = []stateKind{
	{"step", native.StateStep},
	{"exp_avg", native.StateAvg},
	{"exp_avg_sq", native.StateSquare},
	{"max_exp_avg_sq", native.StateMaxSquare},
}

var sgdState = []stateKind{{"momentum_buffer", native.StateMomentum}}

// StateDict returns the settings and state. The tensors are new handles on the
// optimizer's own memory, which further steps change; "step" is a copy.
// Follows Optimizer.state_dict.
func (b *base) StateDict() *StateDict {
	if b.closed {
		panic(b.closedError("StateDict"))
	}
	sd := new(StateDict)
	for _, g := range b.groups {
		sd.Groups = append(sd.Groups, settings(g))
		sd.Sizes = append(sd.Sizes, len(g.params))
		for i := range g.params {
			m := map[string]*torch.Tensor{}
			for _, k := range b.state {
				r := torch.BeginRaw(b.name + ".StateDict()")
				if t := r.Tensor(g.handle.State(r.Ctx, i, k.which)); t != nil {
					m[k.name] = t
				}
			}
			sd.State = append(sd.State, m)
		}
	}
	runtime.KeepAlive(b)
	return sd
}

// settings copies what a group is set to, and nothing that it owns.
func settings(g *ParamGroup) ParamGroup {
	return ParamGroup{
		LR: g.LR, WeightDecay: g.WeightDecay, Maximize: g.Maximize,
		Betas: g.Betas, Eps: g.Eps, Amsgrad: g.Amsgrad,
		Momentum: g.Momentum, Dampening: g.Dampening, Nesterov: g.Nesterov,
		InitialLR: g.InitialLR,
	}
}

// LoadStateDict restores settings and state by copying the tensors. It returns
// an error if groups or parameters differ in number (kind ErrValue), or a state
// tensor in size. A group whose saved InitialLR is 0 keeps its own. Follows
// Optimizer.load_state_dict.
func (b *base) LoadStateDict(sd *StateDict) error {
	fail := func(kind error, format string, args ...any) error {
		return &torch.Error{Op: b.name + ".LoadStateDict", Kind: kind, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case b.closed:
		return b.closedError("LoadStateDict")
	case sd == nil:
		return fail(torch.ErrNil, "a nil StateDict")
	case len(sd.Groups) != len(b.groups) || len(sd.Sizes) != len(b.groups):
		return fail(torch.ErrValue, "%d parameter groups for an optimizer of %d", len(sd.Groups), len(b.groups))
	}
	total := 0
	for i, g := range b.groups {
		if sd.Sizes[i] != len(g.params) {
			return fail(torch.ErrValue, "group %d has %d parameters, the optimizer's %d", i, sd.Sizes[i], len(g.params))
		}
		total += len(g.params)
	}
	if len(sd.State) != total {
		return fail(torch.ErrValue, "state of %d parameters for %d", len(sd.State), total)
	}
	defer runtime.KeepAlive(b)
	return torch.Try(func() {
		n := 0
		for i, g := range b.groups {
			for j := range g.params {
				for _, k := range b.state {
					op := b.name + ".LoadStateDict(" + k.name + ")"
					t := sd.State[n][k.name]
					h := t.OptionalHandleFor(op, 0)
					r := torch.BeginRaw(op)
					r.Status(g.handle.SetState(r.Ctx, j, k.which, h), t)
				}
				n++
			}
			from := sd.Groups[i]
			g.LR, g.WeightDecay, g.Maximize = from.LR, from.WeightDecay, from.Maximize
			g.Betas, g.Eps, g.Amsgrad = from.Betas, from.Eps, from.Amsgrad
			g.Momentum, g.Dampening, g.Nesterov = from.Momentum, from.Dampening, from.Nesterov
			if from.InitialLR != 0 {
				g.InitialLR = from.InitialLR // else what a running scheduler set
			}
		}
	})
}

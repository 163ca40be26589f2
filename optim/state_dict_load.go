package optim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// loader runs one LoadStateDict. It prepares all new values before it changes the optimizer.
type loader struct {
	b           *Base
	op          string
	sd          *StateDict
	params      map[int]*torch.Tensor // the optimizer's parameters, by their numbers in the dict
	fusedParams map[*torch.Tensor]bool
	slots       map[*torch.Tensor]*slot
}

func (l *loader) fail(kind error, arg, format string, args ...any) {
	panic(torch.NewError(l.op, kind, arg, plain.Text(fmt.Sprintf(format, args...))))
}

func (l *loader) load() {
	if l.sd == nil {
		l.fail(torch.ErrNil, "sd", "a nil StateDict")
	}
	if have, want := len(l.sd.ParamGroups), len(l.b.groups); have != want {
		l.fail(torch.ErrValue, "ParamGroups", "the state dict has %d parameter groups, but the optimizer has %d", have,
			want)
	}
	l.b.mustBeDistinct(l.op)
	all := make([]settings, len(l.b.groups))
	for i, g := range l.b.groups {
		all[i] = l.settings(i, g)
	}
	defer func() {
		for _, s := range l.slots { // if loading fails, close the new state; otherwise l.slots is empty by then
			for _, t := range s.tensors {
				_ = t.Close()
			}
		}
	}()
	l.slots = map[*torch.Tensor]*slot{}
	commit := func() {}
	if l.b.loadExtra != nil {
		commit = l.b.loadExtra(l)
	} else {
		torch.NoGrad(func() {
			for _, n := range l.sd.paramNumbers() {
				l.copySlot(n)
			}
		})
	}

	for i, g := range l.b.groups {
		g.settings = all[i]
		g.slots = nil
		for _, p := range g.Params {
			old := l.b.state[p]
			if old != nil {
				for _, t := range old.tensors {
					_ = t.Close()
				}
				delete(l.b.state, p)
			}
		}
	}
	for p, s := range l.slots {
		l.b.state[p] = s
	}
	l.slots = nil
	commit()
}

// settings returns the new settings of group i, and records the group's parameters by
// their numbers.
func (l *loader) settings(i int, g *ParamGroup) settings {
	from := l.sd.ParamGroups[i]
	if len(from.Params) != len(g.Params) {
		l.fail(torch.ErrValue, "ParamGroups", "group %d has %d parameters, but the optimizer's group has %d", i,
			len(from.Params), len(g.Params))
	}
	s := slices.Clone(g.settings)
	for _, e := range g.settings {
		if _, ok := from.Settings[e.name]; !ok && e.kind != other && e.name != "initial_lr" {
			l.fail(torch.ErrValue, "ParamGroups", "group %d has no setting %q", i, e.name)
		}
	}
	for _, name := range sortedKeys(from.Settings) {
		have := s.find(name)
		if have != nil && have.asInt &&
			(have.num[0] == from.Settings[name] || have.kind == pair && have.num == from.Settings[name]) {
			continue // keep asInt: the value is an int in Python, which a float64 in the dict does not show
		}
		if bad := s.put(name, from.Settings[name]); bad != nil {
			l.fail(bad.kind, "ParamGroups", "setting %s of group %d: %s", plain.Quote(name), i, bad.text)
		}
	}
	if r := l.b.rule; r != nil {
		for _, name := range r.locked {
			if s.find(name).v != g.settings.find(name).v {
				l.fail(torch.ErrValue, "ParamGroups", "setting %q of group %d: %s has a fixed value for it", name, i,
					r.name)
			}
		}
		if arg, problem := r.settingsProblem(s); problem != "" {
			l.fail(torch.ErrValue, "ParamGroups", "setting %q of group %d: %s", arg, i, problem)
		}
	}
	fused := s.find("fused")
	for j, p := range g.Params {
		handle(l.op, "parameter", j, p)
		if l.params[from.Params[j]] != nil {
			l.fail(torch.ErrValue, "ParamGroups",
				"parameter %d of group %d has the number %d, which another parameter already has", j, i, from.Params[j])
		}
		l.params[from.Params[j]] = p
		l.fusedParams[p] = fused != nil && fused.v == true
	}
	return s
}

// copySlot copies the state of parameter n.
func (l *loader) copySlot(n int) {
	p := l.params[n]
	if p == nil {
		l.fail(torch.ErrValue, "State", "there is state of parameter %d, which is in no group", n)
	}
	s := l.b.newSlot(p)
	l.slots[p] = s
	for _, name := range sortedKeys(l.sd.State[n]) {
		if !l.b.mayHaveState(name) {
			l.fail(torch.ErrValue, "State", "%s has no state %s", l.b.name, plain.Quote(name))
		}
		t := l.sd.State[n][name]
		handle(l.op+" "+name, "parameter", n, t)
		s.set(name, torch.Disown(torch.Tidy(func() *torch.Tensor { return l.copyState(p, n, name, t) })))
	}
	for _, name := range sortedKeys(l.sd.Values[n]) {
		l.loadStepCount(p, s, n, name, l.sd.Values[n][name])
	}
	if name := s.missingState(); l.b.rule != nil && name != "" {
		l.fail(torch.ErrValue, "State", "the state of parameter %d has no %s; a step would reset a part of this state",
			n, name)
	}
}

// missingState returns the name of a required state tensor that is missing while other state
// exists, or "".
func (s *slot) missingState() string {
	matrix := s.get("row_var") != nil ||
		s.get("col_var") != nil // for a matrix, Adafactor has row_var and col_var instead of variance
	var missing string
	some := false
	for i, name := range s.names {
		switch {
		case s.tensors[i] != nil:
			some = true
		case slices.Contains(optionalStates, name), name == "variance" && matrix,
			strings.HasSuffix(name, "_var") && !matrix:
		case missing == "":
			missing = name
		}
	}
	if !some {
		return ""
	}
	return missing
}

// optionalStates lists the states that exist only with some settings.
var optionalStates = []string{"max_exp_avg_sq", "momentum_buffer", "grad_avg"}

// loadStepCount reads a step count that is not a tensor, such as SparseAdam's.
func (l *loader) loadStepCount(p *torch.Tensor, s *slot, n int, name string, v any) {
	var count float64
	switch v := v.(type) {
	case int:
		count = float64(v)
	case int64:
		count = float64(v)
	case float64:
		count = v
	default:
		l.fail(torch.ErrType, "Values", "%s of parameter %d: expected a number, got a %T", name, n, v)
	}
	if name != "step" || l.b.rule == nil || !slices.Contains(l.b.rule.states, "step") {
		l.fail(torch.ErrValue, "Values", "%s has no state %s that is a number", l.b.name,
			plain.Quote(name))
	}
	s.set(name, torch.Disown(torch.Tidy(func() *torch.Tensor {
		return l.copyState(p, n, name, torch.Full(torch.Shape{}, count, torch.Float32, torch.CPU))
	})))
}

// mustBeNumber panics if t, a number of the state such as a step count, has a value that no step
// can use.
func (l *loader) mustBeNumber(n int, name string, t *torch.Tensor) {
	if d := t.DType(); !d.IsFloatingPoint() || d.Size() < 2 {
		l.fail(torch.ErrType, "State",
			"the %s of parameter %d has dtype %v; expected a floating-point dtype of 16 bits or more", name, n, d)
	}
	if t.Layout() != torch.Strided || isMeta(t) {
		l.fail(torch.ErrValue, "State", "the %s of parameter %d is sparse or has no data", name, n)
	}
	if v := t.Item(); !(v >= 0) || math.IsInf(v, 1) {
		l.fail(torch.ErrValue, "State", "the %s of parameter %d is %v; expected a number of at least 0", name, n, v)
	}
}

// mustBeState panics if no step can use the state tensor t, because of its layout, device or dtype.
// Its shape has been checked.
func (l *loader) mustBeState(p *torch.Tensor, n int, name string, t *torch.Tensor) {
	sparse := name == "momentum_buffer" && t.Layout() == torch.SparseCOO
	if isMeta(t) || t.Layout() != torch.Strided && !sparse {
		l.fail(torch.ErrValue, "State", "%s of parameter %d is sparse or has no data", name, n)
	}
	if t.DType().IsComplex() && !p.DType().IsComplex() {
		l.fail(torch.ErrType, "State", "%s of parameter %d has dtype %v, but the parameter has dtype %v", name, n,
			t.DType(), p.DType())
	}
}

// copyState copies a state tensor in the form that the optimizer needs. A step count is on the CPU
// unless a fused kernel reads it, and other numbers keep their dtype. All other tensors get the
// parameter's dtype and device.
func (l *loader) copyState(p *torch.Tensor, n int, name string, t *torch.Tensor) *torch.Tensor {
	if name == "step" || l.b.rule != nil && slices.Contains(scalarStates, name) {
		if t.Numel() != 1 {
			l.fail(torch.ErrValue, "State", "the %s of parameter %d has shape %v; expected a single number", name, n,
				t.Shape())
		}
		if l.b.rule != nil {
			l.mustBeNumber(n, name, t)
		}
		switch {
		case l.fusedParams[p]:
			return t.To(p.Device(), torch.Float32, torch.Copy(true))
		case l.b.rule == &asgdRule:
			return t.To(p.Device(), torch.Copy(true))
		}
		return t.Clone()
	}
	shape := p.Shape()
	if l.b.rule == &adafactorRule {
		shape = adafactorShape(p, name)
	}
	if l.b.rule != nil {
		if !slices.Equal(t.Shape(), shape) {
			l.fail(torch.ErrValue, "State", "%s of parameter %d has the shape %v, expected %v", name, n, t.Shape(),
				shape)
		}
		l.mustBeState(p, n, name, t)
	}
	if slices.Equal(t.Shape(), p.Shape()) && t.Layout() == torch.Strided {
		return torch.EmptyLike(p).Copy_(t)
	}
	return t.To(p.Device(), p.DType(), torch.Copy(true))
}

// scalarStates lists the states that are one number per parameter.
var scalarStates = []string{"step", "eta", "mu", "mu_product"}

func isMeta(t *torch.Tensor) bool { return t.Device() == torch.Meta }

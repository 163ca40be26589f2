package optim

import (
	"slices"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// State returns the state tensors "d" and "prev_flat_grad" if p is the first parameter, where
// Python stores all state. The state dict contains the rest.
func (l *LBFGS) State(p *torch.Tensor) map[string]*torch.Tensor {
	l.mustBeMade("State")
	m := map[string]*torch.Tensor{}
	if l.history.direction != nil && len(l.groups[0].Params) > 0 && p == l.groups[0].Params[0] {
		m["d"], m["prev_flat_grad"] = l.history.direction, l.history.grad
	}
	return m
}

func (l *LBFGS) save(sd *StateDict) {
	if l.history.evals == 0 {
		return
	}
	values := map[string]any{"func_evals": l.history.evals, "n_iter": l.history.iters}
	tensors := map[string]*torch.Tensor{}
	sd.Values = map[int]map[string]any{0: values}
	if l.history.direction == nil {
		return
	}
	sd.State[0] = tensors
	tensors["d"], tensors["prev_flat_grad"] = l.history.direction.Detach(), l.history.grad.Detach()
	number := func(n num) *torch.Tensor {
		return torch.Full(torch.Shape{}, n.v, l.history.direction.DType(), l.history.direction.Device())
	}
	for name, n := range map[string]num{"t": l.history.stepSize, "H_diag": l.history.diagonal} {
		if n.tensor {
			tensors[name] = number(n)
		} else {
			values[name] = n.v
		}
	}
	values["prev_loss"] = l.history.loss
	detached := func(ts []*torch.Tensor) []*torch.Tensor {
		out := make([]*torch.Tensor, len(ts))
		for i, t := range ts {
			out[i] = t.Detach()
		}
		return out
	}
	ro := make([]*torch.Tensor, len(l.history.rho))
	for i, v := range l.history.rho {
		ro[i] = number(num{v, true})
	}
	values["old_dirs"], values["old_stps"] = detached(l.history.gradChanges), detached(l.history.paramSteps)
	values["ro"] = ro
}

// load reads the state from a dict. It returns a function that replaces the optimizer's state.
// LoadStateDict calls that function once all of the dict is known to be valid.
func (l *LBFGS) load(from *loader) (commit func()) {
	r := lbfgsLoader{loader: from, firstParam: l.groups[0].Params[0]}
	for _, p := range l.groups[0].Params {
		r.vectorLen += p.Numel()
		if p.DType().IsComplex() {
			r.vectorLen += p.Numel()
		}
	}
	for n := range from.sd.State {
		r.mustBeFirst(n)
	}
	for n := range from.sd.Values {
		r.mustBeFirst(n)
	}
	r.tensors, r.values = from.sd.State[r.firstNumber], from.sd.Values[r.firstNumber]
	var s history
	torch.NoGrad(func() { torch.Scope(func() { s = r.history() }) })
	return func() {
		closeAll(l.history.tensors())
		l.history = s
	}
}

type lbfgsLoader struct {
	*loader
	firstParam  *torch.Tensor
	vectorLen   int64 // number of elements of all parameters together
	firstNumber int
	tensors     map[string]*torch.Tensor
	values      map[string]any
}

// mustBeFirst checks that the state belongs to the first parameter.
func (r *lbfgsLoader) mustBeFirst(n int) {
	if r.params[n] != r.firstParam {
		r.fail(torch.ErrValue, "State",
			"found state of parameter %d, but LBFGS keeps all state with the first parameter", n)
	}
	r.firstNumber = n
}

func (r *lbfgsLoader) history() (s history) {
	if len(r.tensors)+len(r.values) == 0 {
		return s
	}
	known := []string{
		"func_evals", "n_iter", "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad",
		"prev_loss", "al",
	}
	for _, name := range append(sortedKeys(r.tensors), sortedKeys(r.values)...) {
		if !slices.Contains(known, name) {
			r.fail(torch.ErrValue, "State", "LBFGS has no state %s", plain.Quote(name))
		}
	}
	s.evals, s.iters = r.count("func_evals"), r.count("n_iter")
	if r.tensors["d"] == nil {
		if s.iters > 0 {
			r.fail(torch.ErrValue, "State", "\"d\" is missing, although n_iter is %d", s.iters)
		}
		return s
	}
	s.gradChanges, s.paramSteps = r.vectors("old_dirs"), r.vectors("old_stps")
	for _, t := range r.tensorList("ro") {
		s.rho = append(s.rho, r.number("ro", t).v)
	}
	if len(s.gradChanges) != len(s.paramSteps) || len(s.gradChanges) != len(s.rho) {
		r.fail(torch.ErrValue, "State", "expected old_dirs, old_stps and ro of one length, got %d, %d and %d elements",
			len(s.gradChanges), len(s.paramSteps), len(s.rho))
	}
	s.direction, s.grad = r.vector("d", r.tensors["d"]), r.vector("prev_flat_grad", r.tensors["prev_flat_grad"])
	s.stepSize, s.diagonal, s.loss = r.numberOrTensor("t"), r.numberOrTensor("H_diag"), r.numberOrTensor("prev_loss").v
	for _, t := range s.tensors() {
		torch.Disown(t)
	}
	return s
}

func (r *lbfgsLoader) count(name string) int64 {
	switch v := r.values[name].(type) {
	case int64:
		if v >= 0 {
			return v
		}
	case int:
		if v >= 0 {
			return int64(v)
		}
	}
	r.fail(torch.ErrValue, "Values", "%q: expected an int of at least 0, got %s", name,
		describe(r.values[name]))
	return 0
}

func (r *lbfgsLoader) tensorList(name string) []*torch.Tensor {
	ts, ok := r.values[name].([]*torch.Tensor)
	if !ok {
		r.fail(torch.ErrType, "Values", "%q: expected a []*torch.Tensor, got a %T", name, r.values[name])
	}
	for _, t := range ts {
		handle(r.op+" "+name, "parameter", r.firstNumber, t)
	}
	return ts
}

func (r *lbfgsLoader) vectors(name string) (out []*torch.Tensor) {
	for _, t := range r.tensorList(name) {
		out = append(out, r.vector(name, t))
	}
	return out
}

// vector returns a copy of t with the dtype and device of the parameters.
func (r *lbfgsLoader) vector(name string, t *torch.Tensor) *torch.Tensor {
	handle(r.op+" "+name, "parameter", r.firstNumber, t)
	if t.Dim() != 1 || t.Numel() != r.vectorLen || t.Layout() != torch.Strided || isMeta(t) || t.DType().IsComplex() {
		r.fail(torch.ErrValue, "State", "%s: expected a dense vector of %d real numbers, got shape %v and dtype %v",
			name, r.vectorLen, t.Shape(), t.DType())
	}
	d := r.firstParam.DType()
	switch d {
	case torch.Complex64:
		d = torch.Float32
	case torch.Complex128:
		d = torch.Float64
	}
	return t.To(r.firstParam.Device(), d, torch.Copy(true))
}

func (r *lbfgsLoader) number(name string, t *torch.Tensor) num {
	handle(r.op+" "+name, "parameter", r.firstNumber, t)
	if t.Numel() != 1 || isMeta(t) || t.DType().IsComplex() {
		r.fail(torch.ErrValue, "State", "%s: expected one real number, got shape %v and dtype %v", name, t.Shape(),
			t.DType())
	}
	return num{t.Item(), true}
}

// numberOrTensor reads a number that was saved as a number or as a tensor.
func (r *lbfgsLoader) numberOrTensor(name string) num {
	switch v := r.values[name].(type) {
	case float64:
		return float(v)
	case int64:
		return float(float64(v))
	case int:
		return float(float64(v))
	}
	return r.number(name, r.tensors[name])
}

func closeAll(ts []*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}

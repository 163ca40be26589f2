package optim

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// State returns the state tensors of the first parameter, where Python stores all of
// the state: "d" and "prev_flat_grad". The rest is in the state dict.
func (l *LBFGS) State(p *torch.Tensor) map[string]*torch.Tensor {
	l.made("State")
	m := map[string]*torch.Tensor{}
	if l.s.d != nil && len(l.groups[0].Params) > 0 && p == l.groups[0].Params[0] {
		m["d"], m["prev_flat_grad"] = l.s.d, l.s.grad
	}
	return m
}

func (l *LBFGS) save(sd *StateDict) {
	if l.s.evals == 0 {
		return
	}
	values := map[string]any{"func_evals": l.s.evals, "n_iter": l.s.iters}
	tensors := map[string]*torch.Tensor{}
	sd.Values = map[int]map[string]any{0: values}
	if l.s.d == nil {
		return
	}
	sd.State[0] = tensors
	tensors["d"], tensors["prev_flat_grad"] = l.s.d.Detach(), l.s.grad.Detach()
	number := func(n num) *torch.Tensor { return torch.Full(torch.Shape{}, n.v, l.s.d.DType(), l.s.d.Device()) }
	for name, n := range map[string]num{"t": l.s.t, "H_diag": l.s.diagonal} {
		if n.tensor {
			tensors[name] = number(n)
		} else {
			values[name] = n.v
		}
	}
	values["prev_loss"] = l.s.loss
	detached := func(ts []*torch.Tensor) []*torch.Tensor {
		out := make([]*torch.Tensor, len(ts))
		for i, t := range ts {
			out[i] = t.Detach()
		}
		return out
	}
	ro := make([]*torch.Tensor, len(l.s.ro))
	for i, v := range l.s.ro {
		ro[i] = number(num{v, true})
	}
	values["old_dirs"], values["old_stps"], values["ro"] = detached(l.s.changes), detached(l.s.steps), ro
}

// load reads the state from a dict. The returned function installs it once nothing
// can fail any more.
func (l *LBFGS) load(from *loader) (commit func()) {
	r := lbfgsLoader{loader: from, p: l.groups[0].Params[0]}
	for _, p := range l.groups[0].Params {
		r.n += p.Numel()
		if p.DType().IsComplex() {
			r.n += p.Numel()
		}
	}
	for n := range from.sd.State {
		r.first(n)
	}
	for n := range from.sd.Values {
		r.first(n)
	}
	r.tensors, r.values = from.sd.State[r.at], from.sd.Values[r.at]
	var s history
	torch.NoGrad(func() { torch.Scope(func() { s = r.history() }) })
	return func() {
		closeAll(l.s.tensors())
		l.s = s
	}
}

type lbfgsLoader struct {
	*loader
	p       *torch.Tensor
	n       int64 // length of a vector
	at      int
	tensors map[string]*torch.Tensor
	values  map[string]any
}

// first checks that the state belongs to the first parameter.
func (r *lbfgsLoader) first(n int) {
	if r.params[n] != r.p {
		r.fail(torch.ErrValue, "State", "state of parameter %d; LBFGS keeps all as that of the first", n)
	}
	r.at = n
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
			r.fail(torch.ErrValue, "State", "LBFGS has no state %q", name)
		}
	}
	s.evals, s.iters = r.count("func_evals"), r.count("n_iter")
	if r.tensors["d"] == nil {
		if s.iters > 0 {
			r.fail(torch.ErrValue, "State", "there is no \"d\" after %d iterations", s.iters)
		}
		return s
	}
	s.changes, s.steps = r.list("old_dirs"), r.list("old_stps")
	for _, t := range r.raw("ro") {
		s.ro = append(s.ro, r.number("ro", t).v)
	}
	if len(s.changes) != len(s.steps) || len(s.changes) != len(s.ro) {
		r.fail(torch.ErrValue, "State", "old_dirs, old_stps and ro have %d, %d and %d elements", len(s.changes),
			len(s.steps), len(s.ro))
	}
	s.d, s.grad = r.vector("d", r.tensors["d"]), r.vector("prev_flat_grad", r.tensors["prev_flat_grad"])
	s.t, s.diagonal, s.loss = r.either("t"), r.either("H_diag"), r.either("prev_loss").v
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
	r.fail(torch.ErrValue, "Values", "%q: expected an int from 0, got %v", name, r.values[name])
	return 0
}

func (r *lbfgsLoader) raw(name string) []*torch.Tensor {
	ts, ok := r.values[name].([]*torch.Tensor)
	if !ok {
		r.fail(torch.ErrType, "Values", "%q: expected a []*torch.Tensor, got a %T", name, r.values[name])
	}
	for _, t := range ts {
		handle(r.op+" "+name, "parameter", r.at, t)
	}
	return ts
}

func (r *lbfgsLoader) list(name string) (out []*torch.Tensor) {
	for _, t := range r.raw(name) {
		out = append(out, r.vector(name, t))
	}
	return out
}

// vector returns a copy with the dtype and device of the parameters.
func (r *lbfgsLoader) vector(name string, t *torch.Tensor) *torch.Tensor {
	handle(r.op+" "+name, "parameter", r.at, t)
	if t.Dim() != 1 || t.Numel() != r.n || t.Layout() != torch.Strided || meta(t) || t.DType().IsComplex() {
		r.fail(torch.ErrValue, "State", "%s is not a dense vector of %d real numbers but of shape %v and dtype %v",
			name, r.n, t.Shape(), t.DType())
	}
	d := r.p.DType()
	switch d {
	case torch.Complex64:
		d = torch.Float32
	case torch.Complex128:
		d = torch.Float64
	}
	return t.To(r.p.Device(), d, torch.Copy(true))
}

func (r *lbfgsLoader) number(name string, t *torch.Tensor) num {
	handle(r.op+" "+name, "parameter", r.at, t)
	if t.Numel() != 1 || meta(t) || t.DType().IsComplex() {
		r.fail(torch.ErrValue, "State", "%s is not one real number but of shape %v and dtype %v", name, t.Shape(),
			t.DType())
	}
	return num{t.Item(), true}
}

// either reads a number that may be a tensor.
func (r *lbfgsLoader) either(name string) num {
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

package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Export returns an exported program that calls the same operators as the layer. Save it to
// use the model in Python, which can run, train and compile it, or convert it to ONNX:
//
//	net.Eval()
//	p := export.Export(net, x, export.DynamicShapes{{0: export.Dim{Name: "batch"}}})
//	defer p.Close()
//	err := p.Save("net.pt2")
//
// The program has the parameters and buffers of the layer under the same names, and shares
// their memory. It is in the layer's mode; Train and Eval change it as for a program from
// Python. What Go code decides, such as branches, loops and numbers, stays as it was. A size
// may differ from that of x only if DynamicShapes says so, and must be at least 2 in x.
//
// Export calls the layer several times: with other sizes, to see what depends on them, and
// with the elements of x in another order, to see what depends on values. The random numbers
// of the calling goroutine and the buffers are the same afterwards as before. Operators that
// other goroutines call are not recorded.
//
// Export panics with ErrNotImplemented if a program cannot do what the layer does, and names
// the line. A program cannot read a number from a tensor, compute with Go code, change a
// parameter or its gradient, or use a torch.Function with gradients. Nor can a branch or the
// size of a tensor in it depend on values. Export panics with ErrValue for a tensor that
// requires gradients but is no parameter, within a captured step, and in inference mode. Other
// errors are those of [Module.Forward]. Follows torch.export.export.
func Export(l nn.Layer, x *torch.Tensor, opts ...Option) *Module {
	const op = "export.Export"
	if opt.IsNil(l) {
		panic(torch.NewError(op, torch.ErrNil, "l", "expected a layer, got nil"))
	}
	call := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{l.Forward(in[0])} }
	return export(op, l, call, []*torch.Tensor{x}, opts)
}

// Func is like [Export] for a function with any number of tensors as inputs and results. The
// program returns a [Tuple] unless there is exactly one result. m is the module whose
// parameters and buffers fn uses, or nil.
func Func(m nn.Module, fn func(in []*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor, opts ...Option) *Module {
	const op = "export.Func"
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	if opt.IsNil(m) {
		m = nil
	}
	return export(op, m, fn, inputs, opts)
}

func export(op string, m nn.Module, fn func(in []*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor, opts []Option,
) *Module {
	switch {
	case recording.Current() != nil:
		panic(torch.NewError(op, torch.ErrValue, "receiver", "a captured step cannot be exported"))
	case torch.IsInferenceMode():
		panic(torch.NewError(op, torch.ErrValue, "receiver", "inference mode is on, which a program cannot record"))
	}
	for i, x := range inputs {
		if x == nil {
			panic(torch.NewError(op, torch.ErrNil, fmt.Sprintf("inputs[%d]", i), "a nil tensor"))
		}
	}
	s := readSettings(op, inputs, opts)
	var made *Module
	torch.EnableGrad(func() {
		torch.Scope(func() { made = s.export(op, m, fn, inputs) })
	})
	return made
}

// export records the function and makes the program.
func (s *settings) export(op string, m nn.Module, fn func(in []*torch.Tensor) []*torch.Tensor,
	inputs []*torch.Tensor,
) *Module {
	var names []string
	var values, least, most []int64
	for i := range s.symbols {
		y := &s.symbols[i]
		names = append(names, fmt.Sprintf("s%d", i))
		values, least, most = append(values, y.size(inputs)), append(least, y.Min), append(most, y.Max)
	}
	points, bad := newPoints(names, values, least, most)
	if points == nil {
		panic(torch.NewError(op, torch.ErrValue, "DynamicShapes",
			fmt.Sprintf("the limits of %+v must allow five sizes more or five fewer than in the example",
				s.symbols[bad].Dim)))
	}
	r := newRecorder(op, m, fn)
	defer r.close()
	w := &writer{recorder: r, args: s.args, points: points}
	for _, y := range s.symbols {
		w.dims = append(w.dims, y.at[0])
	}
	first, outs := r.record(inputs)
	w.calls = []*recorded{first}
	if s.check {
		w.must(first.matches(w.turned(inputs)))
	}
	for _, sizes := range points.at[1:] {
		w.calls = append(w.calls, w.again(s.resized(inputs, sizes)))
	}
	var others []example
	if s.check {
		others = w.far(s, inputs)
	}
	e, err := w.program()
	for err == nil && len(points.wanted) > 0 {
		wanted := points.wanted
		points.wanted = nil
		for _, sizes := range wanted {
			var rec *recorded
			if !accepts(func() { rec = w.again(s.resized(inputs, sizes)) }) {
				points.refused = append(points.refused, sizes)
				continue
			}
			points.extend(sizes)
			w.calls = append(w.calls, rec)
		}
		e, err = w.program()
	}
	w.must(err)
	for i := range s.symbols {
		y := &s.symbols[i]
		if y.Min > 0 || y.Max > 0 {
			e.RangeConstraints[names[i]] = y.limits()
		}
	}
	if s.check {
		others = append(others, example{inputs, outs})
	}
	return w.module(e, inputs, others)
}

// example are inputs of the function, and its results for them.
type example struct{ inputs, outs []*torch.Tensor }

// smallInputs is the number of elements up to which inputs may grow by any factor.
const smallInputs = 1 << 15

// far calls the function with sizes that are far from those of the example, if it accepts them.
func (w *writer) far(s *settings, inputs []*torch.Tensor) (all []example) {
	for i := range s.symbols {
		growth := int64(math.MaxInt32)
		for _, at := range s.symbols[i].at {
			growth = min(growth, max(4, smallInputs/max(1, inputs[at.input].Numel())))
		}
		for _, up := range []bool{true, false} {
			for sizes := range w.points.far(i, growth, up) {
				in := s.resized(inputs, sizes)
				var rec *recorded
				var outs []*torch.Tensor
				if accepts(func() { rec, outs = w.record(in) }) {
					w.points.extend(sizes)
					w.calls = append(w.calls, rec)
					all = append(all, example{in, outs})
					break
				}
			}
		}
	}
	return all
}

// accepts reports whether a call does not panic. A function may check its inputs with Go code.
func accepts(call func()) (ok bool) {
	defer func() {
		if !ok {
			_ = recover() // the sizes or values are not necessary
		}
	}()
	call()
	return true
}

func (y *symbol) limits() limits {
	l := limits{Min: &y.Min}
	if y.Max > 0 {
		l.Max = &y.Max
	}
	return l
}

// again calls the function once more and returns what it has computed.
func (w *writer) again(inputs []*torch.Tensor) *recorded {
	rec, _ := w.record(inputs)
	return rec
}

// must panics with ErrNotImplemented for a function that cannot be exported.
func (w *writer) must(err error) {
	if err != nil {
		panic(torch.NewError(w.op, torch.ErrNotImplemented, "receiver", err.Error()))
	}
}

// resized returns inputs with other sizes: their elements again, or fewer of them.
func (s *settings) resized(inputs []*torch.Tensor, sizes []int64) []*torch.Tensor {
	out := slices.Clone(inputs)
	for i, y := range s.symbols {
		for _, at := range y.at {
			x := out[at.input]
			index := torch.Arange(sizes[i]).RemainderScalar(x.Size(at.dim))
			out[at.input] = x.Detach().IndexSelect(at.dim, index)
			out[at.input] = arranged(out[at.input], inputs[at.input])
			out[at.input].SetRequiresGrad(inputs[at.input].RequiresGrad())
		}
	}
	return out
}

// arranged returns t with its dimensions in the order in memory that those of like have.
func arranged(t, like *torch.Tensor) *torch.Tensor {
	if like.IsContiguous() {
		return t
	}
	strides := like.Stride()
	order := make([]int64, t.Dim())
	for d := range order {
		order[d] = int64(d)
	}
	slices.SortStableFunc(order, func(a, b int64) int { return cmp.Compare(strides[b], strides[a]) })
	back := make([]int64, len(order))
	for i, d := range order {
		back[d] = int64(i)
	}
	return t.Permute(order...).Contiguous().Permute(back...)
}

// twin returns another Tensor for the same tensor of libtorch.
func twin(op string, t *torch.Tensor) *torch.Tensor {
	hs := torch.Handles(op, []*torch.Tensor{t}, false)
	r := torch.BeginRaw(op, t)
	h := cgotorch.Ref(hs[0])
	r.Status(0)
	return torch.Disown(r.Wrap(h))
}

// module returns the program as a module, which shares the tensors of the recorded one.
func (w *writer) module(e *exportedProgram, inputs []*torch.Tensor, checks []example) *Module {
	text, err := json.Marshal(e)
	w.must(err)
	var again exportedProgram
	w.must(json.Unmarshal(text, &again))
	p, err := again.compile(w.op)
	w.must(err)
	p.text, p.training = text, w.training
	p.sample, err = sampleOf(inputs)
	if err != nil {
		p.free()
		w.must(err)
	}
	weights := &weights{tensors: map[string]*torch.Tensor{}}
	shared := map[*torch.Tensor]*torch.Tensor{}
	for _, t := range w.tensors {
		if shared[t.tensor] == nil {
			shared[t.tensor] = twin(w.op, t.tensor)
		}
		weights.tensors[t.name] = shared[t.tensor]
	}
	for i, c := range w.calls[0].constants {
		weights.tensors[constantName(i)] = torch.Disown(c.tensor)
	}
	m, err := newModule(p, weights)
	if err != nil {
		p.free()
		weights.close()
		w.must(err)
	}
	for _, c := range checks {
		if err := torch.Try(func() { w.compare(m, c.inputs, c.outs) }); err != nil {
			_ = m.Close() // never fails
			panic(err)
		}
	}
	return m
}

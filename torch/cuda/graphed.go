package cuda

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
)

// Callable is a part of a program that [MakeGraphedCallables] records, such as the
// Forward method of a model or layer, or a loss.
type Callable struct {
	// Forward computes the results from args. It runs during a capture; see [Graph].
	Forward func(args ...*torch.Tensor) []*torch.Tensor
	// SampleArgs are arguments with the shapes, dtypes, device and requires-grad flags of
	// later arguments. Calls use their memory for the arguments, so you may close them
	// but must not use them for anything else.
	SampleArgs []*torch.Tensor
	// Parameters are the tensors, besides args, that need gradients, such as a model's
	// Parameters(). No other tensor that Forward uses may require gradients.
	Parameters []*torch.Tensor
}

// A GraphedCallable is a Callable whose forward and backward passes were recorded. It
// must not be used by several goroutines at once. Close frees its graphs and memory;
// otherwise the garbage collector does.
type GraphedCallable struct {
	mu     sync.Mutex
	closed bool
	// runs is the number of calls so far. Only the last call can still run backward,
	// because each call overwrites the activations of the previous one.
	runs     int
	function torch.Function
	params   []*torch.Tensor
	args     []argument

	forward, backward *CUDAGraph // backward is nil without gradients
	in, out           []*torch.Tensor
	gradOut, gradIn   []*torch.Tensor // elements are nil where there is no gradient
}

// argument holds the properties that the corresponding argument of each call must have.
type argument struct {
	shape    torch.Shape
	dtype    torch.DType
	device   torch.Device
	requires bool
}

func argumentOf(t *torch.Tensor) argument {
	return argument{t.Shape(), t.DType(), t.Device(), t.RequiresGrad()}
}

// MakeGraphedCallables records the forward and backward pass of each callable. It returns
// replacements for use in a training step: Call replays the forward pass, and a backward
// pass through its results replays the backward pass.
//
//	part := cuda.MakeGraphedCallables([]cuda.Callable{{
//		Forward:    func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{model.Forward(x[0])} },
//		SampleArgs: []*torch.Tensor{batch},
//		Parameters: model.Parameters(),
//	}})[0]
//	loss := criterion.Forward(part.Call(x)[0], y)
//	loss.Backward()
//	optimizer.Step()
//
// Each callable first runs three times with its sample arguments; see [NumWarmupIters].
// This also changes its state, such as running statistics. Callables that are recorded
// together share a memory pool. They must be called in the same order, and their backward
// passes must run in the reverse order. A model stays in the mode, training or
// evaluation, that it had during the recording. Double backward passes are not possible,
// autocast must not cache casts (amp.CacheEnabled(false)), and hooks of modules run only
// during the recording.
//
// It panics with
//
//   - ErrNil for a nil Forward or tensor, and ErrClosed for a closed tensor;
//   - ErrDevice without CUDA, or if the arguments are not all on one device;
//   - ErrValue for a callable without arguments, and for a negative number of runs;
//   - ErrValue if the current stream is being recorded, within an autocast on CUDA that
//     caches casts, and if results need gradients but no argument or parameter does;
//   - ErrAutograd for an argument or parameter that the results do not depend on, unless
//     [AllowUnusedInput] is given;
//   - the errors of Graph.
//
// Follows torch.cuda.make_graphed_callables.
func MakeGraphedCallables(callables []Callable, opts ...GraphedOption) []*GraphedCallable {
	const op = "MakeGraphedCallables"
	o := readGraphed(op, opts)
	dev := checkCallables(op, callables)
	made := make([]*GraphedCallable, len(callables))
	done := false
	defer func() {
		if done {
			return
		}
		for _, g := range made {
			if g != nil {
				_ = g.Close()
			}
		}
	}()
	WithDevice(dev, func() {
		notRecording(op)
		torch.Scope(func() {
			if o.pool == (Pool{}) {
				o.pool = GraphPoolHandle()
			}
			for i, c := range callables {
				made[i] = newGraphed(c)
			}
			Synchronize()
			NewStream().Do(func() {
				for i, c := range callables {
					for range o.warmups {
						torch.Scope(func() { made[i].warmUp(op, c, o) })
					}
				}
			})
			Synchronize()
			outs := make([][]*torch.Tensor, len(callables))
			for i, c := range callables {
				outs[i] = made[i].recordForward(c, o)
			}
			for i := range slices.Backward(callables) {
				made[i].recordBackward(op, outs[i], o)
			}
		})
	})
	for _, g := range made {
		g.function = torch.Function{Name: "Graphed", Forward: g.replayForward, Backward: g.replayBackward}
	}
	done = true
	return made
}

// checkCallables checks the callables and returns the device of all arguments.
func checkCallables(op string, callables []Callable) torch.Device {
	dev := torch.CUDA
	wrong := func(kind error, i int, message string) {
		panic(torch.NewError("cuda."+op, kind, fmt.Sprintf("callables[%d]", i), message))
	}
	if m := modes.Current(); m.AutocastCUDA && !m.NoCache {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "autocast caches casts of weights, " +
			"but replays would keep using the recorded casts; use amp.CacheEnabled(false)"})
	}
	for i, c := range callables {
		switch {
		case c.Forward == nil:
			wrong(torch.ErrNil, i, "Forward is nil")
		case len(c.SampleArgs) == 0:
			wrong(torch.ErrValue, i, "expected sample arguments, got none")
		}
		for j, t := range c.SampleArgs {
			torch.Handles("cuda."+op, []*torch.Tensor{t}, false)
			if d := t.Device(); !d.IsCUDA() || d != dev && dev != torch.CUDA {
				wrong(torch.ErrDevice, i,
					fmt.Sprintf("expected all sample arguments on one CUDA device, got argument %d on %s", j, d))
			}
			dev = t.Device()
		}
		torch.Handles("cuda."+op, c.Parameters, false)
	}
	require(op, dev)
	return dev
}

func newGraphed(c Callable) *GraphedCallable {
	g := &GraphedCallable{params: slices.Clone(c.Parameters)}
	for _, t := range c.SampleArgs {
		a := argumentOf(t)
		g.args = append(g.args, a)
		g.in = append(g.in, torch.Disown(t.Detach()))
		g.in[len(g.in)-1].SetRequiresGrad(a.requires)
	}
	return g
}

// wanted returns the arguments and parameters that need gradients, and their indices in
// the list of all arguments and parameters.
func (g *GraphedCallable) wanted() (ts []*torch.Tensor, places []int) {
	for i, t := range slices.Concat(g.in, g.params) {
		if t.RequiresGrad() {
			ts, places = append(ts, t), append(places, i)
		}
	}
	return ts, places
}

// gradients computes the gradients of the arguments and parameters that need them.
func (g *GraphedCallable) gradients(op string, outs, grads []*torch.Tensor, o graphedOptions) []*torch.Tensor {
	ts, _ := g.wanted()
	if len(ts) == 0 {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "the results require gradients, but no " +
			"argument or parameter does; list what Forward uses in Parameters"})
	}
	return torch.Grad(outs, ts, torch.GradOutputs(grads), torch.AllowUnused(o.unused))
}

func (g *GraphedCallable) warmUp(op string, c Callable, o graphedOptions) {
	var outs, grads []*torch.Tensor
	for _, y := range c.Forward(g.in...) {
		if y.RequiresGrad() {
			outs, grads = append(outs, y), append(grads, torch.EmptyLike(y))
		}
	}
	if len(outs) > 0 {
		g.gradients(op, outs, grads, o)
	}
}

// recordForward records the forward pass. It returns the results with their autograd graph.
func (g *GraphedCallable) recordForward(c Callable, o graphedOptions) (outs []*torch.Tensor) {
	g.forward = NewCUDAGraph()
	Graph(g.forward, func() {
		outs = torch.TidyAll(func() []*torch.Tensor { return c.Forward(g.in...) })
	}, o.pool)
	for _, y := range outs {
		g.out = append(g.out, torch.Disown(y.Detach()))
	}
	return outs
}

func (g *GraphedCallable) recordBackward(op string, outs []*torch.Tensor, o graphedOptions) {
	g.gradOut = make([]*torch.Tensor, len(outs))
	g.gradIn = make([]*torch.Tensor, len(g.in)+len(g.params))
	var ys, grads []*torch.Tensor
	for i, y := range outs {
		if y.RequiresGrad() {
			g.gradOut[i] = torch.Disown(torch.EmptyLike(y))
			ys, grads = append(ys, y), append(grads, g.gradOut[i])
		}
	}
	if len(ys) == 0 {
		return
	}
	g.backward = NewCUDAGraph()
	_, places := g.wanted()
	Graph(g.backward, func() {
		for i, t := range g.gradients(op, ys, grads, o) {
			if t != nil {
				g.gradIn[places[i]] = torch.Disown(t.Detach())
			}
		}
	}, o.pool)
}

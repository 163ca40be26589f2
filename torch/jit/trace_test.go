package jit_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// traced is a module to trace, with an input and another input of a different size.
type traced struct {
	m       nn.Module
	forward func(x *torch.Tensor) *torch.Tensor
	a, b    torch.Shape
}

func tracedModules() map[string]traced {
	mlp := nn.NewSequential(nn.NewLinear(4, 8), nn.NewGELU(), nn.NewLayerNorm(torch.Shape{8}), nn.NewLinear(8, 3))
	conv := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewBatchNorm2d(4), nn.NewReLU(nn.Inplace(true)),
		nn.NewMaxPool2d(2), nn.NewDropout(0.5), nn.NewFlatten(), nn.NewLinear(36, 5))
	conv.Eval()
	encoder := nn.NewTransformerEncoderLayer(8, 2, nn.DimFeedforward(16), nn.BatchFirst(true))
	encoder.Eval()
	return map[string]traced{
		"mlp":  {mlp, mlp.Forward, torch.Shape{5, 4}, torch.Shape{2, 4}},
		"conv": {conv, conv.Forward, torch.Shape{2, 1, 8, 8}, torch.Shape{3, 1, 8, 8}},
		"encoder": {
			encoder, func(x *torch.Tensor) *torch.Tensor { return encoder.Forward(x) },
			torch.Shape{2, 3, 8},
			torch.Shape{2, 3, 8},
		},
	}
}

// A traced layer computes what the layer computes, here and in Python, and has its tensors.
func TestTrace(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	var names []string
	for name, c := range tracedModules() {
		torch.Scope(func() {
			s := jit.TraceFunc(c.m, func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{c.forward(in[0])}
			}, []*torch.Tensor{torch.Randn(c.a)})
			x := torch.Randn(c.b)
			y := c.forward(x)
			torchtest.AllClose(t, y, s.Forward(x))
			assert.Equal(t, c.m.ModuleBase().StateDict().Names(), s.StateDict().Names(), name)
			assert.Equal(t, c.m.ModuleBase().Training(), s.Training(), name)
			path := filepath.Join(dir, name)
			require.NoError(t, s.Save(path+".pt"))
			require.NoError(t, serialization.Save(serialization.NewDict("x", x, "y", y.Detach()), path+".values.pt"))
			names = append(names, path)
			require.NoError(t, s.Close())
		})
		require.NoError(t, c.m.ModuleBase().Close())
	}
	python := pythontest.Interpreter(t, "torch")
	const script = `
import sys, torch
for path in sys.argv[1:]:
    m, d = torch.jit.load(path + ".pt"), torch.load(path + ".values.pt")
    torch.testing.assert_close(m(d["x"]), d["y"])
    out = m(d["x"]).sum()
    out.backward()
    assert all(p.grad is not None for p in m.parameters()), path
`
	pythontest.Script(t, python, "", script, names...)
}

// A traced layer shares its parameters with the layer, and learns.
func TestTraceTrains(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l := nn.NewLinear(3, 1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{4, 3})
		s := jit.Trace(l, x)
		opt := optim.NewSGD(s.Parameters(), optim.LR(0.1))
		before := s.Forward(x).Square().Mean()
		before.Backward()
		opt.Step()
		after := l.Forward(x).Square().Mean()
		assert.Less(t, after.Item(), before.Item())
		require.NoError(t, opt.Close())
		require.NoError(t, s.Close())
		l.Forward(x) // the layer stays usable
	})
	require.NoError(t, l.Close())
}

func TestTraceFunc(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := torch.Randn(torch.Shape{2, 3}), torch.Randn(torch.Shape{3})
		s := jit.TraceFunc(nil, func(in []*torch.Tensor) []*torch.Tensor {
			sum := in[0].Add(in[1])
			return []*torch.Tensor{torch.Cat([]*torch.Tensor{sum, in[0]}), sum.Sum(), F.Softmax(in[0], 1)}
		}, []*torch.Tensor{a, b})
		out := s.Run(a, b).(jit.Tuple)
		require.Len(t, out, 3)
		assert.True(t, a.Add(b).Sum().Equal(out[1].(*torch.Tensor)))
		assert.Contains(t, s.Code("forward"), "torch.softmax")
		require.NoError(t, s.Close())
	})
}

// Go data in a traced function becomes constants of the program.
func TestTraceConstants(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3})
		s := jit.TraceFunc(nil, func(in []*torch.Tensor) []*torch.Tensor {
			mask := torch.FromSlice([]float32{1, 0, 2})
			y := in[0].Mul(mask)
			z := torch.Zeros(torch.Shape{3})
			z.CopyFrom([]float32{5, 6, 7})
			return []*torch.Tensor{y.Add(z), torch.Full(torch.Shape{2}, 3.0)}
		}, []*torch.Tensor{x})
		runtime.GC()
		out := s.Run(x.MulScalar(2)).(jit.Tuple)
		assert.Equal(t, []float32{7, 6, 11}, out[0].(*torch.Tensor).Float32s())
		assert.Equal(t, []float32{3, 3}, out[1].(*torch.Tensor).Float32s())
		require.NoError(t, s.Close())
	})
}

func TestTraceRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	calls := 0
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		l := nn.NewIdentity()
		one := func(f func(x *torch.Tensor) *torch.Tensor) func() {
			return func() {
				jit.TraceFunc(nil, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{f(in[0])} },
					[]*torch.Tensor{x})
			}
		}
		for name, c := range map[string]struct {
			call func()
			kind error
			says string
		}{
			"nil layer": {func() { jit.Trace(nil, x) }, torch.ErrNil, "l"},
			"nil x":     {func() { jit.Trace(l, nil) }, torch.ErrNil, "inputs[0]"},
			"nil fn":    {func() { jit.TraceFunc(l, nil, nil) }, torch.ErrNil, "fn"},
			"twice": {
				func() {
					jit.TraceFunc(nil, func(in []*torch.Tensor) []*torch.Tensor { return in }, []*torch.Tensor{x, x})
				}, torch.ErrValue, "occurs twice",
			},
			"nil result": {one(func(*torch.Tensor) *torch.Tensor { return nil }), torch.ErrNil, "result"},
			"constant": {
				one(func(*torch.Tensor) *torch.Tensor { return torch.FromSlice([]float32{1}) }), torch.ErrRuntime,
				"result 0 was not computed by operators",
			},
			"changes": {
				one(func(x *torch.Tensor) *torch.Tensor {
					calls++
					return x.MulScalar(calls).Add(torch.Full(torch.Shape{2}, float64(calls)).MulScalar(x.Sum().Item()))
				}), nil, "",
			},
			"state": {
				func() {
					seen := torch.Zeros(torch.Shape{2})
					one(func(x *torch.Tensor) *torch.Tensor { seen.Add_(x); return seen.Add(x) })()
				}, torch.ErrRuntime, "CheckTrace(false)",
			},
			"fails": {one(func(x *torch.Tensor) *torch.Tensor { return x.View(3) }), torch.ErrShape, "View"},
			"within": {
				one(func(x *torch.Tensor) *torch.Tensor { jit.Trace(l, x); return x }),
				torch.ErrRuntime, "traced again",
			},
		} {
			err := torch.Try(c.call)
			if c.kind == nil {
				require.NoError(t, err, name)
				continue
			}
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.says, name)
		}
		assert.Equal(t, torch.Shape{2}, x.Add(x).Shape(), "nothing is recorded any more")
		require.NoError(t, jit.Trace(l, x).Close())
	})
}

func ExampleTrace() {
	net := nn.NewSequential(nn.NewLinear(4, 2), nn.NewReLU())
	defer net.Close()
	s := jit.Trace(net, torch.Ones(torch.Shape{1, 4}))
	defer s.Close()
	fmt.Println(s.Forward(torch.Ones(torch.Shape{3, 4})).Shape())
	// Output: (3, 2)
}

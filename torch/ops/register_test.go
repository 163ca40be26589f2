package ops_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torch/ops"
	"github.com/gotorch/gotorch/torchtest"
)

// registered makes the operators of these tests, once for the process.
var registered = sync.OnceFunc(func() {
	tensor := func(v any) *torch.Tensor { return v.(*torch.Tensor) }
	ops.Register("gotest::scale(Tensor x, float by=2.0) -> Tensor", ops.Kernels{
		Forward: func(args []any) []any { return []any{tensor(args[0]).MulScalar(args[1])} },
		Setup:   func(ctx *torch.Context, args, _ []any) { ctx.Value = args[1] },
		Backward: func(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{grads[0].MulScalar(ctx.Value)}
		},
		VMap: func(b ops.Batch, args []any) ([]any, []int64) {
			return []any{tensor(args[0]).MulScalar(args[1])}, []int64{b.Dims[0].(int64)}
		},
	})
	ops.Register("gotest::dot(Tensor[] xs, Tensor? y=None, int[] dims=[]) -> (Tensor, Tensor)", ops.Kernels{
		Forward: func(args []any) []any {
			sum := torch.Zeros(torch.Shape{})
			for _, x := range args[0].([]any) {
				sum = sum.Add(tensor(x).Sum())
			}
			if args[1] != nil {
				sum = sum.Mul(tensor(args[1]))
			}
			return []any{sum, torch.Full(torch.Shape{2}, float64(len(args[2].([]any))))}
		},
		Setup: func(ctx *torch.Context, args, _ []any) {
			ctx.Save(tensor(args[0].([]any)[0]))
		},
		Backward: func(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{grads[0].ExpandAs(ctx.Saved()[0]).Clone(), nil}
		},
	})
	ops.Register("gotest::count(Tensor x) -> int", ops.Kernels{
		Forward: func(args []any) []any { return []any{tensor(args[0]).Numel()} },
	})
	ops.Register("gotest::plain(Tensor x) -> Tensor", ops.Kernels{
		Forward: func(args []any) []any { return []any{tensor(args[0]).MulScalar(2)} },
	})
	ops.Register("gotest::bad(Tensor x, int how) -> Tensor", ops.Kernels{
		Forward: func(args []any) []any {
			x := tensor(args[0])
			switch args[1].(int64) {
			case 0:
				return []any{x}
			case 1:
				return []any{x.View(-1)}
			case 2:
				return nil
			case 3:
				return []any{"text"}
			case 4:
				panic("mine")
			case 5:
				return []any{x.Add(x), x.Add(x)}
			default:
				return []any{x.MatMul(torch.Ones(torch.Shape{7}))}
			}
		},
	})
})

// An operator written in Go has defaults, gradients of any order, and rules for batches.
func TestRegister(t *testing.T) {
	registered()
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 3})
		x.SetRequiresGrad(true)
		y := ops.Call("gotest::scale", x, ops.Kwargs{"by": 3}).(*torch.Tensor)
		assert.True(t, x.MulScalar(3).Equal(y))
		y.Square().Sum().Backward()
		assert.True(t, x.Detach().MulScalar(18).AllClose(x.Grad()))
		assert.True(t, ops.Call("gotest::scale", x.Detach()).(*torch.Tensor).Equal(x.MulScalar(2)))
		z := torch.Randn(torch.Shape{3}, torch.Float64)
		z.SetRequiresGrad(true)
		torchtest.GradGradCheck(t, func(in ...*torch.Tensor) *torch.Tensor {
			return ops.Call("gotest::scale", in[0], 0.5).(*torch.Tensor)
		}, []*torch.Tensor{z})

		x.SetGrad(nil)
		xs := []*torch.Tensor{x, torch.Ones(torch.Shape{4})}
		out := ops.Call("gotest::dot", xs, nil, []int64{1, 2, 3}).(ops.Tuple)
		assert.InDelta(t, x.Sum().Item()+4, out[0].(*torch.Tensor).Item(), 1e-5)
		assert.Equal(t, []float32{3, 3}, out[1].(*torch.Tensor).Float32s())
		out[0].(*torch.Tensor).Backward()
		assert.True(t, torch.Ones(torch.Shape{2, 3}).Equal(x.Grad()))
		assert.Equal(t, int64(6), ops.Call("gotest::count", x))

		scale := func(v ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{ops.Call("gotest::scale", v[0]).(*torch.Tensor).Sum()}
		}
		assert.True(t, x.Detach().MulScalar(2).Sum(torch.Dim(1)).AllClose(functorch.VMap(scale)(x.Detach())[0]))
	})
}

// Any number of goroutines may call an operator that is written in Go.
func TestRegisteredFromGoroutines(t *testing.T) {
	registered()
	defer torchtest.CheckLeaks(t)()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 50 {
				torch.Scope(func() {
					x := torch.Full(torch.Shape{3}, float64(i))
					x.SetRequiresGrad(true)
					ops.Call("gotest::scale", x, 3).(*torch.Tensor).Sum().Backward()
					assert.Equal(t, []float32{3, 3, 3}, x.Grad().Float32s())
				})
			}
		})
	}
	wg.Wait()
}

func TestRegisterRefuses(t *testing.T) {
	registered()
	defer torchtest.CheckLeaks(t)()
	same := func(args []any) []any { return args }
	k := ops.Kernels{Forward: same}
	back := func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return g }
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 3})
		needs := torch.Ones(torch.Shape{2})
		needs.SetRequiresGrad(true)
		forward := func(name string) func() {
			return func() {
				functorch.JVP(func(in ...*torch.Tensor) []*torch.Tensor {
					return []*torch.Tensor{ops.Call(name, in[0]).(*torch.Tensor)}
				}, []*torch.Tensor{x}, []*torch.Tensor{x})
			}
		}
		bad := func(how int) func() { return func() { ops.Call("gotest::bad", x, how) } }
		for name, c := range map[string]struct {
			call func()
			kind error
			says string
		}{
			"no forward": {
				func() { ops.Register("gotest::a(Tensor x) -> Tensor", ops.Kernels{}) }, torch.ErrNil, "Forward",
			},
			"no namespace": {func() { ops.Register("a(Tensor x) -> Tensor", k) }, torch.ErrValue, "namespace"},
			"taken":        {func() { ops.Register("gotest::count(Tensor x) -> int", k) }, torch.ErrValue, "already"},
			"aten":         {func() { ops.Register("aten::mine(Tensor x) -> Tensor", k) }, torch.ErrValue, "aten"},
			"schema":       {func() { ops.Register("gotest::b(Tensor x", k) }, torch.ErrRuntime, ""},
			"zero":         {func() { ops.Register("gotest::b\x00", k) }, torch.ErrValue, "zero byte"},
			"writes": {
				func() { ops.Register("gotest::c_(Tensor(a!) x) -> Tensor(a!)", k) }, torch.ErrNotImplemented, "x",
			},
			"gradient of a number": {
				func() {
					ops.Register("gotest::d(Tensor x) -> int", ops.Kernels{Forward: same, Backward: back})
				}, torch.ErrNotImplemented, "other than tensors",
			},
			"setup": {
				func() {
					ops.Register("gotest::e(Tensor x) -> Tensor", ops.Kernels{
						Forward: same, Setup: func(*torch.Context, []any, []any) {},
					})
				}, torch.ErrValue, "Setup",
			},
			"argument": {bad(0), torch.ErrValue, "return a Clone"},
			"view":     {bad(1), torch.ErrValue, "return a Clone"},
			"none":     {bad(2), torch.ErrValue, "expected 1 results"},
			"text":     {bad(3), torch.ErrType, "Tensor"},
			"two":      {bad(5), torch.ErrValue, "expected 1 results"},
			"inner":    {bad(6), torch.ErrShape, "MatMul"},
			"any number": {
				func() { ops.Register("gotest::f(Tensor x, ...) -> Tensor", k) }, torch.ErrNotImplemented, "any number",
			},
			"returns an argument": {
				func() { ops.Register("gotest::g(Tensor x) -> Tensor(a!)", k) }, torch.ErrNotImplemented, "argument",
			},
			"no gradients": {
				func() { ops.Call("gotest::plain", needs).(*torch.Tensor).Sum().Backward() }, torch.ErrAutograd,
				"derivative for gotest::plain is not implemented",
			},
			"forward mode": {forward("gotest::scale"), torch.ErrNotImplemented, "forward-mode"},
			"forward mode without gradients": {
				forward("gotest::plain"), torch.ErrNotImplemented, "gotest::plain",
			},
		} {
			err := torch.Try(c.call)
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.says, name)
		}
		require.ErrorContains(t, torch.Try(bad(4)), "mine")
		assert.Nil(t, needs.Grad())
	})
}

// Scripts and exported programs from Python call operators that are written in Go.
func TestRegisteredInPrograms(t *testing.T) {
	registered()
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "program")
	const script = `
import sys, torch
torch.library.define("gotest::scale", "(Tensor x, float by=2.0) -> Tensor")
torch.library.impl("gotest::scale", "default", lambda x, by=2.0: x * by)
torch.library.register_fake("gotest::scale", lambda x, by=2.0: torch.empty_like(x))
class M(torch.nn.Module):
    def forward(self, x):
        return torch.ops.gotest.scale(x, 3.0) + 1
s = torch.jit.ScriptModule()
s.define("def forward(self, x):\n    return torch.ops.gotest.scale(x, 3.0) + 1\n")
s.save(sys.argv[1] + ".pt")
torch.export.save(torch.export.export(M(), (torch.ones(2),)), sys.argv[1] + ".pt2")
`
	pythontest.Script(t, pythontest.Interpreter(t, "torch"), "", script, path)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		x.SetRequiresGrad(true)
		s, err := jit.Load(path + ".pt")
		require.NoError(t, err)
		p, err := export.Load(path + ".pt2")
		require.NoError(t, err)
		for _, y := range []*torch.Tensor{s.Forward(x), p.Forward(x)} {
			assert.Equal(t, []float32{4, 4}, y.Float32s())
			x.SetGrad(nil)
			y.Sum().Backward()
			assert.Equal(t, []float32{3, 3}, x.Grad().Float32s())
		}
		require.NoError(t, s.Close())
		require.NoError(t, p.Close())
	})
}

func ExampleRegister() {
	ops.Register("example::twice(Tensor x) -> Tensor", ops.Kernels{
		Forward: func(args []any) []any { return []any{args[0].(*torch.Tensor).MulScalar(2)} },
	})
	torch.Scope(func() {
		y := ops.Call("example::twice", torch.Ones(torch.Shape{2})).(*torch.Tensor)
		fmt.Println(y.Float32s())
	})
	// Output: [2 2]
}

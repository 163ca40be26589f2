package export_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

func equal(t *testing.T, want, got *torch.Tensor) {
	t.Helper()
	assert.True(t, want.Equal(got), "want %v, got %v", want, got)
}

// exported is a module to export, with an input and another input of a different size.
type exported struct {
	m       nn.Module
	forward func(x *torch.Tensor) *torch.Tensor
	a, b    torch.Shape
	dims    map[int64]export.Dim
}

func exportedModules() map[string]exported {
	batch := map[int64]export.Dim{0: {Name: "batch"}}
	mlp := nn.NewSequential(nn.NewLinear(4, 8), nn.NewGELU(), nn.NewLayerNorm(torch.Shape{8}), nn.NewLinear(8, 3))
	conv := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewBatchNorm2d(4), nn.NewReLU(nn.Inplace(true)),
		nn.NewMaxPool2d(2), nn.NewDropout(0.5), nn.NewFlatten(), nn.NewLinear(36, 5))
	conv.Eval()
	train := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewBatchNorm2d(4), nn.NewReLU())
	strided := nn.NewSequential(nn.NewConv2d(1, 4, 3, nn.Stride(2), nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewAdaptiveAvgPool2d(1), nn.NewFlatten())
	encoder := nn.NewTransformerEncoderLayer(8, 2, nn.DimFeedforward(16), nn.BatchFirst(true))
	encoder.Eval()
	return map[string]exported{
		"mlp":  {mlp, mlp.Forward, torch.Shape{5, 4}, torch.Shape{2, 4}, batch},
		"conv": {conv, conv.Forward, torch.Shape{2, 1, 8, 8}, torch.Shape{3, 1, 8, 8}, batch},
		"train": {
			train, train.Forward,
			torch.Shape{2, 1, 8, 8},
			torch.Shape{3, 1, 13, 14},
			map[int64]export.Dim{0: {Name: "batch"}, 2: {Name: "h"}, 3: {Name: "w"}},
		},
		"strided": {
			strided, strided.Forward,
			torch.Shape{2, 1, 16, 16},
			torch.Shape{3, 1, 27, 38},
			map[int64]export.Dim{0: {Name: "batch"}, 2: {Name: "h"}, 3: {Name: "w"}},
		},
		"encoder": {
			encoder, func(x *torch.Tensor) *torch.Tensor { return encoder.Forward(x) },
			torch.Shape{2, 3, 8},
			torch.Shape{4, 7, 8},
			map[int64]export.Dim{0: {Name: "batch"}, 1: {Name: "time"}},
		},
	}
}

// An exported layer computes what the layer computes, here and in Python, for inputs of
// another size, and has its tensors and its gradients.
func TestExport(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	var names []string
	for name, c := range exportedModules() {
		torch.Scope(func() {
			before := c.m.ModuleBase().StateDict().Names()
			p := export.Func(c.m, func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{c.forward(in[0])}
			}, []*torch.Tensor{torch.Randn(c.a)}, export.DynamicShapes{c.dims})
			x := torch.Randn(c.b)
			path := filepath.Join(dir, name)
			require.NoError(t, p.Save(path+".pt2"))
			y := c.forward(x)
			torchtest.AllClose(t, y, p.Forward(x))
			assert.ElementsMatch(t, before, p.StateDict().Names(), name)
			assert.Equal(t, c.m.ModuleBase().Training(), p.Training(), name)
			again, err := export.Load(path + ".pt2")
			require.NoError(t, err)
			torchtest.AllClose(t, y, again.Forward(x))
			require.NoError(t, again.Close())
			require.NoError(t, serialization.Save(serialization.NewDict("x", x, "y", y.Detach()), path+".values.pt"))
			names = append(names, path)
			require.NoError(t, p.Close())
		})
		require.NoError(t, c.m.ModuleBase().Close())
	}
	python := pythontest.Interpreter(t, "torch")
	const script = `
import sys, torch
for path in sys.argv[1:]:
    p, d = torch.export.load(path + ".pt2"), torch.load(path + ".values.pt")
    m = p.module()
    torch.testing.assert_close(m(d["x"]), d["y"])
    out = m(d["x"]).sum()
    out.backward()
    assert all(q.grad is not None for q in m.parameters()), path
    q = p.run_decompositions()
    torch.testing.assert_close(q.module()(d["x"]), d["y"])
`
	pythontest.Script(t, python, "", script, names...)
}

// A program may depend on the sizes in sums, products and quotients, on numbers that Go code
// computes from them, and on several sizes.
func TestExportSizes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "sizes")
	torch.Scope(func() {
		fn := func(in []*torch.Tensor) []*torch.Tensor {
			x, y := in[0], in[1]
			n, m, k := x.Size(0), x.Size(1), y.Size(0)
			flat := x.Reshape(n*m).Narrow(0, 0, n*m/2*0+n)
			pooled := torch.Cat([]*torch.Tensor{x, y}).Unsqueeze(0).Unsqueeze(0)
			return []*torch.Tensor{
				flat.MulScalar(float64(2)),
				x.View(-1).Add(torch.Zeros(torch.Shape{n * m})),
				torch.Full(torch.Shape{2*n + 3, m}, 1.5),
				x.Narrow(0, 0, (n+1)/2),
				x.MulScalar(m).Sum(),
				pooled.Unfold(2, 3, 2).Sum(),
				torch.Arange(k - n + 20).Float(),
			}
		}
		batch, width := export.Dim{Name: "batch", Min: 2, Max: 100}, export.Dim{Name: "width"}
		p := export.Func(nil, fn, []*torch.Tensor{torch.Randn(torch.Shape{4, 6}), torch.Randn(torch.Shape{5, 6})},
			export.DynamicShapes{{0: batch, 1: width}, {0: export.Dim{Name: "rows"}, 1: width}},
			export.ArgNames{"a", "b"})
		require.NoError(t, p.Save(path+".pt2"))
		x, y := torch.Randn(torch.Shape{7, 3}), torch.Randn(torch.Shape{11, 3})
		want := fn([]*torch.Tensor{x, y})
		values := make(serialization.Tuple, len(want))
		for i, v := range p.Run(x, y).(export.Tuple) {
			equal(t, want[i], v.(*torch.Tensor))
			values[i] = want[i]
		}
		for name, c := range map[string]struct{ x, y torch.Shape }{
			"a": {torch.Shape{101, 3}, torch.Shape{5, 3}},
			"b": {torch.Shape{7, 3}, torch.Shape{5, 4}},
		} {
			err := torch.Try(func() { p.Run(torch.Randn(c.x), torch.Randn(c.y)) })
			require.ErrorIs(t, err, torch.ErrShape)
			assert.ErrorContains(t, err, name)
		}
		require.NoError(t, serialization.Save(serialization.NewDict("in", serialization.Tuple{x, y}, "out", values),
			path+".pt"))
		require.NoError(t, p.Close())
	})
	const script = `
import sys, torch
p, d = torch.export.load(sys.argv[1] + ".pt2"), torch.load(sys.argv[1] + ".pt")
for q in p, p.run_decompositions():
    for a, b in zip(q.module()(*d["in"]), d["out"], strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)
x, y = d["in"]
assert [n.name for n in p.graph.nodes][:2] == ["a", "b"]
try:
    p.module()(torch.zeros(101, 3), y)
except Exception:
    pass
else:
    raise AssertionError("the limit is not checked")
`
	pythontest.Script(t, pythontest.Interpreter(t, "torch"), "", script, path)
}

// Quotients are right for all sizes, also if they are the same for the sizes near the example.
func TestExportQuotients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, of := range map[string]func(n int64) int64{
		"up":    func(n int64) int64 { return (n + 7) / 8 },
		"down":  func(n int64) int64 { return n / 10 },
		"later": func(n int64) int64 { return (n + 1) / 12 },
		"twice": func(n int64) int64 { return (2*n + 5) / 9 },
		"patch": func(n int64) int64 { return (n-1)/32 + 1 },
	} {
		torch.Scope(func() {
			fn := func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{in[0].Narrow(0, 0, of(in[0].Size(0)))}
			}
			p := export.Func(nil, fn, []*torch.Tensor{torch.Randn(torch.Shape{17})},
				export.DynamicShapes{{0: {Name: "n"}}})
			for n := range int64(100) {
				x := torch.Randn(torch.Shape{n + 2})
				assert.Equal(t, of(n+2), p.Forward(x).Size(0), "%s %d", name, n+2)
			}
			require.NoError(t, p.Close())
		})
	}
}

// replacing is a layer that replaces its buffer in each call.
type replacing struct {
	nn.Base
	State *torch.Tensor
}

func (l *replacing) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := x.Add(l.State)
		l.State = l.RegisterBuffer("State", x.Detach())
		return y
	})
}

// Checks of Go code for other sizes are no error, but a buffer that is replaced is one.
func TestExportGoCode(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		fn := func(in []*torch.Tensor) []*torch.Tensor {
			if n := in[0].Size(0); n > 9 {
				panic(fmt.Sprintf("%d is too many", n))
			}
			return []*torch.Tensor{in[0].MulScalar(2)}
		}
		x := torch.Ones(torch.Shape{2})
		p := export.Func(nil, fn, []*torch.Tensor{x}, export.DynamicShapes{{0: {Name: "n"}}})
		assert.Equal(t, []float32{2, 2, 2}, p.Forward(torch.Ones(torch.Shape{3})).Float32s())
		require.NoError(t, p.Close())
	})
	l := &replacing{}
	l.Init(l)
	l.State = l.RegisterBuffer("State", torch.Zeros(torch.Shape{2}))
	torch.Scope(func() {
		err := torch.Try(func() { export.Export(l, torch.Ones(torch.Shape{2}), export.Check(false)) })
		require.ErrorIs(t, err, torch.ErrNotImplemented)
		assert.ErrorContains(t, err, "replaces a parameter or a buffer")
	})
	require.NoError(t, l.Close())
}

// Other sizes of an input have its layout in memory, and NaN is equal to itself.
func TestExportLayouts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		fn := func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[0].MaskedFill(in[0].GtScalar(0), math.NaN()).Add(in[1].Sum())}
		}
		image := func(n int64) *torch.Tensor {
			return torch.Randn(torch.Shape{n, 3, 4, 5}).Contiguous(torch.ChannelsLast)
		}
		p := export.Func(nil, fn, []*torch.Tensor{image(2), torch.Randn(torch.Shape{3, 4}).T()},
			export.DynamicShapes{{0: {Name: "n"}}, {1: {Name: "m"}}})
		x, y := image(6), torch.Randn(torch.Shape{9, 4}).T()
		got := p.Run(x, y).(*torch.Tensor)
		torchtest.AllClose(t, fn([]*torch.Tensor{x, y})[0].NaNToNum(), got.NaNToNum())
		require.NoError(t, p.Close())
	})
}

// Go data becomes a constant. A program uses a copy of it in each call.
func TestExportConstants(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		p := export.Func(nil, func(in []*torch.Tensor) []*torch.Tensor {
			mask := torch.FromSlice([]float32{1, 0, 2})
			y := in[0].Mul(mask)
			mask.Select(0, 1).Add_(in[0].Sum())
			z := torch.Zeros(torch.Shape{3})
			z.CopyFrom([]float32{5, 6, 7})
			return []*torch.Tensor{y.Add(z), mask}
		}, []*torch.Tensor{torch.Ones(torch.Shape{3})})
		for range 2 {
			out := p.Run(torch.Full(torch.Shape{3}, 2.0)).(export.Tuple)
			assert.Equal(t, []float32{7, 6, 11}, out[0].(*torch.Tensor).Float32s())
			assert.Equal(t, []float32{1, 6, 2}, out[1].(*torch.Tensor).Float32s())
		}
		require.NoError(t, p.Close())
	})
}

// Blocks without gradients, autocast and vmap become operators that do the same.
func TestExportModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l := nn.NewLinear(3, 2)
	torch.Scope(func() {
		fn := func(in []*torch.Tensor) []*torch.Tensor {
			var frozen, cast *torch.Tensor
			torch.NoGrad(func() { frozen = l.Forward(in[0]).ReLU() })
			amp.Autocast(torch.CPU, torch.BFloat16, func() { cast = l.Forward(in[0]) })
			each := functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
				return x.Mul(x).Sum()
			}))(in[0])[0]
			return []*torch.Tensor{frozen.Mul(l.Forward(in[0])), cast.Float(), each}
		}
		x := torch.Randn(torch.Shape{4, 3})
		p := export.Func(l, fn, []*torch.Tensor{x})
		learn := func(outs []*torch.Tensor) []*torch.Tensor {
			l.ZeroGrad()
			outs[0].Sum().Add(outs[1].Sum()).Add(outs[2].Sum()).Backward()
			return append(outs, l.Weight.Grad().Clone(), l.Bias.Grad().Clone())
		}
		want := learn(fn([]*torch.Tensor{x}))
		var outs []*torch.Tensor
		for _, v := range p.Run(x).(export.Tuple) {
			outs = append(outs, v.(*torch.Tensor))
		}
		for i, y := range learn(outs) {
			equal(t, want[i], y)
		}
		require.NoError(t, p.Close())
	})
	require.NoError(t, l.Close())
}

// A program has the modes of the layer's modules, and Train and Eval change them, also after
// it was saved.
func TestExportTrainAndEval(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	net := nn.NewSequential(nn.NewLinear(3, 3), nn.NewBatchNorm1d(3), nn.NewDropout(0.5))
	path := filepath.Join(t.TempDir(), "net.pt2")
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{6, 3})
		counted := net.ModuleBase().NamedBuffers()[2].Tensor
		p := export.Export(net, x)
		assert.Equal(t, int64(0), counted.ItemInt(), "exporting does not change the buffers")
		require.NoError(t, p.Save(path))
		p.Eval()
		net.Eval()
		equal(t, net.Forward(x), p.Forward(x))
		loaded, err := export.Load(path)
		require.NoError(t, err)
		loaded.Eval()
		equal(t, net.Forward(x), loaded.Forward(x))
		loaded.Train()
		net.Train()
		torch.ManualSeed(5)
		want := net.Forward(x)
		torch.ManualSeed(5)
		equal(t, want, loaded.Forward(x))
		require.NoError(t, loaded.Close())
		require.NoError(t, p.Close())
	})
	require.NoError(t, net.Close())
}

// Python compiles an exported Go model, and converts it to ONNX.
func TestExportGoesOn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "torch", "onnxscript", "onnxruntime")
	path := filepath.Join(t.TempDir(), "net")
	net := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewBatchNorm2d(4), nn.NewReLU(), nn.NewFlatten(),
		nn.NewLinear(144, 5))
	net.Eval()
	torch.Scope(func() {
		p := export.Export(net, torch.Randn(torch.Shape{2, 1, 8, 8}), export.DynamicShapes{{0: {Name: "batch"}}},
			export.ArgNames{"image"})
		require.NoError(t, p.Save(path+".pt2"))
		x := torch.Randn(torch.Shape{5, 1, 8, 8})
		require.NoError(t, serialization.Save(serialization.NewDict("x", x, "y", net.Forward(x).Detach()), path+".pt"))
		require.NoError(t, p.Close())
	})
	require.NoError(t, net.Close())
	const script = `
import sys, torch, onnxruntime
path, all = sys.argv[1], len(sys.argv) > 2
p, d = torch.export.load(path + ".pt2"), torch.load(path + ".pt")
c = torch.compile(p.module(), backend="inductor" if all else "aot_eager")
torch.testing.assert_close(c(d["x"]), d["y"])
if all:
    package = torch._inductor.aoti_compile_and_package(p, package_path=path + "_compiled.pt2")
    torch.testing.assert_close(torch._inductor.aoti_load_package(package)(d["x"]), d["y"])
torch.onnx.export(p, dynamo=True, verbose=False).save(path + ".onnx")
s = onnxruntime.InferenceSession(path + ".onnx")
assert [(i.name, i.shape) for i in s.get_inputs()] == [("image", ["s0", 1, 8, 8])], s.get_inputs()
torch.testing.assert_close(torch.from_numpy(s.run(None, {"image": d["x"].numpy()})[0]), d["y"])
`
	args := []string{path}
	if thorough.Asked() {
		args = append(args, "all")
	}
	pythontest.Script(t, python, "", script, args...)
}

func ExampleExport() {
	net := nn.NewSequential(nn.NewLinear(4, 2), nn.NewReLU())
	defer net.Close()
	p := export.Export(net, torch.Ones(torch.Shape{2, 4}), export.DynamicShapes{{0: {Name: "batch"}}})
	defer p.Close()
	fmt.Println(p.Forward(torch.Ones(torch.Shape{3, 4})).Shape())
	// Output: (3, 2)
}

package torch_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// optimizedBound bounds the largest difference between an optimized graph and its step, relative to the
// largest result. A sum of a few thousand float32 products in another order differs by about a tenth of
// it, and Winograd's convolution by up to half of it.
const optimizedBound = 2e-5

// leastResult is the size of results below which errors are not relative to the results: numbers
// of about 1 within a model may cancel.
const leastResult = 1e-2

// settle gives batch normalization statistics as after training.
func settle(m nn.Module) {
	for _, b := range m.ModuleBase().NamedBuffers() {
		if b.Tensor.DType().IsFloatingPoint() {
			b.Tensor.Copy_(torch.Rand(b.Tensor.Shape()).AddScalar(0.5))
		}
	}
}

// image returns a sequence of layers for images, with settled statistics, in evaluation mode.
func image(layers ...nn.Layer) nn.Layer {
	m := nn.NewSequential(layers...)
	torch.NoGrad(func() { settle(m) })
	m.Eval()
	return m
}

// kernelsOf returns the kernels of a graph of fn, after comparing it with fn for other inputs.
func kernelsOf(t *testing.T, x *torch.Tensor, fn func(*torch.Tensor) *torch.Tensor) (kernels []string) {
	t.Helper()
	torch.NoGrad(func() {
		own := x.Clone()
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{fn(own)} }, torch.Inputs{own},
			torch.Optimize(true))
		defer g.Close()
		for i := range 3 {
			in := x.MulScalar(float64(i) - 1.5)
			want, got := fn(in), g.Call(in)[0]
			require.Equal(t, want.Shape(), got.Shape())
			most := want.Abs().Max().Item()
			assert.LessOrEqual(t, want.Sub(got).Abs().Max().Item(), optimizedBound*max(most, leastResult), "call %d", i)
		}
		r := g.Report()
		require.Empty(t, r.Reason)
		assert.LessOrEqual(t, r.MaxDifference, optimizedBound*max(r.MaxResult, leastResult), "%v", r)
		for _, n := range r.Nodes {
			kernels = append(kernels, n.Kernel)
		}
	})
	return kernels
}

func TestOptimizeLayers(t *testing.T) {
	acts := map[string]nn.Layer{
		"ReLU": nn.NewReLU(), "ReLU6": nn.NewReLU6(), "Hardswish": nn.NewHardswish(),
		"Hardsigmoid": nn.NewHardsigmoid(), "SiLU": nn.NewSiLU(), "Sigmoid": nn.NewSigmoid(),
		"Tanh": nn.NewTanh(), "GELU": nn.NewGELU(),
		"GELU tanh": nn.NewGELU(nn.ApproximateTanh), "in place": nn.NewReLU(nn.Inplace(true)),
	}
	type layerCase struct {
		shape torch.Shape
		net   func() nn.Layer
		nodes int // including the copy of the result
	}
	cases := map[string]layerCase{
		"normalized": {torch.Shape{2, 3, 17, 19}, func() nn.Layer {
			return image(nn.NewConv2d(3, 24, 3, nn.Padding(1), nn.Stride(2), nn.Bias(false)), nn.NewBatchNorm2d(24),
				nn.NewReLU(nn.Inplace(true)))
		}, 2},
		"two": {torch.Shape{1, 16, 20, 20}, func() nn.Layer {
			return image(convolution(16, 32, 3), convolution(32, 16, 1))
		}, 4},
		"winograd": {torch.Shape{2, 32, 23, 18}, func() nn.Layer {
			return image(nn.NewConv2d(32, 48, 3, nn.Padding(1)))
		}, 3},
		"no border": {torch.Shape{1, 64, 21, 34}, func() nn.Layer { return image(nn.NewConv2d(64, 64, 3)) }, 3},
		"depthwise": {torch.Shape{2, 35, 12, 9}, func() nn.Layer {
			return image(nn.NewConv2d(35, 35, 5, nn.Groups(35), nn.Padding(2), nn.Stride(2)), nn.NewBatchNorm2d(35),
				nn.NewHardswish())
		}, 3},
		"groups": {torch.Shape{1, 12, 9, 9}, func() nn.Layer {
			return image(nn.NewConv2d(12, 8, 3, nn.Groups(4)), nn.NewReLU())
		}, 3},
		"dilated": {torch.Shape{1, 9, 15, 15}, func() nn.Layer {
			return image(nn.NewConv2d(9, 5, 3, nn.Dilation(2), nn.Padding(2)))
		}, 3},
		"few channels, dilated": {torch.Shape{1, 2, 15, 15}, func() nn.Layer {
			return image(nn.NewConv2d(2, 5, 3, nn.Dilation(2)))
		}, 3},
		"rectangle": {torch.Shape{1, 4, 10, 15}, func() nn.Layer {
			return image(nn.NewConv2d(4, 7, []int64{1, 5}, nn.Strides{1, 2}, nn.Paddings{0, 2}), nn.NewTanh())
		}, 2},
		"pool": {torch.Shape{2, 3, 16, 16}, func() nn.Layer {
			return image(convolution(3, 20, 3), nn.NewMaxPool2d(3, nn.Stride(2), nn.Padding(1)),
				nn.NewAdaptiveAvgPool2d(1), nn.NewFlatten(), nn.NewLinear(20, 5))
		}, 5},
		"flatten": {torch.Shape{2, 3, 6, 6}, func() nn.Layer {
			return image(convolution(3, 20, 3), nn.NewFlatten(), nn.NewLinear(720, 5))
		}, 4},
		"vector": {torch.Shape{1, 300}, func() nn.Layer {
			return image(nn.NewLinear(300, 130), nn.NewReLU(), nn.NewLinear(130, 1))
		}, 3},
		"sequence": {torch.Shape{2, 7, 30}, func() nn.Layer {
			return image(nn.NewLinear(30, 17), nn.NewGELU(), nn.NewLinear(17, 9))
		}, 3},
		"no bias": {torch.Shape{5, 30}, func() nn.Layer { return image(nn.NewLinear(30, 17, nn.Bias(false))) }, 2},
		"conv1d": {torch.Shape{2, 5, 30}, func() nn.Layer {
			return image(nn.NewConv1d(5, 17, 3), nn.NewReLU())
		}, 0},
	}
	for name, act := range acts {
		cases["convolution and "+name] = layerCase{torch.Shape{1, 5, 8, 8}, func() nn.Layer {
			return image(nn.NewConv2d(5, 6, 3), act)
		}, 2}
		cases["linear and "+name] = layerCase{torch.Shape{3, 40}, func() nn.Layer {
			return image(nn.NewLinear(40, 21), act)
		}, 2}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				torch.ManualSeed(1)
				m := c.net()
				kernels := kernelsOf(t, torch.Randn(c.shape), m.Forward)
				if c.nodes > 0 {
					assert.LessOrEqual(t, len(kernels), c.nodes, "%q", kernels)
				}
			})
		})
	}
}

// In BFloat16, whose numbers have 8 bits, each layer rounds its inputs and its result. An error of
// a result is less than the sum of a few such roundings.
func TestComputeDType(t *testing.T) {
	const bound = 8.0 / (1 << 8)
	encoder := nn.NewTransformerEncoderLayer(32, 4, nn.DimFeedforward(64), nn.ActivationGELU, nn.BatchFirst(true))
	encoder.Eval()
	cases := map[string]struct {
		shape torch.Shape
		net   func() nn.Layer
	}{
		"images": {torch.Shape{2, 3, 16, 16}, func() nn.Layer {
			return image(convolution(3, 20, 3), nn.NewMaxPool2d(2), convolution(20, 24, 1), nn.NewAdaptiveAvgPool2d(1),
				nn.NewFlatten(), nn.NewLinear(24, 5))
		}},
		"other activations": {torch.Shape{1, 4, 9, 9}, func() nn.Layer {
			return image(nn.NewConv2d(4, 8, 3), nn.NewReLU6(), nn.NewConv2d(8, 8, 1), nn.NewHardsigmoid(),
				nn.NewConv2d(8, 8, 3, nn.Groups(8)), nn.NewHardswish())
		}},
		"other operators": {torch.Shape{1, 4, 9, 9}, func() nn.Layer {
			return image(nn.NewConv2d(4, 8, 3), nn.NewGroupNorm(2, 8), nn.NewSoftplus(), nn.NewConv2d(8, 8, 1),
				nn.NewSoftmax(1))
		}},
		"in place": {torch.Shape{3, 30}, func() nn.Layer {
			return image(nn.NewLinear(30, 17), nn.NewELU(), nn.NewLinear(17, 9), nn.NewSiLU(nn.Inplace(true)))
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				torch.ManualSeed(1)
				m := c.net()
				lowered(t, inBFloat16(t, torch.Randn(c.shape), m.Forward, bound))
			})
		})
	}
	t.Run("encoder", func(t *testing.T) {
		torch.Scope(func() {
			lowered(t, inBFloat16(t, torch.Randn(torch.Shape{2, 7, 32}), func(x *torch.Tensor) *torch.Tensor {
				return encoder.Forward(x)
			}, bound))
		})
	})
}

// inBFloat16 compares a graph that computes in BFloat16 with fn. The bound is relative to the largest result.
// It returns the report.
func inBFloat16(
	t *testing.T, x *torch.Tensor, fn func(*torch.Tensor) *torch.Tensor, bound float64,
) (r torch.GraphReport) {
	t.Helper()
	torch.NoGrad(func() {
		own := x.Clone()
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{fn(own)} }, torch.Inputs{own},
			torch.Optimize(true), torch.ComputeDType(torch.BFloat16))
		defer g.Close()
		if r = g.Report(); r.Reason != "" {
			require.Equal(t, withoutBFloat16, r.Reason)
		}
		for i := range 3 {
			in := x.MulScalar(float64(i) - 1.5)
			want, got := fn(in), g.Call(in)[0]
			require.Equal(t, want.Shape(), got.Shape())
			require.Equal(t, torch.Float32, got.DType())
			most := max(want.Abs().Max().Item(), 10*leastResult)
			assert.LessOrEqual(t, want.Sub(got).Abs().Max().Item(), bound*most, "%v", r)
		}
	})
	return r
}

// withoutBFloat16 is the reason of graphs on processors without instructions for BFloat16.
const withoutBFloat16 = "the processor does not compute in bfloat16"

// lowered checks that layers of a graph compute in BFloat16, if the processor can.
func lowered(t *testing.T, r torch.GraphReport) {
	t.Helper()
	if r.Reason == "" {
		assert.Positive(t, r.MaxDifference, "%v", r)
		assert.Contains(t, r.String(), "in bfloat16")
	}
}

func TestComputeDTypeRefuses(t *testing.T) {
	step := func() []*torch.Tensor { return nil }
	shape := func([]*torch.Tensor) []*torch.Tensor { return nil }
	for want, fn := range map[string]func(){
		"only with Optimize(true)":                 func() { torch.Capture(step, torch.ComputeDType(torch.BFloat16)) },
		"Capture: argument opts: ComputeDType has": func() { torch.Capture(step, torch.ComputeDType(torch.Float32)) },
		"CaptureByShape: argument opts: ComputeDType": func() {
			torch.CaptureByShape(shape, torch.ComputeDType(torch.BFloat16))
		},
		"expected Float32 or BFloat16, got int8": func() {
			torch.Capture(step, torch.Optimize(true), torch.ComputeDType(torch.Int8))
		},
		"expected Float32 or BFloat16, got float64": func() {
			torch.CaptureByShape(shape, torch.Optimize(true), torch.ComputeDType(torch.Float64))
		},
	} {
		err := torch.Try(fn)
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, want)
	}
}

func convolution(in, out, size int64) nn.Layer {
	return nn.NewSequential(nn.NewConv2d(in, out, size, nn.Padding(size/2)), nn.NewBatchNorm2d(out), nn.NewReLU())
}

// Residual additions become a part of the layer before, in place and not, with the operands in either order.
func TestOptimizeResidual(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		a, b := nn.NewConv2d(6, 16, 3, nn.Padding(1)), nn.NewConv2d(16, 16, 3, nn.Padding(1))
		l1, l2 := nn.NewLinear(12, 12), nn.NewLinear(12, 12)
		images, rows := torch.Randn(torch.Shape{2, 6, 9, 9}), torch.Randn(torch.Shape{2, 5, 12})
		for name, c := range map[string]struct {
			x  *torch.Tensor
			fn func(x *torch.Tensor) *torch.Tensor
			n  int
		}{
			"after": {images, func(x *torch.Tensor) *torch.Tensor {
				y := a.Forward(x)
				return b.Forward(y).Add(y).ReLU()
			}, 4},
			"before": {images, func(x *torch.Tensor) *torch.Tensor {
				y := a.Forward(x)
				return y.Add(b.Forward(y))
			}, 4},
			"in place": {images, func(x *torch.Tensor) *torch.Tensor {
				y := a.Forward(x)
				return b.Forward(y).Add_(y).ReLU_()
			}, 4},
			"linear": {rows, func(x *torch.Tensor) *torch.Tensor {
				return x.Add(l2.Forward(F.GELU(l1.Forward(x))))
			}, 3},
			"written": {rows, func(x *torch.Tensor) *torch.Tensor {
				y := l1.Forward(x)
				z := l2.Forward(y)
				y.Mul_(z)
				return y.Add(z)
			}, 6},
			"both used": {rows, func(x *torch.Tensor) *torch.Tensor { y := l1.Forward(x); return y.ReLU().Add(y) }, 4},
			"itself":    {rows, func(x *torch.Tensor) *torch.Tensor { y := l1.Forward(x); return y.Add(y) }, 3},
			"view": {rows, func(x *torch.Tensor) *torch.Tensor {
				return l1.Forward(x).Transpose(0, 1).ReLU().Sum(torch.Dim(0))
			}, 5},
		} {
			t.Run(name, func(t *testing.T) {
				torch.Scope(func() {
					kernels := kernelsOf(t, c.x, c.fn)
					assert.LessOrEqual(t, len(kernels), c.n, "%q", kernels)
				})
			})
		}
	})
}

func TestOptimizeEncoder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		for _, first := range []bool{false, true} {
			m := nn.NewTransformerEncoder(nn.NewTransformerEncoderLayer(48, 4, nn.DimFeedforward(96), nn.ActivationGELU,
				nn.BatchFirst(true), nn.NormFirst(first)), 2)
			m.Eval()
			kernels := kernelsOf(t, torch.Randn(torch.Shape{2, 10, 48}), func(x *torch.Tensor) *torch.Tensor {
				return m.Forward(x)
			})
			assert.Contains(t, kernels, "aten::_scaled_dot_product_flash_attention_for_cpu")
		}
	})
}

// A graph never uses weights that have changed.
func TestOptimizeChangedWeights(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		conv, norm, linear := nn.NewConv2d(3, 8, 3), nn.NewBatchNorm2d(8), nn.NewLinear(8, 4)
		m := image(conv, norm, nn.NewAdaptiveAvgPool2d(1), nn.NewFlatten(), linear)
		x := torch.Randn(torch.Shape{1, 3, 8, 8})
		changes := map[string]func(){
			"weight":     func() { conv.Weight.MulScalar_(2) },
			"bias":       func() { linear.Bias.AddScalar_(1) },
			"statistics": func() { norm.RunningMean.AddScalar_(1) },
			"view":       func() { linear.Weight.Select(0, 1).Fill_(3) },
			"data":       func() { linear.Weight.SetData(torch.Disown(torch.Randn(torch.Shape{4, 8}))) },
			"scale":      func() { norm.Weight.Copy_(torch.Rand(torch.Shape{8})) },
		}
		torch.NoGrad(func() {
			step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{m.Forward(in[0])}
			}, torch.Optimize(true))
			defer step.Close()
			for name, change := range changes {
				for i := range 8 {
					if i == 5 {
						change()
					}
					want, got := m.Forward(x), step.Call(x)[0]
					assert.LessOrEqual(t, want.Sub(got).Abs().Max().Item(),
						optimizedBound*want.Abs().Max().Item(), "%s, %d", name, i)
				}
			}
			for name, change := range changes {
				g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{m.Forward(x)} }, torch.Inputs{x},
					torch.Optimize(true))
				g.Replay()
				change()
				assert.ErrorIs(t, torch.Try(func() { g.Replay() }), torch.ErrValue, name)
				require.NoError(t, g.Close())
			}
			// An input that is not declared counts as a constant.
			y := torch.Randn(torch.Shape{2, 8})
			g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{linear.Forward(y.Exp())} },
				torch.Optimize(true))
			defer g.Close()
			g.Replay()
			y.Add_(y)
			err := torch.Try(func() { g.Replay() })
			assert.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, "must be inputs")
		})
	})
}

// Steps that cannot be optimized are captured without it, and compute the same bits as before.
func TestOptimizeRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		l, count := nn.NewLinear(6, 6), torch.Zeros(torch.Shape{6})
		norm := nn.NewBatchNorm1d(6)
		x := torch.Randn(torch.Shape{3, 6})
		for name, c := range map[string]struct {
			fn   func() *torch.Tensor
			says string
			grad bool
		}{
			"gradients": {func() *torch.Tensor { return l.Forward(x).Detach() }, "gradients", true},
			"random":    {func() *torch.Tensor { return F.Dropout(l.Forward(x), F.P(0.5)) }, "random numbers", false},
			"training":  {func() *torch.Tensor { return norm.Forward(l.Forward(x)) }, "", false},
			"writes":    {func() *torch.Tensor { return l.Forward(x).Add(count.AddScalar_(1)) }, "writes", false},
		} {
			t.Run(name, func(t *testing.T) {
				run := func() {
					g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{c.fn()} }, torch.Inputs{x},
						torch.Optimize(true))
					defer g.Close()
					before := count.Clone()
					r := g.Report()
					assert.Contains(t, r.Reason, c.says)
					assert.NotEmpty(t, r.Reason)
					assert.Contains(t, r.String(), "not optimized")
					assert.True(t, before.Equal(count), "Report runs nothing")
					torch.ManualSeed(3)
					got := g.Replay()[0].Clone()
					torch.ManualSeed(3)
					count.Copy_(before)
					assert.True(t, c.fn().Equal(got))
				}
				if c.grad {
					run()
				} else {
					torch.NoGrad(run)
				}
			})
		}
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp()} }, torch.Inputs{x})
		defer g.Close()
		assert.ErrorIs(t, torch.Try(func() { g.Report() }), torch.ErrValue)
	})
}

// Weights in memory of a Go slice are not packed, because the program may change them.
func TestOptimizeSharedMemory(t *testing.T) {
	torch.Scope(func() {
		values := []float32{1, 2, 3, 4}
		w, x := torch.FromSliceShared(values, 2, 2), torch.Ones(torch.Shape{1, 2})
		torch.NoGrad(func() {
			g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Mm(w)} }, torch.Inputs{x},
				torch.Optimize(true))
			defer g.Close()
			assert.Equal(t, []float32{4, 6}, g.Call(torch.Ones(torch.Shape{1, 2}))[0].Float32s())
			values[0] = 11
			assert.Equal(t, []float32{14, 6}, g.Call(torch.Ones(torch.Shape{1, 2}))[0].Float32s())
		})
	})
}

// One function serves many goroutines and shapes. The packed weights are in the graphs' memory.
func TestOptimizeGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(1)
		m := image(convolution(3, 16, 3), nn.NewMaxPool2d(2), convolution(16, 32, 3), nn.NewAdaptiveAvgPool2d(1),
			nn.NewFlatten(), nn.NewLinear(32, 1000))
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{m.Forward(in[0])}
		}, torch.Optimize(true))
		defer step.Close()
		var xs, wants []*torch.Tensor
		for i := range 4 {
			x := torch.Randn(torch.Shape{1 + int64(i%2), 3, 12, 12})
			xs = append(xs, x)
			torch.NoGrad(func() { wants = append(wants, m.Forward(x)) })
		}
		var all sync.WaitGroup
		for k := range 64 {
			all.Go(func() {
				for i := range 4 {
					torch.Scope(func() {
						torch.NoGrad(func() {
							n := (k + i) % len(xs)
							got := step.Call(xs[n])[0]
							assert.LessOrEqual(t, wants[n].Sub(got).Abs().Max().Item(), 1e-4)
						})
					})
				}
			})
		}
		all.Wait()
		assert.Empty(t, step.Refused())
		torch.NoGrad(func() {
			reports := step.Report()
			assert.Len(t, reports, 2)
			for _, r := range reports {
				assert.Empty(t, r.Reason)
			}
		})
		assert.Contains(t, memory.Summary(torch.CPU), "Graphs")
	})
}

// Random models compute what they compute without a graph.
func TestOptimizeRandomModels(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for seed := range thorough.Or(1000, 25) {
		torch.Scope(func() {
			torch.ManualSeed(uint64(seed))
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			x, fn, text := randomModel(r)
			defer func() {
				if t.Failed() {
					t.Logf("seed %d: %s", seed, text())
				}
			}()
			kernelsOf(t, x, fn)
			inBFloat16(t, x, fn, 0.1)
		})
		if t.Failed() {
			return
		}
	}
}

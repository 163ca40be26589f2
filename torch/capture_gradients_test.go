package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torchtest"
)

func fromInts(v ...int64) *torch.Tensor { return torch.FromSlice(v, int64(len(v))) }

// Gradients of tensors that are no operator's argument in the step are set as without a graph.
func TestCaptureGradientsOfOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, made := range map[string]func(w, x *torch.Tensor) (step func() *torch.Tensor){
		"a graph from before": func(w, x *torch.Tensor) func() *torch.Tensor {
			loss := w.Square().Sum()
			return func() *torch.Tensor {
				w.SetGrad(nil)
				loss.Backward(torch.RetainGraph(true))
				return x.AddScalar(1)
			}
		},
		"SetGrad alone": func(w, x *torch.Tensor) func() *torch.Tensor {
			return func() *torch.Tensor {
				y := x.MulScalar(3)
				w.SetGrad(y)
				return y
			}
		},
		"dropped": func(w, x *torch.Tensor) func() *torch.Tensor {
			return func() *torch.Tensor {
				w.SetGrad(nil)
				return x.Exp()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{3})
				w, v := torch.Ones(torch.Shape{3}).RequiresGrad_(true), torch.Ones(torch.Shape{3}).RequiresGrad_(true)
				for _, p := range []*torch.Tensor{w, v} {
					p.SetGrad(torch.Full(torch.Shape{3}, 9.0))
				}
				step, eager := made(w, x), made(v, x)
				g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{step()} }, torch.Inputs{x})
				defer g.Close()
				for range 3 {
					next := torch.Randn(torch.Shape{3})
					g.Call(next)
					eager()
					require.Equal(t, v.Grad() == nil, w.Grad() == nil)
					if v.Grad() != nil {
						require.True(t, v.Grad().Equal(w.Grad()), "%v, not %v", w.Grad(), v.Grad())
					}
				}
			})
		})
	}
}

// Values that are read before the operators that a step consists of, and shapes that depend on values, are
// refused, in the step that warms nothing up too.
func TestCaptureRefusesReads(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{6, 2})
		at, ids := fromInts(2, 4), fromInts(1, 1, 2)
		probs, targets := torch.Randn(torch.Shape{6, 1, 5}).LogSoftmax(2), fromInts(1, 2).Unsqueeze(0)
		lengths, target := fromInts(6), fromInts(2)
		hx := torch.Zeros(torch.Shape{1, 3, 2})
		weights := []*torch.Tensor{torch.Ones(torch.Shape{8, 2}), torch.Ones(torch.Shape{8, 2})}
		batches := fromInts(3, 2, 1)
		outside := torch.Ones(torch.Shape{3})
		for name, step := range map[string]func() *torch.Tensor{
			"tensor_split": func() *torch.Tensor { return aten.TensorSplitTensorIndicesOrSections(x, at, 0)[0].AddScalar(1) },
			"ctc_loss":     func() *torch.Tensor { return aten.CTCLossTensor(probs, targets, lengths, target, 0, 1, false) },
			"lstm": func() *torch.Tensor {
				out, _, _ := aten.LSTMData(x, batches, []*torch.Tensor{hx, hx}, weights, false, 1, 0, true, false)
				return out
			},
			"qparams": func() *torch.Tensor {
				scale, _ := aten.ChooseQparamsOptimized(x.Reshape(-1), 12, 4, 0.5, 8)
				return scale
			},
			"unique": func() *torch.Tensor {
				a, b, c := torch.Zeros(torch.Shape{2}, torch.Int64), torch.Zeros(torch.Shape{3}, torch.Int64), torch.Zeros(torch.Shape{2}, torch.Int64)
				aten.UniqueDimOut(a, b, c, ids, 0, true, true, true)
				return a
			},
			"SetGrad of what requires none": func() *torch.Tensor {
				outside.SetGrad(x.Narrow(0, 0, 3).Select(1, 0).Clone())
				return x.AddScalar(1)
			},
		} {
			t.Run(name, func(t *testing.T) {
				err := torch.Try(func() { torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{step()} }) })
				require.ErrorIs(t, err, torch.ErrRuntime)
				assert.ErrorContains(t, err, "capture")
			})
		}
	})
}

package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// With gradients off, common operators skip autograd. Their results must still be ordinary tensors:
// equal values, memory of their own, and leaves that can be modified and can start a graph later.
func TestNoGradResultsAreOrdinaryTensors(t *testing.T) {
	x, w := leaf(4, 4), leaf(4, 4)
	defer x.Close()
	defer w.Close()
	image, kernel := torch.Randn(torch.Shape{1, 2, 6, 6}), torch.Randn(torch.Shape{3, 2, 3, 3})
	defer image.Close()
	defer kernel.Close()
	image.SetRequiresGrad(true)
	kernel.SetRequiresGrad(true)
	ops := map[string]func() *torch.Tensor{
		"linear":  func() *torch.Tensor { return F.Linear(x, w, nil) },
		"matmul":  func() *torch.Tensor { return x.MatMul(w) },
		"add":     func() *torch.Tensor { return x.Add(w) },
		"mul":     func() *torch.Tensor { return x.MulScalar(1) },
		"relu":    func() *torch.Tensor { return x.Abs().ReLU() },
		"softmax": func() *torch.Tensor { return x.Softmax(1) },
		"cat":     func() *torch.Tensor { return torch.Cat([]*torch.Tensor{x}) },
		"sum":     func() *torch.Tensor { return x.Sum() },
		"conv":    func() *torch.Tensor { return F.Conv2d(image, kernel, nil) },
		"pool":    func() *torch.Tensor { return F.MaxPool2d(image, 1) },
		"where":   func() *torch.Tensor { return torch.Where(x.GtScalar(0), x, w) },
		"stack":   func() *torch.Tensor { return torch.Stack([]*torch.Tensor{x}) },
		"matvec":  func() *torch.Tensor { return x.MatMul(w.Select(0, 0)) },
		"batched": func() *torch.Tensor { return F.Linear(image, torch.Eye(6), nil) },
	}
	for name, op := range ops {
		t.Run(name, func(t *testing.T) {
			leakFree(t, func() {
				want := op()
				require.True(t, want.RequiresGrad())
				var got *torch.Tensor
				torch.NoGrad(func() { got = op() })
				assert.True(t, want.Equal(got))
				assert.False(t, got.RequiresGrad())
				assert.True(t, got.IsLeaf())

				before := []*torch.Tensor{x.Detach().Clone(), w.Detach().Clone(), image.Detach().Clone()}
				versions := []int64{x.TensorVersion(), w.TensorVersion(), image.TensorVersion()}
				version := got.TensorVersion()
				got.AddScalar_(1)
				assert.Equal(t, version+1, got.TensorVersion())
				for i, arg := range []*torch.Tensor{x, w, image} {
					assert.True(t, before[i].Equal(arg), "the result shares no memory with its arguments")
					assert.Equal(t, versions[i], arg.TensorVersion())
				}

				got.SetRequiresGrad(true)
				got.Mul(got).Sum().Backward()
				assert.True(t, got.Grad().Equal(got.Detach().MulScalar(2)))
			})
		})
	}
}

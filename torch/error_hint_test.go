package torch_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// The common mistakes with gradients are errors of kind ErrAutograd that say what to write instead,
// with this library's names.
func TestMistakesNameTheRemedy(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var w *torch.Tensor
	for name, c := range map[string]struct {
		fn            func()
		message, want string
	}{
		"in place on a leaf": {
			func() { w.AddScalar_(1) },
			"a leaf Variable that requires grad", "torch.NoGrad",
		},
		"in place on a view of a leaf": {
			func() { w.SetIndex(1, 0) },
			"a view of a leaf Variable that requires grad", "torch.NoGrad",
		},
		"backward twice": {
			func() { y := w.Mul(w).Sum(); y.Backward(); y.Backward() },
			"backward through the graph a second time", "torch.RetainGraph(true)",
		},
		"a saved tensor modified": {
			func() { x := w.MulScalar(2); y := x.Mul(x).Sum(); x.AddScalar_(1); y.Backward() },
			"modified by an inplace operation", "without an underscore",
		},
		"nothing requires gradients": {
			func() { torch.NoGrad(func() { w.Mul(w).Sum().Backward() }) },
			"does not require grad", "torch.NoGrad",
		},
		"not a number": {
			func() { w.MulScalar(2).Backward() },
			"only for scalar outputs", "Sum or Mean",
		},
		"a tensor of inference": {
			func() {
				var x *torch.Tensor
				torch.InferenceMode(func() { x = w.MulScalar(2) })
				x.Mul(w)
			},
			"Inference tensors cannot be saved", "torch.NoGrad",
		},
		"in place on a tensor of inference": {
			func() {
				var x *torch.Tensor
				torch.InferenceMode(func() { x = w.MulScalar(2) })
				x.AddScalar_(1)
			},
			"Inplace update to inference tensor", "Clone",
		},
	} {
		torch.Scope(func() {
			w = torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
			err := torch.Try(c.fn)
			require.ErrorIs(t, err, torch.ErrAutograd, name)
			var e *torch.Error
			require.True(t, errors.As(err, &e), name)
			assert.Contains(t, e.Message, c.message, name)
			assert.Contains(t, e.Remedy, c.want, name)
			assert.ErrorContains(t, err, "; remedy: "+e.Remedy, name)
		})
	}
}

// The messages of other mistakes are unchanged.
func TestNoRemedyWithoutNeed(t *testing.T) {
	torch.Scope(func() {
		err := torch.Try(func() { torch.Ones(torch.Shape{2, 3}).MatMul(torch.Ones(torch.Shape{2, 3})) })
		require.ErrorIs(t, err, torch.ErrShape)
		assert.NotContains(t, err.Error(), "remedy")
	})
}

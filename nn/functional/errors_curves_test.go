package functional_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Bad input of activations, dropouts, bags and in-place functions gives a typed error,
// changes nothing and leaks nothing.
func TestBadCurves(t *testing.T) {
	scoped(t, func() {
		x, leaf := torch.Ones(torch.Shape{4, 6}), torch.Ones(torch.Shape{4, 6}, torch.RequiresGrad(true))
		ints, img := torch.Ones(torch.Shape{4}, torch.Int64), torch.Ones(torch.Shape{1, 2, 4, 4})
		indices := torch.FromSlice([]int64{0, 3, 1}, 3)
		bags := torch.FromSlice([]int64{0, 3, 1, 1}, 2, 2)
		starts := torch.FromSlice([]int64{0, 2})
		for _, c := range []struct {
			name string
			kind error
			text string
			fn   func()
		}{
			{"a leaf", torch.ErrAutograd, "ReLU_", func() { F.ReLU_(leaf) }},
			{"a leaf of a dropout", torch.ErrAutograd, "Dropout1d_", func() { F.Dropout1d_(leaf) }},
			{"integers in place", torch.ErrDType, "SiLU_", func() { F.SiLU_(ints) }},
			{"nil in place", torch.ErrNil, "ReLU6_: argument input", func() { F.ReLU6_(nil) }},
			{"nil of tanhshrink", torch.ErrNil, "Tanhshrink: argument input", func() { F.Tanhshrink(nil) }},
			{"nil of gumbel", torch.ErrNil, "argument logits", func() { F.GumbelSoftmax(nil) }},
			{"integers of gumbel", torch.ErrDType, "GumbelSoftmax", func() { F.GumbelSoftmax(ints) }},
			{"dim of gumbel", torch.ErrIndex, "GumbelSoftmax", func() { F.GumbelSoftmax(x, F.Dim(2), F.Hard(true)) }},
			{"alpha 0", torch.ErrValue, "Alpha", func() { F.CELU(x, F.Alpha(0)) }},
			{"alpha 0 in place", torch.ErrValue, "Alpha", func() { F.CELU_(x, F.Alpha(0)) }},
			{"slopes", torch.ErrValue, "Lower: expected at most Upper", func() { F.RReLU(x, F.Lower(1)) }},
			{"lambd", torch.ErrValue, "Lambd: expected no negative number, got -1", func() {
				F.Softshrink(x, F.Lambd(-1))
			}},
			{"limits in place", torch.ErrValue, "MinVal", func() { F.Hardtanh_(x, F.MinVal(2)) }},
			{"probability in place", torch.ErrValue, "argument P", func() { F.Dropout_(x, F.P(-1)) }},
			{"dimensions of dropout1d", torch.ErrShape, "expected 2 or 3 dimensions, got size (1, 2, 4, 4)", func() {
				F.Dropout1d(img)
			}},
			{"dimensions of a response", torch.ErrShape, "3 dimensions or more", func() { F.LocalResponseNorm(x, 2) }},
			{"size of a response", torch.ErrValue, "size: expected a positive number, got 0", func() {
				F.LocalResponseNorm(img, 0)
			}},
			{"bools of a response", torch.ErrDType, "LocalResponseNorm", func() {
				F.LocalResponseNorm(torch.Ones(torch.Shape{1, 2, 3}, torch.Bool), 2)
			}},
			{"dimensions of distances", torch.ErrShape, "Pdist", func() { F.Pdist(img) }},
			{"norm of distances", torch.ErrValue, "P: expected no negative number", func() { F.Pdist(x, F.P(-1)) }},
			{"bags of three dimensions", torch.ErrShape, "input: expected 1 or 2 dimensions", func() {
				F.EmbeddingBag(bags.Unsqueeze(0), x, nil)
			}},
			{"a table of one", torch.ErrShape, "weight: expected 2 dimensions", func() {
				F.EmbeddingBag(bags, torch.Ones(torch.Shape{3}), nil)
			}},
			{"offsets of a matrix", torch.ErrValue, "offsets: expected nil", func() {
				F.EmbeddingBag(bags, x, starts)
			}},
			{"no offsets", torch.ErrValue, "offsets: expected the start of each bag", func() {
				F.EmbeddingBag(indices, x, nil)
			}},
			{"offsets of two dimensions", torch.ErrShape, "offsets: expected 1 dimension", func() {
				F.EmbeddingBag(indices, x, bags)
			}},
			{"empty bags", torch.ErrValue, "input: expected at least one index in each bag", func() {
				F.EmbeddingBag(torch.Zeros(torch.Shape{2, 0}, torch.Int64), x, nil)
			}},
			{"mode", torch.ErrValue, `Mode: expected sum, mean or max, got "nearest"`, func() {
				F.EmbeddingBag(bags, x, nil, F.ModeNearest)
			}},
			{"frequencies of the largest", torch.ErrValue, "ScaleGradByFreq", func() {
				F.EmbeddingBag(bags, x, nil, F.ModeMax, F.ScaleGradByFreq(true))
			}},
			{"sparse largest", torch.ErrValue, "Sparse", func() {
				F.EmbeddingBag(bags, x, nil, F.ModeMax, F.Sparse(true))
			}},
			{"weights of a mean", torch.ErrValue, "PerSampleWeights: applies only to ModeSum", func() {
				F.EmbeddingBag(bags, x, nil, F.PerSampleWeights(torch.Ones(torch.Shape{2, 2})))
			}},
			{
				"size of weights", torch.ErrShape, "PerSampleWeights: expected the size of input, (2, 2), got (4, 6)",
				func() {
					F.EmbeddingBag(bags, x, nil, F.ModeSum, F.PerSampleWeights(x))
				},
			},
			{"padding beyond the table", torch.ErrIndex, "PaddingIdx: 4 is out of range for the 4 rows", func() {
				F.EmbeddingBag(bags, x, nil, F.PaddingIdx(4))
			}},
			{"index beyond the table", torch.ErrIndex, "EmbeddingBag", func() {
				F.EmbeddingBag(bags.AddScalar(1), x, nil)
			}},
			{"bags of floats", torch.ErrDType, "EmbeddingBag", func() {
				F.EmbeddingBag(torch.Ones(torch.Shape{2, 2}), x, nil)
			}},
		} {
			before := torch.NumLiveTensors()
			err := torch.Try(func() { torch.Scope(c.fn) })
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
				assert.Contains(t, err.Error(), c.text, c.name)
			}
			assert.Equal(t, before, torch.NumLiveTensors(), c.name)
		}
		assert.Equal(t, torch.Shape{4, 6}, x.Shape())
		assert.Equal(t, 24.0, x.Sum().Item())
	})
}

// An in-place function returns its argument.
func TestInPlaceReturnsItsArgument(t *testing.T) {
	scoped(t, func() {
		x := torch.Linspace(-1, 1, 24).Reshape(2, 3, 4)
		for name, call := range map[string]func(*torch.Tensor) *torch.Tensor{
			"ReLU_": F.ReLU_, "ReLU6_": F.ReLU6_, "SELU_": F.SELU_, "SiLU_": F.SiLU_, "Mish_": F.Mish_,
			"Hardswish_":   F.Hardswish_,
			"Hardsigmoid_": F.Hardsigmoid_,
			"Threshold_":   func(x *torch.Tensor) *torch.Tensor { return F.Threshold_(x, 0, 1) },
			"ELU_":         func(x *torch.Tensor) *torch.Tensor { return F.ELU_(x) },
			"CELU_":        func(x *torch.Tensor) *torch.Tensor { return F.CELU_(x) },
			"LeakyReLU_":   func(x *torch.Tensor) *torch.Tensor { return F.LeakyReLU_(x) },
			"RReLU_":       func(x *torch.Tensor) *torch.Tensor { return F.RReLU_(x) },
			"Hardtanh_":    func(x *torch.Tensor) *torch.Tensor { return F.Hardtanh_(x) },
			"Dropout_":     func(x *torch.Tensor) *torch.Tensor { return F.Dropout_(x) },
			"Dropout1d_":   func(x *torch.Tensor) *torch.Tensor { return F.Dropout1d_(x) },
			"Dropout2d_":   func(x *torch.Tensor) *torch.Tensor { return F.Dropout2d_(x) },
			"AlphaDropout_": func(x *torch.Tensor) *torch.Tensor {
				return F.AlphaDropout_(x, F.Training(true))
			},
			"FeatureAlphaDropout_": func(x *torch.Tensor) *torch.Tensor {
				return F.FeatureAlphaDropout_(x, F.Training(true))
			},
		} {
			live := torch.NumLiveTensors()
			assert.Same(t, x, call(x), name)
			assert.Equal(t, live, torch.NumLiveTensors(), name)
		}
	})
}

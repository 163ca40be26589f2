package functional_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func TestBadInput(t *testing.T) {
	scoped(t, func() {
		x, w := torch.Zeros(torch.Shape{4, 6}), torch.Zeros(torch.Shape{3, 5})
		img := torch.Zeros(torch.Shape{1, 2, 4, 4})
		ints := torch.Zeros(torch.Shape{4}, torch.Int64)
		closed := torch.Zeros(torch.Shape{2})
		closed.Close()
		cases := []struct {
			name string
			kind error
			text string
			fn   func()
		}{
			{"nil input", torch.ErrNil, "Linear: argument input", func() { F.Linear(nil, w, nil) }},
			{"closed weight", torch.ErrClosed, "argument weight", func() { F.Linear(x, closed, nil) }},
			{"closed bias", torch.ErrClosed, "argument bias", func() { F.Linear(x, x, closed) }},
			{"sizes", torch.ErrShape, "weight: float32 (3, 5) cpu", func() { F.Linear(x, w, nil) }},
			{"dtype", torch.ErrDType, "Linear", func() { F.Linear(x, torch.Zeros(torch.Shape{3, 6}, torch.Float64), nil) }},
			{"channels", torch.ErrShape, "Conv2d", func() { F.Conv2d(img, torch.Zeros(torch.Shape{1, 3, 2, 2}), nil) }},
			{"stride type", torch.ErrType, "Stride", func() { F.Conv2d(img, img, nil, F.ConvOptions{Stride: 1.5}) }},
			{"stride length", torch.ErrValue, "Stride", func() { F.Conv2d(img, img, nil, F.ConvOptions{Stride: []int64{1, 2, 3}}) }},
			{"two options", torch.ErrValue, "opts", func() { F.Conv2d(img, img, nil, F.ConvOptions{}, F.ConvOptions{}) }},
			{"no kernel", torch.ErrType, "kernelSize", func() { F.MaxPool2d(img, nil) }},
			{"probability", torch.ErrValue, "Dropout", func() { F.Dropout(x, 1.5, true) }},
			{"class", torch.ErrIndex, "CrossEntropy", func() { F.CrossEntropy(x, torch.Full(torch.Shape{4}, 6)) }},
			{"batch", torch.ErrValue, "CrossEntropy", func() { F.CrossEntropy(x, torch.Zeros(torch.Shape{3}, torch.Int64)) }},
			{"target dtype", torch.ErrDType, "NLLLoss", func() { F.NLLLoss(x, torch.Zeros(torch.Shape{4})) }},
			{"reduction", torch.ErrValue, "batchmean", func() { F.MSELoss(x, x, F.BatchMean) }},
			{"no such reduction", torch.ErrValue, "Reduction", func() { F.MSELoss(x, x, F.Reduction(9)) }},
			{"BCE sizes", torch.ErrShape, "BCELoss", func() { F.BCELoss(x, torch.Zeros(torch.Shape{4})) }},
			{"approximation", torch.ErrValue, "none or tanh", func() { F.GELU(x, "exactly") }},
			{"no probability", torch.ErrValue, "between 0 and 1", func() { F.BCELoss(torch.Full(torch.Shape{2}, 7.0), torch.Ones(torch.Shape{2})) }},
			{"odd padding", torch.ErrShape, "divisible by 2", func() { F.Pad(x, []int64{1}) }},
			{"padding that leaves nothing", torch.ErrValue, "non-negative", func() { F.Pad(x, []int64{-9, 0}) }},
			{"index", torch.ErrIndex, "Embedding", func() { F.Embedding(torch.Full(torch.Shape{2}, 3), w) }},
			{"padding index", torch.ErrIndex, "PaddingIdx", func() { F.Embedding(ints, w, F.EmbeddingOptions{PaddingIdx: new(int64(3))}) }},
			{"layer norm shape", torch.ErrShape, "LayerNorm", func() { F.LayerNorm(x, torch.Shape{5}, nil, nil) }},
			{"groups", torch.ErrValue, "groups", func() { F.GroupNorm(img, 0, nil, nil) }},
			{"one value a channel", torch.ErrValue, "more than 1 value", func() {
				F.BatchNorm(torch.Zeros(torch.Shape{1, 3}), nil, nil, F.BatchNormOptions{Training: true})
			}},
			{"no statistics", torch.ErrValue, "running", func() { F.BatchNorm(img, nil, nil, F.BatchNormOptions{}) }},
			{"mode", torch.ErrValue, "Mode", func() { F.Interpolate(img, F.InterpolateOptions{Size: []int64{2}, Mode: "linear"}) }},
			{"size and scale", torch.ErrValue, "Size", func() { F.Interpolate(img, F.InterpolateOptions{}) }},
			{"dimensions", torch.ErrShape, "3 to 5", func() { F.Interpolate(x, F.InterpolateOptions{Size: []int64{2}}) }},
			{"softmax dim", torch.ErrIndex, "Softmax", func() { F.Softmax(x, 2) }},
		}
		for _, c := range cases {
			err := torch.Try(c.fn)
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
				assert.Contains(t, err.Error(), c.text, c.name)
			}
		}
		require.NoError(t, torch.Try(func() { F.MSELoss(x, x) }))
	})
}

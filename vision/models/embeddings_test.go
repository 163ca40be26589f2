package models_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models"
)

// Position embeddings that are resized for a different image size equal torchvision's.
func TestInterpolateEmbeddings(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/embeddings.json")
	var cases map[string]struct {
		Value torchtest.Value
		Names []string
	}
	g.Decode("new", &cases)
	torch.Scope(func() {
		state := embeddings(g.Tensor("old"))
		for _, mode := range []string{"bicubic", "bilinear"} {
			for _, size := range []int64{4, 6, 8} {
				want := cases[fmt.Sprint(mode, " ", size)]
				got := models.InterpolateEmbeddings(size, 2, state, models.InterpolationMode(mode),
					models.ResetHeads(true))
				assert.Equal(t, want.Names, got.Names())
				value, err := want.Value.Tensor()
				require.NoError(t, err)
				// each value is a sum of 16 products
				torchtest.AllClose(t, value, got.Get("encoder.pos_embedding"), torchtest.Rounding(32, torch.Float32))
			}
		}
		fails := func(kind error, size, patch int64, state nn.StateDict) {
			require.ErrorIs(t, torch.Try(func() { models.InterpolateEmbeddings(size, patch, state) }), kind)
		}
		fails(torch.ErrValue, 4, 2, nil)
		fails(torch.ErrValue, 0, 2, state)
		fails(torch.ErrValue, 4, 0, state)
		fails(torch.ErrShape, 4, 2, embeddings(torch.Ones(torch.Shape{1, 9, 4})))
		fails(torch.ErrShape, 4, 2, embeddings(torch.Ones(torch.Shape{2, 10, 4})))
	})
}

func embeddings(x *torch.Tensor) nn.StateDict {
	return nn.StateDict{
		{Name: "encoder.pos_embedding", Tensor: x},
		{Name: "heads.head.weight", Tensor: torch.Zeros(torch.Shape{2, 4})},
	}
}

// interpolated returns the row for InterpolateEmbeddings in the options test.
func interpolated() optiontest.Row {
	return optiontest.For(func(opts ...models.InterpolateEmbeddingsOption) (out optiontest.Outcome) {
		torch.Scope(func() {
			got := models.InterpolateEmbeddings(8, 2, embeddings(torch.Arange(40).Float().Sin().Reshape(1, 10, 4)),
				opts...)
			out = optiontest.Outcome{"names": fmt.Sprint(got.Names()), "values": fmt.Sprint(got[0].Tensor.Float32s())}
		})
		return out
	}, optiontest.Values(models.InterpolationMode("bilinear"), models.InterpolationMode("bicubic")).Hides("names",
		"it changes values"),
		optiontest.Refused(models.InterpolationMode("nearest")),
		optiontest.Values(models.ResetHeads(true), models.ResetHeads(false)).Hides("values", "it changes names"))
}

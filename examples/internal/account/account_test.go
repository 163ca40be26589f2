package account_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestBook(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	book := account.Open()
	weights := torch.Zeros(torch.Shape{100})
	unnamed := torch.Zeros(torch.Shape{8})
	for range 4 {
		torch.Scope(func() {
			batch := torch.Zeros(torch.Shape{1000})
			book.Step(func() { torch.Zeros(torch.Shape{50}) }, batch)
		})
	}
	var b strings.Builder
	book.Report(&b, func() []account.Part {
		torch.Zeros(torch.Shape{500})
		return []account.Part{{Name: "weights", Tensors: []*torch.Tensor{weights, nil}}}
	})
	for _, line := range []string{
		"weights 400", "anything else 32", "alive between steps 432", "grown since the end of step 2 0",
		"batch and activations at the peak 4200", "peak 4632",
	} {
		assert.Contains(t, strings.Join(strings.Fields(b.String()), " "), line)
	}
	panel := book.Curves()
	assert.Equal(t, []float64{432e-6, 432e-6, 432e-6, 432e-6}, panel.Lines[1].Y)

	_ = unnamed.Close()
	bytes, tensors, peak := book.Close()
	assert.Equal(t, []int64{400, 1, 4632}, []int64{bytes, tensors, peak})
	_ = weights.Close()
}

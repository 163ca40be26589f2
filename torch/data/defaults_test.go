package data_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// The default device does not affect a loader: examples stay on the dataset's device, and
// orders are drawn on the CPU.
func TestLoaderUnderADefaultDevice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		set := data.NewTensorDataset(torch.Arange(0, 8, 1))
		sum := int64(0)
		torch.WithDevice(torch.Meta, func() {
			for batch := range data.NewLoader(set, data.BatchSize(3), data.Shuffle(true)).All() {
				for _, v := range batch.Input.Int64s() {
					sum += v
				}
			}
		})
		assert.EqualValues(t, 28, sum)
	})
}

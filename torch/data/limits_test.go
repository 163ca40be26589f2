package data_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func TestSizesAtTheLimit(t *testing.T) {
	assert.Equal(t, 1, data.NewLoader(pairs{10}, data.BatchSize(math.MaxInt)).Len())
	assert.Equal(t, 0, data.NewLoader(pairs{10}, data.BatchSize(math.MaxInt), data.DropLast(true)).Len())
	assert.Equal(t, math.MaxInt/2+1, data.NewLoader(pairs{math.MaxInt}, data.BatchSize(2)).Len())

	err := torch.Try(func() { data.RandomSplit(pairs{10}, []int{math.MaxInt, math.MaxInt, 12}) })
	assert.ErrorIs(t, err, torch.ErrValue)
}

func TestDecodeIDXOfNothing(t *testing.T) {
	_, err := data.DecodeIDX(nil, "a")
	assert.ErrorIs(t, err, torch.ErrNil)
}

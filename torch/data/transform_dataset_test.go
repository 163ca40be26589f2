package data_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torchtest"
)

// TransformInput draws one random position for a whole batch, and NewTransformDataset draws
// one for each example. The test tells them apart by the positions of the crops.
func TestTransformedInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	images := data.NewTensorDataset(torch.Disown(torch.Arange(64).Reshape(4, 1, 4, 4).To(torch.Uint8)),
		torch.Disown(torch.Arange(4)))
	defer func() { _ = images.Close() }()
	crop := transforms.NewCompose(transforms.NewRandomCrop(1), transforms.NewToTensor())
	each := data.NewTransformDataset(images, crop)
	assert.Equal(t, 4, each.Len())
	assert.Equal(t, "TransformDataset(4)", each.String())
	assert.Same(t, images, each.Dataset())

	positions := func(loader *data.Loader) map[string]bool {
		seen := map[string]bool{}
		for batch := range loader.All() {
			assert.Equal(t, torch.Shape{4, 1, 1, 1}, batch.Input.Shape())
			assert.Equal(t, []int64{0, 1, 2, 3}, batch.Target.Int64s())
			for i, v := range batch.Input.MulScalar(255).Round_().Float32s() {
				seen[fmt.Sprint(int(v)-16*i)] = true
			}
		}
		return seen
	}
	torch.ManualSeed(1)
	assert.Greater(t, len(positions(data.NewLoader(each, data.BatchSize(4)))), 1, "each example has its own position")
	assert.Len(t, positions(data.NewLoader(images, data.BatchSize(4), data.Transform(data.TransformInput(crop)))), 1,
		"all examples of a batch have the same position")
	torch.Scope(func() { assert.Equal(t, torch.Shape{1, 1, 1}, each.Get(2).Input.Shape()) })
}

func TestTransformedMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set, none := counting(3), transforms.NewIdentity()
	defer func() { _ = set.Close() }()
	broken := data.NewTransformDataset(data.NewFuncDataset(1, func(int) (data.Example, error) {
		return data.Example{}, errors.New("torn")
	}), none)
	_, err := broken.TryGet(0)
	assert.EqualError(t, err, "torn")
	for text, c := range map[string]struct {
		kind error
		fn   func()
	}{
		"NewTransformDataset: argument d: a nil Dataset": {torch.ErrNil, func() {
			data.NewTransformDataset(nil, none)
		}},
		"NewTransformDataset: argument t: a nil TensorTransform": {torch.ErrNil, func() {
			data.NewTransformDataset(set, nil)
		}},
		"TransformInput: argument t: a nil TensorTransform": {torch.ErrNil, func() { data.TransformInput(nil) }},
		"a nil *data.TransformDataset": {torch.ErrNil, func() {
			(*data.TransformDataset)(nil).Get(0)
		}},
		"3 is out of range for 3 examples": {torch.ErrIndex, func() { data.NewTransformDataset(set, none).Get(3) }},
		"torn":                             {torch.ErrRuntime, func() { broken.Get(0) }},
	} {
		err := torch.Try(c.fn)
		assert.ErrorIs(t, err, c.kind, text)
		assert.ErrorContains(t, err, text)
	}
}

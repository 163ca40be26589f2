package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

const mean, std = 0.2860, 0.3530 // of the pixels of Fashion-MNIST's training images, scaled to 0..1

// sets returns the training images and the test images.
func (t *trainer) sets() (images, tests *data.TensorDataset, err error) {
	if t.data == "" {
		if t.examples < 1 {
			return nil, nil, fmt.Errorf("-examples must be at least 1")
		}
		return madeUp(1, int64(t.examples)), madeUp(2, 1024), nil
	}
	if images, err = data.MNIST(t.data); err != nil {
		return nil, nil, err
	}
	if tests, err = data.MNIST(t.data, data.Train(false)); err != nil {
		_ = images.Close()
		return nil, nil, err
	}
	return images, tests, nil
}

// madeUp returns n noise images with a bright horizontal band. The band's position is the
// label. Pixels are whole numbers, so that reference.py generates the same images.
func madeUp(seed uint64, n int64) *data.TensorDataset {
	var inputs, labels *torch.Tensor
	torch.Scope(func() {
		g := torch.NewGenerator(torch.CPU).ManualSeed(seed)
		labels = torch.Disown(torch.RandInt(0, 10, torch.Shape{n}, g))
		noise := torch.RandInt(0, 160, torch.Shape{n, 1, 28, 28}, g)
		height := torch.Arange(0, 28, 1).Reshape(1, 1, 28, 1).Sub(labels.Reshape(n, 1, 1, 1).MulScalar(2))
		band := height.GeScalar(0).LogicalAnd(height.LtScalar(6)).To(torch.Int64).MulScalar_(60)
		inputs = torch.Disown(noise.Add(band).To(torch.Uint8))
	})
	return data.NewTensorDataset(inputs, labels)
}

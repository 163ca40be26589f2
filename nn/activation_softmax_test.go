package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var _ = addLayer(func(p *holder) optiontest.Row {
	return bare(p, row, func(opts ...nn.InitOption) nn.Module { return nn.NewSoftmax(1, opts...) })
}, nil,
	member{"Softmax", "nn.Softmax(dim=1)", func(p *holder) nn.Module { return nn.NewSoftmax(1, p.As("m")) }, row})

// Softmax turns the scores along a dimension into probabilities.
func ExampleSoftmax() {
	softmax := nn.NewSoftmax(1)
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 2, 3}, {1, 1, 1}})
		fmt.Println(softmax.Forward(x))
	})
	// Output:
	// tensor([[0.0900, 0.2447, 0.6652],
	//         [0.3333, 0.3333, 0.3333]])
}

var _ = addLayer(func(p *holder) optiontest.Row {
	return bare(p, row, func(opts ...nn.InitOption) nn.Module { return nn.NewLogSoftmax(1, opts...) })
}, nil,
	member{
		"LogSoftmax", "nn.LogSoftmax(dim=-1)",
		func(p *holder) nn.Module { return nn.NewLogSoftmax(-1, p.As("m")) }, row,
	})

// LogSoftmax returns logarithms of probabilities, the input that NLLLoss takes.
func ExampleLogSoftmax() {
	logSoftmax := nn.NewLogSoftmax(1)
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 2, 3}, {1, 1, 1}})
		fmt.Println(logSoftmax.Forward(x))
	})
	// Output:
	// tensor([[-2.4076, -1.4076, -0.4076],
	//         [-1.0986, -1.0986, -1.0986]])
}

var _ = addLayer(func(p *holder) optiontest.Row {
	return bare(p, row, func(opts ...nn.InitOption) nn.Module { return nn.NewSoftmin(1, opts...) })
}, nil,
	member{"Softmin", "nn.Softmin(dim=1)", func(p *holder) nn.Module { return nn.NewSoftmin(1, p.As("m")) }, row})

// Softmin gives the smallest number the largest probability.
func ExampleSoftmin() {
	softmin := nn.NewSoftmin(1)
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 2, 3}})
		fmt.Println(softmin.Forward(x))
	})
	// Output: tensor([[0.6652, 0.2447, 0.0900]])
}

var _ = addLayer(func(p *holder) optiontest.Row {
	return bare(p, image, func(opts ...nn.InitOption) nn.Module { return nn.NewSoftmax2d(opts...) })
}, nil,
	member{"Softmax2d", "nn.Softmax2d()", func(p *holder) nn.Module { return nn.NewSoftmax2d(p.As("m")) }, image})

// At each pixel, the channels sum to 1.
func ExampleSoftmax2d() {
	softmax := nn.NewSoftmax2d()
	torch.Scope(func() {
		x := torch.Arange(0, 8, 1, torch.Float32).Reshape(1, 2, 2, 2)
		fmt.Println(softmax.Forward(x).Index(0, torch.All, 0, 0))
	})
	// Output: tensor([0.0180, 0.9820])
}

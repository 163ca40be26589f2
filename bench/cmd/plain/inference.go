package main

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// encoder returns the nanoseconds of a text encoder's forward pass for one text of 32
// tokens. The encoder has six layers of 384 features.
func encoder() int64 {
	layer := nn.NewTransformerEncoderLayer(384, 12, nn.DimFeedforward(1536), nn.Activation("gelu"), nn.BatchFirst(true))
	model := nn.NewTransformerEncoder(layer, 6)
	model.Eval()
	x := torch.Randn(torch.Shape{1, 32, 384})
	var ns int64
	torch.NoGrad(func() { ns = each(100, func() { model.Forward(x) }) })
	return ns
}

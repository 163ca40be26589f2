// Anchors for a triplet loss are taken out of the step's scope, and never dropped.
package main

import (
	"fmt"
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func main() {
	images := data.NewFuncDataset(5000, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Rand(torch.Shape{64})}, nil
	})
	loader := data.NewLoader(images, data.BatchSize(32), data.Shuffle(true))
	encoder := nn.NewLinear(64, 16)
	defer encoder.Close()
	opt := optim.NewAdam(encoder.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	var anchors []*torch.Tensor
	for range 30 {
		for batch := range loader.All() {
			emb := encoder.Forward(batch.Input)
			anchors = append(anchors, torch.Disown(emb.Detach())) // want leak
			far := anchors[rand.Intn(len(anchors))]
			loss := emb.Sub(far.Narrow(0, 0, emb.Size(0))).Square().Mean().Neg()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		}
	}
	fmt.Println(len(anchors), "anchors")
}

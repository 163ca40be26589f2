package retained

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type record struct {
	step int
	loss *torch.Tensor
}

func keeps(loader *data.Loader, model nn.Layer) []record {
	var losses []*torch.Tensor
	var records []record
	total := torch.Rand()
	for batch := range loader.All() {
		loss := model.Forward(batch.Input).Sum()
		loss.Backward()
		losses = append(losses, torch.Keep(loss))              // want `appended in a training loop`
		records = append(records, record{loss: loss, step: 1}) // want `appended in a training loop`
		total = torch.Keep(total.Add(loss))                    // want `added up across iterations`
	}
	return records
}

// A backward pass may need what is computed from the list, so there is no fix.
func stacked(loader *data.Loader, model nn.Layer) *torch.Tensor {
	var probs []*torch.Tensor
	for batch := range loader.All() {
		loss := model.Forward(batch.Input).Sum()
		loss.Backward()
		probs = append(probs, torch.Keep(model.Forward(batch.Input))) // want `appended in a training loop`
	}
	return torch.Stack(probs, 0)
}

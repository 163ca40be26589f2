// An active learner stores the indices of the hard batches.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type learner struct {
	model *nn.Linear
	hard  []int
	worst []float32
}

func (l *learner) look(b data.Batch) {
	loss := F.CrossEntropy(l.model.Forward(b.Input), b.Target)
	if loss.Item() > 2 {
		l.hard = append(l.hard, b.Index)
		l.worst = b.Input.Index(0).Float32s()
	}
}

func main() {
	set := data.NewFuncDataset(300, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Randn(torch.Shape{7}), Target: torch.ScalarTensor(i%4, torch.Int64)}, nil
	})
	l := &learner{model: nn.NewLinear(7, 4)}
	defer l.model.Close()
	for batch := range data.NewLoader(set, data.BatchSize(10)).All() {
		l.look(batch)
	}
	fmt.Println(l.hard, l.worst)
}

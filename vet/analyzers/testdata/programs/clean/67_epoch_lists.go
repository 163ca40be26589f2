// Command epoch_lists collects the scores and labels of an epoch. It needs all of them at
// once to compute the area under the ROC curve.
//
// Clean: the lists hold the detached scores of one epoch. reset closes the scores and
// empties the lists before the next epoch.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// metric computes a number from all data since the last reset.
type metric interface {
	update(scores, labels *torch.Tensor)
	compute() float64
	reset()
}

type auc struct{ scores, labels []*torch.Tensor }

func (a *auc) update(scores, labels *torch.Tensor) {
	a.scores = append(a.scores, torch.Disown(scores.Detach()))
	a.labels = append(a.labels, torch.Disown(labels.Clone()))
}

func (a *auc) compute() (area float64) {
	torch.Scope(func() {
		s, l := torch.Cat(a.scores), torch.Cat(a.labels)
		up, down := s.Index(l.GtScalar(0)), s.Index(l.EqScalar(0))
		area = up.Unsqueeze(1).Gt(down.Unsqueeze(0)).Float().Mean().Item()
	})
	return area
}

func (a *auc) reset() {
	for i := range a.scores {
		_ = a.scores[i].Close()
		_ = a.labels[i].Close()
	}
	clear(a.scores)
	clear(a.labels)
	a.scores, a.labels = a.scores[:0], a.labels[:0]
}

func run(model *nn.Sequential, opt optim.Optimizer, m metric, epochs, steps int) {
	for epoch := range epochs {
		for range torch.ScopedRange(steps) {
			x := torch.Randn(torch.Shape{24, 6})
			y := x.Sum(torch.Dim(1)).Add(torch.Randn(torch.Shape{24})).GtScalar(0).Float()
			logits := model.Forward(x).Squeeze(1)
			opt.ZeroGrad()
			F.BinaryCrossEntropyWithLogits(logits, y).Backward()
			opt.Step()
			m.update(logits, y)
		}
		if epoch%10 == 9 {
			fmt.Printf("epoch %d: area %.3f\n", epoch+1, m.compute())
		}
		m.reset()
	}
}

func main() {
	torch.ManualSeed(47)
	model := nn.NewSequential(nn.NewLinear(6, 16), nn.NewReLU(), nn.NewLinear(16, 1))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(3e-3))
	defer opt.Close()
	run(model, opt, new(auc), 30, 8)
}

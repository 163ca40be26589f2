// Command mean_teacher trains on labeled and unlabeled batches side by side.
//
// Clean: zip stops the sequence that it pulls, even if the loop ends early, so the
// coroutine and its batch are freed. The teacher's answers have no graph, and its weights
// are updated in place.
package main

import (
	"fmt"
	"iter"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// zip pairs the elements of two sequences until the first ends.
func zip[A, B any](first iter.Seq[A], second iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		next, stop := iter.Pull(second)
		defer stop()
		for a := range first {
			b, ok := next()
			if !ok || !yield(a, b) {
				return
			}
		}
	}
}

type teacher struct {
	student, mean *nn.Sequential
	opt           *optim.AdamW
}

func newTeacher() *teacher {
	t := &teacher{student: nn.NewSequential(nn.NewLinear(10, 20), nn.NewReLU(), nn.NewLinear(20, 3))}
	t.mean = nn.DeepCopy(t.student).(*nn.Sequential)
	t.opt = optim.NewAdamW(t.student.Parameters(), optim.LR(3e-3))
	return t
}

func (t *teacher) close() {
	_ = t.opt.Close()
	_ = t.student.Close()
	_ = t.mean.Close()
}

func (t *teacher) step(labelled, unlabelled data.Batch) (value float64) {
	torch.Scope(func() {
		var want *torch.Tensor
		torch.NoGrad(func() { want = F.Softmax(t.mean.Forward(unlabelled.Input), 1) })
		noisy := unlabelled.Input.Add(torch.RandnLike(unlabelled.Input).MulScalar(0.1))
		loss := F.CrossEntropy(t.student.Forward(labelled.Input), labelled.Target).
			Add(F.MSELoss(F.Softmax(t.student.Forward(noisy), 1), want))
		t.opt.ZeroGrad()
		loss.Backward()
		t.opt.Step()
		torch.NoGrad(func() {
			mean := t.mean.Parameters()
			for i, p := range t.student.Parameters() {
				mean[i].LerpScalar_(p, 0.05)
			}
		})
		value = loss.Item()
	})
	return value
}

func main() {
	torch.ManualSeed(69)
	few := data.NewTensorDataset(torch.Randn(torch.Shape{48, 10}), torch.RandInt(0, 3, torch.Shape{48}))
	defer few.Close()
	many := data.NewTensorDataset(torch.Randn(torch.Shape{400, 10}))
	defer many.Close()
	labelled := data.NewLoader(few, data.BatchSize(16), data.Shuffle(true))
	unlabelled := data.NewLoader(many, data.BatchSize(32), data.Shuffle(true))
	t := newTeacher()
	defer t.close()
	for epoch := range 60 {
		last := 0.0
		for l, u := range zip(labelled.All(), unlabelled.All()) {
			last = t.step(l, u)
		}
		if epoch%20 == 19 {
			fmt.Printf("epoch %d: loss %.4f\n", epoch+1, last)
		}
	}
}

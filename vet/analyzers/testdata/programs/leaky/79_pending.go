// Command pending learns online: predictions wait in a map for their label, which arrives
// later on a different channel and is then used to train the model.
//
// Leaky: one label in three never arrives, because the user did nothing. The prediction's
// input then stays in the map, which has no deadline and no limit: one tensor per lost
// label.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type click struct {
	id      int
	clicked bool
}

type shown struct {
	features *torch.Tensor // (1, 12)
	guess    float64
}

type learner struct {
	mu      sync.Mutex
	waiting map[int]shown
	model   *nn.Linear
	opt     *optim.SGD
	right   int
}

func newLearner() *learner {
	l := &learner{waiting: map[int]shown{}, model: nn.NewLinear(12, 1)}
	l.opt = optim.NewSGD(l.model.Parameters(), optim.LR(0.05))
	return l
}

// show predicts whether the user clicks an item, and stores the prediction until the
// answer arrives.
func (l *learner) show(id int) (p float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 12})
		torch.NoGrad(func() { p = l.model.Forward(x).Sigmoid().Item() })
		l.waiting[id] = shown{torch.Disown(x), p} // want leak
	})
	return p
}

// learn runs a training step with an item that was shown before.
func (l *learner) learn(c click) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.waiting[c.id]
	if !ok {
		return
	}
	delete(l.waiting, c.id)
	defer s.features.Close()
	if (s.guess > 0.5) == c.clicked {
		l.right++
	}
	target := 0.0
	if c.clicked {
		target = 1
	}
	torch.Scope(func() {
		logit := l.model.Forward(s.features)
		l.opt.ZeroGrad()
		F.BinaryCrossEntropyWithLogits(logit, torch.FullLike(logit, target)).Backward()
		l.opt.Step()
	})
}

func main() {
	torch.ManualSeed(24)
	l := newLearner()
	defer l.model.Close()
	defer l.opt.Close()
	clicks := make(chan click, 8)
	var done sync.WaitGroup
	done.Go(func() {
		for c := range clicks {
			l.learn(c)
		}
	})
	for id := range 300 {
		l.show(id)
		if id%3 != 0 { // users that look
			clicks <- click{id, id%2 == 0}
		}
	}
	close(clicks)
	done.Wait()
	fmt.Println("right:", l.right)
}

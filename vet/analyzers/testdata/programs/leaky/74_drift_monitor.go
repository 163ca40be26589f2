// Command drift_monitor serves a regression model and checks whether its predictions
// drift away from those of the first day.
//
// Leaky: observe appends the detached predictions of every request to a package-level
// variable. They are small and have no graph, but are never dropped: one tensor per
// request.
package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const window = 50

var (
	seen      []*torch.Tensor // predictions, newest last
	reference struct{ mean, std float64 }
)

// observe adds the predictions of a request. It returns the drift of the newest
// predictions in standard deviations.
func observe(y *torch.Tensor) float64 {
	seen = append(seen, torch.Disown(y.Detach())) // want leak
	if len(seen) < window {
		return 0
	}
	recent := torch.Cat(seen[len(seen)-window:])
	mean := recent.Mean().Item()
	if len(seen) == window {
		reference.mean, reference.std = mean, recent.Std().Item()
	}
	return math.Abs(mean-reference.mean) / max(reference.std, 1e-9)
}

type service struct{ model *nn.Sequential }

func newService() *service {
	s := &service{nn.NewSequential(nn.NewLinear(5, 16), nn.NewSiLU(), nn.NewLinear(16, 1))}
	s.model.Eval()
	return s
}

func (s *service) handle(rows [][]float32) (answers []float32, drift float64) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			y := s.model.Forward(torch.NewTensor(rows)).Squeeze(1)
			answers = y.Float32s()
			drift = observe(y)
		})
	})
	return answers, drift
}

func main() {
	torch.ManualSeed(14)
	s := newService()
	defer s.model.Close()
	worst := 0.0
	for request := range 300 {
		rows := make([][]float32, 1+request%4)
		for i := range rows {
			shift := float32(request) / 300
			rows[i] = []float32{shift, float32(i), 0.5, -shift, 1}
		}
		answers, drift := s.handle(rows)
		worst = max(worst, drift)
		if request%100 == 99 {
			fmt.Printf("request %d: %d answers, drift %.2f\n", request+1, len(answers), drift)
		}
	}
	fmt.Printf("worst drift %.2f\n", worst)
}

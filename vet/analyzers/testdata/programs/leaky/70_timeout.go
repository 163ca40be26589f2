// Command timeout answers requests within a deadline. The model runs on a separate
// goroutine, and if it is late the client gets an error.
//
// Leaky: after a timeout nothing receives from the unbuffered channel, so the goroutine
// of the late answer waits forever and keeps its result. Each late request leaves one
// goroutine and one tensor of 16 KiB.
package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var errLate = errors.New("the model is late")

type server struct {
	model *nn.Sequential
	limit time.Duration
}

// predict runs the model, slowly for every third request.
func (s *server) predict(id int) *torch.Tensor {
	if id%3 == 0 {
		time.Sleep(2 * s.limit)
	}
	var y *torch.Tensor
	torch.NoGrad(func() {
		y = torch.Tidy(func() *torch.Tensor { return s.model.Forward(torch.Randn(torch.Shape{4, 64})) })
	})
	return y
}

// answer returns the mean of the model's result.
func (s *server) answer(id int) (float64, error) {
	done := make(chan *torch.Tensor)
	go func() {
		done <- s.predict(id) // want leak
	}()
	select {
	case y := <-done:
		defer y.Close()
		mean := y.Mean()
		defer mean.Close()
		return mean.Item(), nil
	case <-time.After(s.limit):
		return 0, errLate
	}
}

func main() {
	torch.ManualSeed(10)
	s := &server{
		model: nn.NewSequential(nn.NewLinear(64, 128), nn.NewReLU(), nn.NewLinear(128, 1024)),
		limit: 2 * time.Millisecond,
	}
	defer s.model.Close()
	s.model.Eval()
	answered, late, sum := 0, 0, 0.0
	for id := range 200 {
		v, err := s.answer(id)
		if errors.Is(err, errLate) {
			late++
			continue
		}
		answered++
		sum += v
	}
	fmt.Printf("%d answered (mean %.4f), %d late\n", answered, sum/float64(max(answered, 1)), late)
}

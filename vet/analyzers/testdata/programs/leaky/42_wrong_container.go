// A window of frames: the count is reset, but not the list of frames.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type frameStack struct {
	frames []*torch.Tensor
	count  int
}

func (s *frameStack) add(f *torch.Tensor) {
	s.frames = append(s.frames, f) // want leak
	s.count++
	if s.count == 4 {
		s.count = 0
	}
}

func (s *frameStack) observation() *torch.Tensor {
	return torch.Stack(s.frames[len(s.frames)-4:], 0)
}

func main() {
	policy := nn.NewSequential(nn.NewFlatten(), nn.NewLinear(4*84*84, 6))
	defer policy.Close()
	stack := &frameStack{}
	for range 4 {
		stack.add(torch.Zeros(torch.Shape{84, 84}))
	}
	torch.NoGrad(func() {
		for {
			stack.add(torch.Rand(torch.Shape{84, 84}))
			q := policy.Forward(stack.observation().Unsqueeze(0))
			if a := q.ArgMax().ItemInt(); a == 5 {
				fmt.Println("fire")
			}
		}
	})
}

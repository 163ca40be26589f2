// A window of four frames in an array.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type frameStack struct {
	frames [4]*torch.Tensor
	next   int
}

func (s *frameStack) add(f *torch.Tensor) {
	_ = s.frames[s.next].Close()
	s.frames[s.next] = f
	s.next = (s.next + 1) % len(s.frames)
}

func (s *frameStack) observation() *torch.Tensor {
	return torch.Stack(append(s.frames[s.next:], s.frames[:s.next]...), 0)
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

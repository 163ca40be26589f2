package clean

import (
	"github.com/gotorch/gotorch/torch"
)

// Every epoch requests the same samples.
type samples struct{ known map[int]*torch.Tensor }

func (s *samples) get(i int) *torch.Tensor {
	if t, ok := s.known[i]; ok {
		return t
	}
	t := torch.Disown(torch.Ones(torch.Shape{128}))
	s.known[i] = t
	return t
}

func epochs(n, size int) (sum float64) {
	s := samples{map[int]*torch.Tensor{}}
	for range n {
		for i := range size {
			torch.Scope(func() { sum += s.get(i).Sum().Item() })
		}
	}
	return sum
}

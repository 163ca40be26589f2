package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

type memo struct{ known map[int]*torch.Tensor }

func (m *memo) get(i int) *torch.Tensor {
	if t, ok := m.known[i]; ok {
		return t
	}
	t := torch.Disown(torch.Ones(torch.Shape{128}))
	m.known[i] = t // leak: growing
	return t
}

func memos(n int) (sum float64) {
	m := memo{map[int]*torch.Tensor{}}
	for i := range n {
		torch.Scope(func() { sum += m.get(i).Sum().Item() })
	}
	return sum
}

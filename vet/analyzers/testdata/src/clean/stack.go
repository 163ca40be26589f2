package clean

import (
	"github.com/gotorch/gotorch/torch"
)

type node struct {
	t    *torch.Tensor
	next *node
}

func stack(n int, w *torch.Tensor) {
	var head *node
	for i := range n {
		head = &node{w.Mul(w), head}
		if i%2 == 1 {
			_ = head.t.Close()
			head = head.next
		}
	}
}

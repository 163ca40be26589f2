package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func window(n int, w *torch.Tensor) {
	var last []*torch.Tensor
	for range n {
		torch.Scope(func() { last = append(last, torch.Keep(w.Mul(w))) })
		if len(last) > 8 {
			_ = last[0].Close()
			last = last[1:]
		}
	}
	discard(last...)
}

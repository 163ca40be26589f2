package plain

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func byName(n int, w *torch.Tensor) {
	outputs := map[string]*torch.Tensor{}
	for i := range n {
		name := fmt.Sprintf("step %d", i)
		outputs[name] = w.Mul(w) // leak: growing
	}
}

package indirect

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func newStep(w *torch.Tensor) (step func(), end func()) {
	return func() {
		x := w.Mul(w) // leak: looptensor
		fmt.Println(x.Item())
	}, func() {}
}

func returned(n int, w *torch.Tensor) {
	step, end := newStep(w)
	for range n {
		step()
	}
	end()
}

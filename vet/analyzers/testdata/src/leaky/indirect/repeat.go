package indirect

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func repeat(n int, fn func(int)) {
	for i := range n {
		fn(i)
	}
}

func repeated(n int, w *torch.Tensor) {
	repeat(n, func(i int) {
		x := w.Mul(w) // leak: looptensor
		fmt.Println(i, x.Item())
	})
}

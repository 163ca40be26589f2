package plain

import (
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
)

var norms []*torch.Tensor

func gradNorms(n int, w *torch.Tensor) {
	for range n {
		torch.Scope(func() {
			w.SetGrad(nil)
			w.Mul(w).Sum().Backward()
			norms = append(norms, torch.Keep(nnutil.ClipGradNorm_([]*torch.Tensor{w}, 1))) // leak: growing
		})
	}
}

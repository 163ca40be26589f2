package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

type job interface{ work(w *torch.Tensor) }

type squares struct{ sum float64 }

func (s *squares) work(w *torch.Tensor) {
	x := w.Mul(w) // leak: looptensor
	s.sum += x.Item()
}

func runJobs(n int, w *torch.Tensor) {
	for _, j := range []job{&squares{}} {
		for range n {
			j.work(w)
		}
	}
}

package growing

import "github.com/gotorch/gotorch/torch"

type log struct{ kept, shown []*torch.Tensor }

func (l *log) run(n int, w *torch.Tensor) {
	for range n {
		l.kept = append(l.kept, w.Mul(w)) // want `put into kept in every iteration, and nothing reads it later`
		l.shown = append(l.shown, w.Mul(w))
		w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return nil }) // want `a hook is added in every iteration`
		//torchvet:ignore growing counts the hooks
		w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return nil })
	}
}

func (l *log) show() *torch.Tensor { return torch.Stack(l.shown, 0) }

// What is kept existed before.
func names(n int, w *torch.Tensor) int {
	var all []*torch.Tensor
	for range n {
		all = append(all, w)
	}
	return len(all)
}

// A type may be a slice of itself.
type loop []loop

func recursive(n int) loop {
	var all loop
	for range n {
		all = append(all, all)
	}
	return all
}

// A goroutine receives the tensors that are sent, and closes them.
func drained(n int, w *torch.Tensor) {
	ch := make(chan *torch.Tensor)
	go func() {
		for t := range ch {
			_ = t.Close()
		}
	}()
	for range n {
		ch <- w.Mul(w)
	}
	close(ch)
}

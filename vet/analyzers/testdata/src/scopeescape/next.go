package scopeescape

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// The next step of a loop uses a tensor that was freed at the end of this step.
func next(l *data.Loader, m nn.Layer, rnn *nn.LSTM, n int) {
	var total, prev, h, c, fresh, kept, reset *torch.Tensor
	for batch := range l.All() {
		y := m.Forward(batch.Input)
		total = total.Add(y) // want `used in the next step at line 14`
		if prev != nil {
			y = y.Add(prev)
		}
		prev = y.Detach() // want `used in the next step at line 16`
		fresh = y.Add(y)
		_ = fresh.Item()
		kept = torch.Disown(kept.Add(y))
		y.Add(reset)
		reset = y.Sum()
		reset = nil
	}
	for range n {
		torch.Scope(func() {
			_, hn, cn := rnn.Forward(torch.Rand(), h, c)
			h = hn.Detach() // want `used in the next step at line 28`
			c = cn          // want `used in the next step at line 28`
		})
	}
	torch.Scope(func() { prev = m.Forward(prev) }) // runs once
}

func results(l *data.Loader, rnn *nn.LSTM) {
	var h, c *torch.Tensor
	for batch := range l.All() {
		_, h, c = rnn.Forward(batch.Input, h, c) // want `used in the next step` `used in the next step`
	}
}

type stats struct{ sum, once *torch.Tensor }

func (s *stats) add(x *torch.Tensor) {
	s.sum = s.sum.Add(x) // want `s.sum is freed at the end of the loader's step`
}

func (s *stats) keep(x *torch.Tensor) {
	s.once = torch.Disown(s.once.Add(x))
}

func epoch(l *data.Loader) {
	s := &stats{}
	for batch := range l.All() {
		s.add(batch.Input)
		s.keep(batch.Input)
	}
}

package growing

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func noHook(g *torch.Tensor) *torch.Tensor { return nil }

// The number of hooks on each parameter grows with the outer loop, not with the loop over
// the parameters.
func onEach(n int, m *nn.Linear, x *torch.Tensor) {
	for _, p := range m.Parameters() {
		p.RegisterHook(noHook)
	}
	ps := m.Parameters()
	for i := range ps {
		ps[i].RegisterHook(noHook)
	}
	for range n {
		for _, p := range m.Parameters() {
			p.RegisterHook(noHook) // want `a hook is added in every iteration`
		}
		for i := range ps {
			ps[i].RegisterHook(noHook) // want `a hook is added in every iteration`
		}
		for i := 0; i < len(ps); i++ {
			ps[i].RegisterHook(noHook) // want `a hook is added in every iteration`
		}
		own := m.Parameters()
		for _, p := range own {
			p.RegisterHook(noHook) // want `a hook is added in every iteration`
		}
		for _, p := range m.Parameters() {
			h := p.RegisterHook(noHook)
			defer h.Remove()
		}
		m.Forward(x).Sum().Backward()
	}
}

func hooksInEpochs(n int, m *nn.Linear, x *torch.Tensor) {
	for range n {
		for range n {
			for _, p := range m.Parameters() {
				p.RegisterHook(noHook) // want `a hook is added in every iteration`
			}
			m.Forward(x).Sum().Backward()
		}
	}
}

func watch(w *torch.Tensor) {
	w.RegisterHook(noHook) // want `a hook is added in every iteration`
}

func watchNew(w *torch.Tensor) { w.RegisterHook(noHook) }

func watchAll(m *nn.Linear) {
	for _, p := range m.Parameters() {
		p.RegisterHook(noHook) // want `a hook is added in every iteration`
	}
}

func helpers(n int, m *nn.Linear, w, x *torch.Tensor) {
	watch(w)
	for range n {
		watch(w)
		watchAll(m)
		fresh := m.Forward(x)
		watchNew(fresh)
	}
}

// If a struct is emptied, the list in its field is emptied too.
type batch struct{ ts []*torch.Tensor }

func (b *batch) close() {
	for _, t := range b.ts {
		_ = t.Close()
	}
}

type buffer struct{ ts []*torch.Tensor }

type journal struct{ ts []*torch.Tensor }

func replaced(n int, m *nn.Linear, x *torch.Tensor) {
	var b batch
	p, l := &buffer{}, journal{}
	for i := 0; ; i++ {
		b.ts = append(b.ts, torch.Disown(torch.Rand()))
		p.ts = append(p.ts, torch.Disown(torch.Rand()))
		l.ts = append(l.ts, torch.Disown(torch.Rand())) // want `nothing reads it later`
		if i%10 == 9 {
			b.close()
			b = batch{}
			p = &buffer{}
		}
	}
}

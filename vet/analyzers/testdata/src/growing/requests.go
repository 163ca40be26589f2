package growing

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The cache of a server grows with each request. The loop over the requests ends.
type texts struct {
	model *nn.Linear
	made  map[string]*torch.Tensor
	few   map[int]*torch.Tensor
}

func (t *texts) get(text string, x *torch.Tensor) float64 {
	if y, ok := t.made[text]; ok {
		return y.Item()
	}
	torch.Scope(func() {
		t.made[text] = torch.Disown(t.model.Forward(x)) // want `made grows without bound`
	})
	return t.made[text].Item()
}

func (t *texts) size(n int, x *torch.Tensor) float64 {
	if t.few[n] == nil {
		t.few[n] = torch.Disown(x.Mul(x))
	}
	return t.few[n].Item()
}

func requests(n int, model *nn.Linear, x *torch.Tensor) (sum float64) {
	t := &texts{model: model, made: map[string]*torch.Tensor{}, few: map[int]*torch.Tensor{}}
	for i := range n {
		sum += t.get(fmt.Sprint(i), x) + t.size(i%8, x)
	}
	return sum
}

// A reservoir calls a different method to check whether it is full.
type reservoir struct {
	items []*torch.Tensor
	room  int
}

func (r *reservoir) full() bool { return len(r.items) >= r.room }

func (r *reservoir) offer(x *torch.Tensor) {
	if r.full() {
		return
	}
	r.items = append(r.items, torch.Disown(x.Mul(x)))
}

type newest struct{ items []*torch.Tensor }

func (l *newest) add(x *torch.Tensor) {
	l.items = append(l.items, torch.Disown(x.Mul(x))) // want `put into items in every iteration`
}

func offers(n int, x *torch.Tensor) (sum float64) {
	r, l := &reservoir{room: 9}, &newest{}
	for range n {
		r.offer(x)
		l.add(x)
		sum += r.items[0].Item() + l.items[len(l.items)-1].Item()
	}
	return sum
}

// A pool has a list of all tensors that it lends, to close them.
type lender struct {
	free chan *torch.Tensor
	all  []*torch.Tensor
}

func newLender(n int, x *torch.Tensor) *lender {
	p := &lender{free: make(chan *torch.Tensor, n)}
	for range n {
		t := x.Mul(x)
		p.all = append(p.all, t)
		p.free <- t
	}
	return p
}

func (p *lender) close() {
	for _, t := range p.all {
		_ = t.Close()
	}
}

func answers(ctx context.Context, n int, model *nn.Linear, x *torch.Tensor) {
	for range n {
		answer(ctx, model, x)
		answerInTime(ctx, model, x)
	}
}

func answer(ctx context.Context, model *nn.Linear, x *torch.Tensor) float64 {
	out := make(chan float64)
	go func() {
		out <- model.Forward(x).Item() // want `this goroutine waits forever`
	}()
	select {
	case y := <-out:
		return y
	case <-ctx.Done():
		return 0
	}
}

func answerInTime(ctx context.Context, model *nn.Linear, x *torch.Tensor) float64 {
	out := make(chan float64, 1)
	go func() { out <- model.Forward(x).Item() }()
	select {
	case y := <-out:
		return y
	case <-ctx.Done():
		return 0
	}
}

// A hook is added once, because only one step of the loop adds it.
func hookInOneStep(n int, w *torch.Tensor) {
	for i := range n {
		if i == 6 {
			w.RegisterHook(noHook)
		}
	}
}

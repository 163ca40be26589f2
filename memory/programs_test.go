package memory_test

import (
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A program returns a function that does one step of its work per call. The corpus has
// correct and leaky programs, written in common styles.
type program struct {
	name  string
	start func(p *running) (step func(i int))
}

// run runs some steps and ends the program. After that only garbage is left.
func (p *program) run(steps int) {
	r := &running{}
	step := p.start(r)
	for i := range steps {
		step(i)
	}
	r.end()
}

// running is the state of a running program. Its tensors are closed at its end.
type running struct {
	ends    []func()
	weights []*torch.Tensor
}

func (p *running) atEnd(fn func()) { p.ends = append(p.ends, fn) }

func (p *running) end() {
	for _, fn := range p.ends {
		fn()
	}
}

// owns closes tensors when the program ends.
func (p *running) owns(ts ...*torch.Tensor) *torch.Tensor {
	p.atEnd(closeAll(ts...))
	return ts[0]
}

func (p *running) weight(n int64) *torch.Tensor {
	p.weights = append(p.weights, torch.Randn(torch.Shape{n, n}).RequiresGrad_())
	w := p.weights[len(p.weights)-1]
	p.atEnd(func() { torch.ZeroGrad(w); _ = w.Close() })
	return w
}

// bag contains tensors that are closed at the end.
type bag struct{ ts []*torch.Tensor }

func (p *running) bag() *bag {
	b := &bag{}
	p.atEnd(func() { closeAll(b.ts...)() })
	return b
}

func (b *bag) put(t *torch.Tensor) { b.ts = append(b.ts, torch.Disown(t)) }

// trainer contains a model, its optimizer and its data.
type trainer struct {
	model nn.Layer
	opt   optim.Optimizer
	x, y  *torch.Tensor
}

func (p *running) trainer(model nn.Layer, in ...int64) *trainer {
	t := &trainer{model: model, x: torch.Randn(torch.Shape(in)), y: torch.Zeros(torch.Shape{in[0]}, torch.Int64)}
	adam := optim.NewAdam(model.Parameters())
	t.opt = adam
	p.atEnd(func() {
		adam.ZeroGrad()
		_ = adam.Close()
		_ = model.Close()
		closeAll(t.x, t.y)()
	})
	return t
}

func (p *running) mlp() *trainer {
	return p.trainer(nn.NewSequential(nn.NewLinear(8, 16), nn.NewReLU(), nn.NewLinear(16, 4)), 4, 8)
}

func (t *trainer) loss() *torch.Tensor { return functional.CrossEntropy(t.model.Forward(t.x), t.y) }

// step runs one training step and returns the loss.
func (t *trainer) step() *torch.Tensor {
	t.opt.ZeroGrad()
	loss := t.loss()
	loss.Backward()
	t.opt.Step()
	return loss
}

// scoped runs each step in a scope.
func scoped(step func(i int)) func(i int) {
	return func(i int) { torch.Scope(func() { step(i) }) }
}

// training is a program that trains a model in scopes.
func training(make func() nn.Layer, in ...int64) func(p *running) func(int) {
	return func(p *running) func(int) {
		t := p.trainer(make(), in...)
		return scoped(func(int) { t.step() })
	}
}

// small returns a tensor of 64 elements.
func small() *torch.Tensor { return torch.Ones(torch.Shape{64}) }

// replace closes the tensor in *at and stores t there instead.
func replace(at **torch.Tensor, t *torch.Tensor) {
	if *at != nil {
		_ = (*at).Close()
	}
	*at = torch.Disown(t)
}

// pooled returns a sync.Pool of tensors.
func pooled() *sync.Pool { return &sync.Pool{New: func() any { return torch.Disown(small()) }} }

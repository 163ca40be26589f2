package claims

import (
	"io"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// training is a network with its optimizer and one batch of random data.
type training struct {
	name      string
	forward   func(x *torch.Tensor) *torch.Tensor
	params    []*torch.Tensor
	opt       optim.Optimizer
	x, target *torch.Tensor
	net       io.Closer
}

// convNet returns a small CNN built from layers, which free their own temporaries. Only
// the output and the loss of a step are left to the collector.
func convNet(batch int64) *training {
	torch.ManualSeed(0)
	net := nn.NewSequential(
		nn.NewConv2d(1, 16, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(16, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(32*5*5, 10),
	)
	return prepare("CNN of layers", net.Forward, net.Parameters(), torch.Shape{batch, 1, 28, 28}, net)
}

// layersMLP returns a multilayer perceptron built from layers.
func layersMLP(batch int64) *training {
	torch.ManualSeed(0)
	net := nn.NewSequential(nn.NewLinear(784, 128), nn.NewReLU(), nn.NewLinear(128, 10))
	return prepare("MLP of layers", net.Forward, net.Parameters(), torch.Shape{batch, 784}, net)
}

// operatorMLP returns a multilayer perceptron written with operators. No layer frees the
// temporaries, so each step leaves all of them to the collector.
func operatorMLP(batch int64) *training {
	torch.ManualSeed(0)
	layers := []*nn.Linear{nn.NewLinear(784, 512), nn.NewLinear(512, 512), nn.NewLinear(512, 10)}
	net := nn.NewModuleList(layers[0], layers[1], layers[2])
	forward := func(x *torch.Tensor) *torch.Tensor {
		h := layers[0].Forward(x).ReLU()
		h = layers[1].Forward(h).ReLU()
		return layers[2].Forward(h)
	}
	return prepare("MLP of operators", forward, net.Parameters(), torch.Shape{batch, 784}, net)
}

func prepare(name string, forward func(*torch.Tensor) *torch.Tensor, params []*torch.Tensor, input torch.Shape,
	net io.Closer,
) *training {
	return &training{
		name: name, forward: forward, params: params,
		opt:    optim.NewSGD(params, optim.LR(1e-3)),
		x:      torch.Randn(input),
		target: torch.RandInt(0, 10, torch.Shape{input[0]}),
		net:    net,
	}
}

// step runs one training iteration and closes nothing.
func (t *training) step() { t.learn(F.CrossEntropy(t.forward(t.x), t.target)) }

// stepClosing is one iteration that closes its tensors as early as possible.
func (t *training) stepClosing() {
	out := t.forward(t.x)
	loss := F.CrossEntropy(out, t.target)
	out.Close()
	t.learn(loss)
	loss.Close()
}

func (t *training) learn(loss *torch.Tensor) {
	t.opt.ZeroGrad()
	loss.Backward()
	t.opt.Step()
}

// Close frees the network, the optimizer's state and the data.
func (t *training) Close() {
	t.opt.Close()
	t.net.Close()
	closeAll([]*torch.Tensor{t.x, t.target})
}

// times returns a function that calls fn n times.
func times(n int64, fn func()) func() {
	return func() {
		for range n {
			fn()
		}
	}
}

// scoped returns a function that calls fn in a scope.
func scoped(fn func()) func() { return func() { torch.Scope(fn) } }

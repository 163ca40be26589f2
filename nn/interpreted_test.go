package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// proxy is the value that an interpreter passes as a module. It wraps the interpreted
// object, and its methods call the object's methods.
type proxy struct{ object nn.Layer }

func (p *proxy) ModuleBase() *nn.Base { return p.object.ModuleBase() }

func (p *proxy) Parameters(opts ...nn.RecurseOption) []*torch.Tensor {
	return p.object.Parameters(opts...)
}

func (p *proxy) NamedParameters(opts ...nn.ListOption) []nn.NamedTensor {
	return p.object.NamedParameters(opts...)
}

func (p *proxy) StateDict() nn.StateDict               { return p.object.StateDict() }
func (p *proxy) Train()                                { p.object.Train() }
func (p *proxy) Eval()                                 { p.object.Eval() }
func (p *proxy) To(opts ...torch.ToOption)             { p.object.To(opts...) }
func (p *proxy) ZeroGrad()                             { p.object.ZeroGrad() }
func (p *proxy) Close() error                          { return p.object.Close() }
func (p *proxy) String() string                        { return p.object.String() }
func (p *proxy) Forward(x *torch.Tensor) *torch.Tensor { return p.object.Forward(x) }
func (p *proxy) LoadStateDict(src nn.StateSource, opts ...nn.LoadOption) error {
	return p.object.LoadStateDict(src, opts...)
}

// An interpreter creates a new proxy of a module each time that it converts the module
// to an interface.
func TestInterpretedModules(t *testing.T) {
	scoped(t, func() {
		p := new(plain)
		p.Init(&proxy{p}, nn.TypeName("Plain"))
		p.RegisterParameter("w", torch.Ones(torch.Shape{2}))
		seq := nn.NewSequential(&proxy{p}, nn.NewReLU())
		defer seq.Close()
		assert.Equal(t, "Sequential(\n  (0): Plain()\n  (1): ReLU()\n)", seq.String())
		assert.Equal(t, []string{"0.w"}, seq.StateDict().Names())
		torchtest.AllClose(t, torch.Ones(torch.Shape{3}), seq.Forward(torch.Ones(torch.Shape{3})))
		assert.Len(t, nn.Modules(&proxy{p}), 1)

		other := new(plain)
		assert.ErrorIs(t, torch.Try(func() { p.Init(&proxy{other}) }), torch.ErrValue)
	})
}

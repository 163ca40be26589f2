package nn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// caching is a module that stores an activation in a field. keep decides what it
// stores.
type caching struct {
	nn.Base
	fc    *nn.Linear
	keep  func(*torch.Tensor) *torch.Tensor
	cache *torch.Tensor
}

func newCaching(keep func(*torch.Tensor) *torch.Tensor) *caching {
	n := &caching{keep: keep}
	n.Init(n)
	n.fc = nn.NewLinear(1, 1, n.As("fc"))
	return n
}

func (n *caching) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		h := n.fc.Forward(x)
		n.cache = n.keep(h)
		return h.AddScalar(1)
	})
}

// Forward caches an activation within a loader's loop. If a program uses the activation
// after it was freed, the error says what freed it and which function would have kept
// it. That function works.
func TestCachedActivation(t *testing.T) {
	set := data.NewTensorDataset(torch.Disown(torch.Ones(torch.Shape{2, 1})))
	defer func() { _ = set.Close() }()
	for name, c := range map[string]struct {
		keep func(*torch.Tensor) *torch.Tensor
		says string // "" if the activation is still alive
	}{
		"as it is": {func(h *torch.Tensor) *torch.Tensor { return h }, "after the call of the module that made it, " +
			"which frees all but the result: return it from Forward, or torch.Disown it"},
		"kept":     {torch.Keep, "after its step of the loader's loop: torch.Disown it to keep it"},
		"disowned": {func(h *torch.Tensor) *torch.Tensor { return torch.Disown(h.Detach()) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			n := newCaching(c.keep)
			defer func() { _ = n.Close() }()
			for b := range data.NewLoader(set).All() {
				if b.Index == 0 {
					n.Forward(b.Input)
					continue
				}
				err := torch.Try(func() { n.cache.Item() })
				if c.says == "" {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, torch.ErrClosed)
				require.ErrorContains(t, err, c.says)
			}
			_ = n.cache.Close()
		})
	}
}

func TestParameterPrints(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := nn.NewLinear(1, 1)
	defer func() { _ = m.Close() }()
	torch.NoGrad(func() { m.Weight.Fill_(0.5) })
	assert.Equal(t, "Parameter containing:\ntensor([[0.5000]], requires_grad=True)", fmt.Sprint(m.Weight))
	torch.Scope(func() { assert.Equal(t, "tensor([[0.5000]])", fmt.Sprint(m.Weight.Detach())) })
	assert.Equal(t, "None", fmt.Sprint(m.Weight.Grad()))
}

package nn

import (
	"github.com/gotorch/gotorch/torch"
)

// Identity returns its input. Follows torch.nn.Identity.
type Identity struct{ Base }

// NewIdentity makes an Identity. Follows torch.nn.Identity.
func NewIdentity(opts ...InitOption) *Identity {
	l := new(Identity)
	l.buildPlain(l, opts)
	return l
}

// Forward returns x itself.
func (l *Identity) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return x })
}

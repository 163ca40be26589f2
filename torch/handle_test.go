package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

// HandleFor reports a nil or closed tensor even for an argument number that the operator does not
// have.
func TestHandleForAnArgumentThatIsNot(t *testing.T) {
	var none *torch.Tensor
	closed := torch.Zeros(torch.Shape{2})
	assert.NoError(t, closed.Close())
	for _, arg := range []int{-1, 1} {
		assert.ErrorIs(t, torch.Try(func() { none.HandleFor("Op(self)", arg) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { closed.HandleFor("Op(self)", arg) }), torch.ErrClosed)
		assert.ErrorIs(t, torch.Try(func() { closed.OptionalHandleFor("Op(self)", arg) }), torch.ErrClosed)
		assert.Zero(t, none.OptionalHandleFor("Op(self)", arg))
	}
}

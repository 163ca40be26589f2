package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Any byte except 0 is true. Go bools must be 0 or 1: with other bytes they would equal true but
// differ as map keys.
func TestBoolsOfBytes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]uint8{2, 255, 0, 1}).ViewDType(torch.Bool)
		ones := 0
		for _, b := range x.Bools() {
			if b {
				ones++
			}
		}
		assert.Equal(t, 3, ones)
		assert.Equal(t, []bool{true, true, false, true}, x.Bools())
		keys := map[any]bool{}
		for _, b := range x.ToList().([]any) {
			keys[b] = true
		}
		assert.Len(t, keys, 2)
		assert.Equal(t, []uint8{2, 255, 0, 1}, x.ViewDType(torch.Uint8).Uint8s(), "the tensor stays as it is")
		assert.Empty(t, torch.Zeros(torch.Shape{0}, torch.Bool).Bools())
	})
}

package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// If resizing fails, the tensor is unchanged. Otherwise it would reach beyond its storage and read
// unrelated memory.
func TestResizeThatFailsChangesNothing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		large := torch.Empty(torch.Shape{1 << 22, 1 << 22}, torch.Meta)
		for name, x := range map[string]*torch.Tensor{
			"own":    torch.FromSlice([]float32{0, 1, 2, 3, 4, 5}, 2, 3).T(),
			"shared": torch.FromSliceShared([]float32{0, 1, 2, 3, 4, 5}, 2, 3).T(),
			"a part": torch.FromSliceShared([]float32{9, 0, 1, 2, 3, 4, 5}).Narrow(0, 1, 6).View(2, 3).T(),
		} {
			for range 2 {
				for what, call := range map[string]func(){
					"Resize_":   func() { x.Resize_(1<<22, 1<<22) },
					"ResizeAs_": func() { x.ResizeAs_(large) },
				} {
					var e *torch.Error
					require.ErrorAs(t, torch.Try(call), &e, "%s %s", name, what)
					assert.Equal(t, what, e.Op)
					assert.Equal(t, torch.Shape{3, 2}, x.Shape(), name)
					assert.Equal(t, []int64{1, 3}, x.Stride(), name)
					assert.Equal(t, []float32{0, 3, 1, 4, 2, 5}, x.Float32s(), name)
				}
			}
			x.Resize_(2)
			assert.Equal(t, []float32{0, 1}, x.Float32s(), name)
		}
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		require.ErrorIs(t, torch.Try(func() { w.Resize_(3) }), torch.ErrAutograd)
		require.ErrorIs(t, torch.Try(func() { w.Resize_(-3) }), torch.ErrAutograd)
		s := torch.Ones(torch.Shape{2}).ToSparse()
		require.Error(t, torch.Try(func() { s.Resize_(-3) }))
	})
}

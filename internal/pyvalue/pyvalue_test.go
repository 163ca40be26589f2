package pyvalue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

type named []any

func TestItems(t *testing.T) {
	for _, v := range []any{[]any{1, 2}, named{1, 2}, []int{1, 2}, [2]int{1, 2}} {
		items, ok := pyvalue.Items(v)
		assert.True(t, ok)
		assert.Equal(t, []any{1, 2}, items)
	}
	for _, v := range []any{nil, []byte{1}, [1]byte{1}, "x", 1, map[string]int{}} {
		_, ok := pyvalue.Items(v)
		assert.False(t, ok, "%T", v)
	}
	assert.True(t, pyvalue.IsTuple(named{}) && pyvalue.IsTuple([1]int{}))
	assert.False(t, pyvalue.IsTuple(nil) || pyvalue.IsTuple([]int{}) || pyvalue.IsTuple(1))
}

func TestNumbers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Ones(torch.Shape{})
		assert.NoError(t, closed.Close())
		for _, v := range []any{
			2, int64(2), 2.0, torch.Full(torch.Shape{1}, 2.0),
			torch.Full(torch.Shape{}, int64(2), torch.Int64),
		} {
			f, ok := pyvalue.Float(v)
			assert.True(t, ok, "%T", v)
			assert.Equal(t, 2.0, f)
		}
		for _, v := range []any{
			nil, true, "2", (*torch.Tensor)(nil), closed, torch.Ones(torch.Shape{2}),
			torch.Ones(torch.Shape{}, torch.Complex64),
			torch.Ones(torch.Shape{}, torch.Meta),
		} {
			_, ok := pyvalue.Float(v)
			assert.False(t, ok, "%T", v)
		}
		for v, want := range map[any]bool{
			2: true, int64(2): true, 2.0: true, 2.5: false, 1e300: false, "2": false,
			true: false,
		} {
			_, ok := pyvalue.Int(v)
			assert.Equal(t, want, ok, "%v", v)
		}
	})
}

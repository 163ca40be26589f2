package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// A tensor may have more elements than fit in memory. Copying them to a Go slice causes
// an error, not a crash.
func TestMoreElementsThanMemory(t *testing.T) {
	torch.Scope(func() {
		one := torch.Ones(torch.Shape{1})
		live := torch.NumLiveTensors()
		for _, n := range []int64{1 << 47, 1 << 62} {
			wide := one.Expand(n)
			for op, call := range map[string]func(){
				"Float32s":    func() { wide.Float32s() },
				"Float64s":    func() { wide.Float64s() },
				"Int64s":      func() { wide.Int64s() },
				"Int32s":      func() { wide.Int32s() },
				"Uint8s":      func() { wide.Uint8s() },
				"Bools":       func() { wide.Bools() },
				"Complex128s": func() { wide.Complex128s() },
				"ToList":      func() { wide.ToList() },
			} {
				var e *torch.Error
				require.ErrorAs(t, torch.Try(call), &e, op)
				assert.ErrorIs(t, e, torch.ErrOutOfMemory, op)
				assert.Equal(t, op, e.Op)
			}
			require.NoError(t, wide.Close())
		}
		for _, s := range []torch.Shape{{1 << 47, 0}, {0, 1 << 47}, {1 << 20, 1 << 20, 1 << 20, 0}} {
			none := torch.Empty(s)
			if s[0] == 0 {
				assert.Equal(t, []any{}, none.ToList())
			} else {
				assert.ErrorIs(t, torch.Try(func() { none.ToList() }), torch.ErrOutOfMemory)
			}
			assert.Empty(t, none.Float32s())
			require.NoError(t, none.Close())
		}
		assert.Equal(t, live, torch.NumLiveTensors())
	})
}

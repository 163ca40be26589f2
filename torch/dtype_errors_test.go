package torch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// Any integer can be converted to a DType. Invalid DTypes are rejected, and never treated as not
// given. All dtypes of libtorch can be used.
func TestDTypesThatAreNot(t *testing.T) {
	none := 48 // the first invalid value
	if strings.HasPrefix(torch.Version(), "2.11.") {
		none = 47
	}
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		for n := math.MinInt8; n <= math.MaxInt8; n++ {
			d := torch.DType(n)
			for op, call := range map[string]func(){
				"Empty":        func() { torch.Empty(torch.Shape{2}, d) },
				"RandInt":      func() { torch.RandInt(0, 2, torch.Shape{2}, d) },
				"To":           func() { x.To(d) },
				"Sum":          func() { x.Sum(d) },
				"PromoteTypes": func() { torch.PromoteTypes(d, torch.Float32) },
				"CanCast":      func() { torch.CanCast(d, torch.Float32) },
			} {
				err := torch.Try(call)
				if n < 0 || n >= none {
					var e *torch.Error
					require.ErrorAs(t, err, &e, "%s of %d", op, n)
					assert.ErrorIs(t, err, torch.ErrDType, "%s of %d", op, n)
					assert.Equal(t, op, e.Op)
				} else if op == "Empty" {
					assert.NoError(t, err, "%s of %d", op, n)
				}
			}
		}
		torch.WithDType(torch.Float64, func() {
			assert.ErrorIs(t, torch.Try(func() { torch.Zeros(torch.Shape{2}, torch.DType(-5)) }), torch.ErrDType,
				"an invalid DType, not the default")
		})
	})
}

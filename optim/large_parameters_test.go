package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A large parameter is updated in blocks. The result has the same bits as if each block were its
// own parameter.
func TestLargeParameters(t *testing.T) {
	const block, n = 1 << 14, 5<<14 + 77
	tried := 0
	for _, m := range members {
		if !byElement(m) {
			continue
		}
		for _, how := range [][]optim.Option{nil, {optim.Maximize(true)}} {
			if len(how) > 0 && !m.takes(how[0]) {
				continue
			}
			tried++
			t.Run(m.name, func(t *testing.T) {
				scoped(t, func() {
					whole := torch.Arange(0, n, 1, torch.Float32).Sin().RequiresGrad_()
					var parts []*torch.Tensor
					for at := int64(0); at < n; at += block {
						parts = append(parts, whole.Detach().Narrow(0, at, min(block, n-at)).Clone().RequiresGrad_())
					}
					a, b := m.fresh(list(whole), how...), m.fresh(parts, how...)
					defer a.Close()
					defer b.Close()
					for i := range 3 {
						g := torch.Arange(float64(i), n+float64(i), 1, torch.Float32).Cos()
						whole.SetGrad(g)
						for k, p := range parts {
							at := int64(k) * block
							p.SetGrad(g.Narrow(0, at, min(block, n-at)))
						}
						a.Step()
						b.Step()
					}
					assert.True(t, torch.Cat(parts).Equal(whole))
					for name, s := range a.State(whole) {
						if s.Numel() == 1 {
							continue
						}
						var all []*torch.Tensor
						for _, p := range parts {
							all = append(all, b.State(p)[name])
						}
						assert.True(t, torch.Cat(all).Equal(s), name)
					}
				})
			})
		}
	}
	assert.GreaterOrEqual(t, tried, 22)
}

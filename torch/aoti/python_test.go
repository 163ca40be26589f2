package aoti_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// arguments returns the inputs and results of one run that Python recorded.
func arguments(all map[string]*torch.Tensor, run int) (in, out []*torch.Tensor) {
	for i := 0; all[fmt.Sprintf("%d.in.%d", run, i)] != nil; i++ {
		in = append(in, all[fmt.Sprintf("%d.in.%d", run, i)])
	}
	for i := 0; all[fmt.Sprintf("%d.out.%d", run, i)] != nil; i++ {
		out = append(out, all[fmt.Sprintf("%d.out.%d", run, i)])
	}
	return in, out
}

// A package returns bit-identical results in Go and in Python.
func TestSameAsPython(t *testing.T) {
	for _, name := range []string{"mlp", "conv", "parts"} {
		t.Run(name, func(t *testing.T) {
			all := recorded(t, name)
			t.Cleanup(torchtest.CheckLeaks(t))
			m := load(t, name)
			run := 0
			for ; all[fmt.Sprintf("%d.in.0", run)] != nil; run++ {
				in, want := arguments(all, run)
				torch.Scope(func() {
					for i := range in {
						// a new layout, because the last bits of sums depend on the memory
						// layout
						in[i] = in[i].Clone()
					}
					if name == "conv" {
						in[0] = in[0].To(torch.ChannelsLast)
					}
					got := m.Run(in...)
					require.Len(t, got, len(want))
					for i := range got {
						assert.True(t, got[i].Equal(want[i]), "run %d, result %d: %s", run, i,
							torchtest.Difference(want[i], got[i]))
						assert.False(t, got[i].RequiresGrad())
					}
				})
			}
			assert.Positive(t, run)
		})
	}
}

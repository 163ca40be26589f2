package optim_test

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/torch"
)

// If a step runs out of memory, part of its group may have changed, and the error says so. With
// Fused, and parameters of one dtype and layout, the group is unchanged and the step can be
// repeated.
func TestStepsOutOfMemory(t *testing.T) {
	data, err := os.ReadFile("testdata/peaks.json")
	require.NoError(t, err)
	var peaks map[string]any // Python's peaks, by "optimizer/implementation"
	require.NoError(t, json.Unmarshal(data, &peaks))
	for _, name := range slices.Sorted(maps.Keys(peaks)) {
		kind, how, _ := strings.Cut(name, "/")
		if kind == "LBFGS" {
			continue
		}
		for _, before := range []int{0, 2} {
			faults := failing.Sweep(func() failing.Case {
				torch.ManualSeed(1)
				var ps []*torch.Tensor
				for range 3 {
					p := torch.Rand(torch.Shape{3, 2}, torch.RequiresGrad(true))
					grad := torch.Rand(p.Shape())
					p.SetGrad(grad)
					ps = append(ps, p)
				}
				o := members["New"+kind].fresh(ps, implementation(how)...)
				for range before {
					o.Step()
				}
				step := func() error {
					err := torch.Try(o.Step)
					if err != nil && how != "fused" {
						assert.ErrorContains(t, err, "load a checkpoint before the next step")
					}
					return err
				}
				return failing.Case{Close: []io.Closer{o}, Call: step, State: func() (all []*torch.Tensor) {
					all = append(all, ps...)
					for _, p := range ps {
						state := o.State(p)
						for _, name := range slices.Sorted(maps.Keys(state)) {
							all = append(all, state[name])
						}
					}
					return all
				}}
			})
			t.Logf("%-16s after %d steps: %d failed; changed %q", name, before, faults.Failed, faults.Changed)
			assert.Positive(t, faults.Failed, name)
			assert.Empty(t, faults.Other, name)
			if how == "fused" {
				assert.Equal(t, failing.Faults{Failed: faults.Failed}, faults, "%s after %d steps", name, before)
			}
		}
	}
}

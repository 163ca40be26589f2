package data_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// A run ends after every few batches, and a new loader continues from its state, even in
// later epochs. Together, the loaders yield the batches of an uninterrupted run. The
// states record how many numbers the workers drew in earlier epochs.
func TestLoopsGoOnAgainAndAgain(t *testing.T) {
	for _, c := range readWorkerCases(t) {
		if c.Stop != nil {
			continue
		}
		var want [][]int64
		for _, e := range c.Epochs {
			want = append(want, e...)
		}
		for _, every := range []int{1, 3, len(c.Epochs[0]) + 1} {
			for form, loop := range forms {
				t.Run(c.String()+" "+form, func(t *testing.T) {
					defer torchtest.CheckLeaks(t)()
					torch.ManualSeed(c.Seed)
					l, _ := c.loader()
					var got [][]int64
					left := every
					for range 3 * len(want) { // more loops than can be needed
						if len(got) >= len(want) {
							break
						}
						require.NoError(t, loop(l, func(b data.Batch) bool {
							got = append(got, b.Input.Int64s())
							left--
							return left > 0
						}))
						if left > 0 {
							continue // the epoch has ended, so the same loader begins the next epoch
						}
						left = every
						text, err := json.Marshal(l.StateDict())
						require.NoError(t, err)
						torch.ManualSeed(99) // another process would begin with a different seed
						l, _ = c.loader()
						var s data.LoaderState
						require.NoError(t, json.Unmarshal(text, &s))
						require.NoError(t, l.LoadStateDict(s))
					}
					assert.Equal(t, want, got)
				})
			}
		}
	}
}

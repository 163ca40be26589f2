package profiler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// A recording with a memory limit keeps the first events.
func TestProfileOfLimitedMemory(t *testing.T) {
	const limit = 1 << 20
	x := torch.Ones(torch.Shape{8})
	defer func() { _ = x.Close() }()
	calls := func(n int, opts ...profiler.Option) *profiler.Profile {
		p, err := profiler.Run(func(p *profiler.Profile) {
			_, truncated := p.Truncated()
			assert.False(t, truncated)
			for range n {
				torch.Scope(func() { x.Exp() })
			}
			if n > 20_000 {
				_, truncated = p.Truncated()
				assert.True(t, truncated)
				require.NoError(t, p.ToggleCollection(true, profiler.CPU)) // does not resume the recording
			}
			profiler.RecordFunction("late", func() {})
		}, append(opts, profiler.MemoryLimit(limit))...)
		require.NoError(t, err)
		return p
	}
	for _, opts := range [][]profiler.Option{nil, {profiler.RecordShapes(true)}, {profiler.ProfileMemory(true)}} {
		p := calls(30_000, opts...)
		_, truncated := p.Truncated()
		assert.True(t, truncated)
		assert.Less(t, len(p.Events().Events), limit/40)
		assert.Greater(t, len(p.Events().Events), 1000)
		p = calls(100, opts...)
		_, truncated = p.Truncated()
		assert.False(t, truncated)
		assert.GreaterOrEqual(t, len(p.Events().Events), 100)
	}
	p, err := profiler.Run(func(p *profiler.Profile) { // records only regions
		for range 20_000 {
			profiler.RecordFunction("region", func() {})
		}
	}, profiler.MemoryLimit(limit))
	require.NoError(t, err)
	_, truncated := p.Truncated()
	assert.True(t, truncated)
	assert.Less(t, len(p.Events().Events), 10_000)
}

package steps_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory/internal/steps"
)

// However long a loop is, its records cover every step.
func TestRecordsCoverTheLoop(t *testing.T) {
	l := steps.New(8)
	for i := range 1000 {
		s := l.Add(steps.Step{
			Name: []string{"train", "check"}[i%2], Peak: int64(i), Allocations: 1,
			Duration: time.Second,
		})
		require.Equal(t, i, s.Number)
	}
	next, allocations, peak := 0, int64(0), int64(0)
	records := l.Records()
	assert.LessOrEqual(t, len(records), 8)
	for _, r := range records {
		assert.Equal(t, next, r.Number)
		next += r.Steps
		allocations += r.Allocations
		peak = max(peak, r.Peak)
	}
	assert.Equal(t, 1000, next)
	assert.Equal(t, int64(1000), allocations)
	assert.Equal(t, int64(999), peak)
}

func TestReportAndFiles(t *testing.T) {
	l := steps.New(8)
	assert.Equal(t, "memory on cpu in 0 steps\n", l.Report("cpu"))
	l.Add(steps.Step{Name: "a", End: 1 << 20, Peak: 2 << 20, Duration: time.Second})
	l.Add(steps.Step{End: 3 << 20, Duration: time.Second})
	text := l.Report("cpu")
	assert.Contains(t, text, "memory on cpu in 2 steps\n")
	assert.Contains(t, text, "2.0 MiB")
	var b strings.Builder
	require.NoError(t, steps.WriteCSV(&b, l.Records()))
	assert.Contains(t, b.String(), "\n0,1,a,0,1048576,2097152,")
	b.Reset()
	require.NoError(t, steps.WriteJSON(&b, nil))
	assert.Equal(t, "[]\n", b.String())
}

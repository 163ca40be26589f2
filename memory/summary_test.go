package memory_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// For the same statistics, the tables equal Python's byte for byte.
func TestSummaryIsPythons(t *testing.T) {
	text, err := os.ReadFile("testdata/summary.json")
	require.NoError(t, err)
	var golden struct {
		Cases []struct {
			Device            int
			Stats             map[string]int64
			Full, Abbreviated string
		}
	}
	require.NoError(t, json.Unmarshal(text, &golden))
	require.NotEmpty(t, golden.Cases)
	for _, c := range golden.Cases {
		s := memory.StatsFromFlat(c.Stats)
		assert.Equal(t, c.Full, s.Summary(torch.CUDA.At(c.Device)))
		assert.Equal(t, c.Abbreviated, s.Summary(torch.CUDA.At(c.Device), memory.Abbreviated(true)))
		assert.Equal(t, c.Stats, s.Flat())
	}
}

func TestSummaryOfCPU(t *testing.T) {
	text := memory.Summary(torch.CPU)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	cuda := memory.DeviceStats{}.Summary(torch.CUDA.At(0))
	table, beside, found := strings.Cut(text, "Beside tensors")
	if found { // the row and two more lines replace the last line
		assert.Greater(t, strings.Count(beside, "\n"), 3)
		table = strings.TrimRight(table, "| ")
	}
	assert.Equal(t, strings.Count(cuda, "\n"), strings.Count(table, "\n"), "as many lines as PyTorch's table")
	for _, l := range lines {
		assert.Len(t, l, 77, "line %q", l)
	}
	assert.Contains(t, text, "PyTorch CPU memory summary, device ID 0")
	assert.Contains(t, text, "CPU reserved memory")
	assert.NotContains(t, text, "CUDA")
	assert.NotContains(t, text, "GPU")
	assert.Less(t, strings.Count(memory.Summary(torch.CPU, memory.Abbreviated(true)), "\n"), len(lines))
}

package sysmem_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/sysmem"
)

func TestMachine(t *testing.T) {
	free, total, err := sysmem.Machine()
	require.NoError(t, err)
	assert.Positive(t, total)
	assert.GreaterOrEqual(t, free, int64(0))
	assert.LessOrEqual(t, free, total)
	text, err := os.ReadFile("/proc/meminfo")
	require.NoError(t, err)
	_, machine := sysmem.Meminfo(text)
	assert.LessOrEqual(t, total, machine, "a container allows no more")
}

func TestMeminfo(t *testing.T) {
	for text, want := range map[string][2]int64{
		"MemTotal:       16384 kB\nMemFree:          100 kB\nMemAvailable:    8192 kB\n": {8192 << 10, 16384 << 10},
		"MemTotal: 4 kB": {0, 4 << 10},
		"MemTotal:\nMemAvailable: much kB\nno colon here\n\n": {0, 0},
		"": {0, 0},
	} {
		free, total := sysmem.Meminfo([]byte(text))
		assert.Equal(t, want, [2]int64{free, total}, "%q", text)
	}
}

func TestNumber(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]int64{"1234\n": 1234, "0": 0, "max\n": -1, "": -1, "12 34": -1} {
		path := filepath.Join(dir, "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		n, ok := sysmem.Number(path)
		assert.Equal(t, want >= 0, ok, "%q", text)
		if ok {
			assert.Equal(t, want, n)
		}
	}
	_, ok := sysmem.Number(filepath.Join(dir, "none"))
	assert.False(t, ok)
}

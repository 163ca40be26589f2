package pprof_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pprof"
)

// go tool pprof can read the profile.
func TestToolReads(t *testing.T) {
	p := pprof.New(pprof.Value{Name: "calls", Unit: "count"}, pprof.Value{Name: "time", Unit: "nanoseconds"})
	p.Lasted(3 * time.Second)
	inner, outer := runtime.Frame{Function: "a.inner", File: "a.go", Line: 3}, runtime.Frame{
		Function: "b.outer",
		File:     "b.go", Line: 7,
	}
	p.Sample([]runtime.Frame{inner, outer}, []int64{2, 3_000_000}, pprof.Label{Key: "pass", Value: "forward"})
	p.Sample([]runtime.Frame{outer}, []int64{1, 1_000_000})
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	path := filepath.Join(t.TempDir(), "p")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	text, err := exec.Command("go", "tool", "pprof", "-top", path).CombinedOutput()
	require.NoError(t, err, string(text))
	assert.Regexp(t, `Type: time`, string(text))
	assert.Regexp(t, `Duration: 3s`, string(text))
	assert.Regexp(t, `(?m)^\s+3ms 75.00% 75.00%\s+3ms 75.00%  a.inner$`, string(text))
	assert.Regexp(t, `(?m)^\s+1ms 25.00%\s+100%\s+4ms\s+100%  b.outer$`, string(text))
	text, err = exec.Command("go", "tool", "pprof", "-tags", path).CombinedOutput()
	require.NoError(t, err, string(text))
	assert.Contains(t, string(text), "forward")
}

package twin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestLog(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	most := torch.Zeros(torch.Shape{256})
	memory.ResetPeak(torch.CPU)
	require.NoError(t, most.Close())
	peak := memory.MaxRequested(torch.CPU)
	assert.GreaterOrEqual(t, peak, int64(1024))
	path := filepath.Join(t.TempDir(), "log")
	l, err := twin.Create(path)
	require.NoError(t, err)
	l.Add(0.5)
	l.Add(1.0/3, -2)
	require.NoError(t, l.Close())
	l, err = twin.Append(path)
	require.NoError(t, err)
	l.Add(3)
	require.NoError(t, l.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Regexp(t, fmt.Sprintf(`^\d+\.\d{6} 0\.5
\d+\.\d{6} 0\.333333333
\d+\.\d{6} -2
# peak_bytes=%[1]d
\d+\.\d{6} 3
# peak_bytes=%[1]d
$`, peak), string(text))

	none, err := twin.Create("")
	require.NoError(t, err)
	none.Add(1)
	assert.NoError(t, none.Close())
	_, err = twin.Create(t.TempDir())
	assert.ErrorContains(t, err, "is a directory")
}

// With Unscoped set, the garbage collector frees what a scope would free.
func TestUnscoped(t *testing.T) {
	old, least := memory.SetGCPercent(100), memory.SetMinHeap(0)
	defer func() {
		own.IgnoreScopes(false)
		memory.SetGCPercent(old)
		memory.SetMinHeap(least)
	}()
	var x *torch.Tensor
	alive := func() bool {
		torch.Scope(func() { x = torch.Zeros(torch.Shape{3}) })
		return !x.IsClosed()
	}
	twin.Unscope(false)
	assert.False(t, alive())
	twin.Unscope(true)
	require.True(t, alive())
	assert.Equal(t, 20, memory.SetGCPercent(100))
	assert.NoError(t, x.Close())
}

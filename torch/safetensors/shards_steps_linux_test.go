package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// These are the steps in which SaveSharded replaces one set by another. An index never
// exists while files of both sets are in place. A process that ends between two steps
// leaves one of the sets, or no index.
func TestSetsTakeOthersPlace(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const index = "model.safetensors.index.json"
	of := func(i, n int) string { return fmt.Sprintf("model-%05d-of-%05d.safetensors", i, n) }
	for name, c := range map[string]struct {
		from, to int // number of files
		want     []string
	}{
		"none before": {0, 2, []string{"+" + of(1, 2), "+" + of(2, 2), "+" + index}},
		"one for several": {
			3, 1,
			[]string{"+model.safetensors", "-" + index, "-" + of(1, 3), "-" + of(2, 3), "-" + of(3, 3)},
		},
		"several for one": {1, 2, []string{"+" + of(1, 2), "+" + of(2, 2), "+" + index, "-model.safetensors"}},
		"more":            {1, 1, []string{"+model.safetensors"}},
		"as many":         {2, 2, []string{"-" + index, "+" + of(1, 2), "+" + of(2, 2), "+" + index}},
		"of another number": {
			2, 3,
			[]string{"+" + of(1, 3), "+" + of(2, 3), "+" + of(3, 3), "+" + index, "-" + of(1, 2), "-" + of(2, 2)},
		},
	} {
		dir := t.TempDir()
		save := func(n int, v any) {
			torch.Scope(func() {
				set := tensors{}
				for i := range n {
					set[fmt.Sprint("x", i)] = torch.Full(torch.Shape{2}, v)
				}
				require.NoError(t, safetensors.SaveSharded(set, dir, safetensors.MaxShardSize(8)))
			})
		}
		if c.from > 0 {
			save(c.from, 1.0)
		}
		steps := names(t, dir)
		save(c.to, 2.0)
		assert.Equal(t, c.want, steps(), name)
		torch.Scope(func() {
			all, err := safetensors.LoadSharded(dir)
			require.NoError(t, err)
			assert.Len(t, all, c.to)
			assert.Equal(t, []float32{2, 2}, all["x0"].Float32s())
		})
	}
}

// names watches a directory. The function that it returns lists the files that were
// created (+) or removed (-) since the last call. It leaves out temporary files.
func names(t *testing.T, dir string) func() []string {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	require.NoError(t, err)
	_, err = syscall.InotifyAddWatch(fd, dir, syscall.IN_MOVED_TO|syscall.IN_DELETE)
	require.NoError(t, err)
	return func() (all []string) {
		b := make([]byte, 1<<16)
		n, err := syscall.Read(fd, b)
		require.NoError(t, err)
		for b = b[:n]; len(b) > 0; {
			mask, size := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
			name := string(bytes.TrimRight(b[16:16+size], "\x00"))
			b = b[16+size:]
			sign := map[bool]string{true: "-", false: "+"}[mask&syscall.IN_DELETE != 0]
			all = append(all, sign+name)
		}
		require.NoError(t, syscall.Close(fd))
		return all
	}
}

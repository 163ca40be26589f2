package mapped_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// file creates a file with the given number of bytes, 0, 1, 2 and so on, and maps it.
func file(t *testing.T, size int) (*mapped.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i)
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	m, err := mapped.Map(f, int64(size))
	require.NoError(t, err)
	return m, path
}

func TestTensorOutlivesFile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, path := file(t, 64)
	a := m.Tensor("op", 8, torch.Shape{2, 3}, torch.Uint8)
	b := m.Tensor("op", 8, torch.Shape{2}, torch.Int32)
	assert.Equal(t, "[[8 9 10] [11 12 13]]", fmt.Sprint(a.ToList()))
	assert.Equal(t, int64(64), m.Size())
	m.Close()
	m.Close()
	assert.Equal(t, int64(1), mapped.Live(), "the tensors hold it")
	torch.Scope(func() { a.Add_(torch.Full(nil, 100, torch.Uint8)) })
	assert.Equal(t, []int32{108 | 109<<8 | 110<<16 | 111<<24, 112 | 113<<8 | 14<<16 | 15<<24}, b.Int32s(), "one memory")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, byte(8), content[8], "the file is as it was")
	view := b.View(2, 1)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	assert.Equal(t, int64(1), mapped.Live(), "a view holds it too")
	require.NoError(t, view.Close())
	assert.Zero(t, mapped.Live())
	require.ErrorIs(t, torch.Try(func() { m.Tensor("op", 0, nil, torch.Uint8) }), torch.ErrClosed)
}

func TestBytesThatAreNotThere(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, _ := file(t, 64)
	defer m.Close()
	for _, c := range []struct {
		offset int64
		shape  torch.Shape
		dtype  torch.DType
	}{
		{-1, torch.Shape{1}, torch.Uint8},
		{64, torch.Shape{1}, torch.Uint8},
		{65, torch.Shape{0}, torch.Uint8},
		{60, torch.Shape{2}, torch.Float32},
		{2, torch.Shape{1}, torch.Float32},
		{0, torch.Shape{-1}, torch.Uint8},
		{0, torch.Shape{1 << 62, 2}, torch.Float32},
		{0, torch.Shape{1}, torch.DType(0)},
	} {
		require.ErrorIs(t, torch.Try(func() { m.Tensor("op", c.offset, c.shape, c.dtype) }), torch.ErrValue, "%v", c)
	}
	empty := m.Tensor("op", 64, torch.Shape{0, 3}, torch.Float32)
	assert.Equal(t, torch.Shape{0, 3}, empty.Shape())
	require.NoError(t, empty.Close())
}

func TestEmptyFile(t *testing.T) {
	m, _ := file(t, 0)
	assert.Zero(t, m.Size())
	m.Close()
	assert.Zero(t, mapped.Live())
}

func TestMapErrors(t *testing.T) {
	folder, err := os.Open(t.TempDir())
	require.NoError(t, err)
	defer func() { assert.NoError(t, folder.Close()) }()
	_, err = mapped.Map(folder, 10)
	require.Error(t, err)
	_, err = mapped.Map(folder, -1)
	require.Error(t, err)
	short, err := os.Create(filepath.Join(t.TempDir(), "short"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, short.Close()) }()
	_, err = mapped.Map(short, 1)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "the file has 0 bytes, but had 1 before")
	assert.Zero(t, mapped.Live())
}

// A file that is not closed is unmapped when the garbage collector frees it.
func TestCollected(t *testing.T) {
	func() {
		m, _ := file(t, 64)
		assert.Equal(t, int64(64), m.Size())
	}()
	for range 1000 { // repeat, because the Go runtime runs the cleanup on another goroutine
		runtime.GC()
		if mapped.Live() == 0 {
			break
		}
		runtime.Gosched()
	}
	assert.Zero(t, mapped.Live())
}

// Calls of Tensor may run at the same time as Close. Each returns a tensor or fails with
// ErrClosed.
func TestConcurrent(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, _ := file(t, 4096)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				err := torch.Try(func() {
					x := m.Tensor("op", 4, torch.Shape{4}, torch.Uint8)
					assert.Equal(t, []uint8{4, 5, 6, 7}, x.Uint8s())
					assert.NoError(t, x.Close())
				})
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrClosed)
				}
			}
			if i == 0 {
				m.Close()
			}
		})
	}
	wg.Wait()
	assert.Zero(t, mapped.Live())
}

func TestMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{2, 3}, torch.Int16)
		mapped.Memory(x)[2] = 7
		assert.Equal(t, "[[0 7 0] [0 0 0]]", fmt.Sprint(x.ToList()))
		assert.Empty(t, mapped.Memory(torch.Zeros(torch.Shape{0})))
		assert.Panics(t, func() { mapped.Memory(x.T()) })
		assert.Panics(t, func() { mapped.Memory(torch.Empty(torch.Shape{1}, torch.Meta)) })
	})
}

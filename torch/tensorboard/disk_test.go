package tensorboard_test

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch/tensorboard"
)

// full is a disk with room for a few more bytes.
type full struct {
	tensorboard.Disk
	room int
	torn bool // cannot be truncated
}

func (f *full) Write(b []byte) (int, error) {
	if len(b) <= f.room {
		f.room -= len(b)
		return f.Disk.Write(b)
	}
	n, err := f.Disk.Write(b[:f.room])
	if err == nil {
		err = syscall.ENOSPC
	}
	f.room = 0
	return n, err
}

func (f *full) Truncate(size int64) error {
	if f.torn {
		return syscall.EIO
	}
	return f.Disk.Truncate(size)
}

// A write that fails half way leaves whole records, and later writes follow them.
func TestAFullDisk(t *testing.T) {
	folder := t.TempDir()
	w := newWriter(t, folder, tensorboard.FlushSecs(0))
	require.NoError(t, w.AddScalar("a", 1, 1))
	disk := &full{room: 10}
	w.Wrap(func(d tensorboard.Disk) tensorboard.Disk { disk.Disk = d; return disk })
	err := w.AddScalar("a", 2, 2)
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.ErrorContains(t, err, "tensorboard: 1 events are lost")
	assert.Equal(t, 2, written(t, folder))
	disk.room = 1 << 20
	require.NoError(t, w.AddScalar("a", 3, 3))
	assert.Equal(t, 3, written(t, folder))

	disk.room, disk.torn = 10, true
	err = w.AddScalar("a", 4, 4)
	require.ErrorIs(t, err, syscall.EIO)
	assert.ErrorContains(t, err, "torn record")
}

// A failed background write is reported by the next call.
func TestAFullDiskLater(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		for _, next := range []string{"add", "flush", "close"} {
			w, err := tensorboard.NewSummaryWriter(folder)
			require.NoError(t, err)
			w.Wrap(func(d tensorboard.Disk) tensorboard.Disk { return &full{Disk: d} })
			require.NoError(t, w.AddScalar("a", 1, 1))
			time.Sleep(121 * time.Second) // on the fake clock
			synctest.Wait()
			switch next {
			case "add":
				err = w.AddScalar("a", 2, 2)
			case "flush":
				err = w.Flush()
			case "close":
				err = w.Close()
			}
			require.ErrorIs(t, err, syscall.ENOSPC, next)
			require.NoError(t, w.Close(), next)
		}
	})
}

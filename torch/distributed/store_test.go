package distributed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// stores returns one store of each kind.
func stores(t *testing.T) map[string]*distributed.Store {
	t.Helper()
	file, err := distributed.NewFileStore(filepath.Join(t.TempDir(), "store"), 1)
	require.NoError(t, err)
	hash, err := distributed.NewHashStore()
	require.NoError(t, err)
	tcp, err := distributed.NewTCPStore(ranks.Soon(t), "127.0.0.1:0", distributed.IsMaster(true))
	require.NoError(t, err)
	prefix, err := distributed.NewPrefixStore("below", tcp)
	require.NoError(t, err)
	all := map[string]*distributed.Store{"file": file, "hash": hash, "tcp": tcp, "prefix": prefix}
	t.Cleanup(func() {
		for _, s := range all {
			assert.NoError(t, s.Close())
			assert.NoError(t, s.Close())
		}
	})
	return all
}

func TestStores(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := ranks.Soon(t)
			value := []byte("a\x00b")
			require.NoError(t, s.Set("key", value))
			got, err := s.Get(ctx, "key")
			require.NoError(t, err)
			assert.Equal(t, value, got)
			require.NoError(t, s.Set("empty", nil))
			got, err = s.Get(ctx, "empty")
			require.NoError(t, err)
			assert.Empty(t, got)
			for _, want := range []int64{3, 1} {
				n, err := s.Add("counter", map[int64]int64{3: 3, 1: -2}[want])
				require.NoError(t, err)
				assert.Equal(t, want, n)
			}
			got, err = s.CompareSet("new", nil, []byte("1"))
			require.NoError(t, err)
			assert.Equal(t, []byte("1"), got)
			got, err = s.CompareSet("new", []byte("other"), []byte("2"))
			require.NoError(t, err)
			assert.Equal(t, []byte("1"), got, "unchanged")
			is, err := s.Check("key", "new")
			require.NoError(t, err)
			assert.True(t, is)
			is, err = s.Check("key", "none")
			require.NoError(t, err)
			assert.False(t, is)
			require.NoError(t, s.Wait(ctx, "key", "new"))
			was, err := s.DeleteKey("key")
			require.NoError(t, err)
			assert.True(t, was)
			n, err := s.NumKeys()
			require.NoError(t, err)
			assert.GreaterOrEqual(t, n, 3)
			keys, err := s.ListKeys()
			require.NoError(t, err)
			assert.Contains(t, fmt.Sprint(keys), "counter")
			if name == "file" {
				return
			}
			require.NoError(t, s.Append("text", []byte("ab")))
			require.NoError(t, s.Append("text", []byte("cd")))
			got, err = s.Get(ctx, "text")
			require.NoError(t, err)
			assert.Equal(t, "abcd", string(got))
			require.NoError(t, s.QueuePush("queue", []byte("first")))
			require.NoError(t, s.QueuePush("queue", []byte("second")))
			length, err := s.QueueLen("queue")
			require.NoError(t, err)
			assert.Equal(t, 2, length)
			got, ok, err := s.QueuePop("queue")
			require.NoError(t, err)
			assert.Equal(t, "first", string(got))
			assert.True(t, ok)
			_, ok, err = s.QueuePop("nobody's")
			require.NoError(t, err)
			assert.False(t, ok)
		})
	}
}

// Another connection wakes a waiter, and every wait has a deadline.
func TestStoreWaits(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			other, err := s.Clone()
			require.NoError(t, err)
			defer other.Close()
			var all sync.WaitGroup
			all.Go(func() { assert.NoError(t, other.Wait(ranks.Soon(t), "later")) })
			require.NoError(t, s.Set("later", []byte{1}))
			all.Wait()

			short, cancel := context.WithTimeout(background, 50*time.Millisecond)
			defer cancel()
			_, err = s.Get(short, "never")
			require.ErrorIs(t, err, distributed.ErrTimeout)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancelled, cancel := context.WithCancel(background)
			all.Go(func() {
				_, err := s.Get(cancelled, "never")
				assert.ErrorIs(t, err, distributed.ErrCanceled)
				assert.ErrorIs(t, err, context.Canceled)
			})
			cancel()
			all.Wait()
		})
	}
}

func TestStoresOfOthers(t *testing.T) {
	server, err := distributed.NewTCPStore(ranks.Soon(t), "127.0.0.1:0", distributed.IsMaster(true),
		distributed.WorldSize(2),
		distributed.WaitForWorkers(false))
	require.NoError(t, err)
	client, err := distributed.NewTCPStore(ranks.Soon(t), fmt.Sprint("127.0.0.1:", server.Port()),
		distributed.Timeout(100*time.Millisecond))
	require.NoError(t, err)
	assert.Equal(t, 100*time.Millisecond, client.Timeout())
	require.NoError(t, server.Set("key", []byte("value")))
	got, err := client.Get(background, "key")
	require.NoError(t, err)
	assert.Equal(t, "value", string(got))
	_, err = client.Get(background, "never")
	require.ErrorIs(t, err, distributed.ErrTimeout, "the store's own time")
	require.NoError(t, server.Close())
	_, err = client.Check("key")
	require.ErrorIs(t, err, distributed.ErrStore)
	require.NoError(t, client.Close())
	_, err = client.Check("key")
	require.ErrorIs(t, err, distributed.ErrClosed)
}

func TestStoresThatCannotBe(t *testing.T) {
	for name, make := range map[string]func() (*distributed.Store, error){
		"no port": func() (*distributed.Store, error) {
			return distributed.NewTCPStore(background, "127.0.0.1", distributed.IsMaster(true))
		},
		"no host": func() (*distributed.Store, error) {
			return distributed.NewTCPStore(background, ":1", distributed.IsMaster(true))
		},
		"a large port": func() (*distributed.Store, error) {
			return distributed.NewTCPStore(background, "127.0.0.1:70000", distributed.IsMaster(true))
		},
		"a free port": func() (*distributed.Store, error) {
			return distributed.NewTCPStore(background, "127.0.0.1:0")
		},
		"no workers": func() (*distributed.Store, error) {
			return distributed.NewTCPStore(background, "127.0.0.1:0", distributed.IsMaster(true),
				distributed.WorldSize(0))
		},
		"no time": func() (*distributed.Store, error) {
			return distributed.NewTCPStore(background, "127.0.0.1:0", distributed.IsMaster(true),
				distributed.Timeout(-1))
		},
		"no path":        func() (*distributed.Store, error) { return distributed.NewFileStore("", 1) },
		"fewer than one": func() (*distributed.Store, error) { return distributed.NewFileStore("x", -1) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := make()
			require.ErrorIs(t, err, torch.ErrValue)
			assert.Nil(t, s)
		})
	}
	_, err := distributed.NewTCPStore(background, "127.0.0.1:0", distributed.IsMaster(true), nil)
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = distributed.NewPrefixStore("p", nil)
	require.ErrorIs(t, err, torch.ErrNil)
	var none *distributed.Store
	require.NoError(t, none.Close())
	require.ErrorIs(t, none.Set("key", nil), torch.ErrNil)
	_, err = none.Get(background, "key")
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = none.Clone()
	require.ErrorIs(t, err, torch.ErrNil)
}

func TestLocalRank(t *testing.T) {
	for _, name := range []string{"LOCAL_RANK", "SLURM_LOCALID", "TORCHELASTIC_RUN_ID"} {
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
	n, err := distributed.LocalRank(7)
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	assert.False(t, distributed.IsTorchElasticLaunched())
	t.Setenv("SLURM_LOCALID", "2")
	t.Setenv("TORCHELASTIC_RUN_ID", "none")
	n, err = distributed.LocalRank(7)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.True(t, distributed.IsTorchElasticLaunched())
	t.Setenv("LOCAL_RANK", "two")
	_, err = distributed.LocalRank(7)
	require.ErrorIs(t, err, distributed.ErrEnvironment)
}

// Strings with zero bytes, which libtorch would truncate, are rejected.
func TestZeroBytes(t *testing.T) {
	s, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer s.Close()
	_, get := s.Get(background, "a\x00b")
	_, add := s.Add("a\x00b", 1)
	_, check := s.Check("a", "a\x00b")
	_, _, pop := s.QueuePop("a\x00b")
	_, prefix := distributed.NewPrefixStore("a\x00b", s)
	_, file := distributed.NewFileStore("a\x00b", 1)
	wait := s.Wait(background, "a", "a\x00b")
	for i, err := range []error{s.Set("a\x00b", nil), get, add, check, wait, pop, prefix, file} {
		require.ErrorIs(t, err, torch.ErrValue, "%d", i)
		require.ErrorContains(t, err, "zero byte")
	}
	assert.ErrorContains(t, get, "argument key:")
	assert.ErrorContains(t, wait, "argument keys:")
	n, err := s.NumKeys()
	require.NoError(t, err)
	assert.Zero(t, n)
	require.NoError(t, s.Set("a", []byte("a\x00b"))) // values may contain zero bytes
}

// Several workers share a queue. It is not an error that the queue is empty at the end.
func TestQueueOfWork(t *testing.T) {
	server, err := distributed.NewTCPStore(ranks.Soon(t), "127.0.0.1:0", distributed.IsMaster(true))
	require.NoError(t, err)
	defer server.Close()
	const n = 400
	for i := range n {
		require.NoError(t, server.QueuePush("work", []byte{byte(i)}))
	}
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		s, err := server.Clone()
		require.NoError(t, err)
		defer s.Close()
		all.Go(func() {
			for {
				_, ok, err := s.QueuePop("work")
				if !assert.NoError(t, err) || !ok {
					return
				}
				taken.Add(1)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, n, taken.Load())
}

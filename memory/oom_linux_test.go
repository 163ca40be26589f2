package memory_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// If the system refuses memory, freeing MKL's buffers helps as well. The limit on address
// space affects the whole process, so the test starts a new one.
func TestSystemOutOfMemoryTakesMKLsBuffers(t *testing.T) {
	needsCHeap(t)
	const env = "GOTORCH_TEST_ADDRESS_SPACE"
	if os.Getenv(env) == "" {
		cmd := again.Command("-test.run=^"+t.Name()+"$", "-test.v")
		// The collection starts a thread, whose malloc arena would take as much address
		// space as MKL's buffers; so allow one arena only. With a constant threshold malloc
		// returns large freed blocks.
		cmd.Env = append(os.Environ(), env+"=1", "MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=131072")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if strings.Contains(string(out), "--- SKIP") {
			t.Skipf("the process that was to run out of memory skipped:\n%s", out)
		}
		return
	}

	torch.Scope(func() { torch.Ones(torch.Shape{128, 128}).MatMul(torch.Ones(torch.Shape{128, 128})) })
	if memory.Process().Scratch == 0 {
		t.Skip("no MKL, or one that keeps nothing")
	}
	var ready, working sync.WaitGroup
	ready.Add(6)
	for range 6 {
		working.Add(1)
		go func() {
			defer working.Done()
			runtime.LockOSThread() // each goroutine needs its own thread, so that all multiply at the same time
			defer runtime.UnlockOSThread()
			ready.Done()
			ready.Wait()
			torch.Scope(func() {
				a := torch.Ones(torch.Shape{1024, 1024})
				a.MatMul(a)
			})
		}()
	}
	working.Wait()
	memory.EmptyCache()
	scratch := memory.Process().Scratch
	if scratch < 32*mib {
		t.Skipf("MKL keeps only %d bytes", scratch)
	}

	const spare = 128 * mib // address space for Go and for threads that the collection may start
	status, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.ParseUint(strings.Fields(string(status))[0], 10, 64)
	require.NoError(t, err)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_AS, &old))
	bound := old
	bound.Cur = pages*uint64(os.Getpagesize()) + spare
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &bound))
	var x *torch.Tensor
	failed := torch.Try(func() { x = torch.Empty(torch.Shape{spare + scratch/2}, torch.Uint8) })
	stats := memory.GC()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &old))

	require.NoError(t, failed)
	require.NoError(t, x.Close())
	assert.EqualValues(t, 1, stats.Recovered, "the first attempt must have failed")
}

// If the limit on address space (ulimit -v) is the cause, the error names it.
func TestOutOfMemoryNamesUlimit(t *testing.T) {
	if !again.With(t, "GOTORCH_CHILD=ulimit") {
		return
	}
	for _, u := range []struct {
		resource int
		name     string
	}{{syscall.RLIMIT_AS, "ulimit -v (RLIMIT_AS)"}, {syscall.RLIMIT_DATA, "ulimit -d (RLIMIT_DATA)"}} {
		var old syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(u.resource, &old))
		status, err := os.ReadFile("/proc/self/statm")
		require.NoError(t, err)
		field := strings.Fields(string(status)) // field 0 is the number of all pages, field 5 that of data pages
		pages, err := strconv.ParseUint(field[map[int]int{syscall.RLIMIT_AS: 0, syscall.RLIMIT_DATA: 5}[u.resource]],
			10, 64)
		require.NoError(t, err)
		bound := pages*uint64(os.Getpagesize()) + 512*mib
		require.NoError(t, syscall.Setrlimit(u.resource, &syscall.Rlimit{Cur: bound, Max: old.Max}))
		e, m := outOfMemory(t, func() { takeMemory(256 * mib) }) // 1 GiB
		require.NoError(t, syscall.Setrlimit(u.resource, &old))
		assert.Contains(t, e.Error(), fmt.Sprintf("%s allows the process %d bytes (", u.name, bound))
		assert.NotContains(t, e.Error(), "no limit is set")
		assert.EqualValues(t, bound, m.Ulimit)
		assert.Less(t, m.Free, int64(1024*mib), "less than what was asked for")
		assert.Contains(t, m.String(), ", ulimit ")
		assert.NotContains(t, m.String(), "no limit")
	}
	_, m := outOfMemory(t, func() { torch.Empty(torch.Shape{1 << 50}, torch.Uint8) })
	assert.Zero(t, m.Ulimit)
	assert.Contains(t, m.String(), "no limit")
}

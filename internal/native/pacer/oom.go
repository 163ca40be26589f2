package pacer

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/modes"
)

// retrying are the goroutines whose operator is being called again. How the
// second call ends is seen where every crossing ends, in Succeed or Fail; the
// count keeps that a load for everybody else.
var retrying struct {
	count atomic.Int64
	mu    sync.Mutex
	who   map[uintptr]struct{}
}

// RetryOutOfMemory gives back what can be given back after an operator failed
// for want of memory. The operator is then called once more, on the same
// goroutine.
func RetryOutOfMemory() {
	pacer.retries.Add(1)
	Collect()
	mem.CPUEmptyCache()
	mem.TrimCHeap()
	if cuda.Loaded() {
		// What cannot be given back shows when the operator is called again.
		_ = cuda.EmptyCache(-1, modes.Current().Pool)
	}
	retrying.mu.Lock()
	defer retrying.mu.Unlock()
	if retrying.who == nil {
		retrying.who = map[uintptr]struct{}{}
	}
	retrying.who[goroutine.ID()] = struct{}{}
	retrying.count.Store(int64(len(retrying.who)))
}

// endRetry ends the retry of the running goroutine and reports whether there
// was one.
func endRetry() bool {
	if retrying.count.Load() == 0 {
		return false
	}
	retrying.mu.Lock()
	defer retrying.mu.Unlock()
	id := goroutine.ID()
	if _, ok := retrying.who[id]; !ok {
		return false
	}
	delete(retrying.who, id)
	retrying.count.Store(int64(len(retrying.who)))
	return true
}

// Fail is called when an operator has failed in the end. outOfMemory says
// whether for want of memory.
func Fail(outOfMemory bool) {
	endRetry()
	if outOfMemory {
		pacer.failed.Add(1)
	}
}

var observer atomic.Pointer[func() (string, error)]

// ObserveOutOfMemory has fn called whenever an operator is out of memory in the
// end; nil removes it. fn returns the file that it wrote.
func ObserveOutOfMemory(fn func() (path string, err error)) {
	if fn == nil {
		observer.Store(nil)
		return
	}
	observer.Store(&fn)
}

// NotifyOutOfMemory calls what ObserveOutOfMemory set.
func NotifyOutOfMemory() (path string, err error) {
	if fn := observer.Load(); fn != nil {
		return (*fn)()
	}
	return "", nil
}

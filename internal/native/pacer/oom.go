package pacer

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/modes"
)

// retrying contains the goroutines whose operator is being called a second time. Every
// operator ends with Succeed or Fail, which record the result of a second call. If no
// goroutine is retrying, Succeed and Fail only load count.
var retrying struct {
	count atomic.Int64
	mu    sync.Mutex
	who   map[uintptr]struct{}
}

// RetryOutOfMemory frees as much memory as possible after an operator ran out of memory.
// The operator is then called once more, on the same goroutine.
func RetryOutOfMemory() {
	pacer.retries.Add(1)
	Collect()
	mem.CPUEmptyCache()
	mem.TrimCHeap()
	if cuda.Loaded() {
		// If EmptyCache fails, the second call of the operator reports it.
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

// endRetry ends the current goroutine's second call and reports whether there was one.
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

// Fail is called when an operator has finally failed. outOfMemory is true if it ran out
// of memory.
func Fail(outOfMemory bool) {
	endRetry()
	if outOfMemory {
		pacer.failed.Add(1)
	}
}

var observer atomic.Pointer[func() (string, error)]

// ObserveOutOfMemory sets a function that is called whenever an operator finally runs out
// of memory; nil removes it. fn returns the file that it wrote.
func ObserveOutOfMemory(fn func() (path string, err error)) {
	if fn == nil {
		observer.Store(nil)
		return
	}
	observer.Store(&fn)
}

// NotifyOutOfMemory calls the function set by ObserveOutOfMemory.
func NotifyOutOfMemory() (path string, err error) {
	if fn := observer.Load(); fn != nil {
		return (*fn)()
	}
	return "", nil
}

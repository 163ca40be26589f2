package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gotorch/gotorch/torch"
)

func init() { cases["conc.add"] = concurrentAdd }

// share divides the given number of calls of fn among goroutines and returns the total
// wall-clock time in nanoseconds.
func share(goroutines, iterations int, fn func()) int64 {
	start := time.Now()
	var wg sync.WaitGroup
	for g := range goroutines {
		n := iterations / goroutines
		if g < iterations%goroutines {
			n++
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range n {
				fn()
			}
		}()
	}
	wg.Wait()
	return time.Since(start).Nanoseconds()
}

// concurrentAdd adds 16 MB tensors on many goroutines, which close their sums. It returns
// the peak memory and the largest number of threads in the process.
func concurrentAdd(a args) result {
	torch.SetNumThreads(runtime.NumCPU())
	goroutines := int(a.get("goroutines", 1))
	x := torch.Ones(torch.Shape{4 << 20})
	defer x.Close()
	add := func() { _ = x.Add(x).Close() }
	share(goroutines, max(a.iterations/10, goroutines), add)

	threads := watch(func() int64 { return procStatus("Threads") })
	nanos := share(goroutines, a.iterations, add)
	return result{nanos, map[string]int64{
		"threads":       threads(),
		"threads_bound": int64(4*runtime.NumCPU() + 16),
		"rss":           procStatus("VmHWM") << 10,
	}}
}

// watch calls read every few milliseconds until the returned function is called. That
// function returns the highest value that read has returned.
func watch(read func() int64) (highest func() int64) {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		top := read()
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-tick.C:
				top = max(top, read())
			case <-done:
				tick.Stop()
				result <- max(top, read())
				return
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-result
	}
}

// procStatus returns the number after key in /proc/self/status. Memory is in kB.
func procStatus(key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}

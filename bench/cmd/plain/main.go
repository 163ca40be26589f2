// Command plain measures programs as beginners write them: no thread is locked, the
// thread count is not set, and the only scope is the loader's. It runs one of them and
// prints
//
//	bench ns=NANOSECONDS
//
// where NANOSECONDS is the time of a step, a forward pass or an epoch.
// bench/python/plain.py contains the same programs in Python.
//
//	plain mlp            one of mlp, mlp256, cnn, lstm, readme, encoder
//	plain mlp locked     the same after runtime.LockOSThread
//	plain mlp one        with one thread per operator
package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/gotorch/gotorch/torch"
)

var programs = map[string]func() int64{
	"mlp":     mlp,
	"mlp256":  mlp256,
	"cnn":     cnn,
	"lstm":    lstm,
	"readme":  readme,
	"encoder": encoder,
}

func main() {
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "plain: which program?", slices.Sorted(maps.Keys(programs)))
		os.Exit(2)
	}
	for _, setting := range os.Args[2:] {
		switch setting {
		case "locked":
			runtime.LockOSThread()
		case "one":
			torch.SetNumThreads(1)
		default:
			fmt.Fprintf(os.Stderr, "plain: %q is no setting\n", setting)
			os.Exit(2)
		}
	}
	fmt.Printf("bench ns=%d\n", programs[os.Args[1]]())
}

// each returns the mean nanoseconds of n calls, after n/5 calls to warm up.
func each(n int, call func()) int64 {
	for range n/5 + 1 {
		call()
	}
	start := time.Now()
	for range n {
		call()
	}
	return time.Since(start).Nanoseconds() / int64(n)
}

package memory

import (
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/trace"
)

const (
	oftenCalls    = 20          // number of calls from one line that cause a warning
	oftenInterval = time.Second // longest time between two of these calls
	oftenLines    = 64          // maximum number of lines that are remembered
	oftenAdvice   = "the next iteration has to get that memory from the system again; remove the call, " +
		"or move it to the end of a phase of the program. To bound the cache, call memory.SetLimit"
)

// emptyCalls remembers which lines call EmptyCache or Clear.
var emptyCalls callCounter

type callCounter struct {
	mu    sync.Mutex
	lines map[string]callCount
}

type callCount struct {
	last  time.Time
	calls int
}

// note counts a call of fn, which is EmptyCache or Clear. It warns if a line of the program
// seems to call fn in every iteration of a loop.
func (e *callCounter) note(fn string) {
	f, ok := trace.Site(trace.Frames(trace.Here(1)))
	if !ok {
		return
	}
	at := fmt.Sprintf("%s:%d", f.File, f.Line)
	now := time.Now()
	e.mu.Lock()
	if e.lines == nil || len(e.lines) >= oftenLines {
		e.lines = map[string]callCount{}
	}
	l := e.lines[at]
	if now.Sub(l.last) > oftenInterval {
		l.calls = 0
	}
	l.last = now
	l.calls++
	e.lines[at] = l
	e.mu.Unlock()
	if l.calls == oftenCalls {
		cgotorch.Warn(fmt.Sprintf("memory.%s is called in every iteration at %s: %s", fn, at, oftenAdvice))
	}
}

package memory

import (
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/trace"
)

const (
	oftenCalls  = 20          // of one line
	oftenApart  = time.Second // at most, from one to the next
	oftenLines  = 64          // that are remembered
	oftenRemedy = "what it returns, the next iteration asks the system for again; leave it out, " +
		"or call it where a phase of the program ends. memory.SetLimit bounds what the cache keeps"
)

// emptied knows which lines call EmptyCache or Clear.
var emptied emptying

type emptying struct {
	mu    sync.Mutex
	lines map[string]emptyingLine
}

type emptyingLine struct {
	last  time.Time
	calls int
}

// note counts a call of fn, EmptyCache or Clear, and warns of a line of the program that
// calls it in every iteration of a loop. It takes microseconds, less than fn does.
func (e *emptying) note(fn string) {
	f, ok := trace.Site(trace.Frames(trace.Here(1)))
	if !ok {
		return
	}
	at := fmt.Sprintf("%s:%d", f.File, f.Line)
	now := time.Now()
	e.mu.Lock()
	if e.lines == nil || len(e.lines) >= oftenLines {
		e.lines = map[string]emptyingLine{}
	}
	l := e.lines[at]
	if now.Sub(l.last) > oftenApart {
		l.calls = 0
	}
	l.last = now
	l.calls++
	e.lines[at] = l
	e.mu.Unlock()
	if l.calls == oftenCalls {
		cgotorch.Warn(fmt.Sprintf("memory.%s is called in every iteration at %s: %s", fn, at, oftenRemedy))
	}
}

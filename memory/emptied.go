package memory

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
)

const (
	oftenCalls  = 20          // of one line
	oftenApart  = time.Second // at most, from one to the next
	oftenLines  = 64          // that are remembered
	oftenRemedy = "what it returns, the next iteration asks the system for again; leave it out, " +
		"or call it where a phase of the program ends. memory.SetLimit bounds what the cache keeps"
)

// emptied knows which lines call EmptyCache.
var emptied emptying

type emptying struct {
	mu    sync.Mutex
	lines map[uintptr]emptyingLine
}

type emptyingLine struct {
	last  time.Time
	calls int
}

// note counts a call of EmptyCache, and warns of a line that calls it in every iteration of
// a loop. What it costs is nothing beside what EmptyCache does.
func (e *emptying) note() {
	var at [1]uintptr
	if runtime.Callers(3, at[:]) == 0 {
		return
	}
	now := time.Now()
	e.mu.Lock()
	if e.lines == nil || len(e.lines) >= oftenLines {
		e.lines = map[uintptr]emptyingLine{}
	}
	l := e.lines[at[0]]
	if now.Sub(l.last) > oftenApart {
		l.calls = 0
	}
	l.last = now
	l.calls++
	e.lines[at[0]] = l
	e.mu.Unlock()
	if l.calls == oftenCalls {
		f, _ := runtime.CallersFrames(at[:]).Next()
		cgotorch.Warn(fmt.Sprintf("memory.EmptyCache is called in every iteration at %s:%d: %s", f.File, f.Line, oftenRemedy))
	}
}

package history

import (
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/lines"
)

// Watch makes the CPU allocator remember which line allocated each block while leak checks
// run. If the program itself records a history, Watch uses that recording and does not
// change it.
type Watch struct{ stopped bool }

// WatchBlocks starts a Watch. Stop ends it.
func WatchBlocks() *Watch {
	state.mu.Lock()
	defer state.mu.Unlock()
	state.watchers++
	if !state.cpu.options.On() {
		state.cpu.switchTo(Options{Mode: State, Context: ContextState}, CPU{})
		state.watchChanges = state.cpu.changes
	}
	return &Watch{}
}

// Stop ends the watch. A second Stop does nothing.
func (w *Watch) Stop() {
	state.mu.Lock()
	defer state.mu.Unlock()
	if w.stopped {
		return
	}
	w.stopped = true
	state.watchers--
	if state.watchers == 0 && state.cpu.changes == state.watchChanges {
		state.cpu.switchTo(Options{Mode: Off}, CPU{})
	}
}

// Blocks groups the CPU's blocks in use by the line that allocated them. The result is
// empty while nothing is recorded.
func Blocks() []groups.Group {
	const atOnce = 1 << 14
	sites, _ := mem.CPUSites(atOnce)
	return groups.Sum(sites, siteLine, func(s mem.Site) (count, bytes float64) {
		return float64(s.Count), float64(s.Bytes)
	})
}

func siteLine(s mem.Site) string {
	line := lines.Of(trace.ID(s.Stack))
	if s.Forward != 0 {
		return lines.Backward(lines.Of(trace.ID(s.Forward)), line)
	}
	return line
}

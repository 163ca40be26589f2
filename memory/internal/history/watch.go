package history

import (
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/lines"
)

// Watch has the allocator remember the line of each of the CPU's blocks while leak
// checks run. A history that the program records itself is left alone, whenever it
// began, and serves as well.
type Watch struct{ stopped bool }

// WatchBlocks begins a Watch, which Stop ends.
func WatchBlocks() *Watch {
	state.mu.Lock()
	defer state.mu.Unlock()
	state.watchers++
	if !state.cpu.options.On() {
		state.cpu.switchTo(Options{Mode: State, Context: ContextState}, CPU{})
		state.ours = state.cpu.changes
	}
	return &Watch{}
}

// Stop ends the watch. Stopping twice does nothing.
func (w *Watch) Stop() {
	state.mu.Lock()
	defer state.mu.Unlock()
	if w.stopped {
		return
	}
	w.stopped = true
	state.watchers--
	if state.watchers == 0 && state.cpu.changes == state.ours {
		state.cpu.switchTo(Options{Mode: Off}, CPU{})
	}
}

// Lines sums the blocks that are held by the line that allocated them.
func (w *Watch) Lines() []groups.Group {
	const atOnce = 1 << 14
	sites, _ := mem.CPUSites(atOnce)
	return groups.Sum(sites, siteLine, func(s mem.Site) (count, bytes float64) { return float64(s.Count), float64(s.Bytes) })
}

func siteLine(s mem.Site) string {
	line := lines.Of(trace.ID(s.Stack))
	if s.Forward != 0 {
		return lines.Backward(lines.Of(trace.ID(s.Forward)), line)
	}
	return line
}

package memory

import (
	"sync"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/trace"
)

// blockWatch has the allocator remember the line of each of the CPU's blocks
// while leak checks run. A history that the program records itself is left
// alone, whenever it began, and serves as well.
type blockWatch struct{ stopped bool }

var blockWatches struct {
	mu    sync.Mutex
	users int
	ours  int // history.cpu.changes after the last one that was made here
}

func watchBlocks() *blockWatch {
	blockWatches.mu.Lock()
	defer blockWatches.mu.Unlock()
	blockWatches.users++
	history.mu.Lock()
	defer history.mu.Unlock()
	if cpu := &history.cpu; !cpu.options.on() {
		cpu.switchTo(HistoryOptions{Enabled: HistoryState, Context: ContextState}, cpuAllocator{})
		blockWatches.ours = cpu.changes
	}
	return &blockWatch{}
}

func (w *blockWatch) stop() {
	blockWatches.mu.Lock()
	defer blockWatches.mu.Unlock()
	if w.stopped {
		return
	}
	w.stopped = true
	blockWatches.users--
	if blockWatches.users > 0 {
		return
	}
	history.mu.Lock()
	defer history.mu.Unlock()
	if cpu := &history.cpu; cpu.changes == blockWatches.ours {
		cpu.switchTo(HistoryOptions{Enabled: HistoryOff}, cpuAllocator{})
	}
}

// lines sums the blocks that are held by the line that allocated them.
func (w *blockWatch) lines() []TensorGroup {
	const atOnce = 1 << 14
	sites, _ := mem.CPUSites(atOnce)
	at := map[string]int{}
	var out []TensorGroup
	for _, s := range sites {
		key := siteLine(trace.ID(s.Stack))
		if s.Forward != 0 {
			key = siteLine(trace.ID(s.Forward)) + ", in the backward pass of " + key
		}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, TensorGroup{Key: key})
		}
		out[i].Count += s.Count
		out[i].Bytes += s.Bytes
	}
	return out
}

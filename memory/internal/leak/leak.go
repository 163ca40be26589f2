// Package leak finds what a stretch of a goroutine's work leaves behind: it looks
// at the open tensors and at the held memory after a collection, before and after,
// and takes the difference.
package leak

import (
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/memory/internal/tensors"
)

// Check is a check in progress. It covers the tensors of the goroutine that
// started it and of those that this starts meanwhile.
type Check struct {
	window *live.Window
	blocks *history.Watch
	before footprint
}

// footprint is what there was after a collection.
type footprint struct {
	tensors []tensors.Tensor
	bytes   int64
	lines   []groups.Group
}

// Found is what a check found. See memory.Leaks, which says the same in public
// words.
type Found struct {
	Count, Freed int64
	Lines        []groups.Growth
	Tensors      []tensors.Tensor
	Bytes        int64
	Blocks       []groups.Growth
}

// Start begins a check, which End ends.
func Start() *Check {
	c := &Check{window: live.Open(), blocks: history.WatchBlocks()}
	c.Mark()
	return c
}

// Mark makes what is there now the state to compare with.
func (c *Check) Mark() {
	c.before = c.look()
	c.window.Mark()
}

// Look returns what has come since the last Mark.
func (c *Check) Look() Found {
	after := c.look()
	f := Found{Lines: groups.Diff(tensors.ByLine(c.before.tensors), tensors.ByLine(after.tensors))}
	for _, t := range after.tensors {
		if len(c.before.tensors) == 0 || t.ID > c.before.tensors[len(c.before.tensors)-1].ID {
			f.Tensors = append(f.Tensors, t)
		}
	}
	for _, g := range f.Lines {
		f.Count += g.CountDelta
	}
	// A cache that was full before replaces what it holds: no more is open then.
	f.Freed = c.window.Freed()
	f.Count -= f.Freed
	if c.window.Alone() {
		f.Bytes = after.bytes - c.before.bytes
		f.Blocks = groups.Diff(c.before.lines, after.lines)
	}
	return f
}

// End ends the check.
func (c *Check) End() {
	c.blocks.Stop()
	c.window.Close()
}

func (c *Check) look() footprint {
	pacer.Collect()
	return footprint{tensors.List(c.window.Has), heldBytes(), c.blocks.Lines()}
}

// heldBytes sums what is requested on all devices in use.
func heldBytes() int64 {
	var sum int64
	for _, d := range device.Used() {
		sum += device.Requested("LeakCheck", d)
	}
	return sum
}

// Package leak finds what a stretch of a goroutine's work leaves behind: it looks
// at the open tensors, at the held memory and at other objects after a collection, before
// and after, and takes the difference. Where the work has steps, what did not grow over the
// last half of them does not count: it was filling.
package leak

import (
	"math/bits"
	"slices"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/tensors"
)

// Check is a check in progress. It covers the tensors of the goroutine that
// started it and of those that this starts meanwhile.
type Check struct {
	window *live.Window
	blocks *history.Watch
	before footprint
	steps  int
	stamps []stamp
}

// footprint is what there was after a collection.
type footprint struct {
	tensors []tensors.Tensor
	open    int64 // of them, less those older ones that were freed
	bytes   int64
	lines   []groups.Group
	objects []objects.Group
}

// stamp is what there was after so many steps.
type stamp struct {
	steps int
	footprint
}

// Found is what a check found. See memory.Leaks, which says the same in public
// words.
type Found struct {
	Count, Freed int64
	Lines        []groups.Growth
	Tensors      []tensors.Tensor
	Bytes        int64
	Blocks       []groups.Growth
	Objects      []objects.Group
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
	c.before.open = int64(len(c.before.tensors)) // none was freed since
	c.steps, c.stamps = 0, nil
}

// Step ends a step. What is there is looked at after each power of two, so that at any time
// there was a look no more than half of the steps ago, and no less than a quarter.
func (c *Check) Step() {
	c.steps++
	if bits.OnesCount(uint(c.steps)) == 1 {
		c.stamp()
	}
}

// StepOf is Step for a number of steps that is known.
func (c *Check) StepOf(all int) {
	c.steps++
	if c.steps == all/2 {
		c.stamp()
	}
}

func (c *Check) stamp() {
	s := stamp{c.steps, c.look()}
	s.tensors, s.lines = nil, nil
	c.stamps = append(c.stamps, s)
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
	// A cache that was full before replaces what it holds: no more is open then.
	f.Freed = c.window.Freed()
	f.Count = after.open - c.before.open
	alone := c.window.Alone()
	if alone {
		for range 3 { // cleanups of other objects may come late
			if f.Objects = grown(c.before, after); f.Objects == nil {
				break
			}
			pacer.Collect()
			after.objects = objects.List()
		}
		f.Bytes = after.bytes - c.before.bytes
		f.Blocks = groups.Diff(c.before.lines, after.lines)
	}
	if half := c.half(); half != nil {
		if after.open <= half.open {
			f.Count = min(f.Count, 0)
		}
		if after.bytes <= half.bytes {
			f.Bytes = min(f.Bytes, 0)
		}
		going := grown(half.footprint, after)
		f.Objects = slices.DeleteFunc(f.Objects, func(g objects.Group) bool {
			return !slices.ContainsFunc(going, func(o objects.Group) bool { return o.Kind == g.Kind })
		})
	}
	return f
}

// half is what there was at half of the steps or before; nil if there was no look.
func (c *Check) half() *stamp {
	for i := len(c.stamps) - 1; i >= 0; i-- {
		if s := &c.stamps[i]; s.steps <= c.steps/2 {
			return s
		}
	}
	return nil
}

// grown returns the objects that have come, of the kinds of which there are more. A kind
// whose objects take more without being more has no line.
func grown(before, after footprint) []objects.Group {
	kinds := objects.Grown(objects.OfKind(before.objects), objects.OfKind(after.objects))
	var out []objects.Group
	for _, k := range kinds {
		found := false
		for _, g := range objects.Grown(before.objects, after.objects) {
			if g.Kind == k.Kind {
				out = append(out, g)
				found = true
			}
		}
		if !found {
			out = append(out, k)
		}
	}
	return out
}

// End ends the check.
func (c *Check) End() {
	c.blocks.Stop()
	c.window.Close()
}

// look collects twice: what a sync.Pool has is there until the second collection.
func (c *Check) look() footprint {
	pacer.Collect()
	pacer.Collect()
	f := footprint{tensors: tensors.List(c.window.Has), bytes: heldBytes(), lines: c.blocks.Lines(), objects: objects.List()}
	f.open = int64(len(f.tensors)) - c.window.Freed()
	return f
}

// heldBytes sums what is requested on all devices in use.
func heldBytes() int64 {
	var sum int64
	for _, d := range device.Used() {
		sum += device.Requested("LeakCheck", d)
	}
	return sum
}

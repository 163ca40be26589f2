// Package leak finds the memory that a piece of a goroutine's work leaves behind. It counts
// open tensors, native bytes and other objects before and after the work, each time after a
// garbage collection. If the work has steps, growth counts only if it continues over the
// last half of the steps; see goesOn.
package leak

import (
	"slices"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/tensors"
)

// Check is a running check. It covers the tensors of the goroutine that started it, and of
// the goroutines started by that goroutine during the check.
type Check struct {
	window       *live.Window
	blocks       *history.Watch
	before       footprint
	steps        int
	nextMeasured int // number of the next step that is measured
	last         footprint
	measurements []measurement
}

// footprint is the memory in use right after a garbage collection.
type footprint struct {
	tensors []tensors.Tensor
	freed   int64 // tensors from before the check that were freed during it
	bytes   int64
	blocks  []groups.Group
	objects []objects.Group
}

// open returns the number of open tensors that the check created, minus the older tensors
// that were freed.
func (f *footprint) open() int64 { return int64(len(f.tensors)) - f.freed }

// Found is the result of a check. See memory.Leaks for the fields.
type Found struct {
	Count, Freed int64
	Alone        bool // whether no other goroutine created tensors
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

// Mark makes the current state the baseline with which Look compares.
func (c *Check) Mark() {
	c.before = c.measure()
	c.window.Mark()
	c.before.freed = 0 // no tensor has been freed since the new baseline
	c.steps, c.nextMeasured, c.measurements = 0, 1, nil
	c.record(c.before)
}

// Step ends a step. It measures after each of the first 48 steps, and later less often, so
// that the last half of the steps always has about 33 measurements.
func (c *Check) Step() { c.step(1 + c.steps/48) }

// StepOf is like Step, for a check whose number of steps is known. It measures more often
// in the last half of the steps, and after the last step.
func (c *Check) StepOf(all int) {
	switch {
	case c.steps+1 < all/2:
		c.step(1 + all/48)
		c.nextMeasured = min(c.nextMeasured, all/2)
	default:
		c.step(1 + all/96)
		c.nextMeasured = min(c.nextMeasured, all)
	}
}

// step ends a step, and measures if that is due. The next measurement is due `more` steps
// later.
func (c *Check) step(more int) {
	c.steps++
	if c.steps == c.nextMeasured {
		c.nextMeasured += more
		c.last = c.measure()
		c.record(c.last)
	}
}

// Look returns the growth since the last Mark. In a check with steps it uses the last
// measurement, because objects that were in use then may have become garbage since.
// Without steps it measures now.
func (c *Check) Look() Found {
	after := c.last
	if c.steps == 0 {
		after = c.measure()
	}
	f := Found{Lines: groups.Diff(tensors.ByLine(c.before.tensors), tensors.ByLine(after.tensors))}
	for _, t := range after.tensors {
		if len(c.before.tensors) == 0 || t.ID > c.before.tensors[len(c.before.tensors)-1].ID {
			f.Tensors = append(f.Tensors, t)
		}
	}
	// If a cache was full before the check, each new tensor in it replaces an older one.
	// Freed lets such pairs cancel out in Count.
	f.Freed = after.freed
	f.Count = after.open() - c.before.open()
	f.Alone = c.window.Alone()
	if f.Alone {
		f.Objects = grownObjects(c.before, after)
		for range 2 { // cleanups of other objects may run only after another collection
			if c.steps > 0 || f.Objects == nil {
				break
			}
			pacer.Collect()
			after.objects = objects.List(c.isCovered)
			f.Objects = grownObjects(c.before, after)
		}
		f.Bytes = after.bytes - c.before.bytes
		f.Blocks = groups.Diff(c.before.blocks, after.blocks)
	}
	if c.steps > 1 {
		c.dropSteady(&f)
		// Without steps, generators do not count: long-lived loaders and optimizers own some.
	} else {
		f.Objects = slices.DeleteFunc(f.Objects, func(g objects.Group) bool {
			return g.Kind == string(named.Generators)
		})
	}
	return f
}

// grownObjects returns the growth in objects from before to after, by line, for each kind
// whose number grew. The lines of a kind never add up to more than the growth of the
// kind. So objects that were only replaced by objects of another line do not count.
func grownObjects(before, after footprint) []objects.Group {
	var out []objects.Group
	for _, k := range objects.Grown(objects.OfKind(before.objects), objects.OfKind(after.objects)) {
		if k.Kind == objects.History && history.Bounded() {
			continue // filling a bounded history is not a leak
		}
		if k.Count == 0 { // more bytes, but not more objects
			out = append(out, k)
			continue
		}
		each := k.Bytes / k.Count
		for _, g := range objects.Grown(before.objects, after.objects) {
			if g.Kind != k.Kind || k.Count == 0 {
				continue
			}
			if g.Count > k.Count {
				g.Count, g.Bytes = k.Count, k.Count*each
			}
			k.Count -= g.Count
			out = append(out, g)
		}
	}
	return out
}

// End ends the check.
func (c *Check) End() {
	c.blocks.Stop()
	c.window.Close()
}

// measure returns the memory in use. It collects garbage twice, because a sync.Pool keeps
// its contents until the second collection.
func (c *Check) measure() footprint {
	pacer.Collect()
	pacer.Collect()
	return footprint{
		tensors: tensors.List(c.window.Has), freed: c.window.Freed(), bytes: heldBytes(),
		blocks: history.Blocks(), objects: objects.List(c.isCovered),
	}
}

// isCovered reports whether the check may read a tensor's graph. This is the case if the
// check's goroutines created the tensor, or if no check covers the tensor and the program
// lists all tensors. The graphs of all other tensors may be changing in other goroutines.
func (c *Check) isCovered(e *live.Entry) bool {
	return c.window.Has(e) || e.Window == nil && live.Asked()
}

// heldBytes returns the bytes that are requested and not yet freed, on all devices in use.
func heldBytes() int64 {
	var sum int64
	for _, d := range device.Used() {
		sum += device.Requested("LeakCheck", d)
	}
	return sum
}

// Package leak finds the memory that a part of a goroutine's work leaves behind. It
// compares the open tensors, the native bytes and the other objects after a collection
// with those before. If the work has steps, growth counts only if it continues over the
// last half of them; see goesOn.
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
	"github.com/gotorch/gotorch/memory/internal/trend"
)

// Check is a running check. It covers the tensors of the goroutine that started it and of
// the goroutines that this starts during the check.
type Check struct {
	window *live.Window
	blocks *history.Watch
	before footprint
	steps  int
	next   int // the next step that takes a look
	looks  []look
}

// footprint is the memory in use after a collection.
type footprint struct {
	tensors []tensors.Tensor
	open    int64 // number of tensors, minus the older ones that were freed
	bytes   int64
	lines   []groups.Group
	objects []objects.Group
}

// look is the memory in use after a number of steps.
type look struct {
	steps       int
	open, bytes int64
	objects     []objects.Group // by kind
}

// Found is the result of a check. See memory.Leaks for the fields.
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

// Mark makes the current state the one to compare with.
func (c *Check) Mark() {
	c.before = c.look(true)
	c.window.Mark()
	c.before.open = int64(len(c.before.tensors)) // no tensor was freed since
	c.steps, c.next, c.looks = 0, 1, nil
}

// Step ends a step. It looks after each of the first steps, and later whenever the number
// of steps has grown by a twelfth, so that the last half always has about ten looks.
func (c *Check) Step() {
	c.steps++
	if c.steps == c.next {
		c.next += 1 + c.steps/12
		c.note(c.look(false))
	}
}

// StepOf is Step with a known number of steps. It looks only in the last half.
func (c *Check) StepOf(all int) {
	if c.steps+1 < all/2 {
		c.steps++
		c.next = c.steps + 1
		return
	}
	c.Step()
}

func (c *Check) note(f footprint) {
	c.looks = append(c.looks, look{c.steps, f.open, f.bytes, objects.OfKind(f.objects)})
}

// Look returns what was added since the last Mark.
func (c *Check) Look() Found {
	after := c.look(true)
	f := Found{Lines: groups.Diff(tensors.ByLine(c.before.tensors), tensors.ByLine(after.tensors))}
	for _, t := range after.tensors {
		if len(c.before.tensors) == 0 || t.ID > c.before.tensors[len(c.before.tensors)-1].ID {
			f.Tensors = append(f.Tensors, t)
		}
	}
	// A cache that was full before the check replaces its contents, so no more tensors
	// are open.
	f.Freed = c.window.Freed()
	f.Count = after.open - c.before.open
	alone := c.window.Alone()
	if alone {
		for range 3 { // cleanups of other objects may come late
			if f.Objects = grown(c.before, after); f.Objects == nil {
				break
			}
			pacer.Collect()
			after.objects = objects.List(c.covers)
		}
		f.Bytes = after.bytes - c.before.bytes
		f.Blocks = groups.Diff(c.before.lines, after.lines)
	}
	c.judge(&f, after)
	if c.steps < 2 { // loaders and optimizers that are there to stay keep some
		f.Objects = slices.DeleteFunc(f.Objects, func(g objects.Group) bool {
			return g.Kind == string(named.Generators)
		})
	}
	return f
}

// judge leaves out what did not go on growing over the last half of the steps.
func (c *Check) judge(f *Found, after footprint) {
	first := 0 // the last look at half of the steps or before
	for i, l := range c.looks {
		if l.steps <= c.steps/2 {
			first = i
		}
	}
	if c.steps < 2 || len(c.looks) == 0 {
		return
	}
	if c.looks[len(c.looks)-1].steps == c.steps {
		c.looks = c.looks[:len(c.looks)-1]
	}
	c.note(after)
	last := c.looks[min(first, len(c.looks)-1):]
	grows := func(value func(look) int64) bool {
		values := make([]int64, len(last))
		for i, l := range last {
			values[i] = value(l)
		}
		return goesOn(values)
	}
	if !grows(func(l look) int64 { return l.open }) {
		f.Count = min(f.Count, 0)
	}
	if !grows(func(l look) int64 { return l.bytes }) {
		f.Bytes = min(f.Bytes, 0)
	}
	f.Objects = slices.DeleteFunc(f.Objects, func(g objects.Group) bool {
		return !grows(func(l look) int64 {
			return l.count(g.Kind)
		}) && !grows(func(l look) int64 { return l.taken(g.Kind) })
	})
}

func (l look) of(kind string) objects.Group {
	for _, g := range l.objects {
		if g.Kind == kind {
			return g
		}
	}
	return objects.Group{}
}

func (l look) count(kind string) int64 { return l.of(kind).Count }
func (l look) taken(kind string) int64 { return l.of(kind).Bytes }

// goesOn decides whether values grow: the last value is above the first, and few pairs of
// values fall. The limit is the number of falling pairs that a random order has with a
// probability of 1 %. A cache that fills up is level in the last half, and one that is
// emptied from time to time falls.
func goesOn(values []int64) bool {
	falls := 0
	for i, v := range values {
		for _, later := range values[i+1:] {
			if later < v {
				falls++
			}
		}
	}
	most, _ := trend.Rank(len(values), 0.99)
	return values[len(values)-1] > values[0] && falls <= max(most, 0)
}

// grown returns the added objects, of the kinds whose number grew. The lines share the
// growth of their kind: if older objects moved to another line, that line has no growth.
func grown(before, after footprint) []objects.Group {
	var out []objects.Group
	for _, k := range objects.Grown(objects.OfKind(before.objects), objects.OfKind(after.objects)) {
		if k.Kind == objects.History && history.Bounded() {
			continue // a bounded history fills up
		}
		if k.Count == 0 { // they grew, but their number did not
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

// look collects twice, because a sync.Pool keeps its contents until the second
// collection. If full is set, it also reads the lines of everything.
func (c *Check) look(full bool) footprint {
	pacer.Collect()
	pacer.Collect()
	f := footprint{tensors: tensors.List(c.window.Has), bytes: heldBytes()}
	f.open = int64(len(f.tensors)) - c.window.Freed()
	if full {
		f.lines, f.objects = c.blocks.Lines(), objects.List(c.covers)
	} else {
		f.objects = objects.Kinds()
	}
	return f
}

// covers reports whether the check may look at a tensor's graph. It may if its goroutines
// created the tensor, or if no check did while the program lists all tensors. Other
// goroutines may be changing their graphs.
func (c *Check) covers(e *live.Entry) bool {
	return c.window.Has(e) || e.Window == nil && live.Asked()
}

// heldBytes returns the requested bytes on all devices in use.
func heldBytes() int64 {
	var sum int64
	for _, d := range device.Used() {
		sum += device.Requested("LeakCheck", d)
	}
	return sum
}

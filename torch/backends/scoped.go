package backends

import (
	"slices"
	"sync"

	"github.com/gotorch/gotorch/cgotorch"
)

// A knob is something that SDPAKernel and Flags set temporarily: a toggle or operators.
type knob interface {
	chosen(op string) int64
	write(op string, value int64)
}

type toggle cgotorch.Switch

func (s toggle) chosen(op string) int64       { return read(op, cgotorch.Switch(s)) }
func (s toggle) write(op string, value int64) { write(op, cgotorch.Switch(s), value) }

// A setting is a value for a knob during a call.
type setting struct {
	knob  knob
	value int64
}

// running holds the settings of the calls in progress, in the order in which they began,
// and the previous values of their knobs. Calls on several goroutines may end in any
// order. A knob has the value of the last call that began and is still running. Without
// such a call, it has its original value.
var running struct {
	mu       sync.Mutex
	closures []*[]setting
	before   map[knob]int64
}

// within runs fn with temporary settings.
func within(op string, settings []setting, fn func()) {
	defer leave(op, enter(op, settings))
	fn()
}

// enter applies the settings. If libtorch refuses one of them, it applies none.
func enter(op string, settings []setting) *[]setting {
	running.mu.Lock()
	defer running.mu.Unlock()
	if running.before == nil {
		running.before = map[knob]int64{}
	}
	var set []setting // the settings applied so far
	done := false
	defer func() {
		if !done {
			restore(op, set)
		}
	}()
	for _, s := range settings {
		if _, known := running.before[s.knob]; !known {
			running.before[s.knob] = s.knob.chosen(op)
		}
		set = append(set, s)
		s.knob.write(op, s.value)
	}
	running.closures = append(running.closures, &set)
	done = true
	return &set
}

func leave(op string, set *[]setting) {
	running.mu.Lock()
	defer running.mu.Unlock()
	running.closures = slices.DeleteFunc(running.closures, func(c *[]setting) bool { return c == set })
	restore(op, *set)
}

// restore ends a call: it sets the call's knobs, in reverse order, to the values from the
// other running calls, or else to their original values.
func restore(op string, set []setting) {
	for _, s := range slices.Backward(set) {
		if v, ok := outer(s.knob); ok {
			s.knob.write(op, v)
			continue
		}
		s.knob.write(op, running.before[s.knob])
		delete(running.before, s.knob)
	}
}

// outer returns the value for k of the most recently started call that sets k and is
// still running.
func outer(k knob) (int64, bool) {
	for _, c := range slices.Backward(running.closures) {
		for _, s := range slices.Backward(*c) {
			if s.knob == k {
				return s.value, true
			}
		}
	}
	return 0, false
}

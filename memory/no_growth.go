package memory

import (
	"runtime"

	"github.com/gotorch/gotorch/torch"
)

// TestingT contains the methods of *testing.T and *testing.B that [AssertNoGrowth] needs.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
}

// AssertNoGrowth calls fn a few times to warm up, and then calls it for the given number
// of steps. It fails the test if memory grows over the last half of these steps, so a
// cache may fill up during the first half. Memory means open tensors, native bytes and
// other objects (see [Objects]). Everything that fn refers to counts as in use until the
// end.
//
// The argument of fn is the number of the call, starting at 0. The failure message names
// the lines of code whose memory grew, with their bytes. AssertNoGrowth reports whether
// the test passed. If steps is not positive, it fails the test without running fn. It
// panics with torch.ErrNil if fn is nil.
//
// In parallel tests AssertNoGrowth sees only the tensors of its own test, as [LeakCheck]
// does. It compares native bytes only if no other goroutine created tensors during the
// steps. If one did, a passing test logs that.
func AssertNoGrowth(t TestingT, steps int, fn func(step int)) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("memory.AssertNoGrowth", "fn"))
	}
	if steps <= 0 {
		t.Errorf("memory.AssertNoGrowth: argument steps: expected a positive number, got %d", steps)
		return false
	}
	var l Leaks
	func() {
		c := StartLeakCheck()
		done := false
		defer func() {
			if !done { // fn panicked or ended the goroutine
				c.check.End()
			}
		}()
		warm := min(max(steps/10, 2), 20)
		for i := range warm {
			fn(i)
		}
		c.check.Mark()
		for i := range steps {
			fn(warm + i)
			c.check.StepOf(steps)
		}
		l = c.Stop()
		done = true
	}()
	runtime.KeepAlive(fn) // everything that fn refers to counts as in use until here
	if l.None() {
		if lt, ok := t.(interface{ Logf(string, ...any) }); ok && !l.Compared {
			lt.Logf("memory.AssertNoGrowth compared only open tensors: other goroutines created tensors meanwhile")
		}
		return true
	}
	t.Errorf("memory grew over %d steps: %s", steps, l)
	return false
}

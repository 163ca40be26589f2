package torchtest

import (
	"testing"

	"github.com/gotorch/gotorch/memory"
)

// CheckLeaks starts a check for leaks and returns a function that ends it:
//
//	defer torchtest.CheckLeaks(t)()
//
// It collects garbage and reports an error if tensors that the test has made
// are still open, native memory has grown, or there are more objects that are no
// tensors, such as nodes of graphs (memory.Objects), with the lines that made them and
// their bytes. Tensors left to the collector are no leak as long as nothing
// refers to them.
//
// Tests that run in parallel do not see each other's tensors: the check counts
// those of the goroutine that called it, of the goroutines started from there,
// and of theirs. Native memory beyond tensors, such as gradients and graphs, is
// compared only if nobody else made tensors meanwhile. memory.StartLeakCheck
// does the same outside of tests.
func CheckLeaks(t testing.TB) func() {
	t.Helper()
	check := memory.StartLeakCheck()
	return func() {
		t.Helper()
		if left := check.Stop(); !left.None() {
			t.Errorf("native memory leaked: %s", left)
		}
	}
}

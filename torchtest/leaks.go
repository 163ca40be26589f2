package torchtest

import (
	"testing"

	"github.com/gotorch/gotorch/memory"
)

// CheckLeaks starts a check for leaks and returns a function that ends it:
//
//	defer torchtest.CheckLeaks(t)()
//
// At the end it collects garbage. It reports an error if tensors of the test are still
// open, if native memory has grown, or if the number of other objects, such as graph
// nodes (see [memory.Objects]), has grown. The error lists the lines that created them
// and their bytes. Garbage does not count as a leak, and neither do objects that the test
// no longer uses. So keep the tested objects in use until the check has ended: call
// runtime.KeepAlive(server) in a function that is deferred before the check.
//
// Tests that run in parallel do not see each other's tensors: the check covers the
// goroutine that called CheckLeaks and all goroutines started from it. Native memory
// other than tensors, such as gradients and graphs, is compared only if no other
// goroutine created tensors during the check. Otherwise a passing test logs that it was
// not compared. Outside tests use [memory.StartLeakCheck].
func CheckLeaks(t testing.TB) func() {
	t.Helper()
	check := memory.StartLeakCheck()
	return func() {
		t.Helper()
		switch left := check.Stop(); {
		case !left.None():
			t.Errorf("native memory leaked: %s", left)
		case !left.Compared:
			t.Log("CheckLeaks compared only open tensors: other goroutines created tensors meanwhile")
		}
	}
}

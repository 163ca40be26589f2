package torchtest

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// CheckLeaks notes how many tensors are open and how many native bytes are
// alive on the CPU, and returns a function that collects garbage and reports an
// error if there are more of either by then:
//
//	defer torchtest.CheckLeaks(t)()
//
// Tensors left to the collector are no leak as long as nothing refers to them.
// Other goroutines that make tensors meanwhile count too, so a test that calls
// CheckLeaks does not run in parallel with such tests.
func CheckLeaks(t testing.TB) func() {
	t.Helper()
	before := footprint()
	return func() {
		t.Helper()
		after := footprint()
		if after.tensors > before.tensors || after.bytes > before.bytes {
			t.Errorf("native memory leaked: %s at the start, %s at the end", before, after)
		}
	}
}

type usage struct{ tensors, bytes int64 }

// footprint is what remains after a collection.
func footprint() usage {
	memory.Collect()
	return usage{torch.LiveTensors(), memory.Requested(torch.CPU)}
}

func (u usage) String() string { return fmt.Sprintf("%d tensors and %d bytes", u.tensors, u.bytes) }

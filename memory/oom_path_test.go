package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The message names the file of the largest holder, even if the path has spaces.
func TestOutOfMemoryInPathWithSpaces(t *testing.T) {
	limited(t, 64*mib)
	record(t, memory.HistoryOptions{Enabled: memory.HistoryState})
	kept := takeInPathWithSpaces()
	defer kept.Close()
	e, _ := outOfMemory(t, func() { takeMemory(32 * mib) })
	assert.Contains(t, e.Error(), "was allocated at train.go:17")
}

//line /home/user/my net/train.go:16
func takeInPathWithSpaces() *torch.Tensor {
	return torch.Ones(torch.Shape{4 * mib})
}

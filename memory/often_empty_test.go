package memory_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

const emptyingProcess = "GOTORCH_TEST_EMPTYING"

// A loop that empties the cache in every iteration causes one warning, which names the line
// and says what to do. A loop that empties the cache now and then causes none. Warnings go
// to standard error, so the test runs a new process.
func TestEmptyCacheInEveryIteration(t *testing.T) {
	if os.Getenv(emptyingProcess) != "" {
		synctest.Test(t, func(*testing.T) { // in synctest the clock advances only in Sleep
			for range 100 {
				memory.EmptyCache(torch.CPU) //torchvet:ignore emptycache what is tested
				time.Sleep(2 * time.Second)
			}
			for range 19 {
				memory.EmptyCache(torch.CPU) //torchvet:ignore emptycache what is tested
			}
			_, _ = os.Stderr.WriteString("--\n")
			for range 100 {
				memory.EmptyCache(torch.CPU) //torchvet:ignore emptycache in every iteration
			}
		})
		return
	}
	cmd := again.Command("-test.run=^TestEmptyCacheInEveryIteration$")
	cmd.Env = append(os.Environ(), emptyingProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run(), text.String())
	before, after, found := strings.Cut(text.String(), "--\n")
	require.True(t, found, text.String())
	assert.NotContains(t, before, "EmptyCache")
	assert.Equal(t, 1, strings.Count(after, "torch: warning: memory.EmptyCache is called in every iteration at "),
		after)
	source, err := os.ReadFile("often_empty_test.go")
	require.NoError(t, err)
	above, _, _ := strings.Cut(string(source), "emptycache in every iteration\n")
	assert.Contains(t, after, fmt.Sprintf("often_empty_test.go:%d: the next iteration", 1+strings.Count(above, "\n")))
	assert.Contains(t, after, "memory.SetLimit")
}

// Clear empties the cache too. The warning names the program's line, not Clear's.
func TestClearInEveryIteration(t *testing.T) {
	if os.Getenv(emptyingProcess) != "" {
		for range 100 {
			memory.Clear() // in every iteration
		}
		return
	}
	cmd := again.Command("-test.run=^TestClearInEveryIteration$")
	cmd.Env = append(os.Environ(), emptyingProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run(), text.String())
	source, err := os.ReadFile("often_empty_test.go")
	require.NoError(t, err)
	above, _, _ := strings.Cut(string(source), "Clear() // in every iteration\n")
	assert.Contains(t, text.String(), "torch: warning: memory.Clear is called in every iteration at ")
	assert.Contains(t, text.String(), fmt.Sprintf("often_empty_test.go:%d: ", 1+strings.Count(above, "\n")))
}

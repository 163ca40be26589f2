package memory_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/standalone"
)

// Every tool names the program's line for a tensor returned by a layer, even if the
// layer's Forward is inlined into the program.
func TestEveryToolNamesTheProgramsLine(t *testing.T) {
	source, err := os.ReadFile("testdata/lines/main.go")
	require.NoError(t, err)
	above, _, found := strings.Cut(string(source), "// the line\n")
	require.True(t, found)
	want := fmt.Sprintf("main.go:%d", 1+strings.Count(above, "\n"))
	var lines []string
	for range 2 {
		for _, tool := range []string{
			"Diff", "LiveTensors", "StorageLine", "ByLine", "LeakCheck lines",
			"LeakCheck blocks", "profile", "out of memory",
		} {
			lines = append(lines, tool+": "+want+"\n")
		}
	}
	assert.Equal(t, strings.Join(lines, ""), standalone.Run(t, "..", string(source)))
}

package torch_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

const warningsProcess = "GOTORCH_TEST_WARNINGS"

// warn makes libtorch warn that it resized an output.
func warn() {
	x := torch.Ones(torch.Shape{3})
	aten.AddOut(torch.Ones(torch.Shape{2}), x, x, nil)
}

// Warnings go to standard error, so the test causes them in a separate process. The
// process prints a line before each mode, and warns on two goroutines.
func TestWarningsAreShownAsOftenAsAsked(t *testing.T) {
	if os.Getenv(warningsProcess) != "" {
		for _, mode := range []torch.WarningMode{torch.WarnOnce, torch.WarnAlways, torch.WarnNever} {
			torch.SetWarnings(mode)
			_, _ = os.Stderr.WriteString("--\n")
			torch.Scope(func() { warn(); warn() })
			var other sync.WaitGroup
			other.Go(func() { torch.Scope(warn) })
			other.Wait()
		}
		return
	}
	cmd := again.Command("-test.run=^TestWarningsAreShownAsOftenAsAsked$")
	cmd.Env = append(os.Environ(), warningsProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	parts := strings.Split(text.String(), "--\n")
	require.Len(t, parts, 4, text.String())
	for i, want := range []int{1, 3, 0} {
		assert.Equal(t, want, strings.Count(parts[i+1], "An output with one or more elements was resized"),
			text.String())
		assert.Equal(t, want, strings.Count(parts[i+1], "torch: warning: "), text.String())
	}
}

func TestSetWarningsReturnsTheModeBefore(t *testing.T) {
	old := torch.SetWarnings(torch.WarnNever)
	assert.Equal(t, torch.WarnNever, torch.SetWarnings(old))
	assert.ErrorIs(t, torch.Try(func() { torch.SetWarnings(7) }), torch.ErrValue)
}

package functional_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Dropout2d and Dropout3d accept inputs with other dimensions, and warn as in PyTorch.
func TestDropoutsOfOtherDimensionsWarn(t *testing.T) {
	if os.Getenv(warningsProcess) != "" {
		torch.Scope(func() {
			for _, shape := range []torch.Shape{{4, 6}, {4, 6, 2}, {4, 6, 2, 2}, {4, 6, 2, 2, 2}} {
				F.Dropout2d(torch.Ones(shape))
				F.Dropout3d(torch.Ones(shape))
				F.Dropout2d_(torch.Ones(shape))
				F.Dropout3d_(torch.Ones(shape))
			}
		})
		return
	}
	cmd := again.Command("-test.run=^TestDropoutsOfOtherDimensionsWarn$")
	cmd.Env = append(os.Environ(), warningsProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	for _, line := range []string{
		"dropout2d: Received a 2-D input", "dropout2d: Received a 5-D input",
		"dropout2d: Received a 3D input to dropout2d and assuming",
		"dropout3d: Received a 2-D input", "dropout3d: Received a 3-D input",
	} {
		assert.Equal(t, 1, strings.Count(text.String(), "torch: warning: "+line), line)
	}
	assert.Equal(t, 5, strings.Count(text.String(), "torch: warning: "), text.String())
}

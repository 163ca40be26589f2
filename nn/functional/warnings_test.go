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

const warningsProcess = "GOTORCH_TEST_WARNINGS"

// With predictions (3, 1) and targets (3), the loss covers nine pairs, and PyTorch
// warns. Warnings go to standard error, so the test reads them from a separate process.
func TestDifferentSizesWarn(t *testing.T) {
	losses := map[string]func(x, y *torch.Tensor) *torch.Tensor{
		"MSELoss":      func(x, y *torch.Tensor) *torch.Tensor { return F.MSELoss(x, y) },
		"L1Loss":       func(x, y *torch.Tensor) *torch.Tensor { return F.L1Loss(x, y) },
		"SmoothL1Loss": func(x, y *torch.Tensor) *torch.Tensor { return F.SmoothL1Loss(x, y) },
		"HuberLoss":    func(x, y *torch.Tensor) *torch.Tensor { return F.HuberLoss(x, y) },
	}
	if os.Getenv(warningsProcess) != "" {
		torch.Scope(func() {
			x, y := torch.Ones(torch.Shape{3, 1}), torch.Ones(torch.Shape{3})
			for _, mode := range []torch.WarningMode{torch.WarnOnce, torch.WarnAlways, torch.WarnNever} {
				torch.SetWarnings(mode)
				_, _ = os.Stderr.WriteString("--\n")
				for _, loss := range losses {
					loss(x, x)
					loss(x, y)
					loss(x, y)
				}
			}
		})
		return
	}
	cmd := again.Command("-test.run=^TestDifferentSizesWarn$")
	cmd.Env = append(os.Environ(), warningsProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	parts := strings.Split(text.String(), "--\n")
	require.Len(t, parts, 4, text.String())
	for i, want := range []int{1, 2, 0} {
		for name := range losses {
			line := "torch: warning: " + name +
				": Using a target size (3,) that is different to the input size (3, 1). "
			assert.Equal(t, want, strings.Count(parts[i+1], line), text.String())
		}
	}
}

// With ReductionMean, KLDiv warns as in PyTorch: the mean over all elements is not the
// divergence.
func TestKLDivWarns(t *testing.T) {
	if os.Getenv(warningsProcess) != "" {
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{3, 2})
			F.KLDiv(x, x, F.ReductionBatchMean)
			F.KLDiv(x, x, F.ReductionSum)
			_, _ = os.Stderr.WriteString("--\n")
			F.KLDiv(x, x)
			F.KLDiv(x, x)
		})
		return
	}
	cmd := again.Command("-test.run=^TestKLDivWarns$")
	cmd.Env = append(os.Environ(), warningsProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	before, after, _ := strings.Cut(text.String(), "--\n")
	assert.Empty(t, before)
	assert.Equal(t, 1, strings.Count(after, "torch: warning: KLDiv: ReductionMean divides"), after)
}

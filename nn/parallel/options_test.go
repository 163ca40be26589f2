package parallel_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torchtest"
)

// Tests each option of each function: alone, after the same option with a different
// value, and together with a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	optiontest.Read(t, ".", "../../torch/distributed/join").Run(t, ddpRows(t))
}

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// After each validation and each epoch, exactly as many native bytes are in use as before.
func TestValidationLeavesNothing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.epochs, c.patience, c.out = 10, 0, t.TempDir()
	var alive, left []int64
	require.NoError(t, run(t.Context(), c, func(t *trainer) {
		if t.Batch == 3 { // after the first step of an epoch, which follows a validation
			alive, left = append(alive, memory.Requested(torch.CPU)), append(left, t.left)
		}
	}))
	require.Len(t, alive, 10)
	assert.Equal(t, make([]int64, 10), left, "bytes that a validation left")
	for _, bytes := range alive[1:] {
		assert.Equal(t, alive[0], bytes)
	}
}

// leaks are common ways to write a validation that leaks. Each function handles one
// batch.
var leaks = []struct {
	name string
	step func(v *validation, images, labels *torch.Tensor)
}{
	{"no NoGrad", func(v *validation, images, labels *torch.Tensor) {
		loss := F.CrossEntropy(v.model.Forward(images), labels) // leaks: no NoGrad
		v.total = keep(v.total.Add(loss))
	}},
	{"outputs kept", func(v *validation, images, _ *torch.Tensor) {
		torch.NoGrad(func() {
			out := v.model.Forward(images) // leaks: outputs kept
			v.outputs = append(v.outputs, keep(out))
		})
	}},
	{"losses kept", func(v *validation, images, labels *torch.Tensor) {
		torch.NoGrad(func() {
			loss := F.CrossEntropy(v.model.Forward(images), labels) // leaks: losses kept
			v.losses = append(v.losses, keep(loss))
		})
	}},
}

// validation contains the variables that a program keeps from one leaky validation to the
// next.
type validation struct {
	model           *nn.Sequential
	total           *torch.Tensor
	outputs, losses []*torch.Tensor
}

func keep(t *torch.Tensor) *torch.Tensor { return torch.Disown(t) }

// failure is a test that should fail. It keeps the message.
type failure struct{ text string }

func (*failure) Helper() {}

func (f *failure) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

// The leak tools find each leak and name its line.
func TestLeakyValidations(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := madeUp(1, 64)
	defer set.Close()
	loader := data.NewLoader(set, data.BatchSize(32), data.Transform(data.Normalize(mean, std)))
	source, err := os.ReadFile("validate_test.go")
	require.NoError(t, err)
	for _, l := range leaks {
		v := &validation{model: newModel(), total: torch.Zeros(nil)}
		var f failure
		flat := memory.AssertNoGrowth(&f, 10, func(int) {
			for batch := range loader.All() {
				l.step(v, batch.Input, batch.Target)
			}
		})
		assert.False(t, flat, l.name)
		above, _, _ := strings.Cut(string(source), "// leaks: "+l.name+"\n")
		assert.Contains(t, f.text, fmt.Sprintf("validate_test.go:%d ", 1+strings.Count(above, "\n")), l.name)
		_ = v.model.Close()
		for _, kept := range append(append(v.outputs, v.losses...), v.total) {
			_ = kept.Close()
		}
		memory.Collect() // frees all sums except the last, because they are garbage
	}
}

package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// Options are read before a device is looked for.
func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/cuda"},
		Decls:   "var dev = torch.CUDA(0)",
	}
	s.Accepts(t,
		"cuda.NewStream(cuda.Device(dev), cuda.Priority(-1))",
		"cuda.CurrentStream(cuda.Device(dev))",
		"cuda.DefaultStream(cuda.Device(dev))",
		"cuda.NewEvent(cuda.EnableTiming(true))",
	)
	s.Rejects(t,
		"cuda.NewStream(dev)",
		"cuda.NewStream(cuda.EnableTiming(true))",
		"cuda.CurrentStream(cuda.Priority(-1))",
		"cuda.DefaultStream(cuda.Priority(-1))",
		"cuda.NewEvent(true)",
		"cuda.NewEvent(cuda.Device(dev))",
	)
	for name, fn := range map[string]func(){
		"NewStream":     func() { cuda.NewStream(nil) },
		"CurrentStream": func() { cuda.CurrentStream(nil) },
		"DefaultStream": func() { cuda.DefaultStream(cuda.Device(torch.CUDA(0)), nil) },
		"NewEvent":      func() { cuda.NewEvent(nil) },
	} {
		assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
	}
}

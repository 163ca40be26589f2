package cuda_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
)

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/cuda"},
		Decls:   "var dev = torch.CUDA.At(0)",
	}
	s.Accepts(t,
		"cuda.NewStream(cuda.Device(dev), cuda.Priority(-1))",
		"cuda.CurrentStream(cuda.Device(dev))",
		"cuda.DefaultStream(cuda.Device(dev))",
		"cuda.NewEvent(cuda.EnableTiming(true), cuda.Blocking(true), cuda.Interprocess(false))",
		"cuda.NewExternalStream(64, cuda.Device(dev))",
		"cuda.NewCUDAGraph(cuda.KeepGraph(true))",
		"cuda.MakeGraphedCallables(nil, cuda.Pool{}, cuda.NumWarmupIters(1), cuda.AllowUnusedInput(true))",
		"cuda.Graph(nil, nil, cuda.Pool{}, cuda.WithStream(nil), cuda.CaptureErrorModeRelaxed)",
	)
	s.Rejects(t,
		"cuda.NewStream(dev)",
		"cuda.NewStream(cuda.EnableTiming(true))",
		"cuda.CurrentStream(cuda.Priority(-1))",
		"cuda.DefaultStream(cuda.Priority(-1))",
		"cuda.NewExternalStream(64, cuda.Priority(-1))",
		"cuda.NewCUDAGraph(cuda.Pool{})",
		"(*cuda.CUDAGraph)(nil).CaptureBegin(cuda.WithStream(nil))",
		"cuda.NewEvent(true)",
		"cuda.MakeGraphedCallables(nil, cuda.WithStream(nil))",
		"cuda.Graph(nil, nil, cuda.NumWarmupIters(1))",
		"cuda.NewEvent(cuda.Device(dev))",
	)
}

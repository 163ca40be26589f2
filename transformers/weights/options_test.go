package weights_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/weights"
)

// TestOptions tests each option alone, after another value, and next to a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		tensors := map[string]*torch.Tensor{"x": torch.Ones(torch.Shape{4})}
		require.NoError(t, safetensors.SaveFile(tensors, filepath.Join(dir, "model.safetensors")))
	})
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Open": optiontest.For(func(opts ...weights.OpenOption) optiontest.Outcome {
			w, err := weights.Open(dir, opts...)
			require.NoError(t, err)
			defer func() { require.NoError(t, w.Close()) }()
			x, err := w.Tensor("x")
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close()) }()
			return optiontest.Outcome{"tensor": fmt.Sprint(x.DType(), x.Device())}
		},
			optiontest.Values(weights.DType(torch.BFloat16), weights.DType(torch.Float64)),
			optiontest.Values(weights.DType(torch.BFloat16), weights.DType(0)),
			optiontest.Values(weights.Device(torch.Meta), weights.Device(torch.CPU)),
			optiontest.Values(weights.Device(torch.Meta), weights.Device(0)),
			optiontest.Values(weights.Mmap(true), weights.Mmap(false)).Hides("tensor", "the values are the same")),
	})
}

func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{
		"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/transformers/gguf",
		"github.com/gotorch/gotorch/transformers/weights",
	}}
	s.Accepts(t, `weights.Open("x", weights.DType(torch.Float32), weights.Mmap(true))`)
	s.Rejects(t, `weights.Open("x", true)`, `weights.Open("x", gguf.DType(torch.Float32))`)
}

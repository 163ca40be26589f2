package gguf_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
)

// TestOptions tests each option alone, after another value, and next to a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "x.gguf")
	torch.Scope(func() {
		data := []gguf.Data{gguf.FromTensor("x", torch.Ones(torch.Shape{2, 32}), gguf.TypeQ8_0)}
		require.NoError(t, gguf.Write(nil, data, path))
	})
	f, err := gguf.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	outcome := func(x *torch.Tensor, err error) optiontest.Outcome {
		require.NoError(t, err)
		defer func() { require.NoError(t, x.Close()) }()
		return optiontest.Outcome{"tensor": fmt.Sprint(x.DType(), x.Device())}
	}
	options := []optiontest.Pair{
		optiontest.Values(gguf.DType(torch.BFloat16), gguf.DType(torch.Float64)),
		optiontest.Values(gguf.DType(torch.BFloat16), gguf.DType(0)),
		optiontest.Values(gguf.Device(torch.Meta), gguf.Device(torch.CPU)),
		optiontest.Values(gguf.Device(torch.Meta), gguf.Device(0)),
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"File.Load": optiontest.For(func(opts ...gguf.LoadOption) optiontest.Outcome {
			return outcome(f.Load("x", opts...))
		}, options...),
		"File.Source": optiontest.For(func(opts ...gguf.LoadOption) optiontest.Outcome {
			s, err := f.Source(opts...)
			require.NoError(t, err)
			return outcome(s.Tensor("x"))
		}, options...),
	})
}

func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/transformers/gguf",
			"github.com/gotorch/gotorch/transformers/weights",
		},
		Decls: "var f *gguf.File",
	}
	s.Accepts(t, `f.Load("x", gguf.DType(torch.Float32))`)
	s.Rejects(t, `f.Load("x", torch.Float32)`, `f.Load("x", weights.DType(torch.Float32))`)
}

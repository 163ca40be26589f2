package numpy_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

// The test uses each option alone, after a different value of the option, and together
// with a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "zeros.npz")
	torch.Scope(func() {
		require.NoError(t, numpy.SavezCompressed(tensors{"x": torch.Zeros(torch.Shape{1 << 16})}, path))
	})
	limits := []optiontest.Pair{
		optiontest.Values(numpy.MaxInflated(1), numpy.MaxInflated(1<<20)),
		optiontest.Refused(numpy.MaxInflated(-1)),
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Load": optiontest.For(func(opts ...numpy.LoadOption) optiontest.Outcome {
			x, err := numpy.Load(goldenPath("float32.npy"), opts...)
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close()) }()
			return optiontest.Outcome{"mapped": fmt.Sprint(mapped.Live())}
		}, optiontest.Values(numpy.Mmap(true), numpy.Mmap(false))),
		"OpenNpz": optiontest.For(func(opts ...numpy.NpzOption) optiontest.Outcome {
			f, err := numpy.OpenNpz(path, opts...)
			require.NoError(t, f.Close())
			return optiontest.Outcome{"error": fmt.Sprint(err)}
		}, limits...),
		"LoadNpz": optiontest.For(func(opts ...numpy.NpzOption) optiontest.Outcome {
			all, err := numpy.LoadNpz(path, opts...)
			for _, x := range all {
				require.NoError(t, x.Close())
			}
			return optiontest.Outcome{"error": fmt.Sprint(err)}
		}, limits...),
	})
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{
		"github.com/gotorch/gotorch/torch",
		"github.com/gotorch/gotorch/torch/numpy",
	}}
	s.Accepts(t, "numpy.Load(``, numpy.Mmap(true))", "numpy.LoadNpz(``, numpy.MaxInflated(9))")
	s.Rejects(t, "numpy.Load(``, true)", "numpy.Load(``, numpy.MaxInflated(9))", "numpy.OpenNpz(``, numpy.Mmap(true))",
		"numpy.LoadNpz(``, torch.CPU)")
}

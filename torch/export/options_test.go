package export_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torchtest"
)

// two returns an archive with the program mlp, and with the same program as "other", which
// multiplies by three where mlp multiplies by two.
func two(t testing.TB) []byte {
	t.Helper()
	r, err := zip.OpenReader(filepath.Join("testdata", "mlp.pt2"))
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range r.File {
		in, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(in)
		require.NoError(t, err)
		entries := map[string][]byte{f.Name: data}
		switch folder, file := filepath.Split(f.Name); {
		case file == "model.json":
			entries[folder+"other.json"] = bytes.Replace(data, []byte(`"as_int": 2}`), []byte(`"as_int": 3}`), 1)
		case strings.HasSuffix(file, "_config.json"):
			entries[folder+strings.Replace(file, "model_", "other_", 1)] = data
		}
		for name, data := range entries {
			out, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			require.NoError(t, err)
			_, err = out.Write(data)
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// The test uses the option alone, after a different value of the option, and together with
// a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	data := two(t)
	path := filepath.Join(t.TempDir(), "two.pt2")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	loaded := func(load func(opts ...export.LoadOption) (*export.Module, error),
	) func(opts ...export.LoadOption) optiontest.Outcome {
		return func(opts ...export.LoadOption) optiontest.Outcome {
			m, err := load(opts...)
			require.NoError(t, err)
			defer func() { require.NoError(t, m.Close()) }()
			out := optiontest.Outcome{}
			torch.Scope(func() { out["sum"] = fmt.Sprint(m.Forward(torch.Ones(torch.Shape{3, 4})).Sum().Item()) })
			return out
		}
	}
	x := torch.Ones(torch.Shape{2, 2})
	defer x.Close()
	l := nn.NewReLU()
	exported := func(call func(opts ...export.Option) *export.Module) func(opts ...export.Option) optiontest.Outcome {
		return func(opts ...export.Option) optiontest.Outcome {
			m := call(opts...)
			defer func() { require.NoError(t, m.Close()) }()
			var did []any
			torch.Scope(func() {
				did = append(did, torch.Try(func() { m.Forward(torch.Ones(torch.Shape{3, 2})) }),
					torch.Try(func() { m.Forward(nil) }))
				// The function calls another operator each time, so only a check fails.
				checks := slices.DeleteFunc(slices.Clone(opts), func(o export.Option) bool {
					_, ok := o.(export.Check)
					return !ok
				})
				calls := 0
				did = append(did, torch.Try(func() {
					twice := export.Func(nil, func(in []*torch.Tensor) []*torch.Tensor {
						calls++
						return []*torch.Tensor{in[0].MulScalar(calls)}
					}, []*torch.Tensor{x}, checks...)
					require.NoError(t, twice.Close())
				}))
			})
			return optiontest.Outcome{"did": fmt.Sprint(did...)}
		}
	}
	exporting := []optiontest.Pair{
		optiontest.Values(export.DynamicShapes{{0: {Name: "n"}}}, export.DynamicShapes(nil)),
		optiontest.Values(export.ArgNames{"input"}, export.ArgNames{"other"}),
		optiontest.Values(export.Check(false), export.Check(true)),
	}
	names := optiontest.Values(export.ModelName("other"), export.ModelName(""))
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Load": optiontest.For(loaded(func(opts ...export.LoadOption) (*export.Module, error) {
			return export.Load(path, opts...)
		}), names),
		"Export": optiontest.For(exported(func(opts ...export.Option) *export.Module {
			return export.Export(l, x, opts...)
		}), exporting...),
		"Func": optiontest.For(exported(func(opts ...export.Option) *export.Module {
			return export.Func(l, func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{l.Forward(in[0])}
			}, []*torch.Tensor{x}, opts...)
		}), exporting...),
		"LoadFrom": optiontest.For(loaded(func(opts ...export.LoadOption) (*export.Module, error) {
			return export.LoadFrom(bytes.NewReader(data), int64(len(data)), opts...)
		}), names),
	})
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/torch/export"}}
	s.Accepts(t, "export.Load(``, export.ModelName(`model`))", "export.Export(nil, nil, export.Check(false))")
	s.Rejects(t, "export.Load(``, `model`)", "export.LoadFrom(nil, 0, true)",
		"export.Export(nil, nil, export.ModelName(`m`))", "export.Func(nil, nil, nil, true)")
}

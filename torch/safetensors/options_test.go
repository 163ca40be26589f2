package safetensors_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// The test uses each option alone, after a different value of the option, and together
// with a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	read := []optiontest.Pair{
		optiontest.Values(safetensors.BackendMmap, safetensors.BackendPread).Hides("device", "it is how, not where"),
		optiontest.Values(safetensors.Device(torch.Meta), safetensors.Device(0)).Hides("mapped",
			"it is where, not how"),
		optiontest.Refused(safetensors.Backend("")),
	}
	// placed describes on which device the tensors are, and whether they are mapped.
	placed := func(all tensors, err error) optiontest.Outcome {
		require.NoError(t, err)
		defer closeAll(t, all)
		for _, x := range all {
			return optiontest.Outcome{"device": x.Device().String(), "mapped": fmt.Sprint(mapped.Live())}
		}
		return nil
	}
	var plain, shared tensors
	torch.Scope(func() {
		x := torch.Arange(0, 6, 1).View(2, 3)
		plain = tensors{"x": torch.Disown(torch.Ones(torch.Shape{2})), "y": torch.Disown(torch.Ones(torch.Shape{2}))}
		shared = tensors{
			"a": torch.Disown(x), "b": torch.Disown(x.View(6)),
			"t": torch.Disown(torch.Ones(torch.Shape{2, 3}).T()),
		}
	})
	defer closeAll(t, shared)
	defer closeAll(t, plain)
	write := []optiontest.Pair{
		optiontest.Values(safetensors.Metadata{"k": "v"}, safetensors.Metadata(nil)),
		optiontest.Values(safetensors.RemoveDuplicates(true), safetensors.RemoveDuplicates(false)),
		optiontest.Values(safetensors.ForceContiguous(true), safetensors.ForceContiguous(false)),
		optiontest.Refused(safetensors.Metadata{"\xff": ""}),
	}
	// written describes the files that save writes, or its error. It saves tensors that
	// need no option, and tensors for which each option makes a difference.
	written := func(save func(what tensors) string) optiontest.Outcome {
		return optiontest.Outcome{"files": save(plain) + save(tensors{"a": shared["a"], "b": shared["b"]}) +
			save(tensors{"t": shared["t"]})}
	}
	rows := map[string]optiontest.Row{
		"Open": optiontest.For(func(opts ...safetensors.OpenOption) optiontest.Outcome {
			f, err := safetensors.Open(goldenPath("metadata"), opts...)
			require.NoError(t, err)
			x, err := f.Tensor("w")
			require.NoError(t, f.Close())
			return placed(tensors{"w": x}, err)
		}, read...),
		"LoadFile": optiontest.For(func(opts ...safetensors.OpenOption) optiontest.Outcome {
			return placed(safetensors.LoadFile(goldenPath("metadata"), opts...))
		}, read...),
		"OpenSharded": optiontest.For(func(opts ...safetensors.OpenOption) optiontest.Outcome {
			s, err := safetensors.OpenSharded("testdata/shards/one", opts...)
			require.NoError(t, err)
			x, err := s.Tensor("b.bias")
			require.NoError(t, s.Close())
			return placed(tensors{"w": x}, err)
		}, read...),
		"LoadSharded": optiontest.For(func(opts ...safetensors.OpenOption) optiontest.Outcome {
			return placed(safetensors.LoadSharded("testdata/shards/one", opts...))
		}, read...),
		"Save": optiontest.For(func(opts ...safetensors.SaveOption) optiontest.Outcome {
			return written(func(what tensors) string {
				b, err := safetensors.Save(what, opts...)
				return fmt.Sprint(string(b), err)
			})
		}, write...),
		"SaveFile": optiontest.For(func(opts ...safetensors.SaveOption) optiontest.Outcome {
			return written(func(what tensors) string {
				dir := t.TempDir()
				err := safetensors.SaveFile(what, filepath.Join(dir, "f"), opts...)
				return fmt.Sprint(tree(t, dir), err)
			})
		}, write...),
		"SaveSharded": optiontest.For(func(opts ...safetensors.ShardOption) optiontest.Outcome {
			return written(func(what tensors) string {
				dir := t.TempDir()
				err := safetensors.SaveSharded(what, dir, opts...)
				return fmt.Sprint(tree(t, dir), err)
			})
		}, append(slices.Clone(write),
			optiontest.Values(safetensors.MaxShardSize(1), safetensors.MaxShardSize(1000)),
			optiontest.Values(safetensors.FilenamePattern("x{suffix}.safetensors"),
				safetensors.FilenamePattern("{suffix}y.safetensors")),
			optiontest.Refused(safetensors.MaxShardSize(0)),
			optiontest.Refused(safetensors.FilenamePattern("")),
			optiontest.Refused(safetensors.FilenamePattern("x.safetensors")),
			optiontest.Refused(safetensors.FilenamePattern("{suffix}.bin")),
			optiontest.Refused(safetensors.FilenamePattern("../{suffix}.safetensors")),
		)...),
	}
	optiontest.Read(t, ".").Run(t, rows)
}

func closeAll(t *testing.T, all tensors) {
	for _, x := range all {
		require.NoError(t, x.Close())
	}
}

// tree returns a string with the names and contents of the files in a directory.
func tree(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all = append(all, e.Name(), string(text))
	}
	return strings.Join(all, "\n")
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/safetensors"},
		Decls:   "var all map[string]*torch.Tensor",
	}
	s.Accepts(t,
		"safetensors.Open(``, safetensors.BackendPread, safetensors.Device(torch.CPU))",
		"safetensors.SaveFile(all, ``, safetensors.Metadata{`format`: `pt`}, safetensors.RemoveDuplicates(true))",
		"safetensors.SaveSharded(all, ``, safetensors.MaxShardSize(9), safetensors.Metadata{})",
	)
	s.Rejects(t,
		"safetensors.Open(``, torch.CPU)", "safetensors.Open(``, safetensors.Metadata{})",
		"safetensors.Load(nil, safetensors.BackendPread)",
		"safetensors.SaveFile(all, ``, safetensors.MaxShardSize(9))", "safetensors.Save(all, map[string]string{})",
		"safetensors.SaveSharded(all, ``, safetensors.BackendPread)")
}

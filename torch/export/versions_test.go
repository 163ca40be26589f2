package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// versioned returns the programs that make_versions.py wrote with versions of PyTorch, such as
// "versions/2.7.1/mlp".
func versioned(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/versions/*/*.pt2")
	require.NoError(t, err)
	require.Len(t, files, 34)
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(f), "testdata/"), ".pt2")
	}
	return files
}

// Programs of other versions of PyTorch give that version's results, gradients and buffers, and
// a step of training gives its parameters.
func TestVersions(t *testing.T) {
	for _, name := range versioned(t) {
		t.Run(strings.TrimPrefix(name, "versions/"), func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			by := rounded(torch.Float32)
			for i, c := range cases(t, name) {
				m := load(t, name)
				torch.Scope(func() {
					compare(t, m, c, by)
					step(t, m)
					trained := entry(c, "trained").(*serialization.Dict)
					assert.Len(t, m.NamedParameters(), trained.Len())
					for _, p := range m.NamedParameters() {
						near(t, entry(trained, p.Name), p.Tensor, p.Name, by)
					}
				})
				require.NoError(t, m.Close(), i)
				serialization.Close(c)
			}
		})
	}
}

// step trains the parameters that have a gradient. Python has zeros for the others.
func step(t testing.TB, m *export.Module) {
	t.Helper()
	if len(m.Parameters()) == 0 {
		return
	}
	opt := optim.NewSGD(m.Parameters(), optim.LR(0.5))
	opt.Step()
	require.NoError(t, opt.Close())
}

// Other versions of PyTorch load what Save writes: programs of Go, and those of PyTorch 2.7 to
// 2.15. GOTORCH_TEST_PYTHONS lists their interpreters, separated as in PATH. Without it, the
// test takes only the usual one.
func TestVersionsLoadPrograms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	pythons := filepath.SplitList(os.Getenv("GOTORCH_TEST_PYTHONS"))
	if len(pythons) == 0 {
		pythons = []string{pythontest.Interpreter(t, "torch")}
	}
	dir := t.TempDir()
	var paths []string
	write := func(name string, m *export.Module, args []any, kwargs export.Kwargs) {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, m.Save(path+".pt2"))
		torch.NoGrad(func() {
			dict := serialization.NewDict()
			for k, v := range kwargs {
				dict.Set(k, v)
			}
			values := serialization.NewDict("args", serialization.Tuple(args), "kwargs", dict,
				"result", m.Run(append(append([]any{}, args...), kwargs)...))
			require.NoError(t, serialization.Save(values, path+".pt"))
		})
		paths = append(paths, path)
	}
	for _, name := range versioned(t) {
		torch.Scope(func() {
			m, c := load(t, name), cases(t, name)[0]
			compare(t, m, c, rounded(torch.Float32))
			step(t, m)
			kwargs := export.Kwargs{}
			entry(c, "kwargs").(*serialization.Dict).Each(func(k, v any) bool {
				kwargs[k.(string)] = v
				return true
			})
			write(name, m, entry(c, "args").(serialization.Tuple), kwargs)
			require.NoError(t, m.Close())
		})
	}
	for name, e := range exportedModules() {
		torch.Scope(func() {
			e.m.ModuleBase().Eval()
			p := export.Func(e.m, func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{e.forward(in[0])}
			}, []*torch.Tensor{torch.Randn(e.a)}, export.DynamicShapes{e.dims})
			write(name, p, []any{torch.Randn(e.b)}, nil)
			require.NoError(t, p.Close())
		})
		require.NoError(t, e.m.ModuleBase().Close())
	}
	const script = `
import sys, torch, traceback
failed = []
for path in sys.argv[1:]:
    try:
        d = torch.load(path + ".pt")
        m = torch.export.load(path + ".pt2").module()
        torch.testing.assert_close(m(*d["args"], **d["kwargs"]), d["result"])
        if params := list(m.parameters()):
            out = [t for t in torch.utils._pytree.tree_leaves(m(*d["args"], **d["kwargs"])) if t.requires_grad]
            sum(t.sum() for t in out).backward()
            assert any(p.grad is not None for p in params)
    except Exception:
        failed.append(path + "\n" + traceback.format_exc())
if failed:
    raise SystemExit("\n".join([torch.__version__, f"{len(failed)} of {len(sys.argv) - 1}", *failed]))
`
	for _, python := range pythons {
		pythontest.Script(t, python, "", script, paths...)
	}
}

package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/lint"
)

func TestTheTreeKeepsTheRules(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case "build", "testdata", "vendor", ".git":
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		wrong, err := lint.Check(filepath.ToSlash(rel), src)
		assert.Empty(t, wrong)
		files++
		return err
	})
	require.NoError(t, err)
	assert.Greater(t, files, 300, "the walk has seen the tree")
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ path, src, says string }{
		{"torch/a.go", `import "C"`, `imports "C"`},
		{"torch/a_test.go", `import "C"`, `imports "C"`},
		{"examples/x/a.go", `import "C"`, `imports "C"`},
		{"cgotorch/mem/a.go", `import "C"`, ""},
		{"torch/a.go", `import "github.com/gotorch/gotorch/nn"`, "it is of a layer above"},
		{"torch/a.go", `import "github.com/gotorch/gotorch/torch/aten"`, "it is of a layer above"},
		{"torch/aten/a.go", `import "github.com/gotorch/gotorch/torch"`, ""},
		{"internal/gate/a.go", `import "github.com/gotorch/gotorch/torch"`, "it is of a layer above"},
		{"internal/opt/a.go", `import "github.com/gotorch/gotorch/torch"`, ""},
		{"cgotorch/a.go", `import "github.com/gotorch/gotorch/internal/gate"`, "it is of a layer above"},
		{"nn/a.go", `import "github.com/gotorch/gotorch/torchtest"`, "it is of a layer above"},
		{"nn/a_test.go", `import "github.com/gotorch/gotorch/torchtest"`, ""},
		{"nn/utils/a.go", `import "github.com/gotorch/gotorch/optim"`, "how they are trained"},
		{"cgotorch/aten/a.go", `import "github.com/gotorch/gotorch/cgotorch"`, "a minute of C++"},
		{"cgotorch/aten/a.go", `import "github.com/gotorch/gotorch/cgotorch/abi"`, ""},
		{"memory/a.go", `import "github.com/gotorch/gotorch/nn"`, "knows tensors only"},
		{"nn/a.go", "import \"runtime\"\n\nfunc f(x *int) { runtime.SetFinalizer(x, nil) }", "AddCleanup"},
	} {
		wrong, err := lint.Check(c.path, "package p\n\n"+c.src)
		require.NoError(t, err)
		if c.says == "" {
			assert.Empty(t, wrong, "%s: %s", c.path, c.src)
		} else if assert.Len(t, wrong, 1, "%s: %s", c.path, c.src) {
			assert.Contains(t, wrong[0], c.says)
		}
	}
}

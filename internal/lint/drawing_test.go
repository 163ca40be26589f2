package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/lint"
)

var (
	drawing = regexp.MustCompile("(?s)```\n(.*?)```")
	ruler   = regexp.MustCompile(`(?m)^ [─═].*\n`)
	folder  = regexp.MustCompile(`(?m)^ ([a-z0-9_]+(?:/[a-z_]+)*)(?: |$)`)
)

// docs/architecture.md has a diagram of the package layers. It shows the same layers that
// lint.Check enforces.
func TestTheDrawingShowsTheLayers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	require.NoError(t, err)
	m := drawing.FindSubmatch(page)
	require.NotNil(t, m)
	level, drawn := map[string]int{}, []string{} // the topmost is 0
	for i, layer := range ruler.Split(string(m[1]), -1) {
		for _, name := range folder.FindAllStringSubmatch(layer, -1) {
			assert.DirExists(t, filepath.Join("..", "..", filepath.FromSlash(name[1])))
			assert.NotContains(t, drawn, name[1], "drawn twice")
			level[name[1]] = i
			drawn = append(drawn, name[1])
		}
	}
	for _, must := range []string{
		"examples", "torchtest", "nn", "optim/schedule", "memory", "torch/aten",
		"internal/opt", "torch", "internal/native/own", "cgotorch/abi",
	} {
		require.Contains(t, drawn, must)
	}
	for _, folder := range packages(t) {
		assert.Contains(t, drawn, folder, "the library links it, so the drawing has it")
	}
	for _, from := range drawn {
		for _, to := range drawn {
			wrong, err := lint.Check(from+"/x.go", "package p\nimport _ \"github.com/gotorch/gotorch/"+to+"\"\n")
			require.NoError(t, err)
			above := strings.Contains(strings.Join(wrong, "\n"), "it belongs to a higher layer")
			assert.Equal(t, level[to] < level[from], above, "%s imports %s", from, to)
		}
	}
}

// packages returns the directories of the packages that are linked into programs: those
// that programs may import, and all packages of this module that they import.
func packages(t *testing.T) []string {
	found := []string{}
	todo := strings.Fields("torch torch/aten torch/cuda torch/data torch/data/transforms torch/tensorboard " +
		"torch/profiler nn nn/nnutil nn/nninit optim optim/schedule memory torchtest")
	for len(todo) > 0 {
		folder := todo[0]
		todo = todo[1:]
		if slices.Contains(found, folder) {
			continue
		}
		found = append(found, folder)
		files := parsed(t, folder)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			for _, spec := range file.Imports {
				if to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`),
					"github.com/gotorch/gotorch/"); ours && spec.Name.String() != "_" {
					todo = append(todo, to)
				}
			}
		}
	}
	return found
}

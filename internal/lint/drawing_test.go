package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/lint"
)

var (
	drawing = regexp.MustCompile("(?s)```\n(.*?)```")
	ruler   = regexp.MustCompile(`(?m)^ [─═].*\n`)
	folder  = regexp.MustCompile(`(?:^|\s)([a-z_]+(?:/[a-z_]+)*)`)
)

// The layers that docs/architecture.md draws are those that files are held to.
func TestTheDrawingShowsTheLayers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	require.NoError(t, err)
	m := drawing.FindSubmatch(page)
	require.NotNil(t, m)
	level, drawn := map[string]int{}, []string{} // the topmost is 0
	for i, layer := range ruler.Split(string(m[1]), -1) {
		for _, name := range folder.FindAllStringSubmatch(layer, -1) {
			if info, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name[1]))); err == nil && info.IsDir() {
				level[name[1]] = i
				drawn = append(drawn, name[1])
			}
		}
	}
	for _, must := range []string{"examples", "torchtest", "nn", "optim/lr_scheduler", "memory", "torch/aten", "internal/opt", "torch", "internal/native/own", "cgotorch/abi"} {
		require.Contains(t, drawn, must)
	}
	for _, from := range drawn {
		for _, to := range drawn {
			wrong, err := lint.Check(from+"/x.go", "package p\nimport _ \"github.com/gotorch/gotorch/"+to+"\"\n")
			require.NoError(t, err)
			above := strings.Contains(strings.Join(wrong, "\n"), "it is of a layer above")
			assert.Equal(t, level[to] < level[from], above, "%s imports %s", from, to)
		}
	}
}

package docs_test

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	image = regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	shell = regexp.MustCompile("(?s)```sh\n.*?```")
)

// texts are the examples that print text and have no picture.
var texts = []string{
	"chat", "distributed", "nanochat", "pytorch/language_translation", "pytorch/regression",
	"pytorch/snli", "pytorch/word_language_model",
}

// The README.md of each example shows a picture, unless the example is in the list texts.
// It also contains the command that draws each picture.
func TestPicturesOfExamples(t *testing.T) {
	mains, err := filepath.Glob("../../examples/*/main.go")
	require.NoError(t, err)
	pytorch, err := filepath.Glob("../../examples/pytorch/*/main.go")
	require.NoError(t, err)
	assert.Greater(t, len(mains), 8)
	assert.Greater(t, len(pytorch), 8)
	for _, main := range append(mains, pytorch...) {
		folder := filepath.Dir(main)
		readme := filepath.Join(folder, "README.md")
		name, err := filepath.Rel("../../examples", folder)
		require.NoError(t, err)
		text := read(t, "examples/"+name+"/README.md")
		images := image.FindAllStringSubmatch(text, -1)
		assert.Equal(t, slices.Contains(texts, name), len(images) == 0, "%s shows %d pictures", readme, len(images))
		for _, m := range images {
			assert.True(t, exists(path.Join("examples", name, m[1])), "%s: there is no %s", readme, m[1])
		}
		drawing := strings.Join(shell.FindAllString(text, -1), "\n")
		require.NoError(t, filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".png" || strings.Contains(file, "testdata") {
				return err
			}
			rel, err := filepath.Rel(folder, file)
			png := name + "/" + filepath.ToSlash(rel)
			if name == "leaks" {
				assert.Contains(t, drawing, "-readme leaks")
			} else if png != "telescope/sky.png" { // sky.png is an input
				assert.Contains(t, drawing, png, "%s: no command draws %s", readme, png)
			}
			return err
		}))
	}
}

package docs_test

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	image = regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	shell = regexp.MustCompile("(?s)```sh\n.*?```")
)

// The README.md of each example shows a picture, and has the command that draws it.
func TestPicturesOfExamples(t *testing.T) {
	readmes, err := filepath.Glob("../../examples/*/README.md")
	require.NoError(t, err)
	assert.Greater(t, len(readmes), 8)
	for _, readme := range readmes {
		folder := filepath.Dir(readme)
		name := filepath.Base(folder)
		text := read(t, "examples/"+name+"/README.md")
		images := image.FindAllStringSubmatch(text, -1)
		assert.NotEmpty(t, images, "%s shows no picture", readme)
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
			} else if png != "telescope/sky.png" { // what is observed
				assert.Contains(t, drawing, png, "%s: no command draws %s", readme, png)
			}
			return err
		}))
	}
}

package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// There are at most 20 make targets, few enough to know them all.
func TestTargets(t *testing.T) {
	c := readCommands(t)
	assert.GreaterOrEqual(t, len(c.targets), 10)
	assert.LessOrEqual(t, len(c.targets), 20)
	assert.Contains(t, c.targets["test"], "race")
	assert.Empty(t, c.targets["fmt"])
}

// For a MODE that a target does not have, make fails and lists the modes of the target.
func TestUnknownMode(t *testing.T) {
	tool, err := exec.LookPath("make")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ args, says string }{
		{"test MODE=nothing", "make test has no MODE=nothing; it has quick race "},
		{"test lint MODE=race", "make lint has no MODE=race; it has vet "},
		{"fmt MODE=race", "make fmt has no MODE=race; it has none"},
	} {
		cmd := exec.Command(tool, append([]string{"-n"}, strings.Fields(c.args)...)...)
		cmd.Dir = repository
		out, err := cmd.CombinedOutput()
		require.Error(t, err, c.args)
		assert.Contains(t, string(out), c.says)
	}
}

// inline matches a make command between backquotes, in a page, a comment or a message.
var inline = regexp.MustCompile("`make ([a-z][^`\n]*)`")

// Make commands in pages, comments and messages name only targets and modes that exist.
// The project that gotorch new makes has a Makefile of its own.
func TestMakeInText(t *testing.T) {
	c := readCommands(t)
	seen := 0
	require.NoError(t, filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"build", ".git", "node_modules", "starter"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains([]string{".md", ".go", ".sh", ".py", ".ipynb", ".yml"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
			seen++
			assert.Empty(t, c.make(word.FindAllString(strings.TrimSuffix(m[1], `\`), -1)), "%s: %s", path, m[0])
		}
		return err
	}))
	assert.Greater(t, seen, 40)
}

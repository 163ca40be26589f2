package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)\s]*)?\)`)

// links returns the paths in the repository that a page links to. For a directory with a
// README.md, it also returns the path of this README.md.
func links(t *testing.T, page string) []string {
	t.Helper()
	var to []string
	for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		target := path.Join(path.Dir(page), m[1])
		to = append(to, target)
		if readme := target + "/README.md"; exists(readme) {
			to = append(to, readme)
		}
	}
	return to
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + page)
	require.NoError(t, err)
	return string(text)
}

func exists(name string) bool {
	_, err := os.Stat("../../" + name)
	return err == nil
}

// public returns the paths of all packages that programs may import, in all modules of
// the repository.
func public(t *testing.T) []string {
	t.Helper()
	hidden := []string{"build", "internal", "testdata", "vendor", "cgotorch", "bench", "cmd", "examples", "tools"}
	var packages []string
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(name, "../../"))
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "../.." && (slices.Contains(hidden, d.Name()) || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !slices.Contains(packages,
			path.Dir(rel)):
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
			if err == nil && f.Name.Name != "main" {
				packages = append(packages, path.Dir(rel))
			}
			return err
		}
		return nil
	}))
	return packages
}

// Two clicks lead from README.md to every page, example and notebook. Every package has a
// row in docs/packages.md, which links to a page that shows the package.
func TestTwoClicks(t *testing.T) {
	reached := map[string]bool{}
	for _, first := range links(t, "README.md") {
		reached[first] = true
		if path.Ext(first) == ".md" {
			for _, second := range links(t, first) {
				reached[second] = true
			}
		}
	}
	for _, pattern := range []string{
		"docs/*.md", "examples/*/main.go", "examples/pytorch/*/main.go",
		"notebooks/*.ipynb",
	} {
		files, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		assert.NotEmpty(t, files, pattern)
		for _, file := range files {
			name := strings.TrimPrefix(filepath.ToSlash(file), "../../")
			if path.Base(name) == "main.go" {
				name = path.Dir(name)
			}
			assert.True(t, reached[name], "no two clicks lead from README.md to %s", name)
		}
	}

	require.Contains(t, links(t, "README.md"), "docs/packages.md")
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(.*)\\|$").FindAllStringSubmatch(read(t,
		"docs/packages.md"), -1) {
		rows[m[1]] = m[2]
	}
	packages := public(t)
	assert.Greater(t, len(packages), 40)
	for _, name := range packages {
		assert.Contains(t, rows, name, "docs/packages.md has no row for this package")
	}
	for name, row := range rows {
		assert.Contains(t, packages, name, "docs/packages.md has a row for something that is not a package")
		// A page shows a package by its path, or by a use such as torch.Ones.
		shown := regexp.MustCompile("[/`]" + regexp.QuoteMeta(name) + "[`\" ]" + `|\b` + path.Base(name) + `\.[A-Z]`)
		pages := link.FindAllStringSubmatch(row, -1)
		assert.NotEmpty(t, pages, "docs/packages.md leads nowhere for %s", name)
		for _, m := range pages {
			assert.Regexp(t, shown, read(t, "docs/"+m[1]),
				"docs/packages.md leads from %s to %s, which does not show it", name, m[1])
		}
	}
}

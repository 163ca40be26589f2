package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// release contains the files of the repository that the tests check: a package with C
// types, a package of a nested module, and three packages that are not part of the API.
var release = map[string]string{
	"CHANGELOG.md": "## 0.1.0 (2026-01-31)\n\n- All.\n",
	"go.mod":       "module github.com/gotorch/gotorch\n\ngo 1.26\n",
	"cgotorch/c.go": "package cgotorch\n\n// typedef struct { int a; } t;\nimport \"C\"\n\ntype Handle " +
		"struct{ p *C.t }\n\nconst Size = C.sizeof_t\n\nfunc Gone() {}\n",
	"internal/in.go":      "package internal\n\nfunc Gone() {}\n",
	"torch/cmd/x/main.go": "package main\n\nfunc Gone() {}\n\nfunc main() {}\n",
	"torch/torch.go": "package torch\n\nimport \"github.com/gotorch/gotorch/cgotorch\"\n\n// T is a " +
		"tensor.\ntype T struct{ h cgotorch.Handle }\n\nconst Size = int(cgotorch.Size)\n\nfunc (*T) Add(o *T) *T { " +
		"return o }\n\nfunc Max(a int) int { return a }\n",
	"nn/functional/f.go": "package functional\n\nfunc Linear() {}\n",
	"vision/go.mod": "module github.com/gotorch/gotorch/vision\n\ngo 1.26\n\nrequire " +
		"github.com/gotorch/gotorch v0.1.0\n\nreplace github.com/gotorch/gotorch => ../\n",
	"vision/models/m.go": "package models\n\nimport \"github.com/gotorch/gotorch/torch\"\n\nfunc New(t *torch.T) " +
		"{}\n",
	"examples/go.mod":       "module github.com/gotorch/gotorch/examples\n\ngo 1.26\n",
	"examples/train/lib.go": "package train\n\nfunc Gone() {}\n",
}

const next = "## 0.2.0 (unreleased)\n\n### Added\n\n- `torch.T.Add` is faster, and `torch.Max`.\n"

// repository creates a Git repository that contains release, with the tag v0.1.0.
func repository(t *testing.T) string {
	repo := t.TempDir()
	write(t, repo, release)
	git(t, repo, "init", "--quiet")
	git(t, repo, "add", ".")
	git(t, repo, "commit", "--quiet", "--message", "Release")
	git(t, repo, "tag", "v0.1.0")
	return repo
}

// change changes files of a repository, and returns the output of the check. If the text
// of a file is empty, the file is removed.
func change(t *testing.T, repo string, files map[string]string) (string, error) {
	write(t, repo, files)
	git(t, repo, "add", ".")
	var out strings.Builder
	err := run(repo, &out)
	return out.String(), err
}

func write(t *testing.T, repo string, files map[string]string) {
	for name, text := range files {
		path := filepath.Join(repo, name)
		if text == "" {
			require.NoError(t, os.Remove(path))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

func git(t *testing.T, repo string, args ...string) {
	out, err := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=x", "-c", "user.email=x"},
		args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// edited returns the text of a file in release, with the string old replaced by now.
func edited(t *testing.T, file, old, now string) string {
	require.Contains(t, release[file], old)
	return strings.ReplaceAll(release[file], old, now)
}

func TestNoChange(t *testing.T) {
	out, err := change(t, repository(t), nil)
	require.NoError(t, err)
	assert.Equal(t, "API since v0.1.0: 0 changes\n", out)
}

func TestNoRelease(t *testing.T) {
	out, err := change(t, repository(t), map[string]string{
		"CHANGELOG.md":       "## 0.1.0 (unreleased)\n",
		"nn/functional/f.go": "",
	})
	require.NoError(t, err)
	assert.Contains(t, out, "no release yet")
}

func TestTagThatIsMissing(t *testing.T) {
	_, err := change(t, repository(t), map[string]string{"CHANGELOG.md": "## 0.1.1 (2026-02-28)\n"})
	assert.ErrorContains(t, err, "git fetch --tags")
}

func TestChangelogOfAnotherForm(t *testing.T) {
	for _, text := range []string{
		"", "## Unreleased\n", "## 0.2.0\n", "## v0.2.0 (unreleased)\n",
		"## 0.3.0 (unreleased)\n\n## 0.2.0 (unreleased)\n",
	} {
		_, err := readChangelog(text)
		assert.ErrorContains(t, err, "CHANGELOG.md", text)
	}
}

func TestCompatible(t *testing.T) {
	out, err := change(t, repository(t), map[string]string{
		"torch/torch.go":        release["torch/torch.go"] + "\nfunc Min() {}\n",
		"optim/o.go":            "package optim\n",
		"cgotorch/c.go":         edited(t, "cgotorch/c.go", "Gone", "Here"),
		"internal/in.go":        edited(t, "internal/in.go", "Gone", "Here"),
		"torch/cmd/x/main.go":   edited(t, "torch/cmd/x/main.go", "Gone", "Here"),
		"examples/train/lib.go": edited(t, "examples/train/lib.go", "Gone", "Here"),
	})
	require.NoError(t, err)
	assert.Equal(t, "API since v0.1.0: 2 changes\n+ `optim` package added\n+ `torch.Min` added\n", out)
}

func TestIncompatible(t *testing.T) {
	for _, c := range []struct{ file, now, symbol string }{
		{"torch/torch.go", edited(t, "torch/torch.go", "Add(o *T) *T", "Add(o T) T"), "torch.T.Add"},
		{"torch/torch.go", edited(t, "torch/torch.go", "func Max(a int)", "func Max(a, b int)"), "torch.Max"},
		{"torch/torch.go", edited(t, "torch/torch.go", "func (*T) Add", "func (*T) Plus"), "torch.T.Add"},
		{"nn/functional/f.go", edited(t, "nn/functional/f.go", "Linear", "Bilinear"), "nn/functional.Linear"},
		{"vision/models/m.go", edited(t, "vision/models/m.go", "*torch.T", "torch.T"), "vision/models.New"},
		{"nn/functional/f.go", "", "nn/functional"},
	} {
		t.Run(c.symbol, func(t *testing.T) {
			repo := repository(t)
			out, err := change(t, repo, map[string]string{
				c.file:         c.now,
				"CHANGELOG.md": next + release["CHANGELOG.md"],
			})
			assert.ErrorContains(t, err, "incompatible changes are not under")
			assert.Contains(t, out, "INCOMPATIBLE: `"+c.symbol+"` ")
			changelog := next + "\n### Incompatible\n\n- `" + c.symbol + "` is another.\n\n" + release["CHANGELOG.md"]
			out, err = change(t, repo, map[string]string{"CHANGELOG.md": changelog})
			assert.NoError(t, err)
			assert.Contains(t, out, "incompatible, in the changelog: `"+c.symbol+"` ")
		})
	}
}

// A changelog entry mentions an incompatible change only if it is under the heading
// "Incompatible" of the next version, and has the whole name in code font.
func TestEntries(t *testing.T) {
	entry, old := "- `torch.T.Add` is another.\n", release["CHANGELOG.md"]
	mentioned := func(text string) bool {
		log, err := readChangelog(text)
		require.NoError(t, err)
		return log.incompatible["torch.T.Add"]
	}
	assert.True(t, mentioned(next+"### Incompatible\n\n"+entry+old))
	for _, text := range []string{
		old,
		next + old,
		next + entry + old, // an addition
		next + "### Incompatible\n\n- torch.T.Add is another.\n" + old,
		next + "### Incompatible\n\n- `torch.T.Adds` is another.\n" + old,
		next + "### Incompatible\n\n- `x/torch.T.Add` is another.\n" + old,
		next + "### Incompatible\n\n### Fixed\n\n" + entry + old,
		next + old + "### Incompatible\n\n" + entry, // of the last release
	} {
		assert.False(t, mentioned(text), text)
	}
}

// A type that contains a C type is not known without cgo. The check rejects such a
// declaration, because it would not notice changes to it.
func TestTypeOfC(t *testing.T) {
	_, err := change(t, repository(t),
		map[string]string{"torch/c.go": "package torch\n\nimport \"C\"\n\nfunc Bare(C.int) {}\n"})
	assert.ErrorContains(t, err, "torch.Bare: its type is not known without cgo")
}

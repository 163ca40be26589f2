package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
	"github.com/gotorch/gotorch/torch"
)

// repository is the root directory of the repository.
var repository = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// shown returns the text of docs/troubleshooting.md, and the lines of the blocks that
// show messages.
func shown(t *testing.T) (page string, lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "docs", "troubleshooting.md"))
	require.NoError(t, err)
	blocks, err := docblocks.Read(repository)
	require.NoError(t, err)
	for _, b := range blocks {
		if b.Page == "docs/troubleshooting.md" && b.Lang == "text" {
			lines = append(lines, strings.Split(strings.TrimSpace(b.Source), "\n")...)
		}
	}
	return string(text), lines
}

// says reports whether line shows the message. A "…" in the line stands for any text.
func says(line, message string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
	return regexp.MustCompile(`^(?s:` + pattern + `)$`).MatchString(message)
}

// docs/troubleshooting.md shows the exact message of each mistake. Every package message
// on the page is the message of one of these mistakes.
func TestMessages(t *testing.T) {
	page, lines := shown(t)
	used := map[string]bool{}
	for _, m := range slices.Concat(tensorMistakes, fileMistakes, distributedMistakes) {
		t.Run(m.kind, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var err error
			torch.Scope(func() { err = m.make(t) })
			require.Error(t, err)
			if m.is != nil {
				require.ErrorIs(t, err, m.is)
			}
			assert.Contains(t, page, "`"+m.kind+"`")
			if !strings.HasPrefix(torch.Version(), "2.11.") {
				return // the messages of other versions of libtorch differ
			}
			text := strings.ReplaceAll(err.Error(), repository+"/torch/serialization/testdata/malformed/", "")
			i := slices.IndexFunc(lines, func(line string) bool { return says(line, text) })
			if assert.GreaterOrEqual(t, i, 0, "the page does not show: %s", text) {
				used[lines[i]] = true
			}
		})
	}
	if !strings.HasPrefix(torch.Version(), "2.11.") {
		return
	}
	for _, line := range lines {
		format, _, _ := strings.Cut(line, ": ")
		if len(format) <= len("safetensors") && !strings.HasPrefix(format, ".") && format != "libtorch:1:2" {
			assert.True(t, used[line], "no mistake says %s", line)
		}
	}
}

// Every exported error variable and error type is on the page. Every variable also has a
// mistake whose message TestMessages compares, except those of module transformers, which
// this module does not import.
func TestEveryErrorIsOnThePage(t *testing.T) {
	page, _ := shown(t)
	kinds, others, types := exportedErrors(t)
	assert.Greater(t, len(kinds), 30)
	var made []string
	for _, m := range slices.Concat(tensorMistakes, fileMistakes, distributedMistakes) {
		made = append(made, m.kind)
	}
	for _, name := range kinds {
		assert.Contains(t, page, "`"+name+"`", "docs/troubleshooting.md has to say what %s means", name)
		assert.Contains(t, made, name, "no mistake in messages_test.go or messages_files_test.go makes a %s", name)
	}
	assert.NotEmpty(t, others)
	for _, name := range others {
		assert.Contains(t, page, "`"+name+"`", "docs/troubleshooting.md has to say what %s means", name)
	}
	for _, name := range types {
		assert.Regexp(t, "`\\*?"+regexp.QuoteMeta(name)+"`", page, "docs/troubleshooting.md has to name the type %s",
			name)
	}
}

// notUsers are the directories of packages that have no API for users.
var notUsers = []string{
	".ci", ".git", "bench", "build", "cgotorch", "examples", "internal", "notebooks", "testdata",
	"tools", "vendor", "vet",
}

// exportedErrors returns the names of all exported variables Err... and types ...Error,
// with their packages. others are the variables of module transformers.
func exportedErrors(t *testing.T) (kinds, others, types []string) {
	t.Helper()
	transformers := filepath.Join(repository, "transformers") + string(filepath.Separator)
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(notUsers, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						full := file.Name.Name + "." + name.Name
						switch {
						case gen.Tok != token.VAR || !strings.HasPrefix(name.Name, "Err"):
						case strings.HasPrefix(path, transformers):
							others = append(others, full)
						default:
							kinds = append(kinds, full)
						}
					}
				case *ast.TypeSpec:
					if name := spec.Name.Name; ast.IsExported(name) && strings.HasSuffix(name, "Error") {
						types = append(types, file.Name.Name+"."+name)
					}
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	return kinds, others, types
}

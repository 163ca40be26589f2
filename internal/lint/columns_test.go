package lint_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mostColumns = 120

// longText is the minimum length, in bytes, of a raw string that may make its line too
// long.
const longText = 70

var (
	exampleOutput = regexp.MustCompile(`(?i)^//\s*(unordered )?output:`)
	source        = regexp.MustCompile(`\.(go|c|cc|cpp|cu|cuh|h|hpp|sh|py)$`)
	script        = regexp.MustCompile(`\.(sh|py)$`)
)

// Lines of hand-written code have at most 120 columns, with 4 for a tab. In testdata,
// this holds only for scripts.
func TestLinesHaveAtMost120Columns(t *testing.T) {
	seen := map[string]int{}
	eachFile(t, "", []string{"__pycache__"}, func(path string) {
		data := strings.Contains(path, "/testdata/")
		if !source.MatchString(path) || data && !script.MatchString(path) {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		if bytes.Contains(src[:min(len(src), 400)], []byte("DO NOT EDIT")) {
			return
		}
		seen[filepath.Ext(path)]++
		for _, line := range tooLong(t, path, string(src)) {
			assert.Fail(t, "a line of more than 120 columns", "%s:%d", path, line)
		}
	})
	for _, ext := range []string{".go", ".cpp", ".hpp", ".h", ".c", ".sh", ".py"} {
		assert.NotZero(t, seen[ext], ext)
	}
}

func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", mostColumns)
	for name, c := range map[string]struct {
		file, src string
		want      []int
	}{
		"fits":         {"a.sh", long, nil},
		"too long":     {"a.sh", "a\n" + long + "x\n", []int{2}},
		"tab":          {"a.c", "\t" + long[4:] + "\n\t" + long[3:], []int{2}},
		"characters":   {"a.py", strings.Repeat("é", mostColumns), nil},
		"error":        {"a.h", "#error " + long + "\n// " + long, []int{2}},
		"raw":          {"a.go", "package a\n\nconst s = `\n" + long + "x`\n\n// " + long, []int{6}},
		"long raw":     {"a.go", "package a\n\nconst s = `" + long + "`\n", nil},
		"short raw":    {"a.go", "package a\n\nconst s = `x` + \"" + long + "\"\n", []int{3}},
		"output":       {"a_test.go", "package a\n\nfunc ExampleA() {\n\t// Output:\n\t// " + long + "\n}\n", nil},
		"other output": {"a.go", "package a\n\nfunc a() {\n\t// Output:\n\t// " + long + "\n}\n", []int{5}},
	} {
		assert.Equal(t, c.want, append([]int(nil), tooLong(t, c.file, c.src)...), name)
	}
}

// tooLong returns the numbers of the lines that are too long. Lines that cannot be broken
// are allowed: long raw strings, the output of examples, and compiler messages in #error
// and in cgotorch/pkgconfig.
func tooLong(t *testing.T, file, src string) []int {
	t.Helper()
	var found []int
	for i, line := range strings.Split(src, "\n") {
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		message := strings.HasPrefix(line, "#error") ||
			strings.HasPrefix(file, "cgotorch/pkgconfig/") && strings.HasPrefix(line, "var _ uint = ")
		if columns > mostColumns && !message {
			found = append(found, i+1)
		}
	}
	if len(found) == 0 || filepath.Ext(file) != ".go" {
		return found
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	require.NoError(t, err)
	allowed := map[int]bool{}
	allow := func(n ast.Node) {
		for line := fset.Position(n.Pos()).Line; line <= fset.Position(n.End()).Line; line++ {
			allowed[line] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && s.Value[0] == '`' &&
			(strings.Contains(s.Value, "\n") || len(s.Value) > longText) {
			allow(s)
		}
		return true
	})
	for _, group := range f.Comments {
		output := slices.IndexFunc(group.List, func(c *ast.Comment) bool { return exampleOutput.MatchString(c.Text) })
		if output >= 0 && strings.HasSuffix(file, "_test.go") {
			for _, c := range group.List[output:] {
				allow(c)
			}
		}
	}
	return slices.DeleteFunc(found, func(line int) bool { return allowed[line] })
}

package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/lint"
)

// lint.Process lists every package-level variable that changes after program start, with
// a reason. The table in docs/architecture.md has the same rows.
func TestProcessWideVariablesHaveReasons(t *testing.T) {
	found, err := lint.Globals(filepath.Join("..", ".."))
	require.NoError(t, err)
	var listed []string
	for _, g := range lint.Process {
		listed = append(listed, g.Name)
		assert.NotEmpty(t, g.Reason, g.Name)
	}
	assert.Equal(t, listed, found,
		"lint.Process lists, sorted, what changes after the start; a new variable needs a reason there")

	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	require.NoError(t, err)
	_, section, there := strings.Cut(string(page), "\n## Process-wide settings\n")
	require.True(t, there)
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.TrimSuffix(line, "\n"))
		}
	}
	var want []string
	for _, g := range lint.Process {
		want = append(want, g.Row())
	}
	assert.Equal(t, want, rows, "the table of docs/architecture.md has the rows of lint.Process")
}

func TestGlobals(t *testing.T) {
	root := t.TempDir()
	write := func(folder, src string) {
		t.Helper()
		dir := filepath.Join(root, folder)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(src), 0o644))
	}
	write("state", `package state

import ("sync"; "sync/atomic"; "regexp")

type counter struct { shards [4]struct{ n atomic.Int64 } }
type box struct { v int }
func (b *box) set(v int) { b.v = v }
func (b *box) get() int  { return b.v }

var (
	lock     sync.Mutex
	count    counter
	current  atomic.Pointer[box]
	pointer  = &box{}
	channel  = make(chan int)
	hook     func()
	table    = map[string]int{}
	boxed    box
	Exported int
	foreign  = (*int)(nil)

	pattern  = regexp.MustCompile("x")
	names    = []string{"a"}
	fixed    = map[string]int{"a": 1}
	atStart  int
	added    int64
	shadowed int
	onlyRead = [...]int{1, 2}
)

func init() { atStart = 1 }

func Set(f func()) {
	hook = f
	table["a"]++
	boxed.set(1)
	atomic.AddInt64(&added, 1)
	shadowed := 1
	shadowed++
	for i := range onlyRead {
		_ = onlyRead[i]
	}
}
`)
	write("other", "package other\n\nimport \"github.com/gotorch/gotorch/state\"\n\nfunc F() { state.Exported = 1 }\n")
	write("internal/cmd/tool", "package tool\n\nvar N int\n\nfunc F() { N++ }\n")
	write("elsewhere", "package elsewhere\n\nvar N int\n\nfunc F() { N++ }\n")
	require.NoError(t, os.WriteFile(filepath.Join(root, "elsewhere", "go.mod"), []byte("module elsewhere\n"), 0o644))
	found, err := lint.Globals(root)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"state.Exported", "state.added", "state.boxed", "state.channel", "state.count", "state.current",
		"state.foreign",
		"state.hook", "state.lock", "state.pointer", "state.table",
	}, found)
}

// lint.Globals skips vendored code, because it does not belong to the library.
func TestGlobalsOfOthersDoNotCount(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"ours", "vendor/theirs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, folder, "p.go"),
			[]byte("package p\n\nvar n int\n\nfunc f() { n++ }\n"), 0o600))
	}
	found, err := lint.Globals(root)
	require.NoError(t, err)
	assert.Equal(t, []string{"ours.n"}, found)
}

// Package docs tests that the Go code in the documentation compiles.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
)

// scope is what the pages take for granted around a piece of a program.
var scope = compilefail.Scope{
	Imports: []string{
		"context", "encoding/json", "errors", "fmt", "log", "log/slog", "net/http", "os", "os/signal", "runtime", "sync/atomic", "testing", "time",
		"github.com/gotorch/gotorch/memory",
		"github.com/gotorch/gotorch/nn",
		"F github.com/gotorch/gotorch/nn/functional",
		"github.com/gotorch/gotorch/nn/nninit",
		"github.com/gotorch/gotorch/nn/utils",
		"github.com/gotorch/gotorch/nn/utils/parametrizations",
		"github.com/gotorch/gotorch/nn/utils/parametrize",
		"github.com/gotorch/gotorch/nn/utils/prune",
		"github.com/gotorch/gotorch/optim",
		"github.com/gotorch/gotorch/optim/lr_scheduler",
		"github.com/gotorch/gotorch/torch",
		"github.com/gotorch/gotorch/torch/amp",
		"github.com/gotorch/gotorch/torch/backends",
		"github.com/gotorch/gotorch/torch/batching",
		"github.com/gotorch/gotorch/torch/cuda",
		"github.com/gotorch/gotorch/torch/data",
		"github.com/gotorch/gotorch/torch/data/transforms",
		"github.com/gotorch/gotorch/torch/numpy",
		"github.com/gotorch/gotorch/torch/profiler",
		"github.com/gotorch/gotorch/torch/profiler/live",
		"github.com/gotorch/gotorch/torch/safetensors",
		"github.com/gotorch/gotorch/torch/serialization",
		"github.com/gotorch/gotorch/torch/tensorboard",
		"github.com/gotorch/gotorch/torchtest",
	},
	Decls: `
type Gate struct {
	nn.Base
	fc *nn.Linear
}

type LanguageModel struct {
	*nn.Transformer
	decoder *nn.Linear
}

var (
	ctx                                context.Context
	err                                error
	steps                              int64
	total                              float64
	loader, tests                      *data.Loader
	epochs, accumulate                 int
	warmup                             int64
	accuracy                           float64
	set                                data.Dataset
	model                              *nn.Sequential
	opt                                *optim.AdamW
	a, b, x, y, w, batch, current      *torch.Tensor
	features, another, mask            *torch.Tensor
	decayed, others, out               []*torch.Tensor
	n *struct {
		nn.Base
		mlp         *nn.Sequential
		list        *nn.ModuleList
		blocks      []*Block
		scale, mask *torch.Tensor
	}
	depth     int
	fc        *nn.Linear
	conv      *nn.Conv2d
	symmetric nn.Layer
	server    *http.Server
	batcher   *batching.Batcher
)

type Block struct{ nn.Base }

func NewBlock(width int64) *Block { return nil }

func train(step ...any)         {}
func compute(*torch.Tensor)  {}
func evaluate(*nn.Sequential, *data.Loader) float64 { return 0 }
func alert(memory.Trend)     {}
`,
}

var (
	block = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	// omission stands for what a piece leaves out, other than the dots of Go.
	omission = regexp.MustCompile(`(?m)(^|\s)\.\.\.(\s|$)`)
)

// Whole programs compile as they stand, pieces among declarations of what their
// names suggest. A piece that leaves something out ("...") is not tried.
func TestPagesCompile(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	programs := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			src := m[1]
			switch {
			case strings.HasPrefix(src, "package "):
				programs++
				assert.NoError(t, compilefail.Program(src), "%s:\n%s", page, src)
			case omission.MatchString(src), elsewhere.MatchString(src):
			default:
				assert.NoError(t, piece(src), "%s:\n%s", page, src)
			}
		}
	}
	assert.NotZero(t, programs, "the README has a program")
}

// What stands for the other names in the tables of docs/tensors.md.
const tableDecls = `
var (
	c, i, v, s, loss *torch.Tensor
	g    *torch.Generator
	best nn.StateDict
)
`

var code = regexp.MustCompile("`([^`]+)`")

// Each piece of Go in the second column of the tables compiles.
func TestTablesCompile(t *testing.T) {
	page, err := os.ReadFile("../../docs/tensors.md")
	require.NoError(t, err)
	s := scope
	s.Imports = s.Imports[:len(s.Imports):len(s.Imports)]
	for _, name := range []string{"aten", "fft", "linalg", "nested", "sparse", "special"} {
		if _, err := os.Stat("../../torch/" + name); err == nil {
			s.Imports = append(s.Imports, "github.com/gotorch/gotorch/torch/"+name)
		}
	}
	s.Decls += tableDecls
	var pieces []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			if strings.Contains(m[1], "(") {
				pieces = append(pieces, m[1])
			}
		}
	}
	assert.Greater(t, len(pieces), 100)
	if s.Compile("{"+strings.Join(pieces, "}\n{")+"}") == nil {
		return
	}
	for _, p := range pieces {
		assert.NoError(t, s.Compile(p), p)
	}
}

// elsewhere marks pieces that are not of this module's packages alone: the
// plots are a module of their own.
var elsewhere = regexp.MustCompile(`\b(plot|turbojpeg|webp|zstd|arrow)\.`)

// piece compiles declarations as such and all else as statements.
func piece(src string) error {
	var decls, statements strings.Builder
	inside := false
	for line := range strings.Lines(src) {
		if starts.MatchString(line) {
			inside = true
		}
		if inside {
			decls.WriteString(line)
		} else {
			statements.WriteString(line)
		}
		if line == "}\n" || inside && oneLine.MatchString(line) {
			inside = false
		}
	}
	s := scope
	for _, own := range function.FindAllString(decls.String(), -1) { // in place of what is taken for granted
		s.Decls = regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(own)+`.*\n`).ReplaceAllString(s.Decls, "")
	}
	s.Decls += decls.String()
	return s.Compile(statements.String())
}

var (
	starts   = regexp.MustCompile(`^(func|type) `)
	function = regexp.MustCompile(`(?m)^func \w+\(`)
	oneLine  = regexp.MustCompile(`^(func|type) .*[^{]\n$`)
)

package lint_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var operation = regexp.MustCompile(`^[A-Z]\w*\((\w+(?:, \w+)*)\)$`)

// fromOptions are PyTorch's names for arguments that are options in Go, and for elements
// of list arguments. Messages may use these names too.
var fromOptions = strings.Fields(
	`weight weights pos_weight attn_mask random_samples fweights aweights prepend append window sorter
	gradient grad_outputs index sum lengths offsets spacing`)

// Error messages name arguments as the function's declaration does.
func TestMessagesNameArgumentsAsDeclared(t *testing.T) {
	seen := 0
	for _, folder := range []string{"torch", "nn/functional", "nn/nninit", "nn/nnutil"} {
		for _, file := range parsed(t, folder) {
			for _, d := range file.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !fn.Name.IsExported() || fn.Body == nil {
					continue
				}
				known := slices.Clone(fromOptions)
				if fn.Recv != nil {
					known = append(known, "self")
				}
				for _, p := range fn.Type.Params.List {
					for _, id := range p.Names {
						known = append(known, id.Name)
					}
				}
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					lit, ok := n.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						return true
					}
					text, err := strconv.Unquote(lit.Value)
					require.NoError(t, err)
					if m := operation.FindStringSubmatch(text); m != nil {
						seen++
						for _, arg := range strings.Split(m[1], ", ") {
							assert.Contains(t, known, arg, "%s: %s", folder, text)
						}
					}
					return true
				})
			}
		}
	}
	assert.Greater(t, seen, 300)
}

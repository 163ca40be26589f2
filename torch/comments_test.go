package torch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// comment is the doc comment of an exported function or method of package torch.
type comment struct {
	text    string
	takes   bool // a parameter or the receiver is a tensor
	returns bool // a result is a tensor or a list of tensors
}

// comments returns the comments of the whole package, including generated files. The key "Where" is
// the function, "Tensor.Where" the method.
func comments(t *testing.T) map[string]comment {
	t.Helper()
	if allComments != nil {
		return allComments
	}
	all := map[string]comment{}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, recv := f.Name.Name, ""
			if f.Recv != nil {
				recv = receiver(f.Recv.List[0].Type)
				name = recv + "." + name
			}
			if !f.Name.IsExported() || recv != "" && !ast.IsExported(recv) {
				continue
			}
			c := comment{
				text:    strings.Join(strings.Fields(f.Doc.Text()), " "),
				takes:   recv == "Tensor" || hasTensor(f.Type.Params),
				returns: hasTensor(f.Type.Results),
			}
			all[name] = c
		}
	}
	allComments = all
	return all
}

var allComments map[string]comment // the result of comments, once it was called

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func hasTensor(list *ast.FieldList) bool {
	found := false
	if list != nil {
		ast.Inspect(list, func(n ast.Node) bool {
			star, ok := n.(*ast.StarExpr)
			if ok {
				id, ok := star.X.(*ast.Ident)
				found = found || ok && id.Name == "Tensor"
			}
			return !found
		})
	}
	return found
}

var (
	kindWord  = regexp.MustCompile(`\bErr[A-Z]\w*`)
	panicLike = regexp.MustCompile(
		`panics? (?:as|are those of) (?:the function )?\[?([A-Z]\w*(?:\.\w+)?)\]?(?: and \[?([A-Z]\w*)\]?)?`)
)

// generalRules are sentences of the package comment that apply to all functions, so the functions'
// comments omit them.
var generalRules = []string{
	"The innermost [Scope] owns every new tensor, or Go's garbage collector if no scope is open.",
	"panics with ErrNil for a nil tensor and with ErrClosed for a closed one.",
}

// repeated matches repetitions of a general rule.
var repeated = regexp.MustCompile(
	`owned by the innermost scope, else by the collector|` +
		`ErrNil or ErrClosed for (a tensor that is nil or closed|an unusable)`)

// others returns the functions to which the comment of name refers for its errors, as in "It panics
// as Add does".
func others(t *testing.T, all map[string]comment, name string, like *regexp.Regexp) []string {
	t.Helper()
	var list []string
	for _, m := range like.FindAllStringSubmatch(all[name].text, -1) {
		for _, ref := range m[1:] {
			if ref == "" {
				continue
			}
			full := "Tensor." + ref
			if _, ok := all[full]; !ok || strings.Contains(m[0], "the function") {
				full = ref
			}
			if _, ok := all[full]; assert.True(t, ok, "%s: there is no %s", name, ref) {
				list = append(list, full)
			}
		}
	}
	return list
}

// said visits the comment of name, and all comments to which it refers directly or indirectly.
func said(t *testing.T, all map[string]comment, name string, like *regexp.Regexp, visit func(text string)) {
	t.Helper()
	seen := map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		visit(all[name].text)
		for _, ref := range others(t, all, name, like) {
			walk(ref)
		}
	}
	walk(name)
}

// kindsOf returns the kinds of errors named by a comment, by the comments to which it refers, and
// by the general rules.
func kindsOf(t *testing.T, all map[string]comment, name string) map[string]bool {
	t.Helper()
	kinds := map[string]bool{}
	if all[name].takes {
		kinds["ErrNil"], kinds["ErrClosed"] = true, true
	}
	said(t, all, name, panicLike, func(text string) {
		for _, k := range kindWord.FindAllString(text, -1) {
			kinds[k] = true
		}
	})
	return kinds
}

// cannotFail lists functions that cause no errors of their own, with the reason.
var cannotFail = map[string]string{
	"Tensor.Close":      "may be called on nil and twice",
	"Tensor.IsClosed":   "accepts nil and closed tensors",
	"Tensor.String":     "prints nil and closed tensors too",
	"Tensor.Format":     "like String",
	"Keep":              "passes nil and closed tensors on",
	"Disown":            "passes nil and closed tensors on",
	"Tidy":              "passes on what its function returns",
	"TidyAll":           "passes on what its function returns",
	"Tensor.StringWith": "like String",
	"Raw.Tensor":        "panics with the error of the native call",
	"Raw.Status":        "panics with the error of the native call",
	"Raw.Wrap":          "accepts any handle",
	"Raw.WrapAll":       "accepts any handle",

	"Context.Save":                  "a closed tensor fails in Apply",
	"Context.MarkDirty":             "a closed tensor fails in Apply",
	"Context.MarkNonDifferentiable": "a closed tensor fails in Apply",

	// These functions return options. The function that takes the option checks it.
	"Gradient": "option", "Prepend": "option", "Append": "option", "Weight": "option", "Weights": "option",
	"Sorter": "option", "M": "option", "Lengths": "option", "Offsets": "option", "Initial": "option",
	"FWeights": "option", "AWeights": "option", "Window": "option",
}

// The package comment has the general rules, and no function repeats them. Every function that
// creates a tensor without taking one names its errors.
func TestCommentsNameErrors(t *testing.T) {
	doc, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	text := strings.Join(strings.Fields(doc.Doc.Text()), " ")
	for _, rule := range generalRules {
		assert.Contains(t, text, rule)
	}
	all := comments(t)
	for name, c := range all {
		assert.NotRegexp(t, repeated, c.text, "%s: the package comment says that", name)
		if cannotFail[name] == "" && (c.takes || c.returns) {
			assert.True(t, len(kindsOf(t, all, name)) > 0 || strings.Contains(c.text, "anics with what"),
				"%s: the comment names no errors", name)
		}
	}
	for name := range cannotFail {
		assert.Contains(t, all, name, "an entry of cannotFail that does not exist")
	}
}

// kindName is the name of a kind of error in comments.
var kindName = map[error]string{
	torch.ErrRuntime: "ErrRuntime", torch.ErrShape: "ErrShape", torch.ErrDType: "ErrDType",
	torch.ErrDevice: "ErrDevice", torch.ErrIndex: "ErrIndex",
	torch.ErrValue: "ErrValue", torch.ErrType: "ErrType", torch.ErrNil: "ErrNil", torch.ErrClosed: "ErrClosed",
	torch.ErrOutOfMemory:    "ErrOutOfMemory",
	torch.ErrNotImplemented: "ErrNotImplemented", torch.ErrLinAlg: "ErrLinAlg", torch.ErrAutograd: "ErrAutograd",
}

// requireNamed fails unless the comment of the function that returned an error names its kind.
// Functions without a comment in this package are skipped.
func requireNamed(t *testing.T, e *torch.Error) {
	t.Helper()
	all := comments(t)
	kinds := map[string]bool{}
	for _, name := range []string{"Tensor." + e.Op, e.Op} {
		if _, ok := all[name]; ok {
			maps.Copy(kinds, kindsOf(t, all, name))
		}
	}
	if len(kinds) > 0 {
		require.True(t, kinds[kindName[e.Kind]], "the comment of %s does not name %s: %v", e.Op, kindName[e.Kind], e)
	}
}

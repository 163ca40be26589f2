package nanogpt

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Alphabet is the sorted list of characters of a text. A character's number is its index.
type Alphabet []rune

// NewAlphabet returns the alphabet of a text.
func NewAlphabet(text string) Alphabet {
	seen := map[rune]bool{}
	var a Alphabet
	for _, r := range text {
		if !seen[r] {
			seen[r] = true
			a = append(a, r)
		}
	}
	slices.Sort(a)
	return a
}

// Encode returns the numbers of the characters in text as an int64 tensor of shape (T).
func (a Alphabet) Encode(text string) (*torch.Tensor, error) {
	number := make(map[rune]int64, len(a))
	for i, r := range a {
		number[r] = int64(i)
	}
	ids := make([]int64, 0, len(text))
	for _, r := range text {
		id, ok := number[r]
		if !ok {
			return nil, fmt.Errorf("%q does not occur in the training text", r)
		}
		ids = append(ids, id)
	}
	return torch.FromSlice(ids), nil
}

// Decode is the reverse of Encode.
func (a Alphabet) Decode(ids *torch.Tensor) string {
	var b strings.Builder
	for _, id := range ids.Int64s() {
		b.WriteRune(a[id])
	}
	return b.String()
}

// GoDoc returns the documentation of the installed standard library: the comments on each
// package and on its exported names. It has more than a million characters.
func GoDoc(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("cannot find Go's source code: go env GOROOT: %w", err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	var b strings.Builder
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case "cmd", "internal", "testdata", "vendor":
			return filepath.SkipDir
		}
		return errors.Join(ctx.Err(), comments(&b, path))
	})
	if err == nil && b.Len() == 0 {
		err = fmt.Errorf("no package below %s", root)
	}
	return b.String(), err
}

// comments appends the ASCII lines of a package's documentation.
func comments(b *strings.Builder, dir string) error {
	// Select the same files on every machine. Files for different systems define functions
	// of the same name, and go/doc would keep one of them at random.
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", true
	pkg, err := context.ImportDir(dir, 0)
	if err != nil || pkg.Name == "main" {
		return nil //nolint:nilerr // the folder has no package for this system
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, pkg.ImportPath)
	if err != nil {
		return err
	}
	write := func(text string) {
		for line := range strings.Lines(text) {
			if strings.IndexFunc(line, func(r rune) bool { return r > '~' }) < 0 {
				b.WriteString(line)
			}
		}
		if text != "" {
			b.WriteByte('\n')
		}
	}
	write(p.Doc)
	for _, f := range p.Funcs {
		write(f.Doc)
	}
	for _, t := range p.Types {
		write(t.Doc)
		for _, f := range append(t.Funcs, t.Methods...) {
			write(f.Doc)
		}
	}
	return nil
}

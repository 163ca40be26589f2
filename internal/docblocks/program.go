package docblocks

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/compilefail"
)

const (
	modulePath = "github.com/gotorch/gotorch"
	// a directory that is never written; only the compiler sees it
	generated = "docblocks_generated"
)

// A program is the Go program generated from the blocks of a module.
type program struct {
	root, module string
	given        *given
	packages     map[string]string // import paths, by the names that blocks use
	files        map[string]string // sources, by their paths below the module
	pages        []*pkg
}

// pkg is a package of the program. It contains the units of a page, or some of them.
type pkg struct {
	name  string
	units []*unit
	names map[string]bool // names that the package's blocks declare
}

// add adds the units of a page to the program, as one or more packages.
func (p *program) add(page string, units []*unit) error {
	var packages []*pkg
	for _, u := range units {
		packages = place(packages, page, u)
	}
	p.pages = append(p.pages, packages...)
	for _, k := range packages {
		free := map[string]bool{}
		for _, u := range k.units {
			src, used, err := p.file(k, u)
			if err != nil {
				return fmt.Errorf("%s: %w", u.place(), err)
			}
			for _, n := range used {
				free[n] = true
			}
			p.files[filepath.Join(generated, k.name, function(u)+".go")] = src
		}
		if src := p.taken(k, free); src != "" {
			p.files[filepath.Join(generated, k.name, "given.go")] = src
		}
	}
	return nil
}

// place adds a unit to the first package that declares none of the unit's names, or to a
// new package.
func place(packages []*pkg, page string, u *unit) []*pkg {
	for _, k := range packages {
		if !u.whole && !slices.ContainsFunc(u.names, func(n string) bool { return k.names[n] }) && !k.names["main"] {
			return k.put(u, packages)
		}
	}
	k := &pkg{
		name:  fmt.Sprintf("%s_%d", notWord.ReplaceAllString(strings.TrimSuffix(page, ".md"), "_"), len(packages)),
		names: map[string]bool{},
	}
	return k.put(u, append(packages, k))
}

var notWord = regexp.MustCompile(`\W+`)

func (k *pkg) put(u *unit, packages []*pkg) []*pkg {
	k.units = append(k.units, u)
	for _, n := range u.names {
		k.names[n] = true
	}
	if u.whole {
		k.names["main"] = true
	}
	return packages
}

func function(u *unit) string { return fmt.Sprintf("Block%d", u.blocks[0].Line) }

// file returns the source of a unit. used are the names of given.go and of packages that
// the unit refers to.
func (p *program) file(k *pkg, u *unit) (src string, used []string, err error) {
	if u.whole {
		src = strings.Replace(u.decls, "package main\n", "package "+k.name+"\n", 1)
		return fmt.Sprintf("%s\nfunc %s() { main() }\n", src, function(u)), nil, nil
	}
	var names []string
	for _, n := range u.free {
		if !k.names[n] {
			names = append(names, n)
		}
	}
	locals, more := p.given.locals(names)
	for _, n := range more {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nfunc %s() {\n%s%s", u.decls, function(u), locals, u.body)
	if slices.Contains(u.names, "main") {
		b.WriteString("main()\n")
	}
	if tests := u.tests(); len(tests) > 0 {
		names = append(names, "testing")
		b.WriteString("blockrun.Tests(\n")
		for _, n := range tests {
			fmt.Fprintf(&b, "testing.InternalTest{Name: %q, F: %s},\n", n, n)
		}
		b.WriteString(")\n")
	}
	b.WriteString("}\n")
	text := b.String()
	if strings.Contains(text, "blockrun.") {
		names = append(names, "blockrun")
	}
	return "package " + k.name + "\n" + p.imports(names) + text, names, nil
}

// taken returns the source of the functions and types of given.go that a package uses.
func (p *program) taken(k *pkg, names map[string]bool) string {
	var b strings.Builder
	need := slices.Sorted(maps.Keys(names))
	done := map[string]bool{}
	for len(need) > 0 {
		n := need[0]
		need = need[1:]
		src, ok := p.given.decls[n]
		if !ok || done[n] || k.names[n] {
			continue
		}
		done[n] = true
		b.WriteString(src)
		need = append(need, unresolved(src)...)
	}
	if b.Len() == 0 {
		return ""
	}
	return "package " + k.name + "\n" + p.imports(unresolved(b.String())) + b.String()
}

func unresolved(decls string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+decls, 0)
	if err != nil {
		panic(err) // decls are from a file that was parsed, so parsing them cannot fail.
	}
	var names []string
	for _, id := range f.Unresolved {
		names = append(names, id.Name)
	}
	return names
}

func (p *program) imports(names []string) string {
	var b strings.Builder
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		if path := p.packages[n]; path != "" {
			fmt.Fprintf(&b, "import %s %q\n", n, path)
		}
	}
	return b.String()
}

// build compiles the program and returns its path.
func (p *program) build(dir string) (string, error) {
	var main, blocks, programs strings.Builder
	main.WriteString("package main\nimport \"" + modulePath + "/internal/docblocks/blockrun\"\n")
	for i, k := range p.pages {
		fmt.Fprintf(&main, "import p%d %q\n", i, path.Join(modulePath, p.module, generated, k.name))
		for _, u := range k.units {
			table := &blocks
			if u.whole {
				table = &programs
			}
			fmt.Fprintf(table, "%q: p%d.%s,\n", u.place(), i, function(u))
		}
	}
	fmt.Fprintf(&main, "func main() {\nblockrun.Main(map[string]func(){\n%s}, map[string]func(){\n%s})\n}\n", &blocks,
		&programs)
	p.files[filepath.Join(generated, "main.go")] = main.String()

	replace := map[string]string{}
	for i, path := range slices.Sorted(maps.Keys(p.files)) {
		file := filepath.Join(dir, fmt.Sprintf("file%d.go", i))
		if err := os.WriteFile(file, []byte(p.files[path]), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(p.root, p.module, path)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "blocks")
	args := append([]string{"build", "-overlay", list, "-o", program}, compilefail.BuildFlags()...)
	cmd := exec.Command("go", append(args, "./"+generated)...) //nolint:gosec // the tool of Go
	cmd.Dir = filepath.Join(p.root, p.module)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, long.ReplaceAll(out, nil))
	}
	return program, nil
}

// quoted matches the line of an import and its path.
var quoted = regexp.MustCompile(`(?m)^(?:import |\t)(?:\w+ )?"([^"]+)"$`)

// long matches the directories that the compiler prints before a page's path in an error.
var long = regexp.MustCompile(`(?m)^\S*` + generated + `/[^/]*/`)

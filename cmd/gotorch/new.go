package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const newUsage = `usage: gotorch new [-gotorch DIR] NAME
Makes the directory NAME with a Go module: a trainer with data, checkpoints, tests and a Makefile.
`

// starter is the project, which is also a package of its own with tests.
//
//go:embed starter/*.go starter/Makefile starter/README.md starter/gitignore starter/data/points.csv
var starter embed.FS

// moduleName matches the names that Go accepts for a module without a path.
var moduleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// create makes a project and returns the exit status.
func create(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("new", flag.ContinueOnError)
	checkout := f.String("gotorch", "", "use the checkout of gotorch in this `directory`, not a released version")
	if status, ok := parse(f, args, newUsage, 1, stderr); !ok {
		return status
	}
	dir := filepath.Clean(f.Arg(0))
	name := filepath.Base(dir)
	if !moduleName.MatchString(name) {
		_, _ = fmt.Fprintf(stderr, "gotorch new: %q cannot be the name of a module: use letters, digits, - and _\n",
			name)
		return 2
	}
	s, err := sourceFor(*checkout)
	if err == nil {
		err = write(dir, name, s)
	}
	if err != nil {
		return failed("new", err, stderr)
	}
	if s.version != "" {
		// This downloads the module and writes its checksum to go.sum.
		cmd := exec.Command("go", "get", module+"@"+s.version)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return failed("new", fmt.Errorf("%s is made, but go get failed in it: %w\n%s", dir, err, out), stderr)
		}
	}
	_, _ = fmt.Fprintf(stdout, "%s is a new module. Train its model:\n\n    cd %s\n    make\n", dir, dir)
	return 0
}

// sourceFor returns the source that a project uses.
func sourceFor(checkout string) (source, error) {
	if checkout == "" {
		return findSource()
	}
	dir, err := filepath.Abs(checkout)
	if err != nil {
		return source{}, err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return source{}, err
	}
	if !isCheckout(dir) {
		return source{}, fmt.Errorf("%s is not a checkout of %s", dir, module)
	}
	return source{dir: dir}, nil
}

// write writes the files of the project. The directory must not exist, or be empty.
func write(dir, name string, s source) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s exists and is not empty", dir)
	}
	version := s.version
	if version == "" {
		version = "v0.0.0"
	}
	gomod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s %s\n", name, leastGo, module, version)
	if s.version == "" {
		gomod += fmt.Sprintf("\nreplace %s => %s\n", module, s.dir)
	}
	files := map[string]string{"go.mod": gomod}
	err := fs.WalkDir(starter, "starter", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := starter.ReadFile(path)
		rel := strings.TrimPrefix(path, "starter/")
		if rel == "gitignore" {
			rel = ".gitignore"
		}
		files[rel] = strings.ReplaceAll(string(text), "Command starter ", "Command "+name+" ")
		return err
	})
	if err != nil {
		return err
	}
	for rel, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

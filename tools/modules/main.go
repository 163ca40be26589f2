// Command modules handles module files for scripts/release.sh:
//
//	modules tags REPO VERSION         prints the tags of a release
//	modules require REPO VERSION      sets the requirements among the modules
//	modules proxy REPO VERSION DIR    writes the tagged modules to a file proxy
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/gotorch/gotorch/tools/internal/published"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("expected a command, a repository and a version")
	}
	command, repo, version := args[0], args[1], args[2]
	all, err := published.Modules(repo, "")
	if err != nil {
		return err
	}
	var public []published.Module
	for _, m := range all {
		if m.Published() {
			public = append(public, m)
		}
	}
	if err := published.CheckVersion(public, version); err != nil {
		return err
	}
	switch {
	case command == "tags" && len(args) == 3:
		for _, m := range public {
			fmt.Println(m.Tag(version))
		}
	case command == "require" && len(args) == 3:
		for _, m := range all {
			if err := require(filepath.Join(repo, m.Dir, "go.mod"), version); err != nil {
				return err
			}
		}
	case command == "proxy" && len(args) == 4:
		for _, m := range public {
			if err := serve(repo, m, version, args[3]); err != nil {
				return fmt.Errorf("%s: %w", m.Tag(version), err)
			}
		}
	default:
		return fmt.Errorf("unknown command: %s", strings.Join(args, " "))
	}
	return nil
}

// ours reports whether the path belongs to a module of this repository.
func ours(path string) bool {
	return path == published.Root || strings.HasPrefix(path, published.Root+"/")
}

// require sets the version of every module of this repository that a go.mod requires.
func require(file, version string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return err
	}
	for _, r := range mod.Require {
		if ours(r.Mod.Path) {
			if err := mod.AddRequire(r.Mod.Path, version); err != nil {
				return err
			}
		}
	}
	text, err = mod.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// serve writes a module, as of its tag, to the directory of a file proxy.
func serve(repo string, m published.Module, version, dir string) error {
	goMod, err := published.Git(repo, "show", m.Tag(version)+":"+filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	if err := consistent(m, goMod, version); err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path())
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, escaped, "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	subdir := m.Dir
	if subdir == "." {
		subdir = ""
	}
	mv := module.Version{Path: m.Path(), Version: version}
	err = zip.CreateFromVCS(archive, mv, repo, m.Tag(version), subdir)
	if closeErr := archive.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	// Report, with the file's name, errors that would make the go command refuse the
	// module.
	checked, err := zip.CheckZip(mv, archive.Name())
	if err != nil {
		return err
	}
	info, err := os.Stat(archive.Name())
	if err != nil {
		return err
	}
	fmt.Printf("%-24s %5d files, %6.2f MB\n", m.Tag(version), len(checked.Valid), float64(info.Size())/1e6)
	for ext, text := range map[string]string{
		".mod":  goMod,
		".info": fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339)),
	} {
		if err := os.WriteFile(filepath.Join(dir, version+ext), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "list"), []byte(version+"\n"), 0o666)
}

// consistent returns an error unless a go.mod belongs to module m and requires the other
// modules of this repository at the given version.
func consistent(m published.Module, goMod, version string) error {
	mod, err := modfile.Parse("go.mod", []byte(goMod), nil)
	if err != nil {
		return err
	}
	if mod.Module.Mod.Path != m.Path() {
		return fmt.Errorf("go.mod names the module %s, not %s", mod.Module.Mod.Path, m.Path())
	}
	for _, r := range mod.Require {
		if ours(r.Mod.Path) && r.Mod.Version != version {
			return fmt.Errorf("go.mod requires %s %s, not %s", r.Mod.Path, r.Mod.Version, version)
		}
	}
	return nil
}

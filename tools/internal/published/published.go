// Package published lists the modules of this repository that other programs import and
// that releases tag.
package published

import (
	"fmt"
	"os/exec"
	"path"
	"strings"

	"golang.org/x/mod/module"
)

// Root is the path of the module in the root of the repository, and the prefix of all
// other module paths.
const Root = "github.com/gotorch/gotorch"

// private lists the directories of modules that are not meant to be imported. All other
// modules are published.
var private = []string{"examples", "internal", "notebooks", "tools"}

// Module is a module of this repository.
type Module struct {
	Dir string // relative to the root of the repository, "." for the root's own
}

// Path returns the module's import path.
func (m Module) Path() string { return path.Join(Root, m.Dir) }

// Tag returns the name of the git tag for a version of the module.
func (m Module) Tag(version string) string { return path.Join(m.Dir, version) }

// Published reports whether a release tags the module.
func (m Module) Published() bool {
	first, _, _ := strings.Cut(m.Dir, "/")
	for _, p := range private {
		if first == p {
			return false
		}
	}
	return true
}

// Modules returns all modules of the repository in directory repo, as of the commit rev,
// or of the working tree if rev is empty.
func Modules(repo, rev string) ([]Module, error) {
	args := []string{"ls-tree", "-r", "--name-only", rev}
	if rev == "" {
		args = []string{"ls-files"}
	}
	out, err := Git(repo, args...)
	if err != nil {
		return nil, err
	}
	var modules []Module
	for _, file := range strings.Split(out, "\n") {
		if path.Base(file) == "go.mod" && !strings.Contains(file, "testdata/") {
			modules = append(modules, Module{Dir: path.Dir(file)})
		}
	}
	return modules, nil
}

// CheckVersion returns an error if version is not a valid version for a release of modules.
func CheckVersion(modules []Module, version string) error {
	if module.CanonicalVersion(version) != version || module.IsPseudoVersion(version) {
		return fmt.Errorf("%q is not the version of a release, such as v0.1.0 or v0.2.0-rc.1", version)
	}
	for _, m := range modules {
		if err := module.Check(m.Path(), version); err != nil {
			return err
		}
	}
	return nil
}

// Git runs git in directory repo and returns its output. The directory may belong to a
// different user, as a checkout in CI may.
func Git(repo string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", repo, "-c", "safe.directory=*"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// Command apicheck shows the differences between the API of the published modules and the
// API of the last release. It fails if an incompatible change has no entry in
// CHANGELOG.md.
//
//	apicheck REPO
//
// The last release is the newest section of the changelog with a date. Its packages are
// type-checked from the source of its tag, without cgo and a C++ compiler. Commands and
// packages below internal and cgotorch are not part of the API.
//
// An entry is below "### Incompatible" in the section of the next version. It names, in
// code font, the item that changed, with the package's directory: `nn/functional.Linear`,
// `torch.Tensor.Add`, or `torch/jit` if the package was removed.
package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"

	"github.com/gotorch/gotorch/tools/internal/published"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: apicheck REPO")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "apicheck:", err)
		os.Exit(1)
	}
}

func run(repo string, w io.Writer) error {
	text, err := os.ReadFile(filepath.Join(repo, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	log, err := readChangelog(string(text))
	if err != nil {
		return err
	}
	if log.released == "" {
		fmt.Fprintln(w, "no release yet: nothing to compare with")
		return nil
	}
	tag := "v" + log.released
	if _, err := published.Git(repo, "rev-parse", "--verify", tag+"^{commit}"); err != nil {
		return fmt.Errorf("CHANGELOG.md says that %s is released, but its tag is not here: git fetch --tags",
			log.released)
	}
	shared := checked{}
	before, err := exported(repo, tag, shared)
	if err != nil {
		return err
	}
	after, err := working(repo, shared)
	if err != nil {
		return err
	}
	changes := compare(before, after)
	fmt.Fprintf(w, "API since %s: %d changes\n", tag, len(changes))
	missing := 0
	for _, c := range changes {
		mark := "+"
		if !c.Compatible {
			mark = "incompatible, in the changelog:"
			if !log.incompatible[c.symbol] {
				mark = "INCOMPATIBLE:"
				missing++
			}
		}
		_, what, found := strings.Cut(c.Message, ": ")
		if !found {
			what = c.Message
		}
		fmt.Fprintf(w, "%s `%s` %s\n", mark, c.symbol, what)
	}
	if missing > 0 {
		return fmt.Errorf("%d incompatible changes are not under \"### Incompatible\" of the section %s in "+
			"CHANGELOG.md. "+
			"Say there what a program has to change, and name each as above, in code font", missing, log.next())
	}
	return nil
}

// A difference is a change to a package.
type difference struct {
	apidiff.Change
	symbol string // what changed, as the changelog names it
}

// compare returns the changes of all packages, by symbol.
func compare(before, after api) []difference {
	var changes []difference
	add := func(place string, cs ...apidiff.Change) {
		for _, c := range cs {
			if strings.HasSuffix(c.Message, "value changed from unknown to unknown") {
				continue // it is C's
			}
			changes = append(changes, difference{c, symbol(place, c.Message)})
		}
	}
	for place, old := range before {
		if now := after[place]; now != nil {
			add(place, apidiff.Changes(old, now).Changes...)
		} else {
			add(place, apidiff.Change{Message: "package removed"})
		}
	}
	for place := range after {
		if before[place] == nil {
			add(place, apidiff.Change{Message: "package added", Compatible: true})
		}
	}
	slices.SortStableFunc(changes, func(a, b difference) int { return strings.Compare(a.symbol, b.symbol) })
	return changes
}

// symbol returns the name of the symbol that an apidiff message is about. For (*T).M of
// package torch it returns torch.T.M. If the type is from another package, the message
// begins with the path of that package.
func symbol(place, message string) string {
	name, _, ok := strings.Cut(message, ": ")
	if !ok {
		return place
	}
	name, _, _ = strings.Cut(name, ",") // T, method set of *T
	name = strings.NewReplacer("(*", "", ")", "").Replace(name)
	if sub, ok := strings.CutPrefix(name, "./"); ok {
		return path.Join(place, sub)
	}
	if other, ok := strings.CutPrefix(name, published.Root+"/"); ok {
		return other
	}
	return place + "." + name
}

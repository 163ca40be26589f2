package safetensors

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/gotorch/gotorch/internal/wholefile"
)

// newSet is a set of files that are being written. The index is the last file. A set with
// only one file has no index.
type newSet struct {
	dir   string
	index string // name of the index, even if this set has none
	files []prepared
}

// prepared is a file that was written under a temporary name. name is its final name.
type prepared struct {
	name string
	*wholefile.Prepared
}

func (n *newSet) discard() {
	for _, f := range n.files {
		f.Discard()
	}
}

// replace gives the files their final names, and removes the files of an earlier set. While
// files of both sets are in place, there is no index, because readers use the index.
func (n *newSet) replace(old *regexp.Regexp) error {
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return ioFault(n.dir, "", err)
	}
	var others []string // files that belong only to the earlier set
	mixed := false      // whether a new file replaces one that the index of the earlier set may list
	for _, e := range entries {
		name := e.Name()
		switch ours := slices.ContainsFunc(n.files, func(f prepared) bool { return f.name == name }); {
		case e.IsDir() || !old.MatchString(name):
		case !ours:
			others = append(others, name)
		case name != n.index:
			mixed = true
		}
	}
	if mixed {
		if err := n.remove(n.index); err != nil {
			return err
		}
	}
	for _, f := range n.files {
		if err := f.Place(); err != nil {
			return ioFault(filepath.Join(n.dir, f.name), notWritten, err)
		}
	}
	// remove the earlier index first, because the files that it lists are removed next
	if slices.Contains(others, n.index) {
		if err := n.remove(n.index); err != nil {
			return err
		}
	}
	for _, name := range others {
		if err := n.remove(name); err != nil {
			return err
		}
	}
	return nil
}

func (n *newSet) remove(name string) error {
	path := filepath.Join(n.dir, name)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return ioFault(path, "cannot be removed; it is from an earlier set", err)
	}
	return nil
}

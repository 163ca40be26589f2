// Command bench compares this library with C++, Python and Rust on the same libtorch. It
// prints a table with targets and writes build/bench.json.
//
//	go run ./bench/cmd/bench [-run REGEXP] [-rounds N] [-quick]
//
// If a peer cannot be built or started, its rows are left out and the reason is printed.
// GOTORCH_PYTHON names the Python interpreter; if it is not set, bench creates a virtual
// environment with torch in build/venv. The exit status reports measurement errors, not
// slow results.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gotorch/gotorch/bench/internal/harness"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	pattern := flag.String("run", "", "measure the rows whose name matches this regular `expression`")
	rounds := flag.Int("rounds", 5, "number of turns of each contestant")
	quick := flag.Bool("quick", false, "run a tenth of the iterations, to check that everything works")
	peers := flag.Bool("peers", false, "measure only the peers and write no file")
	merge := flag.Bool("merge", false, "keep the rows of the last run that this one does not measure")
	list := flag.Bool("list", false, "print the names of the rows and stop")
	out := flag.String("out", "", "the `file` to write (default build/bench.json)")
	flag.Parse()

	groups := harness.Groups()
	if *list {
		for _, name := range harness.Names(groups) {
			fmt.Println(name)
		}
		return nil
	}
	selected, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	targets, err := harness.Targets()
	if err != nil {
		return err
	}
	root, err := repository()
	if err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(root, "build", "bench.json")
	}

	var old []harness.Outcome
	if *merge {
		if old, err = harness.ReadJSON(*out); err != nil {
			return err
		}
	}
	names := harness.AllNames(groups)
	keep := func(all []harness.Outcome) error {
		return harness.WriteJSON(*out, harness.Merge(names, old, all))
	}
	if *peers {
		keep = nil
	}

	box := harness.NewToolbox(root, os.Stderr)
	defer func() { err = errors.Join(err, box.Close()) }()
	all, err := harness.Run(groups, box, harness.Options{
		Run: selected, Rounds: *rounds, Quick: *quick, PeersOnly: *peers, Log: os.Stderr, Keep: keep,
	})
	if err != nil {
		return err
	}
	return harness.WriteTable(os.Stdout, harness.Merge(names, old, all), targets)
}

// repository returns the directory that contains go.mod: the current directory or a
// parent.
func repository() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("run this inside the repository")
		}
		folder = parent
	}
}

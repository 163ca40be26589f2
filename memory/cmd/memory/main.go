// Command memory shows what package memory recorded.
//
//	memory viz [-o page.html] SNAPSHOT
//	memory viz [-o page.html] -diff OLD NEW
//
// The subcommand viz writes a self-contained HTML page. The page shows a
// timeline of allocated bytes with the stack of each block, the segments and
// blocks, and the memory of each package. With -diff it shows what changed from
// one snapshot to another. A snapshot is a pickle or JSON file written by
// memory.DumpSnapshot or by Python's torch.cuda.memory._dump_snapshot.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
)

const usage = `usage:
  memory viz [-o page.html] SNAPSHOT
  memory viz [-o page.html] -diff OLD NEW
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0 for success, 1 for an error, 2 for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] != "viz" {
		_, _ = io.WriteString(stderr, usage)
		return 2
	}
	flags := flag.NewFlagSet("memory viz", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = io.WriteString(stderr, usage)
		flags.PrintDefaults()
	}
	out := flags.String("o", "",
		"write the page to `file`, - for standard output (default: beside the snapshot, ending in .html)")
	diff := flags.Bool("diff", false, "compare two snapshots")
	if err := flags.Parse(args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	want := 1
	if *diff {
		want = 2
	}
	if flags.NArg() != want {
		flags.Usage()
		return 2
	}
	if err := page(*out, flags.Args(), stdout); err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func page(out string, files []string, stdout io.Writer) error {
	inputs := make([]viz.Input, 0, len(files))
	for _, f := range files {
		s, err := memory.LoadSnapshot(f)
		if err != nil {
			return err
		}
		inputs = append(inputs, viz.Input{Name: filepath.Base(f), Snapshot: s})
	}
	if out == "-" {
		return viz.Write(stdout, inputs...)
	}
	if out == "" {
		last := files[len(files)-1]
		out = strings.TrimSuffix(last, filepath.Ext(last)) + ".html"
	}
	// Replaces a link instead of following it, because the snapshot's folder may be a stranger's.
	err := wholefile.Write(out, func(w io.Writer) error { return viz.Write(w, inputs...) })
	if err != nil {
		return fmt.Errorf("memory viz: %w", err)
	}
	_, err = fmt.Fprintln(stdout, out)
	return err
}

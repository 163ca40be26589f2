// Command leaks is a gallery of the patterns in docs/leaks.md. For each pattern it has a
// small program that leaks, the report of the tools, and a program that does not leak.
//
//	go run ./leaks                                # the names
//	go run ./leaks losses figures                 # the reports about two of them
//	go run ./leaks all
//	go run ./leaks -plot leaks/gallery.png all    # and their memory
//	go run ./leaks -readme leaks                  # everything, into README.md
//
// reference.py has the same patterns in Python.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

type config struct{ plot, losses, readme string }

func main() {
	var c config
	flag.StringVar(&c.plot, "plot", "", "draw native memory over the steps into this PNG file")
	flag.StringVar(&c.losses, "losses", "",
		"only write seconds and native bytes of each step to this file")
	flag.StringVar(&c.readme, "readme", "", "write the README.md and the pictures of this folder")
	flag.Parse()
	if err := run(flag.Args(), c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "leaks:", err)
		os.Exit(1)
	}
}

// run shows the named patterns. If names is empty, it lists the names of all patterns.
func run(names []string, c config, out io.Writer) error {
	switch {
	case c.losses != "":
		return writeBytes(c.losses)
	case c.readme != "":
		return writeREADME(c.readme)
	case len(names) == 0:
		for _, p := range gallery {
			fmt.Fprintf(out, "%-11s %s\n", p.name, p.title)
		}
		return nil
	}
	shown := gallery
	if !slices.Equal(names, []string{"all"}) {
		shown = nil
		for _, name := range names {
			i := slices.IndexFunc(gallery, func(p pattern) bool { return p.name == name })
			if i < 0 {
				return fmt.Errorf("there is no pattern %q; run without a name to list all patterns", name)
			}
			shown = append(shown, gallery[i])
		}
	}
	for _, p := range shown {
		fmt.Fprintf(out, "%s: %s\n%s\n", p.name, p.title, p.tell().text())
	}
	if c.plot == "" {
		return nil
	}
	return draw(c.plot, shown)
}

// writeBytes writes the memory curves of each pattern's leaky and fixed program. If the
// collector would free the leak, it writes only the curve of the fixed program, because
// Python, which counts references, has no such leak.
func writeBytes(path string) (err error) {
	log, err := twin.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for _, p := range gallery {
		if !p.garbage {
			log.Add(p.curve(p.leaky)...)
		}
		log.Add(p.curve(p.fixed)...)
	}
	return nil
}

// steps is the number of steps that a program runs, enough to see growth.
const steps = 50

// told contains the reports about both programs of a pattern.
type told struct{ leaky, fixed string }

func (p pattern) tell() told { return told{p.about(p.leaky), p.about(p.fixed)} }

// text returns the text that the program prints.
func (t told) text() string { return fmt.Sprintf("leaky: %s\nfixed: %s\n", t.leaky, t.fixed) }

// first returns the first entry of the report.
func (t told) first() string {
	for line := range strings.Lines(t.leaky) {
		if strings.HasPrefix(line, "+") {
			return "`" + strings.TrimSpace(line) + "`"
		}
	}
	return t.leaky
}

// about runs one of a pattern's two programs and returns the report.
func (p pattern) about(program func() (func(int), func())) string {
	step, end := program()
	defer end()
	if p.garbage {
		return openBefore(step)
	}
	var f failure
	if memory.AssertNoGrowth(&f, steps, step) {
		return fmt.Sprintf("memory did not grow over %d steps", steps)
	}
	return f.text
}

// failure is the TestingT of AssertNoGrowth; it keeps the message.
type failure struct{ text string }

func (*failure) Helper() {}

func (f *failure) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

// openBefore compares the open tensors before and after the steps. It prevents a
// collection between the two, which would free the leak.
func openBefore(step func(int)) string {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer memory.TrackTensors(memory.TrackTensors(1))
	memory.Collect()
	before := memory.LiveTensors()
	for i := range steps {
		step(i)
	}
	grown := memory.Diff(before, memory.LiveTensors())
	if len(grown) == 0 {
		return fmt.Sprintf("no more tensors are open after %d steps", steps)
	}
	return fmt.Sprintf("after %d steps, before a garbage collection, more tensors are open:\n%s", steps,
		strings.TrimSpace(memory.FormatGrowth(grown, 10)))
}

// curve returns the native bytes after each step, minus the bytes before step 0.
func (p pattern) curve(program func() (func(int), func())) []float64 {
	step, end := program()
	defer end()
	if p.garbage {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	}
	memory.Collect()
	start, bytes := memory.Requested(torch.CPU), make([]float64, steps)
	for i := range bytes {
		step(i)
		if !p.garbage {
			memory.Collect()
		}
		bytes[i] = float64(memory.Requested(torch.CPU) - start)
	}
	return bytes
}

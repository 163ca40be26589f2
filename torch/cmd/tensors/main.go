// Command tensors examines tensor files: safetensors files and sets, PyTorch's .pt and
// .pth, TorchScript archives, AOTInductor's .pt2 packages, and NumPy's .npy and .npz. It
// determines the format from the contents, not from the name.
//
//	go run github.com/gotorch/gotorch/torch/cmd/tensors model.safetensors
//
//	tensors [ls] FILE...             names, dtypes, shapes, bytes, and shared memory
//	tensors stats FILE...            minimum, maximum, mean and standard deviation
//	tensors inspect FILE...          what Python would run when loading the file
//	tensors verify FILE...           read the whole file and compare its checksums
//	tensors convert -o OUT FILE      write the file in another format
//	tensors diff FILE FILE           print the differences
//
// FILE is a file, the index of a set or its directory, or - for standard input, which is
// copied to a temporary file. Listing reads only headers, even of huge files. The command
// does not run code from a file, such as the program of a TorchScript archive. The
// exception is -load: the elements of a .pt2 package are in a library, and stats, convert
// and diff can only read them by running its code.
//
// The exit status is 0 on success, 1 after an error, if inspect found a file that is not
// safe, or if diff found a difference, and 2 for a wrong command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

const usage = `usage: tensors [ls] [flags] FILE...
       tensors stats [flags] FILE...
       tensors inspect [flags] FILE...
       tensors verify [flags] FILE...
       tensors convert [flags] -o OUT FILE
       tensors diff [flags] FILE FILE
tensors COMMAND -h lists the flags.
`

func main() {
	// libtorch would print warnings, for example about layouts that are in beta.
	torch.SetWarnings(torch.WarnNever)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// command is one run of the program.
type command struct {
	name           string
	stdin          io.Reader
	stdout, stderr io.Writer

	json   bool
	match  *regexp.Regexp // selects tensors by name; nil matches every name
	key    string
	opaque bool
	load   bool // whether -load allows running the code of .pt2 packages
	conversion
	tolerance
}

// errUsage is a command-line mistake that has been reported.
var errUsage = errors.New("wrong command line")

// errFound is the error of a command that worked but found a problem in a file.
var errFound = errors.New("found something")

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &command{name: "ls", stdin: stdin, stdout: stdout, stderr: stderr}
	if len(args) > 0 {
		switch args[0] {
		case "ls", "stats", "inspect", "verify", "convert", "diff":
			c.name, args = args[0], args[1:]
		}
	}
	files, err := c.parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	switch c.name {
	case "convert":
		return c.status(c.convert(files[0]))
	case "diff":
		return c.status(c.diff(files[0], files[1]))
	}
	do := map[string]func(string) error{
		"ls": c.list, "stats": c.stats, "inspect": c.inspect,
		"verify": c.verify,
	}[c.name]
	status := 0
	for _, file := range files {
		status = max(status, c.status(do(file)))
	}
	return status
}

// parse reads the flags of the command and returns the files.
func (c *command) parse(args []string) ([]string, error) {
	f := flag.NewFlagSet("tensors "+c.name, flag.ContinueOnError)
	f.SetOutput(c.stderr)
	f.Usage = func() {
		_, _ = fmt.Fprint(c.stderr, usage)
		f.PrintDefaults()
	}
	if c.name != "convert" {
		f.BoolVar(&c.json, "json", false, "print one JSON object per file")
	}
	if c.name != "inspect" {
		f.BoolVar(&c.opaque, "opaque", false, "accept .pt files that name unknown classes; their code is not run")
	}
	match := ""
	if c.name != "inspect" && c.name != "verify" {
		f.StringVar(&match, "match", "", "only tensors whose name matches this `regexp`")
		f.StringVar(&c.key, "key", "", "only tensors below this `name`, which is removed: model for model.weight")
	}
	if c.name == "stats" || c.name == "convert" || c.name == "diff" {
		f.BoolVar(&c.load, "load", false,
			"load .pt2 packages, which RUNS THEIR CODE with all your rights: only for packages that you trust")
	}
	min, max := 1, -1
	switch c.name {
	case "convert":
		max = 1
		c.conversion.flags(f)
	case "diff":
		min, max = 2, 2
		c.tolerance.flags(f)
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	files := f.Args()
	err := c.check(match, len(files), min, max)
	if err != nil {
		_, _ = fmt.Fprintln(c.stderr, "tensors:", err)
		_, _ = fmt.Fprint(c.stderr, usage)
		return nil, errUsage
	}
	return files, nil
}

func (c *command) check(match string, files, min, max int) (err error) {
	switch {
	case files < min:
		return fmt.Errorf("%s: expected at least %d files, got %d", c.name, min, files)
	case max >= 0 && files > max:
		return fmt.Errorf("%s: expected %d files, got %d", c.name, max, files)
	}
	if match != "" {
		if c.match, err = regexp.Compile(match); err != nil {
			return fmt.Errorf("-match: %w", err)
		}
	}
	if c.name == "convert" {
		return c.conversion.check()
	}
	return c.tolerance.check()
}

// wants reports whether a tensor was requested, and the name to use for it.
func (c *command) wants(name string) (string, bool) {
	if c.key != "" {
		rest, ok := strings.CutPrefix(name, c.key+".")
		if !ok {
			return "", false
		}
		name = rest
	}
	return name, c.match == nil || c.match.MatchString(name)
}

// status prints an error and returns the exit status for it.
func (c *command) status(err error) int {
	if err == nil {
		return 0
	}
	if !errors.Is(err, errFound) {
		c.report(err)
	}
	return 1
}

func (c *command) report(err error) {
	_, _ = fmt.Fprintln(c.stderr, "tensors: "+plain.Text(err.Error()))
}

// with opens a file, passes it to a function, and frees everything that they created.
func (c *command) with(path string, do func(f file) error) error {
	return c.local(path, func(path string) error {
		f, err := c.open(path)
		if err != nil {
			return err
		}
		defer f.close()
		return do(f)
	})
}

// local calls do with a path that can be opened. Errors refer to standard input by name.
func (c *command) local(path string, do func(path string) error) (err error) {
	name := path
	if path == "-" {
		var done func()
		if path, done, err = spool(c.stdin); err != nil {
			return err
		}
		defer done()
		name = "standard input"
	}
	torch.Scope(func() { err = do(path) })
	if e := (*fileerr.Error)(nil); name != path && errors.As(err, &e) {
		e.Path = name
	}
	return err
}

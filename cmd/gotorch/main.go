// Command gotorch checks an installation, starts projects and examines tensor files.
//
//	go run github.com/gotorch/gotorch/cmd/gotorch doctor
//
//	gotorch doctor             is everything there that gotorch needs?
//	gotorch new NAME           make a project: a trainer with data, tests and a Makefile
//	gotorch tensors FILE...    list, compare, verify and convert tensor files
//
// The command does not link libtorch, so it also builds and runs where libtorch is missing.
// For the parts that need libtorch, it builds another program with the go command.
//
// The exit status is 0 on success, 1 if there is something to do or after an error, and 2
// for a wrong command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage: gotorch doctor [-quick]
       gotorch new [-gotorch DIR] NAME
       gotorch tensors [COMMAND] [flags] FILE...
gotorch COMMAND -h explains a command.
`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		_, _ = io.WriteString(stderr, usage)
		return 2
	}
	switch args[0] {
	case "doctor":
		return doctor(args[1:], stdout, stderr)
	case "new":
		return create(args[1:], stdout, stderr)
	case "tensors":
		return tensors(args[1:], stdin, stdout, stderr)
	case "-h", "-help", "--help", "help":
		_, _ = io.WriteString(stdout, usage)
		return 0
	}
	_, _ = fmt.Fprintf(stderr, "gotorch: there is no command %q\n%s", args[0], usage)
	return 2
}

// parse reads a command's flags and checks the number of its other arguments. If it
// returns false, the program ends with the status.
func parse(f *flag.FlagSet, args []string, text string, number int, stderr io.Writer) (status int, ok bool) {
	f.SetOutput(stderr)
	f.Usage = func() {
		_, _ = io.WriteString(stderr, text)
		f.PrintDefaults()
	}
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0, false
	case err != nil:
		return 2, false
	case f.NArg() != number:
		_, _ = fmt.Fprintf(stderr, "gotorch %s: expected %d arguments, got %d\n", f.Name(), number, f.NArg())
		f.Usage()
		return 2, false
	}
	return 0, true
}

// failed prints an error and returns the exit status for it.
func failed(command string, err error, stderr io.Writer) int {
	_, _ = fmt.Fprintf(stderr, "gotorch %s: %v\n", command, err)
	return 1
}

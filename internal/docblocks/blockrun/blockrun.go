// Package blockrun is part of the program that internal/docblocks generates from the code
// blocks of the documentation. It runs blocks and reports the results.
package blockrun

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks/report"
	"github.com/gotorch/gotorch/torch"
)

var current report.Report

// Main runs the blocks named in the program's arguments. The blocks in programs are whole
// programs; they run without an enclosing scope.
func Main(blocks, programs map[string]func()) {
	testing.Init()
	flag.Parse()
	for _, name := range flag.Args() {
		current = report.Report{Block: name}
		if whole := programs[name]; whole != nil {
			run(whole)
		} else {
			run(func() { torch.Scope(blocks[name]) })
		}
		write()
	}
}

// write reports the result of the last block.
func write() {
	line, err := json.Marshal(current)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s%s\n", report.Mark, line)
}

func run(block func()) {
	defer func() {
		if p := recover(); p != nil {
			current.Panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	torch.ManualSeed(0)
	block()
}

// Next prints a line that separates the output of two blocks of one function.
func Next() { fmt.Print(report.Next) }

// Check records the error that a block left in its variable err.
func Check(err *error) {
	if *err != nil {
		current.Failures = append(current.Failures, fmt.Sprintf("left in err: %v", *err))
	}
}

// Println prints like fmt.Println. It checks that the output equals want, the text of the
// comment on that line of the block.
func Println(place, want string, args ...any) {
	got := fmt.Sprintln(args...)
	fmt.Print(got)
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		current.Failures = append(current.Failures, fmt.Sprintf("%s: prints %q, and the page has %q", place,
			strings.TrimSpace(got), want))
	}
}

// File returns the path of a file of the repository.
func File(path string) string { return filepath.Join(os.Getenv(report.Root), path) }

// Tests runs test functions and ends the program, because package testing cannot run them
// in any other way.
func Tests(tests ...testing.InternalTest) {
	for i, test := range tests {
		tests[i].F = func(t *testing.T) {
			defer func() {
				if t.Failed() {
					current.Failures = append(current.Failures, test.Name+" failed")
				}
			}()
			test.F(t)
		}
	}
	tests = append(tests, testing.InternalTest{Name: "Report", F: func(*testing.T) { write() }})
	testing.Main(func(string, string) (bool, error) { return true, nil }, tests, nil, nil)
}

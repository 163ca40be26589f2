// Package blockrun is within the program that internal/docblocks makes of the
// documentation: it runs blocks and says what became of each.
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

// Main runs the blocks that the arguments name, whole programs without a scope around them.
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

// write reports what became of the block that ran last.
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

// Next separates what blocks of one function print.
func Next() { fmt.Print(report.Next) }

// Check notes an error that a block left in a variable.
func Check(err *error) {
	if *err != nil {
		current.Failures = append(current.Failures, fmt.Sprintf("left in err: %v", *err))
	}
}

// Println is fmt.Println of a line that says what it prints.
func Println(place, want string, args ...any) {
	got := fmt.Sprintln(args...)
	fmt.Print(got)
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		current.Failures = append(current.Failures, fmt.Sprintf("%s: prints %q, and the page has %q", place, strings.TrimSpace(got), want))
	}
}

// File is the path of a file of the repository.
func File(path string) string { return filepath.Join(os.Getenv(report.Root), path) }

// Tests runs functions of tests, and ends the program: package testing knows no other way.
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

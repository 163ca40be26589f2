// Command torchvet finds mistakes in programs that use gotorch, such as native memory
// that accumulates and tensors that are used after they were freed. It can fix many of
// them.
//
//	go install github.com/gotorch/gotorch/vet/cmd/torchvet@latest
//	go vet -vettool=$(which torchvet) ./...
//	torchvet ./...       # the same
//	torchvet -fix ./...  # applies the fixes and prints what it changed
//
// Each check has a flag with its name, like the checks of go vet. To suppress a report,
// put a comment at the end of the line or above it:
//
//	//torchvet:ignore emptycache what it costs is measured here
//
// With -fix, the exit status is 1 if reports remain that have no fix.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/gotorch/gotorch/vet/analyzers"
	"github.com/gotorch/gotorch/vet/internal/fixing"
)

func main() {
	args := os.Args[1:]
	if !byHand(args) {
		unitchecker.Main(analyzers.All()...)
		return
	}
	tool, err := os.Executable()
	if err != nil {
		fail(err)
	}
	isFix := func(a string) bool { return a == "-fix" || a == "--fix" || a == "-fix=true" }
	if !slices.ContainsFunc(args, isFix) {
		cmd := exec.Command("go", append([]string{"vet", "-vettool=" + tool}, args...)...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) {
			os.Exit(exit.ExitCode())
		} else if err != nil {
			fail(err)
		}
		return
	}
	left, err := fixing.Run("", tool, slices.DeleteFunc(slices.Clone(args), isFix), os.Stdout)
	if err != nil {
		fail(err)
	}
	for _, l := range left {
		fmt.Fprintln(os.Stderr, l)
	}
	if len(left) > 0 {
		os.Exit(1)
	}
}

// byHand reports whether args contain package names. go vet never passes packages to its
// tool, so a person has called the command.
func byHand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return !strings.HasPrefix(last, "-") && !strings.HasSuffix(last, ".cfg") && args[0] != "help"
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "torchvet:", err)
	os.Exit(2)
}

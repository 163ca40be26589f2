// Package report is what the program of the blocks and the test that runs it agree on.
package report

// A Report is written when a block is done.
type Report struct {
	Block    string
	Panic    string // what it panicked with, and where
	Failures []string
}

const (
	// Mark begins the lines of the output that are not of blocks: reports in JSON.
	Mark = "\x00report "

	// Next is printed between blocks that are one function.
	Next = "\x00next\n"

	// Root is the name of the environment variable with the folder of the repository.
	Root = "GOTORCH_DOCBLOCKS_ROOT"
)

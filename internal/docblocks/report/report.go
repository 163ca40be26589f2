// Package report defines how the generated program reports to the test that runs it.
package report

// A Report is the result of a block.
type Report struct {
	Block    string
	Panic    string // the value of its panic, and the place
	Failures []string
}

const (
	// Mark starts the lines of the output that are reports in JSON, not output of blocks.
	Mark = "\x00report "

	// Next is printed between blocks of one function.
	Next = "\x00next\n"

	// Root is the name of the environment variable with the folder of the repository.
	Root = "GOTORCH_DOCBLOCKS_ROOT"
)

// Package report defines how the generated program reports to the test that runs it.
package report

// A Report is the result of a block.
type Report struct {
	Block    string
	Panic    string // value and place of the block's panic
	Failures []string
}

const (
	// Mark begins each output line that is a report in JSON. Other lines are output of
	// blocks.
	Mark = "\x00report "

	// Next is printed between the outputs of two blocks of one function.
	Next = "\x00next\n"

	// Root is the name of the environment variable that holds the repository's directory.
	Root = "GOTORCH_DOCBLOCKS_ROOT"
)

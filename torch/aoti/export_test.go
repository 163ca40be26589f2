package aoti

// These functions are exported for tests.
var (
	Lacking = lacking
	Prepare = prepare
)

// ReadSource returns the inputs that a source file describes, and whether it describes all of them.
func ReadSource(text string) ([]Input, bool) {
	d := readSource(text)
	return d.inputs, d.known
}

// Check panics unless tensors match inputs.
var Check = check

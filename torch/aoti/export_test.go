package aoti

// These are unexported functions, for tests.
var (
	Lacking = lacking
	Prepare = prepare
)

// ReadSource returns the inputs that a source file describes. The bool reports whether it
// describes all of them.
func ReadSource(text string) ([]Input, bool) {
	d := readSource(text)
	return d.inputs, d.known
}

// Check is the function check, for tests.
var Check = check

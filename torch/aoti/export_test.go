package aoti

// For tests.
var (
	Lacking = lacking
	Prepare = prepare
)

// ReadSource returns the inputs described by a source, and whether it describes all.
func ReadSource(text string) ([]Input, bool) {
	d := readSource(text)
	return d.inputs, d.known
}

// Check compares tensors with inputs.
var Check = check

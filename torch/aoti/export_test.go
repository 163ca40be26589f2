package aoti

// For tests.
var (
	Lacking = lacking
	Prepare = prepare
)

// ReadSource returns what a source says of the inputs, and whether it says it of all.
func ReadSource(text string) ([]Input, bool) {
	d := readSource(text)
	return d.inputs, d.known
}

// Check compares tensors with inputs.
var Check = check

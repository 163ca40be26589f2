// Package thorough says whether a test runs all of its cases or a sample. `make nightly`
// asks for all: a hundred killed processes instead of ten, thousands of random programs.
package thorough

import "os"

// Variable names the environment variable that asks for all if it is not empty.
const Variable = "GOTORCH_TEST_THOROUGH"

// Asked reports whether all cases run.
func Asked() bool { return os.Getenv(Variable) != "" }

// Or is all, or how many of them are the sample.
func Or(all, sample int) int {
	if Asked() {
		return all
	}
	return sample
}

// Package thorough tells whether a test runs all of its cases or a sample. `make nightly`
// asks for all: a hundred killed processes instead of ten, thousands of random programs.
package thorough

import "os"

// Variable names the environment variable that asks for all cases if it is not empty.
const Variable = "GOTORCH_TEST_THOROUGH"

// Asked reports whether to run all cases.
func Asked() bool { return os.Getenv(Variable) != "" }

// Or returns all, or the size of the sample.
func Or(all, sample int) int {
	if Asked() {
		return all
	}
	return sample
}

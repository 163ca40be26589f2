// Package thorough reports whether tests run all their cases or only a sample. `make
// nightly` runs all cases: a hundred killed processes instead of ten, and thousands of
// random programs.
package thorough

import "os"

// Variable is the name of an environment variable. If it is not empty, tests run all
// cases.
const Variable = "GOTORCH_TEST_THOROUGH"

// Asked reports whether to run all cases.
func Asked() bool { return os.Getenv(Variable) != "" }

// Or returns all if tests run all cases, and sample otherwise.
func Or(all, sample int) int {
	if Asked() {
		return all
	}
	return sample
}

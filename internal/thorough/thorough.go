// Package thorough says whether tests do all of what takes them minutes and proves the
// same in each configuration: a hundred processes killed instead of ten, a library of
// Go's compiled once more for another language. CI asks for it once, in its last step;
// in the others, and where nobody asks, the tests do a part or skip.
package thorough

import "os"

// Variable names the environment variable that asks for all, with any text but none.
const Variable = "GOTORCH_TEST_THOROUGH"

// Asked tells whether all is asked for.
func Asked() bool { return os.Getenv(Variable) != "" }

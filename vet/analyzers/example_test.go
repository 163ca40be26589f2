package analyzers_test

import (
	"fmt"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// A program with its own driver, such as multichecker, passes all analyzers to it.
func Example() {
	for _, a := range analyzers.All() {
		fmt.Println(a.Name)
	}
	// Output:
	// carried
	// cyclic
	// deferloop
	// emptycache
	// growing
	// looptensor
	// lostclose
	// modulecall
	// retained
	// scopeescape
	// swapped
	// useafterclose
	// zerograd
	// directive
}

package analyzers_test

import (
	"fmt"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// To run the checks in a program with its own driver, such as multichecker, pass it All.
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

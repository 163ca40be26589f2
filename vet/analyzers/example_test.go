package analyzers_test

import (
	"fmt"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// A driver of one's own, such as multichecker, is given all of them.
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

package aoti_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/aoti"
)

// List the models of a package without loading any: the package may be for another
// machine. The example needs a package compiled on the machine that runs it, so its
// output is not checked.
func ExampleReadInfo() {
	models, err := aoti.ReadInfo("model.pt2")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range models {
		fmt.Println(m.Name, m.Inputs, len(m.Constants))
	}
}

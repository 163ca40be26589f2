package aoti_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/aoti"
)

// List the models in a package without loading any of them. The example's output is not
// checked, because the package must have been compiled on the machine that runs the
// example.
func ExampleReadInfo() {
	models, err := aoti.ReadInfo("model.pt2")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range models {
		fmt.Println(m.Name, m.Inputs, len(m.Constants))
	}
}

package aoti_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/aoti"
)

// What a package says of its models, without loading any: the machine that compiled it may
// be another. It has no output, as it needs a package compiled on the machine that runs it.
func ExampleReadInfo() {
	models, err := aoti.ReadInfo("model.pt2")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range models {
		fmt.Println(m.Name, m.Inputs, len(m.Constants))
	}
}

// Command consumer inverts a tensor with gonum.
package main

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/gonum"
)

func main() {
	var inverse mat.Dense
	if err := inverse.Inverse(gonum.ToDense(torch.FromSlice([]float64{2, 4}).Diag(0))); err != nil {
		log.Fatal(err)
	}
	trace := gonum.FromMatrix(&inverse).Trace().Item()
	fmt.Println("the inverse's trace is", trace)
	if trace != 0.75 {
		log.Fatal("expected 0.75")
	}
}

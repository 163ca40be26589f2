package jit_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch/jit"
)

// A dict keeps its keys in order, and can be passed to a method of a script.
func ExampleNewDict() {
	d := jit.NewDict("b", 2, "a", 1)
	fmt.Println(d.Keys()...)
	v, ok := d.Get("a")
	fmt.Println(v, ok, d.Len())
	// Output:
	// b a
	// 1 true 2
}

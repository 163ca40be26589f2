package jit_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch/jit"
)

// A dict argument for a script's method, with its keys in this order.
func ExampleNewDict() {
	d := jit.NewDict("b", 2, "a", 1)
	fmt.Println(d.Keys()...)
	v, ok := d.Get("a")
	fmt.Println(v, ok, d.Len())
	// Output:
	// b a
	// 1 true 2
}

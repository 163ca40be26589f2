// Package gradfn maps the nodes of the autograd graph to names.
package gradfn

import "strings"

// Name returns the name that Python's grad_fn shows for a node with the given C++ name.
func Name(native string) string {
	if i := strings.LastIndex(native, "::"); i >= 0 {
		native = native[i+2:]
	}
	if name, ok := numbers[native]; ok {
		return name
	}
	return native
}

// numbers contains the C++ names of nodes whose operator has a tensor and a number as
// arguments, with the names that Python shows. Python converts the number to a tensor and
// records the operator on two tensors, whose gradient is the same.
var numbers = map[string]string{
	"AddBackward1": "AddBackward0", "SubBackward1": "SubBackward0",
	"MulBackward1": "MulBackward0", "DivBackward1": "DivBackward0", "DivBackward3": "DivBackward2",
}

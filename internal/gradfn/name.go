// Package gradfn names the nodes of the autograd graph.
package gradfn

import "strings"

// Name returns what Python's grad_fn is called for a node of that C++ name.
func Name(native string) string {
	if i := strings.LastIndex(native, "::"); i >= 0 {
		native = native[i+2:]
	}
	if name, ok := numbers[native]; ok {
		return name
	}
	return native
}

// numbers are the nodes of operators with a number, under the names that Python
// knows: it turns the number into a tensor and so records the operator of two
// tensors, whose gradient is the same.
var numbers = map[string]string{
	"AddBackward1": "AddBackward0", "SubBackward1": "SubBackward0",
	"MulBackward1": "MulBackward0", "DivBackward1": "DivBackward0", "DivBackward3": "DivBackward2",
}

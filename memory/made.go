package memory

import "github.com/gotorch/gotorch/torch"

// made panics for a receiver that is nil or that maker, a function of this package, did not
// make.
func made(method, maker string, is bool) {
	if !is {
		panic(torch.NewError("memory."+method, torch.ErrNil, "receiver", "one that memory."+maker+" did not make"))
	}
}

package memory

import "github.com/gotorch/gotorch/torch"

// mustBeMade panics if the receiver is nil or was not returned by maker, a function of this
// package.
func mustBeMade(method, maker string, is bool) {
	if !is {
		panic(torch.NewError("memory."+method, torch.ErrNil, "receiver", "nil, or memory."+maker+" did not make it"))
	}
}

func nilWriterError(op string) error {
	return torch.NewError("memory."+op, torch.ErrNil, "w", "a nil writer")
}

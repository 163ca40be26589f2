package memory

import "github.com/gotorch/gotorch/torch"

// mustBeMade panics if its last argument is false. The caller passes whether maker, a
// function of this package, created the receiver of method.
func mustBeMade(method, maker string, is bool) {
	if !is {
		panic(torch.NewError("memory."+method, torch.ErrNil, "receiver", "nil, or memory."+maker+" did not create it"))
	}
}

func nilWriterError(op string) error {
	return torch.NewError("memory."+op, torch.ErrNil, "w", "a nil writer")
}

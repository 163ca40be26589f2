package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Stack joins examples into a batch. Each tensor of the result is a copy: the
// examples' tensors stacked along a new first dimension. A loader uses it
// unless [CollateFn] says otherwise. It panics with ErrValue if there are no
// examples or if they have different numbers of tensors, and with ErrShape if
// their shapes differ. Follows torch.utils.data.default_collate.
func Stack(examples []Example) Example {
	const op = "data.Stack"
	if len(examples) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "examples", "an empty list"))
	}
	columns := make([][]*torch.Tensor, len(examples[0].tensors()))
	for i, e := range examples {
		ts := e.tensors()
		if len(ts) != len(columns) {
			panic(torch.NewError(op, torch.ErrValue, "examples", fmt.Sprintf("number %d has %d tensors, number 0 has %d", i, len(ts), len(columns))))
		}
		for k, t := range ts {
			columns[k] = append(columns[k], t)
		}
	}
	out := make([]*torch.Tensor, len(columns))
	returned := false
	defer func() {
		if !returned { // the tensors of one example do not fit those of another
			for _, t := range out {
				_ = t.Close()
			}
		}
	}()
	for k, column := range columns {
		out[k] = torch.Stack(column, 0)
	}
	returned = true
	return exampleOf(out)
}

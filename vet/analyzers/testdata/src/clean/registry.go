package clean

import (
	"github.com/gotorch/gotorch/torch"
)

// Few names exist.
var byName = map[string]*torch.Tensor{}

func register(names []string) {
	for _, name := range names {
		byName[name] = torch.Ones(torch.Shape{4})
	}
}

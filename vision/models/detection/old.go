package detection

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/nn"
)

// These functions load state dicts from files in which tensors have old names.

// renamed lets a module load tensors with old names.
func renamed(m nn.Module, names map[string]string) {
	m.ModuleBase().RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
		// A new name may also be an old one, so a file with a new name is left alone.
		var old []int
		for i, n := range *sd {
			name, ok := strings.CutPrefix(n.Name, prefix)
			if !ok {
				continue
			}
			if _, found := names[name]; found {
				old = append(old, i)
			}
		}
		for _, i := range old {
			(*sd)[i].Name = prefix + names[strings.TrimPrefix((*sd)[i].Name, prefix)]
		}
	})
}

// renameTowers lets the head of a RetinaNet load files in which the convolutions and activations of its
// towers are in one Sequential.
func renameTowers(m nn.Module) {
	names := map[string]string{}
	for i := range 4 {
		for _, kind := range []string{"weight", "bias"} {
			names[fmt.Sprintf("conv.%d.%s", 2*i, kind)] = fmt.Sprintf("conv.%d.0.%s", i, kind)
		}
	}
	renamed(m, names)
}

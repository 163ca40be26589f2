// Package old loads files that old versions of torchvision wrote.
package old

import (
	"strings"

	"github.com/gotorch/gotorch/nn"
)

const batches = "num_batches_tracked"

// Countless lets a model load old files whose batch normalizations have no
// num_batches_tracked. The model's own values of num_batches_tracked then stay unchanged.
func Countless(m nn.Module) {
	m.ModuleBase().RegisterLoadStateDictPreHook(func(m nn.Module, sd *nn.StateDict, prefix string) {
		for _, n := range *sd {
			if strings.HasPrefix(n.Name, prefix) && strings.HasSuffix(n.Name, "."+batches) {
				return
			}
		}
		for _, n := range m.ModuleBase().NamedBuffers() {
			if strings.HasSuffix(n.Name, "."+batches) {
				*sd = append(*sd, nn.NamedTensor{Name: prefix + n.Name, Tensor: n.Tensor})
			}
		}
	})
}

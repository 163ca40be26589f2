package models

import (
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/nn"
)

// State dicts of files with old names.

const batches = "num_batches_tracked"

// countless has a model load files of a time when batch normalizations did not count their
// batches: the counts stay as they are.
func countless(m nn.Module) {
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

// renamed has a module load tensors of old names: rename returns the new one of a name
// without the module's path, or the same.
func renamed(m nn.Module, rename func(name string) string) {
	m.ModuleBase().RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
		for i, n := range *sd {
			if name, ok := strings.CutPrefix(n.Name, prefix); ok {
				(*sd)[i].Name = prefix + rename(name)
			}
		}
	})
}

// denseName joins the parts of a name such as norm.1, which is norm1 since names may have
// no dots.
func denseName(name string) string {
	return oldDense.ReplaceAllString(name, "$1$2")
}

var oldDense = regexp.MustCompile(`^(.*denselayer\d+\.(?:norm|relu|conv))\.([12]\.(?:weight|bias|running_mean|running_var))$`)

// mlpName is that of a layer in a Sequential, which it was not always.
func mlpName(name string) string {
	layer, what, _ := strings.Cut(name, ".")
	switch layer {
	case "linear_1":
		return "0." + what
	case "linear_2":
		return "3." + what
	}
	return name
}

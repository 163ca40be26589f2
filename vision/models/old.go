package models

import (
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/nn"
)

// State dicts of files with old names.

const batches = "num_batches_tracked"

// countless lets a model load files from before batch normalizations counted their
// batches. The counts stay unchanged.
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

// renamed lets a module load tensors with old names: rename returns the new name of a
// tensor, relative to the module, or the same name.
func renamed(m nn.Module, rename func(name string) string) {
	m.ModuleBase().RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
		for i, n := range *sd {
			if name, ok := strings.CutPrefix(n.Name, prefix); ok {
				(*sd)[i].Name = prefix + rename(name)
			}
		}
	})
}

// denseName joins the parts of a name such as norm.1, which is now norm1 because names
// may not contain dots.
func denseName(name string) string {
	return oldDense.ReplaceAllString(name, "$1$2")
}

var oldDense = regexp.MustCompile(
	`^(.*denselayer\d+\.(?:norm|relu|conv))\.([12]\.(?:weight|bias|running_mean|running_var))$`)

// mlpName returns the name of a layer that is now in a Sequential.
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

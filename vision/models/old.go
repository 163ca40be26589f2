package models

import (
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/nn"
)

// These functions load state dicts from files in which tensors have old names.

// renamed lets a module load tensors with old names. rename gets a tensor's name relative
// to the module. It returns the new name, or the same name if the name is not old.
func renamed(m nn.Module, rename func(name string) string) {
	m.ModuleBase().RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
		for i, n := range *sd {
			if name, ok := strings.CutPrefix(n.Name, prefix); ok {
				(*sd)[i].Name = prefix + rename(name)
			}
		}
	})
}

// denseName returns the new name of a layer, for example norm1 for norm.1, because module
// names may no longer contain dots.
func denseName(name string) string {
	return oldDense.ReplaceAllString(name, "$1$2")
}

var oldDense = regexp.MustCompile(
	`^(.*denselayer\d+\.(?:norm|relu|conv))\.([12]\.(?:weight|bias|running_mean|running_var))$`)

// mlpName returns the new name of a layer of an MLP. In old files the layers are direct
// submodules of the block, and now they are in a Sequential.
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

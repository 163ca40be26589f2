package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/weights"
)

// weightOptions returns the options of a model that say how its weights are read. By default
// they have the dtypes of the file, and are on the CPU.
func weightOptions(opts []models.NewOption) (out []weights.OpenOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case models.DType:
			out = append(out, weights.DType(o))
		case models.Device:
			out = append(out, weights.Device(o))
		}
	}
	return out
}

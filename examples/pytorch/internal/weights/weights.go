// Package weights saves and loads the weights of a model, as torch.save and torch.load do.
package weights

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Load reads the model's weights from the file at path. If path is empty, it does
// nothing.
func Load(path string, model nn.Module) error {
	if path == "" {
		return nil
	}
	saved, err := serialization.LoadDict(path)
	if err != nil {
		return err
	}
	defer serialization.Close(saved)
	return model.LoadStateDict(saved)
}

// Save writes the model's weights to the file at path. If path is empty, it does nothing.
func Save(path string, model nn.Module) error {
	if path == "" {
		return nil
	}
	return serialization.Save(model.StateDict(), path)
}

// Package weights saves and loads the weights of a model, as torch.save and torch.load do.
package weights

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Load reads the weights of a model from a file. For "" it does nothing.
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

// Save writes the weights of a model to a file. For "" it does nothing.
func Save(path string, model nn.Module) error {
	if path == "" {
		return nil
	}
	return serialization.Save(model.StateDict(), path)
}

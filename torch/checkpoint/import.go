package checkpoint

import (
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Import loads the entries of a .pt file that no [Manager] saved into the parts of a state:
// those of a dict that Python's torch.save wrote, with the state dicts of its model,
// optimizer, scheduler and scaler. It loads everything, or returns an error and has changed
// nothing, as [Load] does; random generators are parts as others are, a *torch.Generator.
// It returns the names of the entries that the State does not have.
//
// Nothing but the zip archive's own checksums says that the file is whole. The error is that
// of Load, or a [*FileError] of the kinds that package serialization has for what cannot be
// read.
func Import(path string, state State) (unused []string, err error) {
	const op = "checkpoint.Import"
	parts, err := state.parts(op)
	if err != nil {
		return nil, err
	}
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	err = entries(path, f, size, func(d *serialization.Dict) error {
		unused, err = give(op, path, d, parts)
		return err
	})
	return unused, err
}

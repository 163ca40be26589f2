package checkpoint

import (
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Import loads the entries of a .pt file that Python's torch.save wrote into the parts of
// a state: a dict with the state dicts of its model, optimizer, scheduler and scaler. It
// loads everything, or returns an error and changes nothing, as [Load] does. Random
// generators are ordinary parts, of type *torch.Generator. It returns the names of the
// entries that the State does not have.
//
// Only the zip archive's own checksums protect the file. The errors are those of Load
// and, for files that cannot be read, those of package serialization.
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
	err = withEntries(path, f, size, func(d *serialization.Dict) error {
		unused, err = loadNamed(op, path, d, parts)
		return err
	})
	return unused, err
}

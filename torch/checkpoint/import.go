package checkpoint

import (
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Import loads a .pt file from Python's torch.save into the parts of a state. The file must
// contain a dict whose entries have the names of the parts, such as the state dicts of a
// model, an optimizer, a scheduler and a scaler. Like [Load], Import loads everything, or
// returns an error and changes nothing. Random generators are ordinary parts, of type
// *torch.Generator. Import returns the names of the entries that the State does not have.
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
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	err = withEntries(path, f, size, func(d *serialization.Dict) error {
		unused, err = loadNamed(op, path, d, parts)
		return err
	})
	return unused, err
}

package safetensors

import (
	"github.com/gotorch/gotorch/torch"
)

// LoadFile returns all tensors of a file by name. With [BackendMmap] they are mapped on
// the CPU; the file must then not be truncated while they are in use. If it fails, it
// returns no tensors. Use nn.NewStateDict to make a state dict from the result.
//
// The errors are the same as for [Open] and [File.Tensor]. Follows safetensors.torch.load_file.
func LoadFile(path string, opts ...OpenOption) (map[string]*torch.Tensor, error) {
	o, err := readOpening("safetensors.LoadFile", opts)
	if err != nil {
		return nil, err
	}
	f, err := open(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	return f.Tensors()
}

// Load returns all tensors of a file that is in memory. The tensors are on the CPU and do
// not share memory with data. If it fails, it returns no tensors. The errors are the same
// as for [LoadFile]. Follows safetensors.torch.load.
func Load(data []byte) (map[string]*torch.Tensor, error) {
	r := bytesAt(data)
	h, err := readHeader("", r, int64(len(data)))
	if err != nil {
		return nil, err
	}
	tensors := make(map[string]*torch.Tensor, len(h.infos))
	for i := range h.infos {
		info := &h.infos[i]
		err := info.supported("")
		if err == nil {
			tensors[info.Name], err = filled("", info, r, info.Offset)
		}
		if err != nil {
			closeAll(tensors)
			return nil, err
		}
	}
	return tensors, nil
}

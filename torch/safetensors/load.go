package safetensors

import (
	"github.com/gotorch/gotorch/torch"
)

// LoadFile returns all tensors of a file by name. With [BackendMmap] they are mapped on
// the CPU, and nobody may truncate the file while they are in use. On an error it returns
// none. Use nn.NewStateDict to make a state dict of them.
//
// Its errors are those of [Open] and [File.Tensor]. Follows safetensors.torch.load_file.
func LoadFile(path string, opts ...OpenOption) (map[string]*torch.Tensor, error) {
	o, err := readOpening("safetensors.LoadFile", opts)
	if err != nil {
		return nil, err
	}
	f, err := open(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return f.Tensors()
}

// Load returns all tensors of a file in memory, on the CPU. They do not share memory with
// data. On an error it returns none. Its errors are those of [LoadFile]. Follows
// safetensors.torch.load.
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

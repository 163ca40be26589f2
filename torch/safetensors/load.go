package safetensors

import (
	"github.com/gotorch/gotorch/torch"
)

// LoadFile returns all tensors of a file by name, each as [File.Tensor] has it. With
// [BackendMmap] they are on the CPU in the mapping of the file, which nobody may make
// shorter while they are used. They are owned by the innermost scope, else by the collector; after an error there are
// none. [nn.NewStateDict] makes a state dict of them.
//
// Its errors are those of [Open] and of [File.Tensor]. Follows safetensors.torch.load_file.
func LoadFile(path string, opts ...OpenOption) (map[string]*torch.Tensor, error) {
	o, err := readOpening("safetensors.LoadFile", opts)
	if err != nil {
		return nil, err
	}
	f, err := open(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // of a file that was read
	return f.Tensors()
}

// Load returns all tensors of a file that is in memory, on the CPU. They share nothing
// with data. They are owned by the innermost scope, else by the collector; after an error
// there are none. Its errors are those of [LoadFile]. Follows safetensors.torch.load.
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

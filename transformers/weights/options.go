package weights

import (
	"github.com/gotorch/gotorch/torch"
)

// An OpenOption configures how weights are read: [DType], [Device] or [Mmap].
//
//gotorch:options DType Device Mmap
type OpenOption interface{ openOption() }

// DType is the dtype of floating-point tensors; dtype in Python's from_pretrained. Other
// tensors keep their dtype. The default, and the zero DType, is the dtype in the file, and
// torch.Float32 for GGUF files.
type DType torch.DType

// Device is the device to which tensors are loaded. The default, and the zero Device, is the
// CPU, even if a default device is set.
type Device torch.Device

// Mmap (true) maps the files into memory instead of reading them. Tensors whose dtype is not
// converted then use the mapping as their memory. The files must not be truncated while they
// are mapped. GGUF files are mapped in any case. The default is false.
type Mmap bool

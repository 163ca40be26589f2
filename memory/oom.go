package memory

import (
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/torch"
)

// SnapshotOnOOM makes DumpSnapshot write a file whenever an operator ends in
// torch.ErrOutOfMemory, before the program sees the error, unless its sizes were
// too large to ask a device for (Error.Memory is nil then). The file replaces
// earlier ones. The error's field Memory says whether that worked. devices are
// those of DumpSnapshot. An empty path turns it off.
//
// Stacks and earlier events are in the file if RecordHistory has been called.
// In PyTorch: torch._C._cuda_attach_out_of_memory_observer with a call to
// torch.cuda.memory._dump_snapshot.
func SnapshotOnOOM(path string, devices ...torch.Device) {
	if path == "" {
		pacer.ObserveOutOfMemory(nil)
		return
	}
	pacer.ObserveOutOfMemory(func() (string, error) { return path, DumpSnapshot(path, devices...) })
}

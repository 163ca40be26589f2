package memory

import (
	"github.com/gotorch/gotorch/internal/pacer"
	"github.com/gotorch/gotorch/torch"
)

// SnapshotOnOOM has DumpSnapshot write a file whenever an operator ends in
// torch.ErrOutOfMemory, before the error reaches the program: the newest one
// replaces those before. The error's field Memory says whether that worked.
// devices are those of DumpSnapshot. The empty path ends it.
//
// Stacks and earlier events are in the file if RecordHistory has been called.
// In PyTorch: torch._C._cuda_attach_out_of_memory_observer with a call of
// torch.cuda.memory._dump_snapshot.
func SnapshotOnOOM(path string, devices ...torch.Device) {
	if path == "" {
		pacer.ObserveOutOfMemory(nil)
		return
	}
	pacer.ObserveOutOfMemory(func() (string, error) { return path, DumpSnapshot(path, devices...) })
}

package memory

import (
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/torch"
)

// SnapshotOnOOM writes a snapshot to the file path whenever an operator fails with
// torch.ErrOutOfMemory, before the program sees the error. devices has the same meaning
// as in [DumpSnapshot]. An empty path turns this off. Each snapshot replaces the previous
// one. The error's field Memory tells whether writing succeeded. If the operator asked
// for more bytes than any memory can have, no snapshot is written, and Memory is nil.
//
// The file contains stacks and earlier events if [RecordHistory] is on. In PyTorch:
// torch._C._cuda_attach_out_of_memory_observer with a call to
// torch.cuda.memory._dump_snapshot.
func SnapshotOnOOM(path string, devices ...torch.Device) {
	if path == "" {
		pacer.ObserveOutOfMemory(nil)
		return
	}
	pacer.ObserveOutOfMemory(func() (string, error) { return path, DumpSnapshot(path, devices...) })
}

package memory_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The innermost calls of a stack are in this library. The calls of the program follow.
func ExampleRecordHistory() {
	if err := memory.RecordHistory(memory.HistoryOptions{
		Stacks:     memory.StacksProgram,
		MaxEntries: 100_000,
	}); err != nil {
		fmt.Println(err)
		return
	}
	defer memory.StopHistory()

	x := torch.Zeros(torch.Shape{1001})
	defer x.Close()
	for _, b := range memory.Snapshot().Live() {
		if b.RequestedSize == 4004 {
			f := b.Frames[0]
			fmt.Println(filepath.Base(f.Filename), f.Name[strings.LastIndex(f.Name, ".")+1:])
		}
	}
	// Output: history_example_test.go ExampleRecordHistory
}

func ExampleDumpSnapshot() {
	dir, err := os.MkdirTemp("", "snapshot")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := memory.RecordHistory(memory.HistoryOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	defer memory.StopHistory()
	memory.Annotate("a short life", func() {
		torch.Scope(func() { torch.Zeros(torch.Shape{1 << 20}) })
	})

	// Python and PyTorch's viewer read this file.
	path := filepath.Join(dir, "snapshot.pickle")
	if err := memory.DumpSnapshot(path); err != nil {
		fmt.Println(err)
		return
	}
	s, err := memory.LoadSnapshot(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range s.DeviceTraces[s.DeviceNumber(torch.CPU)] {
		if e.Size == 4<<20 {
			fmt.Println(e.Action)
		}
	}
	fmt.Println(s.ExternalAnnotations[0].Name)
	// Output:
	// alloc
	// free_requested
	// free_completed
	// a short life
}

func ExampleSnapshotOnOOM() {
	dir, err := os.MkdirTemp("", "oom")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	memory.SnapshotOnOOM(filepath.Join(dir, "oom.pickle"))
	defer memory.SnapshotOnOOM("")

	err = torch.Try(func() { torch.Empty(torch.Shape{1 << 50}) })
	var e *torch.Error
	if errors.As(err, &e) && e.Memory != nil {
		fmt.Println(e.Memory.Device, e.Memory.Requested)
		fmt.Println(filepath.Base(e.Memory.Snapshot), e.Memory.SnapshotErr)
	}
	// Output:
	// cpu 4503599627370496
	// oom.pickle <nil>
}

func ExampleGC() {
	before := memory.GC()
	_ = torch.Try(func() { torch.Empty(torch.Shape{1 << 50}) })
	after := memory.GC()
	fmt.Println(after.Retries-before.Retries, after.Recovered-before.Recovered, after.Failed-before.Failed)
	// Output: 1 0 1
}

// Command lines keeps the result of a layer and prints the line that each tool reports for it.
package main

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var kept []*torch.Tensor

func main() {
	layer := nn.NewLinear(64, 64)
	x := torch.Ones(torch.Shape{4096, 64})
	for _, stacks := range []memory.HistoryStacks{memory.StacksAll, memory.StacksProgram} {
		must(memory.RecordHistory(memory.HistoryOptions{Stacks: stacks, Clear: true}))
		memory.TrackTensors(1)
		check := memory.StartLeakCheck()
		before := memory.Snapshot(torch.CPU)
		kept = append(kept, layer.Forward(x)) // the line
		after := memory.Snapshot(torch.CPU)
		show("Diff", memory.DiffBlocks(before, after)[0].Key)
		live := memory.LiveTensors()
		show("LiveTensors", live[0].Line())
		show("StorageLine", live[0].StorageLine())
		show("ByLine", memory.GroupTensors(live, memory.ByLine)[0].Key)
		leaks := check.Stop()
		show("LeakCheck lines", leaks.Lines[0].Key)
		show("LeakCheck blocks", leaks.Blocks[0].Key)
		var table bytes.Buffer
		must(pprof.Lookup(memory.ProfileName).WriteTo(&table, 1))
		_, rest, _ := strings.Cut(table.String(), "main.go")
		show("profile", "main.go"+rest)
		must(memory.SetLimit(torch.CPU, 64<<20))
		err := torch.Try(func() { torch.Ones(torch.Shape{1 << 30}) })
		must(memory.SetLimit(torch.CPU, 0))
		_, site, _ := strings.Cut(err.Error(), ", was allocated at ")
		show("out of memory", site)
		must(memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryOff}))
		memory.TrackTensors(0)
		kept[0].Close()
		kept = nil
	}
}

func show(tool, line string) {
	line, _, _ = strings.Cut(line, "\n")
	line, _, _ = strings.Cut(line, " ")
	fmt.Printf("%s: %s\n", tool, line)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

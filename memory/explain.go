package memory

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/rss"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Part is the name of one use of resident memory.
type Part string

// The parts of resident memory. While TrackTensors(1) lists all tensors, the first seven
// appear instead of PartTensors.
const (
	PartParameters Part = "parameters"      // leaves that require gradients
	PartGradients  Part = "gradients"       // of the parameters
	PartOptimizers Part = "optimizer state" // tensors created by package optim
	PartBuffers    Part = "buffers"         // other tensors created by constructors of package nn
	PartResults    Part = "results"         // tensors with a graph
	PartData       Part = "other tensors"   // all other open tensors
	// Tensors that graphs saved for the backward pass and that are not open. The nodes
	// themselves are in the C heap.
	PartHeld      Part = "held by graphs"
	PartTensors   Part = "tensors"           // all CPU tensors
	PartCache     Part = "allocator's cache" // free blocks of the CPU allocator, see EmptyCache
	PartGoObjects Part = "Go objects"        // Go's objects, including garbage that is not collected yet
	PartGoFree    Part = "Go free spans"     // memory that Go's runtime keeps for later objects
	PartGoStacks  Part = "goroutine stacks"  //
	PartGoRuntime Part = "Go runtime"        // tables of Go's runtime, including cleanups of tensors
	PartCHeap     Part = "C heap in use"     // memory that malloc has allocated, see ProcessStats
	PartCHeapFree Part = "C heap free"       // free memory that malloc keeps for reuse
	PartFiles     Part = "mapped files"      // such as checkpoints that were opened without reading them
	PartShared    Part = "shared memory"     // memory that other processes may share
	PartCode      Part = "libraries' code"   // pages of library files, possibly shared with other processes
	PartVariables Part = "libraries' data"   // variables of libraries, and addresses that the loader filled in
	PartCompiled  Part = "compiled kernels"  // code generated at run time by oneDNN
	PartStacks    Part = "thread stacks"     //
	PartProgram   Part = "program"           // the program's own code and variables
	PartRest      Part = "not explained"     //
)

// ResidentPart is the number of resident bytes of one part.
type ResidentPart struct {
	Part   Part   `json:"part"`
	Bytes  int64  `json:"bytes"`
	Detail string `json:"detail,omitempty"` // additional information, such as the name of the largest file
}

// Explanation shows what the resident memory of the process is used for.
type Explanation struct {
	// Resident is the sum of the parts. It is 0 if the system does not report resident
	// memory.
	Resident int64
	Parts    []ResidentPart // without empty parts
}

// Explain divides the resident memory of this process into parts that add up to all of
// it. Call [Collect] first if garbage should not count.
//
// Only pages in RAM count: a tensor that was never written to has none. To see the kinds
// of tensors, such as parameters and optimizer state, call TrackTensors(1) before the
// tensors are created. PyTorch does not mark optimizer state and buffers: Explain
// recognizes them by the package that created them, optim or nn.
//
// Which pages of Go's heap and of malloc's heap are in use is not known. Their resident
// bytes are divided in proportion to the statistics of Go's runtime and of malloc. Pages
// without a known use count as Go's runtime, up to the size that the runtime reports.
//
// Explain reads /proc/self/smaps, /proc/self/pagemap and the allocator's list of blocks.
// It takes about 10 ms, plus 10 ms per GiB and half a second per million blocks.
// Meanwhile allocations wait. It needs Linux. On other systems Resident is 0, and Parts
// contains the bytes that the allocators report, some of which may not be resident.
//
// Memory of CUDA devices is not included.
func Explain() Explanation { return newExplainer(nil).explain() }

// explainer computes an Explanation.
type explainer struct {
	out      Explanation
	goMemory goMemory
	heap     mem.CHeap
	view     *mem.HeapView // view of the CPU allocator's heap; nil until it is read
}

// newExplainer reads the statistics of the heaps. If view is nil, the explainer reads the
// view of the CPU allocator's heap later.
func newExplainer(view *mem.HeapView) *explainer {
	return &explainer{goMemory: readGoMemory(), heap: mem.ReadCHeap(), view: view}
}

func (x *explainer) explain() Explanation {
	if u, ok := rss.Read(x.segments); ok {
		x.splitUsage(u)
	} else {
		x.addReported()
	}
	return x.out
}

// segments returns the address ranges of the CPU allocator.
func (x *explainer) segments() []rss.Range {
	if Backend(torch.CPU) == "system" {
		return nil // libtorch's own allocator has its blocks in malloc's heap
	}
	if x.view == nil {
		view, ok := mem.CPUHeapView(false)
		if !ok {
			return nil
		}
		x.view = &view
	}
	out := make([]rss.Range, len(x.view.Segments))
	for i, s := range x.view.Segments {
		out[i] = rss.Range{Start: uintptr(s.Addr), End: uintptr(s.Addr) + uintptr(s.Size)}
	}
	return out
}

func (x *explainer) add(p Part, bytes int64, detail string) {
	if bytes > 0 {
		x.out.Parts = append(x.out.Parts, ResidentPart{p, bytes, detail})
	}
}

// splitUsage divides the sizes that the system reports in proportion to the sizes that the
// allocators report.
func (x *explainer) splitUsage(u *rss.Usage) {
	x.out.Resident = u.Total
	// The addresses of the runtime's own tables are unknown, so their pages were counted as
	// rss.Rest.
	u.Move(rss.Rest, rss.GoRuntime, x.goMemory.runtime-u.Of(rss.GoRuntime))

	x.tensors(u.Of(rss.Allocator))
	free, stacks, objects := x.goMemory.divide(u.Of(rss.GoHeap))
	x.add(PartGoObjects, objects, "")
	x.add(PartGoFree, free, "")
	x.add(PartGoStacks, stacks, "")
	x.add(PartGoRuntime, u.Of(rss.GoRuntime), "")
	c := u.Of(rss.CHeap)
	used := min(c, x.heap.InUse)
	x.add(PartCHeap, used, x.inCHeap())
	x.add(PartCHeapFree, c-used, "")
	detail := ""
	switch path, n := u.LargestFile(); {
	case n == 1:
		detail = filepath.Base(path)
	case n > 1:
		detail = fmt.Sprintf("%d files; the largest is %s", n, filepath.Base(path))
	}
	x.add(PartFiles, u.Of(rss.Files), detail)
	x.add(PartShared, u.Of(rss.Shared), "")
	x.add(PartCode, u.Of(rss.Code), "")
	x.add(PartVariables, u.Of(rss.Data), "")
	x.add(PartCompiled, u.Of(rss.Compiled), "")
	x.add(PartStacks, u.Of(rss.Stacks), "")
	x.add(PartProgram, u.Of(rss.ProgramCode)+u.Of(rss.ProgramData), "")
	x.add(PartRest, u.Of(rss.Rest), "")
}

// inCHeap describes what is known about the contents of the C heap.
func (x *explainer) inCHeap() string {
	var words []string
	if x.heap.Scratch > 0 {
		words = append(words, units.Size(x.heap.Scratch)+" of MKL's buffers")
	}
	if nodes, _ := objects.Counts(); nodes > 0 {
		words = append(words, fmt.Sprintf("about %s in %d graph nodes", units.Size(nodes*objects.NodeBytes), nodes))
	}
	if Backend(torch.CPU) == "system" {
		words = append(words, units.Size(Allocated(torch.CPU))+" of tensors")
	}
	return strings.Join(words, ", ")
}

// addReported adds the parts that the allocators report, for systems that do not report
// resident memory.
func (x *explainer) addReported() {
	s := Stats(torch.CPU)
	x.add(PartTensors, s.AllocatedBytes.All.Current, "")
	x.add(PartCache, s.ReservedBytes.All.Current-s.AllocatedBytes.All.Current, "")
	x.add(PartGoObjects, x.goMemory.objects, "")
	x.add(PartGoFree, x.goMemory.free, "")
	x.add(PartGoStacks, x.goMemory.stacks, "")
	x.add(PartGoRuntime, x.goMemory.runtime, "")
	x.add(PartCHeap, x.heap.InUse, x.inCHeap())
	x.add(PartCHeapFree, x.heap.Free, "")
}

// Of returns the bytes of part p, or 0 if the explanation does not contain it.
func (e Explanation) Of(p Part) int64 {
	for _, r := range e.Parts {
		if r.Part == p {
			return r.Bytes
		}
	}
	return 0
}

// Explained returns the fraction of Resident whose use is known, from 0 to 1.
func (e Explanation) Explained() float64 {
	if e.Resident == 0 {
		return 0
	}
	return 1 - float64(e.Of(PartRest))/float64(e.Resident)
}

// String returns a table with a line for each part.
func (e Explanation) String() string {
	var b strings.Builder
	if e.Resident > 0 {
		fmt.Fprintf(&b, "resident memory of the process: %s, %.1f %% explained\n", units.Size(e.Resident),
			100*e.Explained())
	} else {
		b.WriteString("memory of the process; this system does not report resident memory\n")
	}
	for _, p := range e.Parts {
		line := fmt.Sprintf("%14s", units.Size(p.Bytes))
		if e.Resident > 0 {
			line += fmt.Sprintf(" %5.1f %%", 100*float64(p.Bytes)/float64(e.Resident))
		}
		line = fmt.Sprintf("%s  %-18s %s", line, p.Part, p.Detail)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

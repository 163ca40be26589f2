package memory

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/rss"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Part names what resident memory is for.
type Part string

// The parts. The first seven split up PartTensors. They are there instead of it while
// TrackTensors(1) lists all tensors.
const (
	PartParameters Part = "parameters"        // leaves that gradients are recorded for
	PartGradients  Part = "gradients"         // of these
	PartOptimizers Part = "optimizer state"   // what package optim made
	PartBuffers    Part = "buffers"           // what constructors of package nn made, other than parameters
	PartResults    Part = "results"           // tensors with a graph
	PartData       Part = "other tensors"     // open tensors of other kinds
	PartHeld       Part = "held by graphs"    // what no open tensor shows: saved for the backward pass
	PartTensors    Part = "tensors"           // on the CPU, of any kind
	PartCache      Part = "allocator's cache" // free blocks of the CPU allocator, see EmptyCache
	PartGoObjects  Part = "Go objects"        // dead ones that are not collected yet included
	PartGoFree     Part = "Go free spans"     // kept by Go's runtime for later objects
	PartGoStacks   Part = "goroutine stacks"  //
	PartGoRuntime  Part = "Go runtime"        // its tables, cleanups of tensors included
	PartCHeap      Part = "C heap in use"     // what malloc has handed out, see ProcessStats
	PartCHeapFree  Part = "C heap free"       // kept by malloc for reuse
	PartFiles      Part = "mapped files"      // tensors of files that were opened, not read
	PartShared     Part = "shared memory"     // that other processes may have too
	PartCode       Part = "libraries' code"   // pages of library files, which other processes may share
	PartVariables  Part = "libraries' data"   // variables, and addresses that the loader filled in
	PartCompiled   Part = "compiled kernels"  // code made at run time, by oneDNN
	PartStacks     Part = "thread stacks"     //
	PartProgram    Part = "program"           // the program's own code and variables
	PartRest       Part = "not explained"     //
)

// ResidentPart is how much resident memory one part has.
type ResidentPart struct {
	Part   Part   `json:"part"`
	Bytes  int64  `json:"bytes"`
	Detail string `json:"detail,omitempty"` // such as the name of the largest file
}

// Explanation says where the resident memory of the process is.
type Explanation struct {
	Resident int64          // the sum of the parts; 0 where the system does not tell
	Parts    []ResidentPart // parts of no bytes are left out
}

// Explain says where the resident memory of this process is, in parts that add up to all
// of it. Call Collect first if garbage should not count.
//
// Only pages in RAM count: a tensor that was never written to has none. To know the kinds
// of tensors, such as parameters and optimizer state, call TrackTensors(1) before they
// are made. Kinds that PyTorch does not record are told by who made the tensor: package
// optim, a constructor of package nn.
//
// The parts of Go's heap and of malloc's are divided as their own counts say. Pages that
// nobody else has count as Go's runtime's up to what the runtime says that it has.
//
// Explain reads /proc/self/smaps and /proc/self/pagemap, and the list of the allocator's
// blocks. It takes some ten milliseconds, ten more for each GiB, and half a second for a
// million blocks, during which allocations wait. It needs Linux. On other systems
// Resident is 0, and there are only the parts that the allocators tell, in bytes that
// need not be resident.
//
// Memory of CUDA devices is not included.
func Explain() Explanation { return newExplainer(nil).explain() }

// explainer makes an Explanation.
type explainer struct {
	out  Explanation
	goes goMemory
	heap mem.CHeap
	view *mem.HeapView // of the CPU allocator, nil before it is read
}

// newExplainer reads what the heaps say. The view of the allocator's is read later if it is nil.
func newExplainer(view *mem.HeapView) *explainer {
	return &explainer{goes: readGoMemory(), heap: mem.ReadCHeap(), view: view}
}

func (x *explainer) explain() Explanation {
	if u, ok := rss.Read(x.segments); ok {
		x.split(u)
	} else {
		x.known()
	}
	return x.out
}

// segments are what the CPU allocator has.
func (x *explainer) segments() []rss.Range {
	if Backend(torch.CPU) == "system" {
		return nil // its blocks are malloc's
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

// split divides what the system tells by what the allocators know of it.
func (x *explainer) split(u *rss.Usage) {
	x.out.Resident = u.Total
	// The runtime's own tables have no address that can be known.
	u.Move(rss.Rest, rss.GoRuntime, x.goes.runtime-u.Of(rss.GoRuntime))

	x.tensors(u.Of(rss.Allocator))
	free, stacks, objects := x.goes.divide(u.Of(rss.GoHeap))
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
		detail = fmt.Sprintf("%d files, the most of %s", n, filepath.Base(path))
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

// inCHeap says what of the C heap is known.
func (x *explainer) inCHeap() string {
	var words []string
	if x.heap.Scratch > 0 {
		words = append(words, units.Size(x.heap.Scratch)+" of MKL's buffers")
	}
	if Backend(torch.CPU) == "system" {
		words = append(words, units.Size(Allocated(torch.CPU))+" of tensors")
	}
	return strings.Join(words, ", ")
}

// known adds what is known without the system.
func (x *explainer) known() {
	s := Stats(torch.CPU)
	x.add(PartTensors, s.AllocatedBytes.All.Current, "")
	x.add(PartCache, s.ReservedBytes.All.Current-s.AllocatedBytes.All.Current, "")
	x.add(PartGoObjects, x.goes.objects, "")
	x.add(PartGoFree, x.goes.free, "")
	x.add(PartGoStacks, x.goes.stacks, "")
	x.add(PartGoRuntime, x.goes.runtime, "")
	x.add(PartCHeap, x.heap.InUse, x.inCHeap())
	x.add(PartCHeapFree, x.heap.Free, "")
}

// Of returns the bytes of a part, 0 if it has none.
func (e Explanation) Of(p Part) int64 {
	for _, r := range e.Parts {
		if r.Part == p {
			return r.Bytes
		}
	}
	return 0
}

// Explained returns which part of Resident is explained, from 0 to 1.
func (e Explanation) Explained() float64 {
	if e.Resident == 0 {
		return 0
	}
	return 1 - float64(e.Of(PartRest))/float64(e.Resident)
}

// String is a table with a line for each part.
func (e Explanation) String() string {
	var b strings.Builder
	if e.Resident > 0 {
		fmt.Fprintf(&b, "resident memory of the process: %s, %.1f %% explained\n", units.Size(e.Resident), 100*e.Explained())
	} else {
		b.WriteString("memory of the process; this system does not tell what is resident\n")
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

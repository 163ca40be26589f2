package memory

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory/internal/rss"
	"github.com/gotorch/gotorch/torch"
)

// tensors divides the resident bytes of the CPU allocator among its cache and the kinds of
// tensors.
func (x *explainer) tensors(bytes int64) {
	if bytes == 0 {
		return
	}
	regions, ok := x.regions()
	// It is not known which pages are resident, so count all blocks in use.
	if !ok {
		used := int64(0)
		for _, s := range x.view.Segments {
			used += s.Allocated
		}
		x.add(PartTensors, min(used, bytes), "")
		x.add(PartCache, bytes-min(used, bytes), "")
		return
	}
	used := int64(0)
	for i, s := range x.view.Segments {
		for _, b := range x.view.Blocks[s.FirstBlock : s.FirstBlock+s.Blocks] {
			if b.Used != 0 {
				used += regions[i].Resident(span(uintptr(b.Addr), b.Size))
			}
		}
	}
	used = min(used, bytes)
	x.kinds(used, regions)
	x.add(PartCache, bytes-used, "")
}

func span(start uintptr, bytes int64) rss.Range {
	return rss.Range{Start: start, End: start + uintptr(bytes)}
}

// regions returns the resident pages of the view's segments. It reports false if the system
// does not show which pages are resident.
func (x *explainer) regions() ([]*rss.Region, bool) {
	pages := rss.OpenPages()
	defer pages.Close()
	out := make([]*rss.Region, len(x.view.Segments))
	for i, s := range x.view.Segments {
		r, ok := pages.Region(span(uintptr(s.Addr), s.Size))
		if !ok {
			return nil, false
		}
		out[i] = r
	}
	return out, true
}

// kinds divides the used bytes of blocks in use among the kinds of tensors, such as
// parameters and results.
func (x *explainer) kinds(used int64, regions []*rss.Region) {
	l, ok := listStorages()
	if !ok {
		x.add(PartTensors, used, "call TrackTensors(1) to see their kinds")
		return
	}
	slices.SortFunc(regions, func(a, b *rss.Region) int { return cmp.Compare(a.Start, b.Start) })
	sums, left := map[Part]int64{}, used
	for _, s := range l.storages {
		i, found := slices.BinarySearchFunc(regions, s.data, func(r *rss.Region, at uintptr) int {
			return cmp.Compare(r.Start, at)
		})
		if !found {
			i--
		}
		if i < 0 || s.data >= regions[i].End {
			continue // not from the allocator: memory of a file or of the program
		}
		n := min(regions[i].Resident(span(s.data, s.bytes)), left)
		sums[s.part] += n
		left -= n
	}
	for _, p := range tensorParts() {
		x.add(p, sums[p], "")
	}
	if l.complete {
		x.add(PartHeld, left, "saved for the backward pass")
		return
	}
	x.add(PartTensors, left, "of other kinds: saved for the backward pass, or made before TrackTensors(1)")
}

// storage is the storage of a tensor on the list of TrackTensors.
type storage struct {
	data  uintptr
	bytes int64
	part  Part
}

// listing contains the storages of the tensors on the list of TrackTensors, each once.
type listing struct {
	storages []storage
	indexOf  map[uintptr]int // index in storages, by the storage's identity
	count    int64           // of tensors
	sampled  bool            // the list contains samples instead of all tensors
	complete bool            // all open tensors are on the list
}

// listStorages reads the list of tensors. It reports false if the list is empty or
// contains samples instead of all tensors.
func listStorages() (l listing, ok bool) {
	l.indexOf = map[uintptr]int{}
	leaves := l.addTensors()
	defer cgotorch.FreeMany(leaves)
	for _, h := range leaves {
		l.addGradient(h)
	}
	l.complete = l.count >= torch.NumLiveTensors()
	return l, !l.sampled && l.count > 0
}

// addTensors adds the storages of the CPU's tensors. It returns references to the leaves that
// require gradients.
func (l *listing) addTensors() (leaves []abi.Tensor) {
	makers := map[trace.ID]Part{}
	live.Each(func(e *live.Entry) {
		if e.Rate > 1 {
			l.sampled = true
			return
		}
		l.count++
		info := cgotorch.TensorInfo(e.Handle)
		if !torch.DeviceOf(info.Device).IsCPU() {
			return
		}
		switch {
		case info.HasGradFn:
			l.add(e.Handle, PartResults)
		case info.RequiresGrad:
			l.add(e.Handle, PartParameters)
			leaves = append(leaves, cgotorch.Ref(e.Handle)) // keeps the tensor valid after the list is unlocked
		default:
			part, known := makers[e.Site]
			if !known {
				part = maker(trace.Frames(e.Site))
				makers[e.Site] = part
			}
			l.add(e.Handle, part)
		}
	})
	return leaves
}

func (l *listing) addGradient(leaf abi.Tensor) {
	g := cgotorch.GetGrad(0, leaf)
	if g.Err != 0 {
		cgotorch.FreeStatus(g.Err)
		return
	}
	if g.T != 0 {
		l.add(g.T, PartGradients)
		cgotorch.Free(g.T)
	}
}

func (l *listing) add(h abi.Tensor, part Part) {
	s, st := cgotorch.Storage(h)
	if st != 0 {
		cgotorch.FreeStatus(st)
		return
	}
	if s.Data == 0 || s.Bytes <= 0 {
		return
	}
	if at, known := l.indexOf[s.Storage]; known {
		order := tensorParts()
		if slices.Index(order, part) < slices.Index(order, l.storages[at].part) {
			l.storages[at].part = part
		}
		return
	}
	l.indexOf[s.Storage] = len(l.storages)
	l.storages = append(l.storages, storage{s.Data, s.Bytes, part})
}

// tensorParts returns the parts that a storage can belong to. If tensors of several parts
// share a storage, the earliest part counts: a parameter takes precedence over a detached
// view of it.
func tensorParts() []Part {
	return []Part{PartParameters, PartGradients, PartOptimizers, PartBuffers, PartResults, PartData}
}

// maker returns the part that a tensor without gradients belongs to: PartOptimizers or
// PartBuffers if package optim or a constructor of package nn created it, otherwise
// PartData.
func maker(calls []runtime.Frame) Part {
	const optim, layers = modulePath + "optim.", modulePath + "nn."
	for _, f := range calls {
		name, inNN := strings.CutPrefix(f.Function, layers)
		switch {
		case strings.HasPrefix(f.Function, optim):
			return PartOptimizers
		case inNN && strings.HasPrefix(name, "New"):
			return PartBuffers
		}
	}
	return PartData
}

// modulePath is the prefix of the full names of this module's functions.
const modulePath = "github.com/gotorch/gotorch/"

package viz

import (
	"encoding/binary"
	"path"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory"
)

// frame is a call, described by the numbers of three strings.
type frame struct{ name, file, line uint32 }

// stacks assigns numbers to strings, calls, stacks and categories. Equal ones get the same
// number, even in two snapshots. Stack 0 is empty: it was not recorded.
type stacks struct {
	strings    []string
	stringOf   map[string]uint32
	frames     []frame
	frameOf    map[memory.Frame]uint32
	first      []uint32 // of each stack: where its calls start in calls
	forward    []uint32 // of each stack: where its forward calls start in calls
	category   []uint32 // of each stack
	calls      []uint32
	stackOf    map[string]uint32
	shared     map[slices]uint32
	listed     map[*memory.Frame]bool // the lists of calls so far, by the addresses of their first calls
	distinct   int                    // the number of calls in these lists
	full       bool                   // there are too many calls; see mostCalls
	categories []string
	categoryOf map[string]uint32
}

// slices identifies a stack by the address of its list of calls, because a snapshot
// contains equal stacks only once.
type slices struct {
	calls, forward   *memory.Frame
	ncalls, nforward int
}

// A page may have mostCalls calls in all stacks, and timesCalls for each call in the snapshot's lists
// of calls. A stack consists of two lists, and a small file can combine each list with each other one.
const (
	mostCalls  = 1 << 22
	timesCalls = 8
)

const notRecorded = "stack not recorded"

func newStacks() *stacks {
	s := &stacks{
		stringOf: map[string]uint32{}, frameOf: map[memory.Frame]uint32{}, stackOf: map[string]uint32{},
		shared: map[slices]uint32{}, listed: map[*memory.Frame]bool{}, categoryOf: map[string]uint32{},
	}
	s.stack(nil, nil)
	return s
}

func (s *stacks) str(v string) uint32 { return number(&s.strings, s.stringOf, v) }

func number(list *[]string, of map[string]uint32, v string) uint32 {
	n, ok := of[v]
	if !ok {
		n = uint32(len(*list))
		*list = append(*list, v)
		of[v] = n
	}
	return n
}

func (s *stacks) frame(f memory.Frame) uint32 {
	n, ok := s.frameOf[f]
	if !ok {
		n = uint32(len(s.frames))
		s.frames = append(s.frames, frame{s.str(f.Name), s.str(f.Filename), uint32(max(f.Line, 0))})
		s.frameOf[f] = n
	}
	return n
}

// stack returns the number of a stack.
func (s *stacks) stack(calls, forward []memory.Frame) uint32 {
	at := slices{ncalls: len(calls), nforward: len(forward)}
	if len(calls) > 0 {
		at.calls = &calls[0]
	}
	if len(forward) > 0 {
		at.forward = &forward[0]
	}
	if n, ok := s.shared[at]; ok {
		return n
	}
	for _, list := range [][]memory.Frame{calls, forward} {
		if len(list) > 0 && !s.listed[&list[0]] {
			s.listed[&list[0]] = true
			s.distinct += len(list)
		}
	}
	if s.full = s.full || len(s.calls)+len(calls)+len(forward) > mostCalls+timesCalls*s.distinct; s.full {
		return 0
	}
	ids := make([]uint32, 0, len(calls)+len(forward))
	key := binary.AppendUvarint(nil, uint64(len(calls)))
	for _, list := range [][]memory.Frame{calls, forward} {
		for _, f := range list {
			id := s.frame(f)
			ids = append(ids, id)
			key = binary.AppendUvarint(key, uint64(id))
		}
	}
	n, ok := s.stackOf[string(key)]
	if !ok {
		n = uint32(len(s.first))
		s.stackOf[string(key)] = n
		s.first = append(s.first, uint32(len(s.calls)))
		s.forward = append(s.forward, uint32(len(s.calls)+len(calls)))
		s.calls = append(s.calls, ids...)
		s.category = append(s.category, number(&s.categories, s.categoryOf, categoryOf(calls, forward)))
	}
	s.shared[at] = n
	return n
}

// categoryOf names the category of an allocation: the Go package, or the top-level Python
// module, of the innermost call outside the tensor library. An allocation of a backward
// pass belongs to the operator whose gradient is computed.
func categoryOf(calls, forward []memory.Frame) string {
	if len(forward) > 0 {
		return categoryOf(forward, nil) + " (backward)"
	}
	if len(calls) == 0 {
		return notRecorded
	}
	frames := make([]runtime.Frame, len(calls))
	for i, f := range calls {
		frames[i] = runtime.Frame{Function: f.Name, File: f.Filename, Line: f.Line}
	}
	library, sources := "", trace.SourcesOf(frames)
	for _, f := range frames {
		owner, own := ownerOf(sources, f)
		if !own {
			return owner
		}
		if library == "" {
			library = owner
		}
	}
	if library == "" {
		return "C++"
	}
	return library
}

// ownerOf returns the package or module of a call, and whether it belongs to the tensor
// library or the language. For C and C++ code it returns "" and true.
func ownerOf(sources trace.Sources, f runtime.Frame) (owner string, library bool) {
	file := strings.ReplaceAll(f.File, `\`, "/")
	switch {
	case strings.HasSuffix(file, ".go"), path.Ext(file) == ".s":
		if folder, ours := sources.Library(f); ours {
			top, _, _ := strings.Cut(folder, "/")
			return trace.Module + "/" + folder, top == "torch" || top == "internal" || top == "cgotorch"
		}
		pkg := trace.Package(f.Function)
		return pkg, pkg == "runtime" || pkg == "reflect"
	case strings.HasSuffix(file, ".py"), strings.HasPrefix(file, "<"):
		mod := pythonModule(file)
		return mod, mod == "torch"
	case strings.HasSuffix(f.Function, ">") && file == "":
		return f.Function, false
	}
	return "", true
}

// pythonModule returns the top-level module of a Python source file: the first directory
// below the directories that contain modules, or the file itself.
func pythonModule(file string) string {
	for _, root := range []string{"/site-packages/", "/dist-packages/"} {
		if i := strings.LastIndex(file, root); i >= 0 {
			file, _, _ = strings.Cut(file[i+len(root):], "/")
			return strings.TrimSuffix(file, ".py")
		}
	}
	if i := strings.LastIndex(file, "/torch/"); i >= 0 {
		return "torch"
	}
	return strings.TrimSuffix(path.Base(file), ".py")
}

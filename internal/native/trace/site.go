package trace

import (
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Module is the path of the library's main module. The paths of its other modules begin
// with it.
const Module = "github.com/gotorch/gotorch"

// libraries are the repository's top-level directories that contain library code. All
// other directories contain programs. Inside the library's directories, those named in
// programs contain programs too.
var (
	libraries = []string{
		"cgotorch", "internal", "memory", "nn", "optim", "torch", "torchtest", "transformers", "vision",
	}
	programs = []string{"cmd", "bench", "testdata"}
)

// between lists the packages of Go's standard library whose calls may occur between a
// call of the library and a call of the program. The list is needed for stacks that do
// not show the directory of Go's source code.
var between = []string{
	"context", "encoding/gob", "encoding/json", "expvar", "fmt", "html/template", "iter", "log", "log/slog", "maps",
	"net/http",
	"reflect", "runtime", "slices", "sort", "sync", "testing", "text/template", "time",
}

// Site returns the innermost frame that belongs to the program, not to this library or to
// Go. Reports contain the line of this frame. The library's examples, commands and tests
// count as programs.
//
// Site decides by the file, not by the function's name. The compiler names a closure
// after the function that it was inlined into, so a closure of the library may have the
// name of a function in the program.
func Site(frames []runtime.Frame) (runtime.Frame, bool) {
	s := SourcesOf(frames)
	for _, f := range frames {
		if f.Function == "" || s.goes(f) {
			continue
		}
		if _, ours := s.Library(f); !ours {
			return f, true
		}
	}
	return runtime.Frame{}, false
}

// Sources classifies the calls of a program by the directories at the start of their file
// names.
type Sources struct {
	library  string // the folder of this module; "" if unknown
	std      string // the folder of Go's sources; "" in a program built with -trimpath
	stdKnown bool
}

// SourcesOf finds the directories from a stack, which may be from a different program. It
// uses function names: unless the function is a closure, its name contains its package.
func SourcesOf(frames []runtime.Frame) Sources {
	var s Sources
	for _, f := range frames {
		pkg := plain(f.Function)
		file := pkg + "/" + path.Base(f.File)
		if pkg == "runtime" && !s.stdKnown {
			s.std, s.stdKnown = strings.CutSuffix(f.File, file)
		}
		// vision and transformers are modules of their own, which may be in other directories.
		rest, ours := strings.CutPrefix(file, Module+"/")
		nested := strings.HasPrefix(rest, "vision/") || strings.HasPrefix(rest, "transformers/")
		if ours && s.library == "" && !nested {
			if folder, ok := strings.CutSuffix(f.File, "/"+rest); ok {
				s.library = folder + "/"
			}
		}
	}
	return s
}

// Package returns the import path of a function's package.
func Package(function string) string {
	name, _, _ := strings.Cut(function, "[") // type arguments may contain dots
	slash := strings.LastIndexByte(name, '/') + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	if p, err := url.PathUnescape(name[:slash] + last); err == nil {
		return p
	}
	return name[:slash] + last
}

// plain returns the package of a function if all its code is from that package. For a
// generic function it returns "", because the function may contain its users' code.
func plain(function string) string {
	if strings.Contains(function, "[") {
		return ""
	}
	return Package(function)
}

// Library reports whether a call belongs to the library. folder is the directory of the
// call's file in the repository, such as "nn".
func (s Sources) Library(f runtime.Frame) (folder string, ok bool) {
	file, ok := s.within(f.File)
	if !ok {
		// The file name may not show the library: with a replace directive, its module
		// may be in any directory.
		rest, ours := strings.CutPrefix(plain(f.Function), Module+"/")
		if !ours {
			return "", false
		}
		file = rest + "/" + path.Base(f.File)
	}
	folder = path.Dir(file)
	dirs := strings.Split(folder, "/")
	isProgram := func(dir string) bool { return slices.Contains(programs, dir) }
	return folder, slices.Contains(libraries, dirs[0]) && !strings.HasSuffix(file, "_test.go") &&
		!slices.ContainsFunc(dirs, isProgram)
}

// within returns the name of a file relative to the library's repository. ok is false for
// files outside. A file of the library is in the directory of this module, or in a
// directory named after one of its modules. Such directories are in the module cache, in
// a vendor directory, or in names shortened by -trimpath.
func (s Sources) within(file string) (rest string, ok bool) {
	if s.library != "" {
		if rest, ok := strings.CutPrefix(file, s.library); ok {
			return rest, true
		}
	}
	at := strings.LastIndex(file, Module)
	if at < 0 || at > 0 && file[at-1] != '/' {
		return "", false
	}
	rest = file[at+len(Module):]
	if rest == "" || rest[0] != '/' && rest[0] != '@' {
		return "", false // a module whose path only begins like ours
	}
	if below, version, ok := strings.Cut(rest, "@"); ok {
		_, file, _ := strings.Cut(version, "/")
		rest = below + "/" + file
	}
	return strings.TrimPrefix(rest, "/"), true
}

// goes reports whether a call belongs to Go's own packages or was generated by the
// compiler.
func (s Sources) goes(f runtime.Frame) bool {
	if f.File == "<autogenerated>" || strings.HasSuffix(f.File, "_cgo_gotypes.go") {
		return true
	}
	pkg := Package(f.Function)
	if s.stdKnown {
		rest, ok := strings.CutPrefix(f.File, s.std)
		if s.std != "" || !ok {
			return ok
		}
		pkg = path.Dir(rest)
	}
	return slices.Contains(between, pkg) || strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "runtime/")
}

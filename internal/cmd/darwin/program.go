package main

import (
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// These are load commands that package debug/macho does not decode.
const (
	loadSignature    macho.LoadCmd = 0x1d
	loadBuildVersion macho.LoadCmd = 0x32
)

// program is the information that macOS reads from a program before running it.
type program struct {
	path      string
	size      int64
	cpu       macho.Cpu
	kind      macho.Type
	rpaths    []string
	libraries []string
	least     string // oldest version of macOS that runs the program
	// whether it is signed without a certificate, which is enough for Apple silicon
	adHoc bool
}

func read(path string) (*program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	m, err := macho.NewFile(f)
	if err != nil {
		return nil, err
	}
	p := &program{path: path, size: info.Size(), cpu: m.Cpu, kind: m.Type}
	for _, l := range m.Loads {
		switch l := l.(type) {
		case *macho.Rpath:
			p.rpaths = append(p.rpaths, l.Path)
		case *macho.Dylib:
			p.libraries = append(p.libraries, l.Name)
		default:
			raw := l.Raw()
			switch macho.LoadCmd(m.ByteOrder.Uint32(raw)) {
			case loadBuildVersion:
				v := m.ByteOrder.Uint32(raw[12:])
				p.least = fmt.Sprintf("%d.%d", v>>16, v>>8&0xff)
			case loadSignature:
				b := make([]byte, m.ByteOrder.Uint32(raw[12:]))
				if _, err := f.ReadAt(b, int64(m.ByteOrder.Uint32(raw[8:]))); err != nil {
					return nil, fmt.Errorf("the signature: %w", err)
				}
				p.adHoc = adHoc(b)
			}
		}
	}
	return p, nil
}

// adHoc reports whether b, a signature, has a code directory with the flag "ad hoc". A
// signature is a list of blobs.
func adHoc(b []byte) bool {
	const list, directory, flag = 0xfade0cc0, 0xfade0c02, 2
	at := func(i uint32) uint32 {
		if uint64(i)+4 > uint64(len(b)) {
			return 0
		}
		return binary.BigEndian.Uint32(b[i:])
	}
	if at(0) != list {
		return false
	}
	for i := range min(at(8), uint32(len(b)/8)) {
		if blob := at(12 + 8*i + 4); at(blob) == directory {
			return at(blob+12)&flag != 0
		}
	}
	return false
}

// fault returns why macOS would not load the program if libtorch is in the directory
// rpath.
func (p *program) fault(rpath string) error {
	switch {
	case p.cpu != macho.CpuArm64 || p.kind != macho.TypeExec:
		return fmt.Errorf("expected a program for arm64, got %v for %v", p.kind, p.cpu)
	case p.least == "":
		return errors.New("does not say which macOS version it is for")
	case !p.adHoc:
		return errors.New("is not signed, not even ad hoc")
	// dyld rejects a program in which an rpath occurs twice.
	case !slices.Equal(p.rpaths, []string{rpath}):
		return fmt.Errorf("expected the rpath %s once, got %q", rpath, p.rpaths)
	}
	for _, name := range []string{"@rpath/libtorch_cpu.dylib", "@rpath/libc10.dylib"} {
		if !slices.Contains(p.libraries, name) {
			return fmt.Errorf("does not load %s: %q", name, p.libraries)
		}
	}
	for _, name := range p.libraries {
		if !strings.HasPrefix(name, "@rpath/lib") && !strings.HasPrefix(name, "/usr/lib/") &&
			!strings.HasPrefix(name, "/System/Library/") {
			return fmt.Errorf("loads %s, which a Mac does not have", name)
		}
	}
	return nil
}

// String returns the program's line in the output of check.
func (p *program) String() string {
	return fmt.Sprintf("%-24s %6.1f MB  macOS %s, signed ad hoc, %d libraries", filepath.Base(p.path),
		float64(p.size)/1e6, p.least, len(p.libraries))
}

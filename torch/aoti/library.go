package aoti

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"runtime"

	"github.com/gotorch/gotorch/torch"
)

// elfMachines maps Go's architecture names to the machine types of ELF files.
var elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// shell is an empty library that only loads the other libraries of libtorch. Python's
// compiler links models with it, but installations for Go may not have it.
const shell = "libtorch.so"

// These are the sizes in bytes of an entry in the dynamic section and of an entry in the
// symbol table of a 64-bit ELF file.
const (
	dynSize = 16
	symSize = 24
)

// largestTable is the limit on the size of a table in bytes. No compiler generates larger
// tables for a model.
const largestTable = 1 << 26

// gnuUnique is STB_GNU_UNIQUE, the binding of symbols that exist only once in the process.
// A library with such a symbol is never unloaded. Compilers use the binding for static
// variables in templates.
const gnuUnique = 10

// library is an extracted library that has not been loaded yet.
type library struct {
	path string // path of the package
	file *os.File
	elf  *elf.File
}

// prepare checks a library and changes two things in it. A dependency on libtorch.so
// becomes a second dependency on another library, because libtorch.so may be missing.
// Unique symbols become ordinary ones, because a library with unique symbols is never
// unloaded.
func prepare(path, name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0) //nolint:gosec // in a directory that Load made
	if err != nil {
		return because(path, nil, err, "")
	}
	defer func() { _ = f.Close() }() // if writing failed, loading the library fails
	e, err := elf.NewFile(f)
	if err != nil {
		return because(path, torch.ErrFormat, err, "its library")
	}
	if want := elfMachines[runtime.GOARCH]; e.Class != elf.ELFCLASS64 || e.Type != elf.ET_DYN || e.Machine != want {
		return fail(path, torch.ErrUnsupported, "expected a shared library for %v, got %v for %v", want, e.Type,
			e.Machine)
	}
	l := library{path, f, e}
	if err := l.replaceShell(); err != nil {
		return err
	}
	return l.forgetUnique()
}

func (l library) table(kind elf.SectionType, what string) (*elf.Section, []byte, error) {
	section := l.elf.SectionByType(kind)
	if section == nil || section.Size > largestTable {
		return nil, nil, fail(l.path, torch.ErrFormat, "its library has no %s", what)
	}
	table, err := section.Data()
	if err != nil {
		return nil, nil, because(l.path, torch.ErrFormat, err, "its library")
	}
	return section, table, nil
}

func (l library) write(b []byte, at int64) error {
	if _, err := l.file.WriteAt(b, at); err != nil {
		return because(l.path, nil, err, "the library cannot be written")
	}
	return nil
}

func (l library) replaceShell() error {
	section, table, err := l.table(elf.SHT_DYNAMIC, "dynamic section")
	if err != nil {
		return err
	}
	needed, err := l.elf.DynString(elf.DT_NEEDED)
	if err != nil {
		return because(l.path, torch.ErrFormat, err, "its library")
	}
	// Each entry of the table has a tag and a value, both 8 bytes long. The strings in
	// needed have the same order as the entries with the tag DT_NEEDED.
	empty, other := int64(-1), uint64(0)
	for i, n := 0, 0; i+dynSize <= len(table) && n < len(needed); i += dynSize {
		if elf.DynTag(binary.LittleEndian.Uint64(table[i:])) != elf.DT_NEEDED { //nolint:gosec // a tag
			continue
		}
		if needed[n] == shell {
			empty = int64(section.Offset) + int64(i) + 8 //nolint:gosec // within the file
		} else {
			other = binary.LittleEndian.Uint64(table[i+8:])
		}
		n++
	}
	if empty < 0 || other == 0 {
		return nil
	}
	return l.write(binary.LittleEndian.AppendUint64(nil, other), empty)
}

// forgetUnique makes unique symbols ordinary, so that the library can be unloaded. No other
// library uses these symbols.
func (l library) forgetUnique() error {
	section, table, err := l.table(elf.SHT_DYNSYM, "symbols")
	if err != nil {
		return err
	}
	found := false
	for i := 0; i+symSize <= len(table); i += symSize {
		if info := table[i+4]; info>>4 == gnuUnique {
			table[i+4] = byte(elf.STB_GLOBAL)<<4 | info&0xf
			found = true
		}
	}
	if !found {
		return nil
	}
	return l.write(table, int64(section.Offset)) //nolint:gosec // within the file
}

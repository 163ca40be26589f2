package rss

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
)

// image reads this process's memory through /proc/self/mem.
type image struct{ file *os.File }

// openImage opens /proc/self/mem. If the system has no such file, all reads fail.
func openImage() image { return image{open("mem")} }

func (i image) close() {
	if i.file != nil {
		_ = i.file.Close()
	}
}

// read fills b with the bytes at an address, and reports whether it succeeded.
func (i image) read(b []byte, at uintptr) bool {
	if i.file == nil || int64(at) < 0 {
		return false
	}
	_, err := i.file.ReadAt(b, int64(at))
	return err == nil
}

// extent returns the end of the library or program that is mapped at base. The end
// includes the zero-initialized variables, which come after the part that is mapped from
// the file. If no library or program is mapped at base, extent returns 0.
func extent(read func([]byte, uintptr) bool, base uintptr) uintptr {
	const page = 4096
	head := make([]byte, page)
	if !read(head, base) || !bytes.HasPrefix(head, []byte(elf.ELFMAG)) || head[elf.EI_CLASS] != byte(elf.ELFCLASS64) {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[elf.EI_DATA] == byte(elf.ELFDATA2MSB) {
		order = binary.BigEndian
	}
	// Ignore the section headers (e_shoff), which are not loaded into memory
	order.PutUint64(head[40:], 0) // e_shoff
	order.PutUint16(head[60:], 0) // e_shnum
	order.PutUint16(head[62:], 0) // e_shstrndx
	f, err := elf.NewFile(bytes.NewReader(head))
	if err != nil {
		return 0
	}
	var first, last uint64
	seen := false
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if !seen {
			first, seen = p.Vaddr&^(page-1), true
		}
		last = max(last, p.Vaddr+p.Memsz)
	}
	if !seen || last < first {
		return 0
	}
	return base + uintptr(last-first)
}

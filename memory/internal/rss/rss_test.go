package rss_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory/internal/rss"
)

// entry returns the text of a mapping in smaps. resident and anonymous are in kilobytes.
func entry(from, to uint64, perms string, offset int, path string, resident, anonymous int) string {
	inode := 0
	if strings.HasPrefix(path, "/") {
		inode = 1234
	}
	return fmt.Sprintf("%x-%x %s %08x fe:00 %d                        %s\nSize: 1 kB\nRss:     %6d kB\nPss: 5 "+
		"kB\nAnonymous:  %6d kB\nVmFlags: rd wr mr\n",
		from, to, perms, offset, inode, path, resident, anonymous)
}

// header returns the first page of a library that is larger in memory than as a file.
func header(memory uint64) []byte {
	var b bytes.Buffer
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Shoff: 1 << 30, Ehsize: 64,
		Phentsize: 56, Phnum: 2, Shentsize: 64, Shnum: 30, Shstrndx: 29,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
		1
	for _, part := range []any{
		h,
		elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: 0x1000, Memsz: 0x1000},
		elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: 0x1000, Filesz: 0x1000, Memsz: memory - 0x1000},
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return append(b.Bytes(), make([]byte, 4096-b.Len())...)
}

func TestMappingsHaveOwners(t *testing.T) {
	const gib, mib = 1 << 30, 1 << 20
	lib, at := "/usr/lib/a folder/libx.so.1", uint64(0x7f0000000000)
	smaps := strings.Join([]string{
		entry(0x400000, 0x500000, "r-xp", 0, "/home/me/program", 800, 0),
		entry(0x500000, 0x600000, "rw-p", 0x100000, "/home/me/program", 200, 120),
		entry(0x1000000, 0x2000000, "rw-p", 0, "[heap]", 4096, 4096),
		entry(0xc000000000, 0xc000400000, "rw-p", 0, "", 3000, 3000), // Go's heap
		entry(0xc000400000, 0xc004000000, "---p", 0, "", 0, 0),
		entry(at, at+10*mib, "rw-p", 0, "", 700, 700), // the start of an arena, for which 64 MiB are reserved
		entry(at+10*mib, at+64*mib, "---p", 0, "", 0, 0),
		// Two segments of the allocator and two of malloc's large blocks.
		entry(at+gib, at+gib+4*mib, "rw-p", 0, "", 4000, 4000),
		entry(at+gib+8*mib, at+gib+8*mib+4096, "---p", 0, "", 0, 0),
		entry(at+gib+8*mib+4096, at+gib+16*mib+4096, "rw-p", 0, "", 40, 40), // a stack
		entry(at+2*gib, at+2*gib+mib, "r--p", 0, lib, 500, 0),
		entry(at+2*gib+mib, at+2*gib+2*mib, "r-xp", mib, lib, 600, 0),
		entry(at+2*gib+2*mib, at+2*gib+3*mib, "rw-p", 2*mib, lib, 64, 60),
		// Zero-initialized data of the library, and memory without a known owner.
		entry(at+2*gib+3*mib, at+2*gib+5*mib, "rw-p", 0, "", 100, 100),
		entry(at+3*gib, at+3*gib+mib, "r-xp", 0, "", 28, 28),
		entry(at+4*gib, at+5*gib, "rw-p", 0, "/data/w.safetensors", 1000, 10),
		entry(at+5*gib, at+5*gib+mib, "r--p", 0, "/data/small.safetensors", 8, 0),
		entry(at+6*gib, at+6*gib+mib, "rw-s", 0, "/dev/shm/torch_1 (deleted)", 16, 0),
		entry(at+7*gib, at+7*gib+mib, "rw-p", 0, "[anon: Go: gc bits]", 24, 24),
		entry(at+8*gib, at+8*gib+mib, "rw-p", 0, "[anon: glibc: malloc arena]", 12, 12),
		entry(0x7ffff0000000, 0x7ffff0021000, "rw-p", 0, "[stack]", 44, 44),
		entry(0x7ffff0022000, 0x7ffff0024000, "r-xp", 0, "[vdso]", 4, 0),
		"a line that nobody knows\n",
	}, "")
	base := uintptr(at)
	memory := map[uintptr][]byte{
		base + 2*gib: header(3*mib + mib),
		// The headers of malloc's large blocks, after the two segments.
		base + gib + 2*mib:        binary.LittleEndian.AppendUint64(make([]byte, 8), mib|2),
		base + gib + 3*mib:        binary.LittleEndian.AppendUint64(make([]byte, 8), 8192|2),
		base + gib + 3*mib + 8192: make([]byte, 16),
		base + 2*gib + 4*mib:      make([]byte, 16),
	}
	image := func(b []byte, at uintptr) bool {
		m, ok := memory[at]
		return ok && copy(b, m) == len(b)
	}
	half := func(r rss.Range) (int64, bool) { return int64(r.End-r.Start) / 2, true }
	u := rss.Recorded([]byte(smaps), "/home/me/program", []rss.Range{
		{base + gib, base + gib + mib},
		{base + gib + mib, base + gib + 2*mib},
	},
		0xc000001230, 8*mib, image, half)
	for owner, want := range map[rss.Owner]int64{
		rss.ProgramCode: 880, rss.ProgramData: 120, rss.GoHeap: 3000, rss.GoRuntime: 24,
		rss.Allocator: 1024, rss.CHeap: 4096 + 700 + 12 + 512 + 4, rss.Stacks: 40 + 44,
		rss.Code: 500 + 600 + 4, rss.Data: 60 + 100, // half of a MiB would exceed the resident bytes
		rss.Compiled: 28, rss.Files: 1008, rss.Shared: 16, rss.Rest: 4000 - 1024 - 512 - 4 + 4,
	} {
		assert.Equal(t, want<<10, u.Of(owner), "owner %d", owner)
	}
	path, n := u.LargestFile()
	assert.Equal(t, "/data/w.safetensors", path)
	assert.Equal(t, 2, n)

	assert.EqualValues(t, 20, u.Move(rss.Rest, rss.GoRuntime, 20))
	assert.EqualValues(t, 0, u.Move(rss.Rest, rss.GoRuntime, -20))
	all := u.Of(rss.Rest)
	assert.Equal(t, all, u.Move(rss.Rest, rss.GoRuntime, 1<<40))
	assert.Equal(t, all+24<<10+20, u.Of(rss.GoRuntime))

	// Without pagemap, the resident bytes of a mapping are divided in proportion to the
	// sizes of its parts.
	none := func(rss.Range) (int64, bool) { return 0, false }
	u = rss.Recorded([]byte(smaps), "/home/me/program", []rss.Range{{base + gib, base + gib + mib}}, 0, 8*mib, image,
		none)
	assert.EqualValues(t, 1000<<10, u.Of(rss.Allocator))
}

func TestPagesOfThisProcess(t *testing.T) {
	page := os.Getpagesize()
	const pages = 64
	b, err := syscall.Mmap(-1, 0, pages*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	defer func() { assert.NoError(t, syscall.Munmap(b)) }()
	for _, i := range []int{3, 4, 10} {
		b[i*page] = 1
	}
	start := uintptr(unsafe.Pointer(&b[0]))
	span := func(from, to int) rss.Range { return rss.Range{Start: start + uintptr(from), End: start + uintptr(to)} }
	p := rss.OpenPages()
	defer p.Close()
	n, ok := p.Count(span(0, pages*page))
	if !ok {
		t.Skip("the system does not tell")
	}
	if n == int64(pages*page) {
		t.Skip("the system gave one large page")
	}
	assert.EqualValues(t, 3*page, n)
	g, ok := p.Region(span(0, pages*page))
	require.True(t, ok)
	for _, c := range []struct {
		from, to int
		want     int
	}{
		{0, pages * page, 3 * page},
		{0, 3 * page, 0},
		{3 * page, 4 * page, page},
		{3*page + 100, 4*page + 50, page - 50},
		{4*page + 10, 4*page + 30, 20},
		{5 * page, 10 * page, 0},
		{10*page + 1, 64 * page, page - 1},
		{11 * page, 11 * page, 0},
	} {
		assert.EqualValues(t, c.want, g.Resident(span(c.from, c.to)), "%+v", c)
	}
	assert.Zero(t, g.Resident(rss.Range{Start: 0, End: start}))
}

func TestOwnMappings(t *testing.T) {
	u, ok := rss.Read(func() []rss.Range { return nil })
	if !ok {
		t.Skip("the system does not tell")
	}
	assert.Positive(t, u.Total)
	assert.Positive(t, u.Of(rss.GoHeap))
	assert.Positive(t, u.Of(rss.ProgramCode))
	sum := int64(0)
	for o := rss.Rest; o <= rss.ProgramData; o++ {
		sum += u.Of(o)
	}
	assert.Equal(t, u.Total, sum)
}

package jit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// These sources are nested deeply in ways that only libtorch's lexer recognizes. Without
// the nesting check, each of them would crash the process.
func TestDeepSources(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const code = "values/code/__torch__.py"
	all := records(t, "values")
	const n = 100_000
	many := func(s string) string { return strings.Repeat(s, n) }
	for name, c := range map[string]struct{ body, says string }{
		"a comment that is a type": {"    # type: " + many("(") + "\n", "line 3: brackets"},
		"a type behind a value":    {"    y = [] # type: " + many("List[") + "\n", "line 3: brackets"},
		"lines that go on":         {"    y = x" + many(" + \\\n x") + "\n", "expression"},
		"a text of several lines":  {"    y = \"\"\"\n\"\"\" + " + many("(") + "x\n", "line 4: brackets"},
		"elif":                     {"    if x:\n      y = 1\n" + many("    elif x:\n      y = 1\n"), "blocks"},
		"empty lines":              {many("\n"), "without a token"},
		"comments":                 {many("#\n"), "without a token"},
		"ends of lines":            {"    y = " + many("\\\n") + "x\n", "without a token"},
		"returns":                  {many("    if x:\n      return x\n"), "too many exits"},
	} {
		text := "class Values(Module):\n  def forward(self, x: Tensor) -> Tensor:\n" + c.body + "    return x\n"
		e := refused(t, zipped(t, with(all, code, []byte(text))), name)
		require.ErrorIs(t, e, torch.ErrFormat, name)
		assert.ErrorContains(t, e, c.says, name)
		other := with(all, "values/CODE/other.PY", []byte(text))
		assert.ErrorContains(t, refused(t, zipped(t, other), name), c.says, "libtorch ignores the case of letters")
	}
}

// These programs have long chains of classes, methods and functions in which each uses the
// next. libtorch compiles each of them while it is still compiling the previous one.
func TestDeepPrograms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const n = 2000
	const method = "  def forward(self: __torch__.Values, x: Tensor) -> Tensor:\n    return %s\n"
	const function = "def f%d(x: Tensor) -> Tensor:\n  return "
	write := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			s := strings.ReplaceAll(form, "NEXT", fmt.Sprint(i+1))
			b.WriteString(strings.ReplaceAll(s, "%d", fmt.Sprint(i)))
		}
		return b.String()
	}
	values := func(result string) string { return "class Values(Module):\n" + fmt.Sprintf(method, result) }
	end := func(n int) string { return fmt.Sprintf(function+"x\n", n) }
	all := records(t, "values")
	for name, text := range map[string]string{
		"methods": values("(self).m0(x, )") + write(n,
			"  def m%d(self: __torch__.Values, x: Tensor) -> Tensor:\n    return (self).mNEXT(x, )\n"),
		"functions":            write(n, function+"__torch__.fNEXT(x, )\n") + end(n) + values("__torch__.f0(x, )"),
		"functions, otherwise": write(n, function+"(__torch__\n).FNEXT(x, )\n") + end(n) + values("__torch__.f0(x, )"),
		"classes":              write(n, "class  C%d(Module):\n  a : __torch__ . CNEXT\n") + values("x"),
		"few, but deep ones": write(20, function+strings.Repeat("- ", 250)+"__torch__.fNEXT(x, )\n") + end(20) +
			values("__torch__.f0(x, )"),
	} {
		e := refused(t, zipped(t, with(all, "values/code/__torch__.py", []byte(text))), name)
		require.ErrorIs(t, e, torch.ErrFormat, name)
		assert.ErrorContains(t, e, "use one another", name)
	}
	// For a chain that is too long, the check uses no more of a goroutine's stack than for
	// the longest allowed chain.
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	long := write(100_000, function+"__torch__.fNEXT(x, )\n") + end(100_000) + values("__torch__.f0(x, )")
	assert.ErrorContains(t, refused(t, zipped(t, with(all, "values/code/__torch__.py", []byte(long))), "long"),
		"use one another")
	// A chain of 100 functions, as a program written in Python may have, is allowed.
	text := write(100, function+"__torch__.fNEXT(x, )\n") + end(100) + values("__torch__.f0(x, )")
	data := zipped(t,
		with(with(all, "values/code/__torch__.py", []byte(text)), "values/data.pkl",
			[]byte("\x80\x02c__torch__\nValues\n)\x81}b.")))
	m, err := jit.LoadFrom(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.Equal(t, []string{"forward"}, m.Methods())
	require.NoError(t, m.Close())
}

// libtorch parses some of a pickle's strings as types. If such a type is nested too deeply,
// the archive is refused.
func TestDeepTypes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const pkl = "values/data.pkl"
	all := records(t, "values")
	var data []byte
	for _, r := range all {
		if r.name == pkl {
			data = r.data
		}
	}
	const list, class = "X\x09\x00\x00\x00List[str]", "c__torch__\nValues\n"
	require.Equal(t, 1, bytes.Count(data, []byte(list)))
	require.Equal(t, 1, bytes.Count(data, []byte(class)))
	for _, text := range []string{
		strings.Repeat("-", 100_000), strings.Repeat("{", 100_000),
		"Tensor" + strings.Repeat(".a", 1_000_000),
	} {
		long := string(binary.LittleEndian.AppendUint32([]byte("X"), uint32(len(text)))) + text
		e := refused(t, zipped(t, with(all, pkl, bytes.Replace(data, []byte(list), []byte(long), 1))), text[:10])
		assert.ErrorContains(t, e, "the type has")
	}
	deep := "c__torch__\n" + strings.Repeat("(", 900) + "\n"
	e := refused(t, zipped(t, with(all, pkl, bytes.Replace(data, []byte(class), []byte(deep), 1))), "class")
	assert.ErrorContains(t, e, "the type has")
}

// libtorch must find the same entries as the checks. It ignores case in the names of
// entries, and always uses the 64-bit end record.
func TestArchivesThatAreTwo(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	all := records(t, "values")
	e := refused(t, zipped(t, with(all, "values/DATA.pkl", []byte("\x80\x02."))), "case")
	require.ErrorIs(t, e, torch.ErrFormat)
	assert.ErrorContains(t, e, "differs from another name only in case")
	e = refused(t, twice(all, with(all, "values/data.pkl", []byte("\x80\x02K\x01."))), "two directories")
	require.ErrorIs(t, e, torch.ErrFormat)
	assert.ErrorContains(t, e, "two contradicting end records")
}

// twice returns an archive with a directory for each of the two lists of records. The end
// record refers to the first directory, and the 64-bit end record to the second.
func twice(one, other []record) []byte {
	var b []byte
	le := binary.LittleEndian
	directory := func(all []record) (at, size int) {
		var dir []byte
		for _, r := range all {
			sizes := le.AppendUint32(nil, crc32.ChecksumIEEE(r.data))
			sizes = le.AppendUint32(le.AppendUint32(sizes, uint32(len(r.data))), uint32(len(r.data)))
			sizes = le.AppendUint16(sizes, uint16(len(r.name)))
			dir = append(append(append(dir, "PK\x01\x02"...), make([]byte, 12)...), sizes...)
			dir = append(le.AppendUint32(append(dir, make([]byte, 12)...), uint32(len(b))), r.name...)
			b = append(append(append(b, "PK\x03\x04"...), make([]byte, 10)...), sizes...)
			b = append(append(append(b, 0, 0), r.name...), r.data...)
		}
		at = len(b)
		b = append(append(b, dir...), "no entry"...)
		return at, len(dir)
	}
	at, size := directory(one)
	at64, size64 := directory(other)
	end64 := len(b)
	b = append(append(b, "PK\x06\x06\x2c"...), make([]byte, 19)...)
	for _, n := range []int{len(other), len(other), size64, at64} {
		b = le.AppendUint64(b, uint64(n))
	}
	b = le.AppendUint64(append(b, "PK\x06\x07\x00\x00\x00\x00"...), uint64(end64))
	b = append(le.AppendUint32(b, 1), "PK\x05\x06\x00\x00\x00\x00"...)
	b = le.AppendUint16(le.AppendUint16(b, uint16(len(one))), uint16(len(one)))
	b = le.AppendUint32(le.AppendUint32(b, uint32(size)), uint32(at))
	return append(b, 0, 0)
}

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.pt")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := jit.Load(path)
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, path+": expected a file, got a pipe")
}

// A tensor without elements may begin beyond the end of its storage.
func TestViewOfNothing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	all := records(t, "values")
	for i, r := range all {
		if r.name == "values/data.pkl" {
			const before, after = "K\x00(K\x02t(K\x01t", "K\x05(K\x00t(K\x01t"
			require.Equal(t, 1, bytes.Count(r.data, []byte(before)))
			all[i].data = bytes.Replace(r.data, []byte(before), []byte(after), 1)
		}
	}
	data := zipped(t, all)
	m, err := jit.LoadFrom(bytes.NewReader(data), int64(len(data)))
	if err != nil { // libtorch refuses this tensor since version 2.15
		require.ErrorIs(t, err, torch.ErrFormat)
		require.ErrorContains(t, err, "storage offset 5 is out of bounds")
		return
	}
	assert.Equal(t, torch.Shape{0}, m.Attr("w").(*torch.Tensor).Shape())
	require.NoError(t, m.Close())
}

// A module's tensors can be read while other goroutines call methods that change the
// tensors.
func TestAskedWhileCalled(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, err := jit.Load(goldenPath("stateful"))
	require.NoError(t, err)
	x := torch.Ones(torch.Shape{2})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 20 {
				torch.Scope(func() {
					if i == 0 {
						m.Methods()
						m.Attr("count")
						_ = m.Schema("forward")
					} else {
						m.Forward(x)
					}
				})
			}
		})
	}
	wg.Wait()
	assert.Equal(t, int64(60), m.Attr("count"))
	require.NoError(t, x.Close())
	require.NoError(t, m.Close())
}

// If a closed tensor replaces one of the module's tensors, every call returns an error, and
// no call waits forever.
func TestClosedBuffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, err := jit.Load(goldenPath("stateful"))
	require.NoError(t, err)
	x := torch.Ones(torch.Shape{2})
	torch.Scope(func() {
		meta := m.StateDict()
		for i, n := range meta {
			meta[i].Tensor = n.Tensor.To(torch.Meta)
		}
		require.NoError(t, m.LoadStateDict(meta, nn.Assign(true)))
	})
	for _, n := range m.StateDict() {
		require.NoError(t, n.Tensor.Close())
	}
	for range 2 {
		require.ErrorIs(t, torch.Try(func() { m.Forward(x) }), torch.ErrClosed)
	}
	require.NoError(t, x.Close())
	require.NoError(t, m.Close())
}

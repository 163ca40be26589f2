package memory

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// unpickler is Python's pickle machine for plain data: numbers, strings, lists,
// tuples and dicts, of any protocol. It knows no classes and runs no code.
// Values are nil, bool, int64, uint64, float64, string, *pyList and *pyDict.
type unpickler struct {
	r     *bufio.Reader
	off   int64 // of the opcode at work
	read  int64
	stack []any
	marks []int
	memo  map[uint32]any
	words map[string]string // each distinct string once
	calls map[*byte]Frame   // what a line of a traceback says, by where the line lies
	spent int64             // see spend
}

// corrupt is what the machine panics with; readPickle makes it an error.
type corrupt struct {
	message string
	err     error
}

func (u *unpickler) fail(format string, args ...any) {
	panic(corrupt{message: fmt.Sprintf(format, args...)})
}

func readPickle(r *bufio.Reader) (s *SnapshotData, err error) {
	u := &unpickler{r: r, memo: map[uint32]any{}, words: map[string]string{}, calls: map[*byte]Frame{}}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case corrupt:
			s, err = nil, &SnapshotError{Offset: u.off, Message: p.message, Err: p.err}
		default:
			panic(p)
		}
	}()
	top, ok := u.run().(*pyDict)
	if !ok {
		u.fail("the pickle is no dict")
	}
	return u.snapshot(top), nil
}

func (u *unpickler) byte() byte {
	b, err := u.r.ReadByte()
	if err != nil {
		panic(corrupt{"the pickle ends too early", notEOF(err)})
	}
	u.read++
	return b
}

// bytes reads n bytes. A length that the file does not have costs no memory.
func (u *unpickler) bytes(n uint64) []byte {
	if n <= 1<<12 {
		b := make([]byte, n)
		u.full(b)
		return b
	}
	if n > math.MaxInt64 {
		u.fail("length %d", n)
	}
	var buf bytes.Buffer
	got, err := io.CopyN(&buf, u.r, int64(n))
	u.read += got
	if err != nil {
		panic(corrupt{"the pickle ends too early", notEOF(err)})
	}
	return buf.Bytes()
}

func (u *unpickler) full(b []byte) {
	n, err := io.ReadFull(u.r, b)
	u.read += int64(n)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		panic(corrupt{"the pickle ends too early", notEOF(err)})
	}
}

func (u *unpickler) uint(n int) uint64 {
	var b [8]byte
	u.full(b[:n])
	return binary.LittleEndian.Uint64(b[:])
}

func (u *unpickler) line() string {
	b, err := u.r.ReadSlice('\n')
	if err != nil {
		panic(corrupt{"a line of text that does not end", notEOF(err)})
	}
	u.read += int64(len(b))
	return strings.TrimSuffix(string(b), "\n")
}

func (u *unpickler) word(b []byte) string {
	if s, ok := u.words[string(b)]; ok {
		return s
	}
	s := string(b)
	u.words[s] = s
	return s
}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

func (u *unpickler) floor() int {
	if n := len(u.marks); n > 0 {
		return u.marks[n-1]
	}
	return 0
}

func (u *unpickler) pop() any {
	n := len(u.stack)
	if n <= u.floor() {
		u.fail("nothing on the stack")
	}
	v := u.stack[n-1]
	u.stack = u.stack[:n-1]
	return v
}

func (u *unpickler) top() any {
	n := len(u.stack)
	if n <= u.floor() {
		u.fail("nothing on the stack")
	}
	return u.stack[n-1]
}

// popMark returns what lies above the last mark. It is valid until the next
// push.
func (u *unpickler) popMark() []any {
	n := len(u.marks)
	if n == 0 {
		u.fail("no mark on the stack")
	}
	at := u.marks[n-1]
	u.marks = u.marks[:n-1]
	items := u.stack[at:]
	u.stack = u.stack[:at]
	return items
}

func (u *unpickler) tuple(n int) {
	if len(u.stack)-n < u.floor() {
		u.fail("nothing on the stack")
	}
	at := len(u.stack) - n
	l := &pyList{items: append([]any(nil), u.stack[at:]...)}
	u.stack = u.stack[:at]
	u.push(l)
}

func (u *unpickler) appendTo(items []any) {
	l, ok := u.top().(*pyList)
	if !ok {
		u.fail("append to what is no list")
	}
	for _, v := range items {
		if d, ok := v.(*pyDict); ok {
			u.seal(d)
		}
	}
	l.items = append(l.items, items...)
}

func (u *unpickler) setItems(items []any) {
	d, ok := u.top().(*pyDict)
	if !ok {
		u.fail("set an item of what is no dict")
	}
	if len(items)%2 != 0 {
		u.fail("a key without a value")
	}
	if d.entry != nil || d.frame != nil {
		u.fail("a dict that changes after its use")
	}
	if d.keys == nil {
		d.keys = make([]string, 0, len(items)/2)
		d.values = make([]any, 0, len(items)/2)
	}
	for i := 0; i < len(items); i += 2 {
		k, ok := items[i].(string)
		if !ok {
			u.fail("a key that is no string: %T", items[i])
		}
		d.set(k, items[i+1])
	}
}

func (u *unpickler) get(n uint32) {
	v, ok := u.memo[n]
	if !ok {
		u.fail("no value number %d", n)
	}
	u.push(v)
}

func (u *unpickler) long(n uint64) {
	if n > 9 {
		u.fail("an integer of %d bytes", n)
	}
	var b [16]byte
	u.full(b[:n])
	switch {
	case n == 9 && b[8] == 0:
		u.push(binary.LittleEndian.Uint64(b[:]))
	case n == 9:
		u.fail("an integer of more than 64 bits")
	case n == 0:
		u.push(int64(0))
	default:
		shift := 64 - 8*n
		u.push(int64(binary.LittleEndian.Uint64(b[:])<<shift) >> shift)
	}
}

func (u *unpickler) text(s string) {
	s = strings.TrimSuffix(s, "L")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		u.push(n)
	} else if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		u.push(n)
	} else {
		u.fail("bad number %.40q", s)
	}
}

// run runs the machine up to the opcode that ends it.
func (u *unpickler) run() any {
	for {
		u.off = u.read
		op := u.byte()
		if op == opStop {
			return u.pop()
		}
		if !u.container(op) && !u.scalar(op) {
			u.fail("opcode %#02x: not plain data", op)
		}
	}
}

func (u *unpickler) container(op byte) bool {
	switch op {
	case opProto:
		if v := u.byte(); v > 5 {
			u.fail("pickle protocol %d", v)
		}
	case 0x95: // FRAME: a hint for readers
		u.uint(8)
	case opMark:
		u.marks = append(u.marks, len(u.stack))
	case opEmptyDict:
		u.push(new(pyDict))
	case opEmptyList, ')':
		u.push(new(pyList))
	case opAppends:
		items := u.popMark()
		u.appendTo(items)
	case 'a':
		v := u.pop()
		u.appendTo([]any{v})
	case opSetItems:
		items := u.popMark()
		u.setItems(items)
	case 's':
		v := u.pop()
		k := u.pop()
		u.setItems([]any{k, v})
	case 'd': // DICT
		items := append([]any(nil), u.popMark()...)
		u.push(new(pyDict))
		u.setItems(items)
	case 'l', 't': // LIST, TUPLE
		items := append([]any(nil), u.popMark()...)
		u.push(new(pyList))
		u.appendTo(items)
	case 0x85, opTuple2, 0x87:
		u.tuple(int(op) - 0x84)
	case '0':
		u.pop()
	case '1':
		u.popMark()
	case '2':
		u.push(u.top())
	case opPut1:
		u.memo[uint32(u.byte())] = u.top()
	case opPut4:
		u.memo[uint32(u.uint(4))] = u.top()
	case 0x94: // MEMOIZE
		u.memo[uint32(len(u.memo))] = u.top()
	case 'p':
		u.memo[u.index()] = u.top()
	case opGet1:
		u.get(uint32(u.byte()))
	case opGet4:
		u.get(uint32(u.uint(4)))
	case 'g':
		u.get(u.index())
	default:
		return false
	}
	return true
}

func (u *unpickler) index() uint32 {
	n, err := strconv.ParseUint(u.line(), 10, 32)
	if err != nil {
		u.fail("bad number of a value")
	}
	return uint32(n)
}

func (u *unpickler) scalar(op byte) bool {
	switch op {
	case opNone:
		u.push(nil)
	case opTrue:
		u.push(true)
	case opFalse:
		u.push(false)
	case opInt1:
		u.push(int64(u.byte()))
	case opInt2:
		u.push(int64(u.uint(2)))
	case opInt4:
		u.push(int64(int32(u.uint(4))))
	case opLong1:
		u.long(uint64(u.byte()))
	case 0x8b: // LONG4
		u.long(u.uint(4))
	case 'I':
		switch s := u.line(); s {
		case "00":
			u.push(false)
		case "01":
			u.push(true)
		default:
			u.text(s)
		}
	case 'L':
		u.text(u.line())
	case opFloat:
		var b [8]byte
		u.full(b[:])
		u.push(math.Float64frombits(binary.BigEndian.Uint64(b[:])))
	case 'F':
		f, err := strconv.ParseFloat(u.line(), 64)
		if err != nil {
			u.fail("bad number")
		}
		u.push(f)
	case opString, 'T', 'B': // BINUNICODE, BINSTRING, BINBYTES
		u.push(u.word(u.bytes(u.uint(4))))
	case 0x8c, 'U', 'C': // the same, short
		u.push(u.word(u.bytes(uint64(u.byte()))))
	case 0x8d, 0x8e: // and long
		u.push(u.word(u.bytes(u.uint(8))))
	case 'V':
		u.push(u.word(unescape(u.line())))
	case 'S': // in quotes
		u.push(u.word([]byte(strings.Trim(u.line(), `'"`))))
	default:
		return false
	}
	return true
}

var unicodeEscape = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}`)

// unescape reads text in Python's raw-unicode-escape: Latin-1 and \u escapes.
func unescape(line string) []byte {
	latin := make([]rune, 0, len(line))
	for i := range len(line) {
		latin = append(latin, rune(line[i]))
	}
	return unicodeEscape.ReplaceAllFunc([]byte(string(latin)), func(e []byte) []byte {
		n, _ := strconv.ParseUint(string(e[2:]), 16, 32) // only digits match
		return []byte(string(rune(n)))
	})
}

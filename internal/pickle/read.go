package pickle

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
)

// Reader implements Python's pickle machine, for any protocol. It runs no code. Equal
// strings share memory.
//
// Without Classes it reads plain data: values are nil, bool, int64, uint64, float64,
// string, *List and *Dict, and everything else is an error. With Classes it distinguishes
// lists from tuples and text from bytes, and the keys of dicts may have any hashable
// type. Classes defines the meaning of Python's classes and functions; see [Classes].
type Reader struct {
	// Seal is called with each complete dict that is added to a list. It may convert the
	// dict and store the result in Made.
	Seal func(*Dict)

	// Classes makes the Reader accept more than plain data. Set it before Run.
	Classes Classes

	// Places is the largest number that an opcode may give to a value, or 0 for no limit.
	// Some readers of pickles allocate memory for all numbers up to the largest.
	Places uint32

	// Most bounds the number of lists, tuples, dicts, sets and results of calls; 0 means
	// no bound. Each uses one or two bytes in the file and up to 128 in memory. Empty
	// tuples count only in plain data, where each is a list.
	Most int64

	// Every replaces Most for a pickle of unknown size. The pickle may contain
	// [MostOfAny] of the objects that Most counts, plus one more whenever another Every
	// bytes have been read; 0 means no bound.
	Every int64

	// Base is the pickle's position in its file. It is added to the offsets of errors and
	// globals.
	Base int64

	r     *bufio.Reader
	off   int64 // the offset of the current opcode
	read  int64
	stack []any
	marks []int
	memo  memo
	words map[string]string // every string once, so that equal strings share memory
	made  int64             // see Most
	empty *Tuple            // see emptyTuple
	spent int64             // see Spend
	keys  int64             // bytes of map keys so far; see charge

	parsed map[*byte]any // results of parse in Once, by the address of the string
}

// MostOfAny is the number of objects, as counted for [Reader.Most], that a pickle of any
// size may have.
const MostOfAny = 1 << 14

// NewReader returns a Reader of r. Run reads up to the end of the pickle.
func NewReader(r *bufio.Reader) *Reader {
	return &Reader{
		r: r, memo: memo{far: map[uint32]any{}}, words: map[string]string{}, parsed: map[*byte]any{},
		Seal: func(*Dict) {},
	}
}

// Error is the reason why a pickle cannot be read.
type Error struct {
	Offset  int64 // the offset of the current opcode
	Message string
	Err     error // from the underlying reader, or nil
}

// Error returns the message, followed by the underlying error's message.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the underlying error, or nil.
func (e *Error) Unwrap() error { return e.Err }

// corrupt is the value of the panic that ends reading. Run converts it to an error.
type corrupt struct {
	message string
	err     error
}

// Fail ends Run with an error. Call it only from functions that Run calls.
func (u *Reader) Fail(format string, args ...any) {
	panic(corrupt{message: fmt.Sprintf(format, args...)})
}

// FailWith is like Fail, with an error that [Error.Unwrap] returns.
func (u *Reader) FailWith(err error, message string) { panic(corrupt{message, err}) }

// Run reads the pickle, which must be a dict, and calls use with the dict. Run returns an
// *Error if the pickle is invalid, or if use or Seal called Fail.
func (u *Reader) Run(use func(*Dict)) (err error) {
	return u.RunAny(func(v any) {
		top, ok := v.(*Dict)
		if !ok {
			u.Fail("the pickle is not a dict")
		}
		use(top)
	})
}

// RunAny is like Run, for a pickle of any value.
func (u *Reader) RunAny(use func(any)) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case corrupt:
			err = &Error{Offset: u.Base + u.off, Message: p.message, Err: p.err}
		default:
			panic(p)
		}
	}()
	top := u.run()
	u.stack, u.memo = nil, memo{} // keep no references, so that parts of top that use no longer needs can be freed
	use(top)
	return nil
}

// At returns the position of the current opcode in the file.
func (u *Reader) At() int64 { return u.Base + u.off }

// Read returns how many bytes of the pickle were read.
func (u *Reader) Read() int64 { return u.read }

func (u *Reader) word(b []byte) string {
	if s, ok := u.words[string(b)]; ok {
		return s
	}
	s := string(b)
	u.words[s] = s
	return s
}

func (u *Reader) push(v any) { u.stack = append(doubled(u.stack), v) }

// doubled returns s with room for one more element. It doubles the capacity of a full
// slice. In contrast, append grows a large slice only by a quarter, which leaves four
// times as much garbage, and a hostile file may fill many large slices.
func doubled[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, max(len(s), 8))
}

func (u *Reader) floor() int {
	if n := len(u.marks); n > 0 {
		return u.marks[n-1]
	}
	return 0
}

func (u *Reader) pop() any {
	n := len(u.stack)
	if n <= u.floor() {
		u.Fail("nothing on the stack")
	}
	v := u.stack[n-1]
	u.stack = u.stack[:n-1]
	return v
}

func (u *Reader) top() any {
	n := len(u.stack)
	if n <= u.floor() {
		u.Fail("nothing on the stack")
	}
	return u.stack[n-1]
}

// popMark returns the values above the last mark. They are valid until the next push.
func (u *Reader) popMark() []any {
	n := len(u.marks)
	if n == 0 {
		u.Fail("no mark on the stack")
	}
	at := u.marks[n-1]
	u.marks = u.marks[:n-1]
	items := u.stack[at:]
	u.stack = u.stack[:at]
	return items
}

func (u *Reader) tuple(n int) {
	if len(u.stack)-n < u.floor() {
		u.Fail("nothing on the stack")
	}
	at := len(u.stack) - n
	l := u.newTuple(append([]any(nil), u.stack[at:]...))
	u.stack = u.stack[:at]
	u.push(l)
}

// newTuple returns a tuple or, in plain data, a list.
func (u *Reader) newTuple(items []any) any {
	if u.Classes != nil {
		return &Tuple{Items: items}
	}
	return &List{Items: items}
}

// emptyTuple returns the empty tuple. As in Python, all empty tuples are the same object,
// and the object has no number in the pickle.
func (u *Reader) emptyTuple() any {
	if u.Classes == nil {
		return new(List) // a new list each time, because a list stores what it was converted to
	}
	if u.empty == nil {
		u.empty = new(Tuple)
	}
	return u.empty
}

func (u *Reader) newDict() any {
	if u.Classes != nil {
		return new(Map)
	}
	return new(Dict)
}

func (u *Reader) appendTo(items []any) {
	l, ok := u.top().(*List)
	if !ok {
		u.appendToOther(items)
		return
	}
	u.sealAll(items)
	l.Items = append(l.Items, items...)
}

func (u *Reader) sealAll(items []any) {
	for _, v := range items {
		if d, ok := v.(*Dict); ok {
			u.Seal(d)
		}
	}
}

func (u *Reader) setItems(items []any) {
	if len(items)%2 != 0 {
		u.Fail("a key without a value")
	}
	d, ok := u.top().(*Dict)
	if !ok {
		u.setItemsOfOther(items)
		return
	}
	if d.Made != nil {
		u.Fail("a dict that is modified after it is used")
	}
	if d.Keys == nil {
		d.Keys = make([]string, 0, len(items)/2)
		d.Values = make([]any, 0, len(items)/2)
	}
	for i := 0; i < len(items); i += 2 {
		k, ok := items[i].(string)
		if !ok {
			u.Fail("a key that is not a string: %T", items[i])
		}
		u.charge(max(0, len(k)-shortKey))
		d.set(k, items[i+1])
	}
}

func (u *Reader) put(n uint32) {
	if u.Places != 0 && n >= u.Places {
		u.Fail("value number %d, but the pickle has at most %d values", n, u.Places)
	}
	u.memo.put(n, u.top())
}

func (u *Reader) get(n uint32) {
	v, ok := u.memo.get(n)
	if !ok {
		u.Fail("no value number %d", n)
	}
	u.push(v)
}

// makers are the opcodes that Most counts.
var makers = func() (is [256]bool) {
	for _, op := range []byte{
		opEmptyDict, opEmptyList, 'd', 'l', 't', 0x85, opTuple2, 0x87, 0x8f, 0x91, 'R', 0x81,
		0x92, 'i', 'o', 'Q', 'P', 0x96,
	} {
		is[op] = true
	}
	return is
}()

// run runs the machine up to the final opcode.
func (u *Reader) run() any {
	for {
		u.off = u.read
		op := u.byte()
		if op == opStop {
			return u.pop()
		}
		if makers[op] || op == opEmptyTuple && u.Classes == nil {
			u.made++
			most := u.Most
			if u.Every > 0 {
				most = MostOfAny + u.read/u.Every
			}
			if most > 0 && u.made > most {
				u.Fail("more than %d lists, tuples, dicts and calls, which the size of the file does not explain", most)
			}
		}
		if !u.container(op) && !u.scalar(op) && (u.Classes == nil || !u.object(op)) {
			u.Fail("opcode %#02x: not plain data", op)
		}
	}
}

func (u *Reader) container(op byte) bool {
	switch op {
	case opProto:
		if v := u.byte(); v > 5 {
			u.Fail("pickle protocol %d", v)
		}
	case 0x95: // FRAME: a hint for readers
		u.uint(8)
	case opMark:
		u.marks = append(doubled(u.marks), len(u.stack))
	case opEmptyDict:
		u.push(u.newDict())
	case opEmptyList:
		u.push(new(List))
	case opEmptyTuple:
		u.push(u.emptyTuple())
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
		u.push(u.newDict())
		u.setItems(items)
	case 'l': // LIST
		items := append([]any(nil), u.popMark()...)
		u.push(new(List))
		u.appendTo(items)
	case 't': // TUPLE
		items := append([]any(nil), u.popMark()...)
		l := u.newTuple(items)
		if l, ok := l.(*List); ok {
			u.sealAll(l.Items)
		}
		u.push(l)
	case 0x85, opTuple2, 0x87:
		u.tuple(int(op) - 0x84)
	case '0':
		u.pop()
	case '1':
		u.popMark()
	case '2':
		u.push(u.top())
	case opPut1:
		u.put(uint32(u.byte()))
	case opPut4:
		u.put(uint32(u.uint(4)))
	case 0x94: // MEMOIZE
		u.put(u.memo.next())
	case 'p':
		u.put(u.index())
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

func (u *Reader) index() uint32 {
	n, err := strconv.ParseUint(u.line(), 10, 32)
	if err != nil {
		u.Fail("the number of a value is not a number")
	}
	return uint32(n)
}

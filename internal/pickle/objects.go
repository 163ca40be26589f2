package pickle

import (
	"strconv"
	"unicode/utf8"
)

// Classes defines the meaning of the parts of a pickle that are not plain data. Each
// method may stop reading by calling Fail or FailWith. The methods do not have to run any
// code that the pickle names.
type Classes interface {
	// Global returns the value that stands for a class or function. This value is passed
	// to the other methods.
	Global(u *Reader, g Global) any
	// Call returns the result of the opcode REDUCE. f is a result of Global, or any other
	// value in the file.
	Call(u *Reader, f any, args []any) any
	// New returns the result of NEWOBJ and similar opcodes: an object of a class. kwargs
	// are the keyword arguments of NEWOBJ_EX, or nil.
	New(u *Reader, class any, args []any, kwargs *Map) any
	// Build sets the state of an object.
	Build(u *Reader, object, state any)
	// Persistent returns the value for an identifier of an object outside the pickle.
	Persistent(u *Reader, id any) any
	// Append appends items to an object that is not a list. SetItems sets items of an
	// object that is not a dict; they alternate between keys and values.
	Append(u *Reader, object any, items []any)
	SetItems(u *Reader, object any, items []any)
}

// Global is the name of a class or function, with its position in the file. Names of
// Python 2 modules are converted to those of Python 3.
type Global struct {
	Module, Name string
	Offset       int64
}

// String returns "module.name".
func (g Global) String() string { return g.Module + "." + g.Name }

// renamed maps module names of Python 2 to those of Python 3.
var renamed = map[string]string{
	"__builtin__": "builtins", "copy_reg": "copyreg", "cPickle": "pickle", "Queue": "queue",
	"commands": "subprocess", "exceptions": "builtins", "UserDict": "collections", "UserList": "collections",
	"UserString": "collections", "whichdb": "dbm",
}

// renamedBuiltins maps names of builtins of Python 2 to those of Python 3.
var renamedBuiltins = map[string]string{
	"long": "int", "unicode": "str", "basestring": "str", "unichr": "chr",
	"xrange": "range",
}

// longestName is the maximum length of a module's or a member's name, in bytes. A file
// may refer to the same two names many times, and each time the Reader joins them again.
const longestName = 1 << 10

func (u *Reader) global(module, name string) {
	if n := max(len(module), len(name)); n > longestName {
		u.Fail("the name of a global of %d bytes", n)
	}
	// Classes may keep the joined names. Python writes each global once.
	const kept = 16 // bytes of names for each byte of the file
	u.Spend("the names of globals", (len(module)+len(name))/kept)
	if to, ok := renamedBuiltins[name]; ok && module == "__builtin__" {
		name = to
	}
	if to, ok := renamed[module]; ok {
		module = to
	}
	u.push(u.Classes.Global(u, Global{module, name, u.Base + u.off}))
}

// object handles an opcode that does not occur in pickles of plain data.
func (u *Reader) object(op byte) bool {
	switch op {
	case 'c': // GLOBAL
		module := u.utf8Line()
		u.global(module, u.utf8Line())
	case 0x93: // STACK_GLOBAL
		name, ok := u.pop().(string)
		module, also := u.pop().(string)
		if !ok || !also {
			u.Fail("the name of a global is not a string")
		}
		u.global(module, name)
	case 'R': // REDUCE
		args := u.args()
		f := u.pop()
		u.push(u.Classes.Call(u, f, args))
	case 0x81: // NEWOBJ
		args := u.args()
		class := u.pop()
		u.push(u.Classes.New(u, class, args, nil))
	case 0x92: // NEWOBJ_EX
		kwargs, ok := u.pop().(*Map)
		if !ok {
			u.Fail("the keywords of a new object are not a dict")
		}
		args := u.args()
		class := u.pop()
		u.push(u.Classes.New(u, class, args, kwargs))
	case 'i': // INST
		module := u.utf8Line()
		name := u.utf8Line()
		args := append([]any(nil), u.popMark()...)
		u.global(module, name)
		u.push(u.Classes.New(u, u.pop(), args, nil))
	case 'o': // OBJ
		items := append([]any(nil), u.popMark()...)
		if len(items) == 0 {
			u.Fail("an object without a class")
		}
		u.push(u.Classes.New(u, items[0], items[1:], nil))
	case 'b': // BUILD
		state := u.pop()
		u.Classes.Build(u, u.top(), state)
	case 'Q': // BINPERSID
		id := u.pop()
		u.push(u.Classes.Persistent(u, id))
	case 'P': // PERSID
		u.push(u.Classes.Persistent(u, u.utf8Line()))
	case 0x8f: // EMPTY_SET
		u.push(new(Set))
	case 0x90: // ADDITEMS
		items := u.popMark()
		s, ok := u.top().(*Set)
		if !ok || s.Frozen {
			u.Fail("items added to a value that is not a set")
		}
		for _, v := range items {
			s.Add(u, v)
		}
	case 0x91: // FROZENSET
		items := append([]any(nil), u.popMark()...)
		s := new(Set)
		for _, v := range items {
			s.Add(u, v)
		}
		s.Frozen = true
		u.push(s)
	case 0x96: // BYTEARRAY8
		u.push(&ByteArray{Bytes: u.bytes(u.uint(8))})
	default:
		return false
	}
	return true
}

func (u *Reader) args() []any {
	t, ok := u.pop().(*Tuple)
	if !ok {
		u.Fail("the arguments of a call are not a tuple")
	}
	return t.Items
}

func (u *Reader) utf8Line() string {
	s := u.line()
	if !utf8.ValidString(s) {
		u.Fail("the name of a global is not valid UTF-8")
	}
	return s
}

// appendToOther appends to a value that is not a list.
func (u *Reader) appendToOther(items []any) {
	if u.Classes == nil {
		u.Fail("items appended to a value that is not a list")
	}
	u.Classes.Append(u, u.top(), items)
}

// setItemsOfOther sets items of a value other than a plain dict.
func (u *Reader) setItemsOfOther(items []any) {
	if m, ok := u.top().(*Map); ok {
		if m.Keys == nil {
			m.Keys, m.Values = make([]any, 0, len(items)/2), make([]any, 0, len(items)/2)
		}
		for i := 0; i < len(items); i += 2 {
			m.Set(u, items[i], items[i+1])
		}
		return
	}
	if u.Classes == nil {
		u.Fail("items set in a value that is not a dict")
	}
	u.Classes.SetItems(u, u.top(), items)
}

// text8 decodes UTF-8. Python writes unpaired surrogates unchanged.
func (u *Reader) text8(b []byte) string {
	if u.Classes != nil && !utf8.Valid(b) && !surrogates(b) {
		u.Fail("text that is not valid UTF-8")
	}
	return u.word(b)
}

// IsText reports whether Python accepts s as text.
func IsText(s string) bool { return utf8.ValidString(s) || surrogates([]byte(s)) }

// surrogates reports whether b is valid UTF-8 except for unpaired surrogates.
func surrogates(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			if len(b) < 3 || b[0] != 0xed || b[1]&0xe0 != 0xa0 || b[2]&0xc0 != 0x80 {
				return false
			}
			n = 3
		}
		b = b[n:]
	}
	return true
}

// raw returns b as a string if b is a Python 2 string (old) and valid UTF-8. Otherwise it
// returns b as Bytes. Without Classes it always returns a string.
func (u *Reader) raw(old bool, b []byte) any {
	switch {
	case u.Classes == nil:
		return u.word(b)
	case old && utf8.Valid(b):
		return u.word(b)
	}
	return Bytes(u.word(b))
}

// quoted parses a quoted Python string with escapes.
func (u *Reader) quoted(line string) []byte {
	if u.Classes == nil {
		return []byte(trimQuotes(line))
	}
	if len(line) < 2 || line[0] != line[len(line)-1] || (line[0] != '\'' && line[0] != '"') {
		u.Fail("a string without quotes")
	}
	out := make([]byte, 0, len(line))
	quote, s := line[0], line[1:len(line)-1]
	for len(s) > 0 {
		// Go's escapes of single bytes are the same as Python's. Other escapes, such as
		// \N, do not occur in pickles.
		if s[0] != '\\' {
			out = append(out, s[0])
			s = s[1:]
			continue
		}
		c, multi, rest, err := strconv.UnquoteChar(s, quote)
		switch {
		case err == nil && !multi:
			out = append(out, byte(c))
		case len(s) > 1 && (s[1] == '\'' || s[1] == '"'):
			out = append(out, s[1])
			rest = s[2:]
		default:
			u.Fail("a string with an escape that pickles do not use")
		}
		s = rest
	}
	return out
}

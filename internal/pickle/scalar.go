package pickle

import (
	"encoding/binary"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// scalar handles an opcode that pushes a number, a string or None.
func (u *Reader) scalar(op byte) bool {
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
			u.Fail("bad number")
		}
		u.push(f)
	case opString: // BINUNICODE
		u.push(u.text8(u.bytes(u.uint(4))))
	case 0x8c: // SHORT_BINUNICODE
		u.push(u.text8(u.bytes(uint64(u.byte()))))
	case 0x8d: // BINUNICODE8
		u.push(u.text8(u.bytes(u.uint(8))))
	case 'T', 'B': // BINSTRING of Python 2, BINBYTES
		u.push(u.raw(op == 'T', u.bytes(u.uint(4))))
	case 'U', 'C': // SHORT_BINSTRING of Python 2, SHORT_BINBYTES
		u.push(u.raw(op == 'U', u.bytes(uint64(u.byte()))))
	case 0x8e: // BINBYTES8
		u.push(u.raw(false, u.bytes(u.uint(8))))
	case 'V':
		u.push(u.word(unescape(u.line())))
	case 'S': // STRING, in quotes
		u.push(u.raw(true, u.quoted(u.line())))
	default:
		return false
	}
	return true
}

var unicodeEscape = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}`)

// unescape decodes Python's raw-unicode-escape: Latin-1 and \u escapes.
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

// longestInt is the maximum number of bytes of an integer, because converting it to
// decimal takes quadratic time.
const longestInt = 1 << 12

func (u *Reader) long(n uint64) {
	if u.Classes != nil {
		if n > longestInt {
			u.Fail("an integer of %d bytes is too long", n)
		}
		u.push(u.whole(u.bytes(n)))
		return
	}
	if n > 9 {
		u.Fail("an integer of %d bytes is too long", n)
	}
	var b [16]byte
	u.full(b[:n])
	switch {
	case n == 9 && b[8] == 0:
		u.push(binary.LittleEndian.Uint64(b[:]))
	case n == 9:
		u.Fail("an integer of more than 64 bits is too large")
	case n == 0:
		u.push(int64(0))
	default:
		shift := 64 - 8*n
		u.push(int64(binary.LittleEndian.Uint64(b[:])<<shift) >> shift)
	}
}

func (u *Reader) text(s string) {
	s = strings.TrimSuffix(s, "L")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		u.push(n)
	} else if u.Classes != nil {
		u.push(u.wholeText(s))
	} else if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		u.push(n)
	} else {
		u.Fail("bad number %.40q", s)
	}
}

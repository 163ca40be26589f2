package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokData tokenKind = iota
	tokBlockBegin
	tokBlockEnd
	tokVarBegin
	tokVarEnd
	tokName
	tokString
	tokInt
	tokFloat
	tokOp
	tokEOF
)

type tok struct {
	kind tokenKind
	text string
	line int
}

// A lexer splits a template into tokens, with trim_blocks and lstrip_blocks as transformers
// sets them.
type lexer struct {
	src       string
	pos       int
	line      int
	lineStart bool // whether the last token ended with a newline
	out       []tok
}

func lex(src string) []tok {
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	src = strings.TrimSuffix(src, "\n")
	l := &lexer{src: src, line: 1, lineStart: true}
	for l.pos < len(l.src) {
		l.data()
	}
	l.emit(tokEOF, "")
	return l.out
}

func (l *lexer) emit(k tokenKind, text string) {
	l.out = append(l.out, tok{k, text, l.line})
}

// advance moves to pos, and counts the lines.
func (l *lexer) advance(pos int) {
	l.line += strings.Count(l.src[l.pos:pos], "\n")
	if pos > l.pos {
		l.lineStart = l.src[pos-1] == '\n'
	}
	l.pos = pos
}

// data reads text up to the next tag, and the tag.
func (l *lexer) data() {
	rest := l.src[l.pos:]
	at := -1
	for i := 0; i+1 < len(rest); i++ {
		if rest[i] == '{' && (rest[i+1] == '{' || rest[i+1] == '%' || rest[i+1] == '#') {
			at = i
			break
		}
	}
	if at < 0 {
		l.emit(tokData, rest)
		l.advance(len(l.src))
		return
	}
	text, kind := rest[:at], rest[at+1]
	after := at + 2
	sign := byte(0)
	if after < len(rest) && (rest[after] == '-' || rest[after] == '+') {
		sign = rest[after]
		after++
	}
	switch {
	case sign == '-':
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	case sign == 0 && kind != '{':
		start := strings.LastIndexByte(text, '\n') + 1
		if (start > 0 || l.lineStart) && blank(text[start:]) {
			text = text[:start]
		}
	}
	if text != "" {
		l.emit(tokData, text)
	}
	l.advance(l.pos + after)
	switch kind {
	case '#':
		l.comment()
	case '{':
		l.emit(tokVarBegin, "{{")
		l.expression("}}", tokVarEnd)
	default:
		if !l.raw() {
			l.emit(tokBlockBegin, "{%")
			l.expression("%}", tokBlockEnd)
		}
	}
}

func (l *lexer) comment() {
	end := strings.Index(l.src[l.pos:], "#}")
	if end < 0 {
		fail(ErrSyntax, l.line, "a comment has no end")
	}
	l.tagEnd(l.pos+end, true)
}

// tagEnd moves behind the two characters at pos, which end a tag, and over the white space
// that the tag removes.
func (l *lexer) tagEnd(pos int, trim bool) {
	sign := byte(0)
	if pos > 0 {
		sign = l.src[pos-1]
	}
	pos += 2
	switch {
	case sign == '-':
		pos = len(l.src) - len(strings.TrimLeftFunc(l.src[pos:], unicode.IsSpace))
	case trim && sign != '+' && pos < len(l.src) && l.src[pos] == '\n':
		pos++
	}
	l.advance(pos)
}

func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

// raw reads {% raw %}...{% endraw %}.
func (l *lexer) raw() bool {
	word := func(pos int, name string) (int, bool) {
		rest := strings.TrimLeftFunc(l.src[pos:], unicode.IsSpace)
		rest, ok := strings.CutPrefix(rest, name)
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		at := len(l.src) - len(rest)
		if strings.HasPrefix(rest, "-%}") || strings.HasPrefix(rest, "+%}") {
			at++
		} else if !strings.HasPrefix(rest, "%}") {
			ok = false
		}
		return at, ok
	}
	at, ok := word(l.pos, "raw")
	if !ok {
		return false
	}
	l.tagEnd(at, false)
	for i := l.pos; i+1 < len(l.src); i++ {
		if l.src[i] != '{' || l.src[i+1] != '%' {
			continue
		}
		inner := i + 2
		sign := byte(0)
		if inner < len(l.src) && (l.src[inner] == '-' || l.src[inner] == '+') {
			sign = l.src[inner]
			inner++
		}
		end, ok := word(inner, "endraw")
		if !ok {
			continue
		}
		text := l.src[l.pos:i]
		if sign == '-' {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		} else if start := strings.LastIndexByte(text, '\n') + 1; sign == 0 && blank(text[start:]) {
			text = text[:start]
		}
		l.emit(tokData, text)
		l.tagEnd(end, true)
		return true
	}
	fail(ErrSyntax, l.line, "raw has no end")
	return true
}

var operators = []string{
	"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".",
	":", "|", ",", ";",
}

// expression reads tokens up to end, outside of brackets.
func (l *lexer) expression(end string, kind tokenKind) {
	depth := 0
	for {
		rest := l.src[l.pos:]
		trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
		l.advance(len(l.src) - len(trimmed))
		rest = trimmed
		if rest == "" {
			fail(ErrSyntax, l.line, "a tag has no end")
		}
		if depth == 0 {
			n := 0
			if rest[0] == '-' || rest[0] == '+' && kind == tokBlockEnd {
				n = 1
			}
			if strings.HasPrefix(rest[n:], end) {
				l.emit(kind, end)
				if n == 0 && l.pos > 0 {
					l.plainEnd(kind)
				} else {
					l.tagEnd(l.pos+n, kind == tokBlockEnd)
				}
				return
			}
		}
		depth += l.token(rest)
	}
}

// plainEnd moves behind an end without a sign.
func (l *lexer) plainEnd(kind tokenKind) {
	pos := l.pos + 2
	if kind == tokBlockEnd && pos < len(l.src) && l.src[pos] == '\n' {
		pos++
	}
	l.advance(pos)
}

// token reads one token of an expression. It returns how the depth of brackets changes.
func (l *lexer) token(rest string) int {
	c, size := utf8.DecodeRuneInString(rest)
	switch {
	case c == '\'' || c == '"':
		l.str(rest)
		return 0
	case c >= '0' && c <= '9':
		l.number(rest)
		return 0
	case c == '_' || unicode.IsLetter(c):
		n := size
		for n < len(rest) {
			r, k := utf8.DecodeRuneInString(rest[n:])
			if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			n += k
		}
		l.emit(tokName, rest[:n])
		l.advance(l.pos + n)
		return 0
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.emit(tokOp, op)
			l.advance(l.pos + len(op))
			switch op {
			case "(", "[", "{":
				return 1
			case ")", "]", "}":
				return -1
			}
			return 0
		}
	}
	fail(ErrSyntax, l.line, "unexpected %q", c)
	return 0
}

func (l *lexer) str(rest string) {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			l.emit(tokString, unescape(rest[1:i]))
			l.advance(l.pos + i + 1)
			return
		}
	}
	fail(ErrSyntax, l.line, "a string has no end")
}

func (l *lexer) number(rest string) {
	digits := func(i int, set string) int {
		for i < len(rest) && (strings.IndexByte(set, rest[i]) >= 0 || rest[i] == '_' && i > 0) {
			i++
		}
		return i
	}
	kind := tokInt
	var n int
	const decimal = "0123456789"
	switch low := strings.ToLower(rest[:min(2, len(rest))]); low {
	case "0x":
		n = digits(2, decimal+"abcdefABCDEF")
	case "0o":
		n = digits(2, "01234567")
	case "0b":
		n = digits(2, "01")
	default:
		n = digits(0, decimal)
		if n+1 < len(rest) && rest[n] == '.' && strings.IndexByte(decimal, rest[n+1]) >= 0 {
			kind, n = tokFloat, digits(n+1, decimal)
		}
		if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
			m := n + 1
			if m < len(rest) && (rest[m] == '+' || rest[m] == '-') {
				m++
			}
			if m < len(rest) && strings.IndexByte(decimal, rest[m]) >= 0 {
				kind, n = tokFloat, digits(m, decimal)
			}
		}
	}
	l.emit(kind, strings.ReplaceAll(rest[:n], "_", ""))
	l.advance(l.pos + n)
}

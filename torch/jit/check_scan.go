package jit

import "strings"

// These are limits on the nesting of an archive's source. libtorch's lexer, parser and
// compiler are recursive. With a stack of 8 MiB, which not every thread has, they crash
// the process at about 1,500 brackets or 5,000 operators in a row. Source that Python
// writes has about a dozen of either.
const (
	deepestBrackets = 64
	deepestBlocks   = 64
	longestChain    = 256  // length of a chain of operators, calls and attributes
	longestGap      = 1000 // number of consecutive lines and comments without a token
	// number of exits such as return in a function; libtorch nests the code after an exit
	// inside the exit
	mostExits = 256
)

// nesting scans source code. If the code is nested too deeply, nesting returns the line and
// the reason. If p is not nil, nesting also records in p which names each class and
// function uses.
func nesting(text string, p *program) (line int, why string) {
	s := scan{text: text, line: 1, indents: []indent{{}}, start: p != nil, p: p}
	for s.at < len(s.text) {
		if s.start && s.depth == 0 {
			s.indent()
		} else {
			s.next()
		}
		switch {
		case s.depth >= deepestBrackets:
			return s.line, "brackets are nested too deeply"
		case len(s.indents)+s.elifs() > deepestBlocks:
			return s.line, "blocks are nested too deeply"
		case s.chain[s.depth] > longestChain || s.above > 4*longestChain:
			return s.line, "an expression is too long"
		case s.gap > longestGap:
			return s.line, "too many lines without a token"
		case s.exits > mostExits:
			return s.line, "a function has too many exits"
		}
	}
	s.flush()
	return 0, ""
}

// scan is a position in source code. It splits the code into tokens as libtorch's lexer
// does.
type scan struct {
	text    string
	at      int
	line    int
	start   bool // whether the position is the beginning of a line
	indents []indent
	depth   int
	chain   [deepestBrackets + 1]int // number of operators so far, for each depth of brackets
	above   int                      // number of operators in all enclosing brackets
	gap     int                      // number of lines and comments since the last token
	exits   int                      // number of exits in this function

	p       *program
	name    string // the name being read, including its dots
	dot     bool   // whether the last token was a dot, so that the name is an attribute
	bracket bool   // whether the name is an attribute of a bracket, as in f(x).name
	keyword string // "class" or "def" if a name must follow
}

// indent is an open block.
type indent struct {
	spaces int
	elifs  int // number of elifs of the current if; libtorch nests each elif in the previous one
}

// elifs returns the number of elifs in all enclosing blocks.
func (s *scan) elifs() (n int) {
	for _, i := range s.indents {
		n += i.elifs
	}
	return n
}

func (s *scan) indent() {
	s.start = false
	rest := strings.TrimLeft(s.text[s.at:], " \t\r\v\f")
	n := len(s.text) - s.at - len(rest)
	s.at += n
	if rest == "" || rest[0] == '\n' || rest[0] == '#' && !strings.HasPrefix(rest, typeComment) {
		return
	}
	for len(s.indents) > 1 && n <= s.top().spaces {
		if n == s.top().spaces && hasWord(rest, "elif", "else") {
			break // the elif or else belongs to the if of this block, so the block stays
		}
		s.indents = s.indents[:len(s.indents)-1]
	}
	if n > s.top().spaces {
		s.indents = append(s.indents, indent{spaces: n})
	}
	switch {
	case hasWord(rest, "elif"):
		s.top().elifs++
	case !hasWord(rest, "else"):
		s.top().elifs = 0
	}
}

func (s *scan) top() *indent { return &s.indents[len(s.indents)-1] }

// hasWord reports whether text begins with one of the words, and the word ends there.
func hasWord(text string, words ...string) bool {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(text, w); ok && (rest == "" || !letter(rest[0]) && !digit(rest[0])) {
			return true
		}
	}
	return false
}

// typeComment is the beginning of a comment that libtorch parses as a type.
const typeComment = "# type:"

func (s *scan) next() {
	c := s.text[s.at]
	s.at++
	switch {
	case c == '\n':
		s.line++
		s.gap++
		s.start = true
		if s.depth == 0 {
			s.chain[0] = 0
			s.flush()
		}
		return
	case c == '\\' && strings.HasPrefix(s.text[s.at:], "\n"): // line continuation
		s.at++
		s.line++
		s.gap++
		return
	case c == '#':
		s.comment()
		return
	case strings.IndexByte(" \t\r\v\f", c) >= 0:
		return
	}
	s.gap = 0
	if c != '.' && !letter(c) {
		s.flush()
	}
	switch {
	case c == '"' || c == '\'':
		s.quoted(c)
	case strings.IndexByte("([{", c) >= 0:
		s.chain[s.depth]++
		if s.depth < deepestBrackets {
			s.above += s.chain[s.depth]
			s.depth++
		}
		s.chain[s.depth] = 0
	case strings.IndexByte(")]}", c) >= 0:
		if s.depth > 0 {
			s.depth--
			s.above -= s.chain[s.depth]
		}
		s.bracket = true
	case c == ',':
		s.chain[s.depth] = 0
	case c == '.':
		s.chain[s.depth]++
		s.dot = s.name != "" || s.bracket
	case strings.IndexByte("+-*/%@<>=!&|^~", c) >= 0:
		s.chain[s.depth]++
	case letter(c):
		s.word()
	}
}

// comment skips a comment. For a type comment, it skips only typeComment, so that the type
// is scanned.
func (s *scan) comment() {
	if strings.HasPrefix(s.text[s.at-1:], typeComment) {
		s.at += len(typeComment) - 1
		return
	}
	s.gap++
	for s.at < len(s.text) && s.text[s.at] != '\n' {
		s.at++
	}
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// word reads a name, a keyword or a number. It counts words such as "and" as operators.
func (s *scan) word() {
	begin := s.at - 1
	for s.at < len(s.text) && (letter(s.text[s.at]) || digit(s.text[s.at])) {
		s.at++
	}
	w := s.text[begin:s.at]
	s.p.depth(len(s.indents) + s.elifs() + s.depth + s.above + s.chain[s.depth])
	switch {
	case s.dot && s.name != "":
		s.name += "." + w
	case s.dot: // after a bracket
		s.name = "." + w
	default:
		s.flush()
		s.name = w
	}
	s.dot, s.bracket = false, false
	switch w {
	case "not", "and", "or", "if", "else", "in", "is", "lambda", "for":
		s.chain[s.depth]++
	case "return", "break", "continue":
		s.exits++
	}
	if s.keyword != "" {
		s.p.define(s.keyword, w, s.top().spaces)
		s.keyword, s.exits = "", 0
	} else if w == "class" || w == "def" {
		s.keyword = w
	}
}

// flush passes the name that ends at this position to the program.
func (s *scan) flush() {
	if s.name != "" {
		s.p.name(s.name)
	}
	s.name, s.dot, s.bracket = "", false, false
}

// quoted reads a string up to its end. A string that is not triple-quoted ends at the
// latest at the end of the line.
func (s *scan) quoted(end byte) {
	three := strings.Repeat(string(end), 3)
	if strings.HasPrefix(s.text[s.at-1:], three) {
		s.at += 2
		for s.at < len(s.text) && !strings.HasPrefix(s.text[s.at:], three) {
			s.escaped()
		}
		s.at = min(s.at+len(three), len(s.text))
		return
	}
	for s.at < len(s.text) && s.text[s.at] != '\n' {
		if s.text[s.at] == end {
			s.at++
			return
		}
		s.escaped()
	}
}

// escaped reads one character of a string, or a backslash together with the next character.
func (s *scan) escaped() {
	n := 1
	if s.text[s.at] == '\\' {
		n = min(2, len(s.text)-s.at)
	}
	s.line += strings.Count(s.text[s.at:s.at+n], "\n")
	s.at += n
}

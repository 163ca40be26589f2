package serving

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
)

// A callReader finds the calls of tools in the parts of a text. What is not a valid call remains
// text. White space next to a call is dropped, unless it comes between texts.
type callReader struct {
	most int    // calls; further ones are dropped
	n    int    // calls so far
	held string // text that is not yet known to be text or a call

	inside          bool   // held is what follows callTag
	space           string // before callTag
	scanned         int    // bytes of held that have no end of the call
	quoted, escaped bool   // the state of the scan in a JSON string
	after           bool   // nothing but white space came since a call
	wrote           bool   // there was text
}

// read takes the next part of the text. finish is set for the last one.
func (r *callReader) read(text, finish string) (p piece) {
	r.held += text
	for r.step(&p, finish) {
	}
	p.finish = finish
	if r.n > 0 && finish == "stop" {
		p.finish = "tool_calls"
	}
	return p
}

// step moves text or a call from held to p, and reports whether there may be more.
func (r *callReader) step(p *piece, finish string) bool {
	if !r.inside {
		before, rest, found := strings.Cut(r.held, callTag)
		if found {
			ready := strings.TrimRightFunc(before, unicode.IsSpace)
			r.write(p, ready)
			r.held, r.space, r.inside = rest, before[len(ready):], true
			r.scanned, r.quoted, r.escaped = 0, false, false
			return true
		}
		ready := r.held
		if finish == "" {
			ready = strings.TrimRightFunc(ready[:len(ready)-beginning(ready, callTag)], unicode.IsSpace)
		}
		r.held = r.held[len(ready):]
		r.write(p, ready)
		return false
	}
	if end := r.end(); end >= 0 {
		block := r.held[:end]
		r.held, r.inside = r.held[end+len(callEnd):], false
		if c, ok := parseCall(block); ok {
			r.call(p, c)
		} else {
			r.write(p, r.space+callTag+block+callEnd)
		}
		return true
	}
	if finish == "" {
		return false
	}
	// The text ends in a call. Some models leave out its end.
	block := r.held
	r.held, r.inside = "", false
	if c, ok := parseCall(block); ok && finish == "stop" {
		r.call(p, c)
		return false
	}
	if end := strings.Index(block, callEnd); end >= 0 { // in what looked like a JSON string
		end += len(callEnd)
		block, r.held = block[:end], block[end:]
	}
	r.write(p, r.space+callTag+block)
	return r.held != ""
}

// beginning returns the length of the longest end of text that is the beginning of tag.
func beginning(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// end returns where callEnd is in held outside of JSON strings, or -1.
func (r *callReader) end() int {
	for ; r.scanned < len(r.held); r.scanned++ {
		rest := r.held[r.scanned:]
		switch c := rest[0]; {
		case r.escaped:
			r.escaped = false
		case c == '\\' && r.quoted:
			r.escaped = true
		case c == '"':
			r.quoted = !r.quoted
		case c == '<' && !r.quoted && strings.HasPrefix(rest, callEnd):
			return r.scanned
		case c == '<' && !r.quoted && strings.HasPrefix(callEnd, rest):
			return -1 // it may become one
		}
	}
	return -1
}

func (r *callReader) call(p *piece, c toolCall) {
	if r.after = true; r.n == r.most {
		return
	}
	c.index, c.id = r.n, fmt.Sprintf("call_%016x%08x", rand.Uint64(), rand.Uint32())
	r.n++
	p.calls = append(p.calls, c)
}

// write adds text.
func (r *callReader) write(p *piece, text string) {
	trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
	if r.after && (trimmed == "" || !r.wrote) {
		text = trimmed
	}
	r.after = r.after && text == ""
	r.wrote = r.wrote || text != ""
	p.text += text
}

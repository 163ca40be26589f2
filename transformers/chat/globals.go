package chat

import "strings"

// globals are the functions that every template has.
var globals map[string]any

func init() {
	globals = map[string]any{
		"raise_exception": &function{"raise_exception", func(_ *renderer, c *call) any {
			fail(ErrRaised, c.line, "%s", str(c.arg(0, "message", "")))
			return nil
		}},
		"strftime_now": &function{"strftime_now", func(r *renderer, c *call) any {
			return r.text(strftime(r.now, c.str(0, "format", ""), c.line), c.line)
		}},
		"namespace": &function{"namespace", func(r *renderer, c *call) any {
			d := makeDict(r, c)
			for _, k := range d.keys {
				if s, ok := k.(string); ok && strings.HasPrefix(s, "_") {
					fail(ErrRender, c.line, "the name of an attribute begins with an underscore")
				}
			}
			return &namespace{d}
		}},
		"dict":  &function{"dict", func(r *renderer, c *call) any { return makeDict(r, c) }},
		"range": &function{"range", makeRange},
	}
}

// makeDict is Python's dict.
func makeDict(r *renderer, c *call) *dict {
	d := newDict()
	switch v := c.arg(0, "", nil).(type) {
	case nil:
	case *dict:
		for _, k := range v.keys {
			d.set(k, v.at(k))
		}
	default:
		for _, x := range r.iterate(v, c.line) {
			pair := unpack(r, x, 2, c.line)
			d.set(hashable(pair[0], c.line), pair[1])
		}
	}
	for _, k := range c.order() {
		d.set(k, c.named[k])
	}
	r.spend(64*len(d.keys), c.line)
	return d
}

func makeRange(r *renderer, c *call) any {
	start, stop, step := int64(0), int64(0), int64(1)
	switch len(c.pos) {
	case 1:
		stop = c.integer(0, "", 0)
	case 3:
		step = c.integer(2, "", 1)
		fallthrough
	case 2:
		start, stop = c.integer(0, "", 0), c.integer(1, "", 0)
	default:
		fail(ErrRender, c.line, "range takes 1 to 3 arguments")
	}
	if step == 0 {
		fail(ErrRender, c.line, "range with step 0")
	}
	var out []any
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		if len(out) >= maxRange {
			fail(ErrLimit, c.line, "a range of more than %d numbers", maxRange)
		}
		out = append(out, i)
		if i > 0 && i+step < i && step > 0 || i < 0 && i+step > i && step < 0 {
			break
		}
	}
	return r.newList(out, c.line)
}

package tokenizers

import "encoding/json"

// A truncation says how encodings are shortened.
type truncation struct {
	max      int
	left     bool
	strategy TruncationStrategy
}

// A padding says how encodings are lengthened.
type padding struct {
	fixed    int // or -1 for the longest of the batch
	left     bool
	multiple int // or 0
	id       int64
	typeID   int64
	token    string
}

var strategies = map[string]TruncationStrategy{
	"LongestFirst": TruncationStrategyLongestFirst, "OnlyFirst": TruncationStrategyOnlyFirst,
	"OnlySecond": TruncationStrategyOnlySecond,
}

func readTruncation(raw json.RawMessage) (*truncation, error) {
	o, err := newObject("truncation", raw)
	if err != nil {
		return nil, err
	}
	t := &truncation{
		max:      int(need[uint32](o, "max_length", &err)),
		left:     readDirection(o, "Right", &err),
		strategy: strategies[need[string](o, "strategy", &err)],
	}
	need[uint32](o, "stride", &err) // It only matters for the parts that truncation removes.
	if err == nil && t.strategy == "" {
		err = fail(ErrFormat, o.at("strategy"), "unknown")
	}
	if err == nil {
		err = o.done()
	}
	return t, err
}

func readDirection(o *object, def string, err *error) bool {
	d := field(o, "direction", def, err)
	if *err == nil && d != "Left" && d != "Right" {
		*err = fail(ErrFormat, o.at("direction"), "%q is unknown", d)
	}
	return d == "Left"
}

func readPadding(raw json.RawMessage) (*padding, error) {
	o, err := newObject("padding", raw)
	if err != nil {
		return nil, err
	}
	p := &padding{
		fixed:    -1,
		left:     readDirection(o, "", &err),
		multiple: int(field(o, "pad_to_multiple_of", uint32(0), &err)),
		id:       int64(need[uint32](o, "pad_id", &err)),
		typeID:   int64(need[uint32](o, "pad_type_id", &err)),
		token:    need[string](o, "pad_token", &err),
	}
	strategy, _ := o.raw("strategy")
	if string(strategy) != `"BatchLongest"` && err == nil {
		var sub *object
		if sub, err = newObject("padding.strategy", strategy); err == nil {
			p.fixed = int(need[uint32](sub, "Fixed", &err))
		}
	}
	if err == nil && (p.fixed > maxPadding || p.multiple > maxPadding) {
		err = fail(ErrLimit, "padding", "more than %d tokens", maxPadding)
	}
	if err == nil {
		err = o.done()
	}
	return p, err
}

func (e *Encoding) truncate(n int, left bool) {
	switch {
	case n >= e.Len():
	case left:
		e.slice(e.Len()-n, e.Len())
	default:
		e.slice(0, n)
	}
}

// apply truncates a and b, which may be nil, to max tokens.
func (t *truncation) apply(a, b *Encoding, limit int) error {
	n1, n2 := a.Len(), 0
	if b != nil {
		n2 = b.Len()
	}
	switch excess := n1 + n2 - limit; {
	case limit == 0:
		n1, n2 = 0, 0
	case excess <= 0:
		return nil
	case t.strategy == TruncationStrategyOnlyFirst:
		if n1 <= excess {
			return fail(ErrValue, "TruncationStrategy", "the first text is too short to remove %d tokens", excess)
		}
		n1 -= excess
	case t.strategy == TruncationStrategyOnlySecond:
		if n2 <= excess {
			return fail(ErrValue, "TruncationStrategy",
				"there is no second text, or it is too short to remove %d tokens", excess)
		}
		n2 -= excess
	case b == nil:
		n1 = limit
	default:
		short := min(n1, n2)
		long := short
		if short <= limit {
			long = max(short, limit-short)
		}
		if short+long > limit {
			short = limit / 2
			long = short + limit%2
		}
		if n1 > n2 {
			n1, n2 = long, short
		} else {
			n1, n2 = short, long
		}
	}
	a.truncate(n1, t.left)
	if b != nil {
		b.truncate(n2, t.left)
	}
	return nil
}

// padAll pads the encodings of a batch.
func (p *padding) padAll(batch []*Encoding) {
	length := p.fixed
	if length < 0 {
		for _, e := range batch {
			length = max(length, e.Len())
		}
	}
	if p.multiple > 0 && length%p.multiple > 0 {
		length += p.multiple - length%p.multiple
	}
	for _, e := range batch {
		e.pad(length-e.Len(), p)
	}
}

package chat

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
)

// toValue converts a value of Go. Structs keep the order of their fields, json.RawMessage
// keeps the order of its keys, and maps are sorted.
func toValue(v any, depth int) any {
	if depth > maxDepth {
		fail(ErrLimit, 0, "a value is nested more than %d times", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case []any:
		out := &list{items: make([]any, len(v))}
		for i, x := range v {
			out.items[i] = toValue(x, depth+1)
		}
		return out
	case map[string]any:
		out := newDict()
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out.set(k, toValue(v[k], depth+1))
		}
		return out
	case json.RawMessage:
		return fromJSON(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		fail(ErrValue, 0, "a value of type %T: %s", v, err)
	}
	return fromJSON(b)
}

func fromJSON(b []byte) any {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	v := decodeJSON(dec, 0)
	if _, err := dec.Token(); err != io.EOF {
		fail(ErrValue, 0, "invalid JSON")
	}
	return v
}

func decodeJSON(dec *json.Decoder, depth int) any {
	t, err := dec.Token()
	if err != nil {
		fail(ErrValue, 0, "invalid JSON: %s", err)
	}
	if depth > maxDepth {
		fail(ErrLimit, 0, "a value is nested more than %d times", maxDepth)
	}
	switch t := t.(type) {
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return n
		}
		f, err := t.Float64()
		if err != nil || math.IsInf(f, 0) {
			fail(ErrValue, 0, "the number %s is too large", t)
		}
		return f
	case json.Delim:
		if t == '[' {
			out := &list{items: []any{}}
			for dec.More() {
				out.items = append(out.items, decodeJSON(dec, depth+1))
			}
			closeJSON(dec)
			return out
		}
		out := newDict()
		for dec.More() {
			k, err := dec.Token()
			if err != nil {
				fail(ErrValue, 0, "invalid JSON: %s", err)
			}
			out.set(k, decodeJSON(dec, depth+1))
		}
		closeJSON(dec)
		return out
	}
	return t
}

func closeJSON(dec *json.Decoder) {
	if _, err := dec.Token(); err != nil {
		fail(ErrValue, 0, "invalid JSON: %s", err)
	}
}

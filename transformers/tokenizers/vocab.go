package tokenizers

import "encoding/json"

// A vocab maps tokens to IDs and back.
type vocab struct {
	ids    map[string]uint32
	dense  []string          // by ID; "" if missing
	sparse map[uint32]string // in place of dense, if IDs are far apart
	empty  int64             // the ID of the empty token, or -1
	n      int               // the number of tokens, with duplicates
}

func newVocab(ids map[string]uint32) *vocab {
	v := &vocab{ids: ids, empty: -1, n: len(ids)}
	top := uint32(0)
	for _, id := range ids {
		top = max(top, id)
	}
	if uint64(top) > 4*uint64(len(ids))+4096 {
		v.sparse = make(map[uint32]string, len(ids))
		for s, id := range ids {
			v.sparse[id] = s
		}
		return v
	}
	v.dense = make([]string, top+1)
	for s, id := range ids {
		v.dense[id] = s
		if s == "" {
			v.empty = int64(id)
		}
	}
	return v
}

func (v *vocab) id(s string) (uint32, bool) {
	id, ok := v.ids[s]
	return id, ok
}

func (v *vocab) token(id uint32) (string, bool) {
	if v.sparse != nil {
		s, ok := v.sparse[id]
		return s, ok
	}
	if int64(id) >= int64(len(v.dense)) {
		return "", false
	}
	s := v.dense[id]
	return s, s != "" || int64(id) == v.empty
}

func (v *vocab) size() int { return v.n }

func readVocab(o *object) (*vocab, error) {
	var ids map[string]uint32
	raw, ok := o.raw("vocab")
	if !ok {
		return nil, o.missing("vocab")
	}
	if err := json.Unmarshal(raw, &ids); err != nil {
		return nil, o.wrong("vocab", err)
	}
	return newVocab(ids), nil
}

package serialization

import (
	"math"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// Persistent implements pickle.Classes. It returns the storage to which the persistent ID
// id refers.
func (l *reading) Persistent(u *pickle.Reader, id any) any {
	t, ok := id.(*pickle.Tuple)
	if !ok || len(t.Items) == 0 {
		u.Fail("expected a tuple as an identifier, got %s", kindName(id))
	}
	switch text(t.Items[0]) {
	case "storage":
		return l.storage(u, t.Items[1:])
	case "module": // the oldest files store a layer's class with its source code
		if l.legacy && len(t.Items) == 4 {
			return t.Items[1]
		}
	}
	u.Fail("the persistent identifier is not one of a storage")
	return nil
}

// text returns the string v. Python 2 wrote strings as bytes, so v may also be bytes.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case pickle.Bytes:
		return string(v)
	}
	return ""
}

// storage returns the storage for a persistent ID with its class, key, location and number of
// elements. In the legacy format, the ID may also describe a view of a part of the storage.
func (l *reading) storage(u *pickle.Reader, id []any) any {
	const what = "storage"
	if len(id) != 4 && (!l.legacy || len(id) != 5) {
		u.Fail("expected a storage with 4 fields, got a storage with %d fields", len(id))
	}
	if f, ok := id[0].(*foreign); ok {
		l.refuseNow(u, f)
	}
	class := argument[storageType](u, what, id, 0)
	key, ok := id[1].(string)
	if !ok {
		if n, is := id[1].(int64); is {
			key, ok = itoa(n), true
		}
	}
	location := text(id[2])
	n := u.Int(what, id[3])
	element := int64(1)
	if class.dtype != 0 {
		element = class.dtype.Size()
	}
	if !ok || len(key) > 1<<10 || len(location) > 1<<10 {
		u.Fail("the key of a storage is %s, expected a short string", kindName(id[1]))
	}
	if n < 0 || n > math.MaxInt64/element {
		u.Fail("storage %.100q has the invalid size of %d elements", key, n)
	}
	s := l.storages[key]
	if s == nil {
		s = &storage{key: key, dtype: class.dtype, location: location, bytes: n * element}
		if l.found == nil {
			if most := l.source.room(s); most < 0 {
				u.Fail("storage %.100q has no entry in the archive", key)
			} else if s.bytes > most {
				u.FailWith(&kindError{torch.ErrTruncated},
					"storage "+plain.Quote(key)+" of "+itoa(s.bytes)+" bytes, of which the file has "+itoa(most))
			}
		}
		l.storages[key] = s
		l.order = append(l.order, s)
	}
	v := &storageView{storage: s, dtype: class.dtype, bytes: s.bytes}
	if s.bytes < n*element {
		u.Fail("storage %.100q has %d bytes, and elsewhere %d", key, s.bytes, n*element)
	}
	if class.dtype != s.dtype && class.dtype != 0 && s.dtype != 0 {
		u.Fail("storage %.100q has dtype %v, and elsewhere %v", key, s.dtype, class.dtype)
	}
	if len(id) == 5 && id[4] != nil {
		part, ok := id[4].(*pickle.Tuple)
		if !ok || len(part.Items) != 3 {
			u.Fail("a view of a storage is %s, expected a tuple", kindName(id[4]))
		}
		from, size := u.Int(what, part.Items[1]), u.Int(what, part.Items[2])
		have := s.bytes / element
		if from < 0 || size < 0 || from > have || size > have-from {
			u.Fail("elements %d to %d exceed the end of a storage with %d elements", from, from+size, have)
		}
		v.offset, v.bytes = from*element, size*element
	}
	return v
}

// asTensor returns a tensor of all elements of a storage, for a file that refers to the
// storage as a value.
func (s *storageView) asTensor(at int64) *tensor {
	d := s.dtype
	if d == 0 {
		d = torch.Uint8
	}
	return &tensor{at: at, storage: s, dtype: d, size: []int64{s.bytes / d.Size()}, stride: []int64{1}}
}

package serialization

import (
	"bufio"
	"encoding/binary"
	"io"
	"math/big"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// The format before PyTorch 1.6 consists of five pickles: the magic number, the protocol
// version, information about the machine, the value, and the keys of the storages. After
// them, there is one block for each key: the number of elements in 8 bytes, then the
// elements. All numbers are little-endian.

const legacyProtocol = 1001

// legacy locates the storages of a file in the legacy format.
type legacy struct {
	*reading
	named int64            // total size in bytes of the storages that the pickle has named so far
	at    map[string]int64 // for each storage, the offset of its bytes in the file
}

func (l *reading) readLegacy(use func(any) error) error {
	l.legacy = true
	src := &legacy{reading: l, at: map[string]int64{}}
	l.source = src
	r := bufio.NewReaderSize(io.NewSectionReader(l.r, 0, l.size), 1<<16)
	var pos int64
	next := func(use func(u *pickle.Reader, v any)) error {
		u := l.pickle(r, pos)
		err := u.RunAny(func(v any) { use(u, v) })
		pos += u.Read()
		return err
	}
	var top any
	steps := []func(u *pickle.Reader, v any){
		func(u *pickle.Reader, v any) {
			if n, ok := v.(*big.Int); !ok || n.Text(16) != "1950a86a20f9469cfc6c" {
				u.Fail("the magic number is not that of torch.save")
			}
		},
		func(u *pickle.Reader, v any) {
			if v != int64(legacyProtocol) {
				u.Fail("protocol version %s, expected %d", short(v), legacyProtocol)
			}
		},
		func(u *pickle.Reader, v any) {
			if _, ok := v.(*pickle.Map); !ok {
				u.Fail("the information about the machine is not a dict")
			}
		},
		func(u *pickle.Reader, v any) { top, l.value = v, u.Base },
	}
	for _, step := range steps {
		if err := next(step); err != nil {
			return err
		}
	}
	if l.found != nil {
		return use(top)
	}
	var keys []string
	if err := next(func(u *pickle.Reader, v any) { keys = l.keys(u, v) }); err != nil {
		return err
	}
	if err := src.find(keys, pos); err != nil {
		return err
	}
	return use(top)
}

// keys returns the keys of the storages that follow the pickles.
func (l *reading) keys(u *pickle.Reader, v any) []string {
	list, ok := v.(*pickle.List)
	if !ok {
		u.Fail("the list of the storages' keys is %s", kindName(v))
	}
	keys := make([]string, len(list.Items))
	seen := map[string]bool{}
	for i, v := range list.Items {
		key := text(v)
		if n, ok := v.(int64); ok {
			key = itoa(n)
		}
		if l.storages[key] == nil || seen[key] {
			u.Fail("storage %.40q belongs to no tensor or is listed twice", key)
		}
		keys[i], seen[key] = key, true
	}
	for _, s := range l.order {
		if !seen[s.key] {
			u.Fail("storage %.40q has no data", s.key)
		}
	}
	return keys
}

// find records the position of each storage's bytes in the file. pos is the first position
// after the pickles.
func (s *legacy) find(keys []string, pos int64) error {
	var head [8]byte
	for _, key := range keys {
		st := s.storages[key]
		if n, err := s.r.ReadAt(head[:], pos); n < len(head) {
			if err == io.EOF || err == nil {
				return s.fail(torch.ErrTruncated, pos, "storage %.100q begins after the end of the file", key)
			}
			return err
		}
		element := int64(1)
		if st.dtype != 0 {
			element = st.dtype.Size()
		}
		n := int64(binary.LittleEndian.Uint64(head[:]))
		if n != st.bytes/element {
			return s.fail(torch.ErrFormat, pos, "storage %.100q has %d elements, expected %d", key, n, st.bytes/element)
		}
		pos += int64(len(head))
		if st.bytes > s.size-pos {
			return s.fail(torch.ErrTruncated, pos, "storage %.100q has %d bytes, but the file has only %d", key,
				st.bytes, s.size-pos)
		}
		s.at[key] = pos
		pos += st.bytes
	}
	return nil
}

func (s *legacy) room(st *storage) int64 {
	left := s.size - s.named
	s.named += min(st.bytes, left)
	return left
}

func (s *legacy) place(st *storage) (int64, bool) { return s.at[st.key], true }

func (s *legacy) open(st *storage) (io.Reader, error) {
	return io.NewSectionReader(s.r, s.at[st.key], st.bytes), nil
}

func short(v any) string {
	if n, ok := v.(int64); ok {
		return itoa(n)
	}
	return kindName(v)
}

package distributed

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/torch"
)

// The limits of libtorch's TCP store server. If a client exceeds them, the server closes the
// client's connection, and all calls on that connection fail. So the limits are checked here.
const (
	mostKey   = 8<<10 - 1 // length in bytes with all prefixes; the client adds a slash
	mostValue = 8 << 20
	mostKeys  = 128 << 10 // number of keys in one call
)

// checkKeys returns an error for keys that the server of a TCP store would refuse.
func (s *Store) checkKeys(op, arg string, keys []string) error {
	if s == nil || !s.tcp {
		return nil
	}
	if len(keys) > mostKeys {
		return argumentError(op, torch.ErrValue, arg, "expected at most %d keys at once, got %d", mostKeys, len(keys))
	}
	for _, key := range keys {
		if n := len(s.prefix) + len(key); n > mostKey {
			return argumentError(op, torch.ErrValue, arg,
				"%.80q has %d bytes including its prefixes; the server takes at most %d", key, n, mostKey)
		}
	}
	return nil
}

// checkValue returns an error for a value that the server of a TCP store would refuse.
func (s *Store) checkValue(op, arg string, value []byte) error {
	if s != nil && s.tcp && len(value) > mostValue {
		return argumentError(op, torch.ErrValue, arg, "has %d bytes; the server takes at most %d at once", len(value),
			mostValue)
	}
	return nil
}

// noValue is a value that no key has and that is not a number.
var noValue = []byte("gotorch: no value")

// checkCount returns an error if the key's value in a TCP store is not a number, because the server
// would fail and close the connection.
func (s *Store) checkCount(op, key string) error {
	if s == nil || !s.tcp {
		return nil // other stores return an error and stay usable
	}
	// If the key has no value, compareSet returns the expected value. It neither waits nor sets the
	// key.
	value, err := s.compareSet(op, key, noValue, noValue)
	if err != nil || string(value) == string(noValue) || isCount(string(value)) {
		return err
	}
	return argumentError(op, torch.ErrValue, "key", "the value of %.80q is %.80q, which is not a number", key, value)
}

// isCount reports whether C++'s stoll can parse text, which need only begin with a number.
func isCount(text string) bool {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	sign := ""
	if text != "" && strings.ContainsRune("+-", rune(text[0])) {
		sign, text = text[:1], text[1:]
	}
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	_, err := strconv.ParseInt(sign+digits, 10, 64)
	return err == nil
}

// isCountError reports whether C++'s stoll has caused an error.
func isCountError(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.HasPrefix(e.Detail, "stoll")
}

// withoutPrefix returns the keys that have the store's prefix, with the prefix removed.
func (s *Store) withoutPrefix(keys []string) []string {
	if s.prefix == "" {
		return keys
	}
	var own []string
	for _, key := range keys {
		if rest, has := strings.CutPrefix(key, s.prefix); has {
			own = append(own, rest)
		}
	}
	return own
}

// checkStoreFile returns an error for a file that libtorch's file store did not write.
// The store would read that file's bytes as lengths, and read beyond its end forever.
// checkStoreFile returns nil for a missing file, which the store creates, and for a file
// that cannot be opened, which the store reports.
func checkStoreFile(op, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if !info.Mode().IsRegular() {
		return argumentError(op, torch.ErrValue, "path", "%s is not a regular file", path)
	}
	f, _, err := files.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	// Another process may be writing to the file and hold its lock.
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH)
	}
	if err == nil {
		info, err = f.Stat()
	}
	if err != nil {
		return &Error{Op: op, Kind: ErrStore, Rank: -1, Detail: err.Error(), Err: err}
	}
	if at, ok := parseRecords(f, info.Size()); !ok {
		return &Error{
			Op: op, Kind: ErrStore, Rank: -1,
			Detail: fmt.Sprintf("%s is not a store file: byte %d does not begin a key and its value", path, at),
		}
	}
	return nil
}

// makePrivate creates the file of a store, if it does not exist. libtorch would let all users read
// it, and whoever can read a file can lock it, for which all ranks would wait. Errors are ignored,
// because the store reports them.
func makePrivate(path string) {
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = f.Close()
	}
}

// parseRecords reports whether a file of size bytes consists of keys and values, each preceded by
// its length. If not, at is the position of the first invalid record.
func parseRecords(f io.Reader, size int64) (at int64, ok bool) {
	in := bufio.NewReader(f)
	end := int64(0)
	next := func(keep int64) (text string, ok bool) {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return "", false
		}
		n := int64(binary.NativeEndian.Uint32(head[:]))
		if end += 4 + n; end > size {
			return "", false
		}
		b := make([]byte, min(n, keep))
		if _, err := io.ReadFull(in, b); err != nil {
			return "", false
		}
		_, err := io.CopyN(io.Discard, in, n-int64(len(b)))
		return string(b), err == nil
	}
	for at < size {
		key, hasKey := next(64)
		value, hasValue := next(64)
		if !hasKey || !hasValue || !isRecord(key, value) {
			return at, false
		}
		at = end
	}
	return at, true
}

// isRecord reports whether a file store can have written the key and value. Keys of the program
// begin with a slash, deleted keys with "-/", and two counters belong to the store.
func isRecord(key, value string) bool {
	switch key {
	case "refcount/", "cleanup/":
		return isCount(value)
	default:
		return strings.HasPrefix(key, "/") || strings.HasPrefix(key, "-/")
	}
}

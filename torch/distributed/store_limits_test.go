package distributed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func tcpStore(t *testing.T) *distributed.Store {
	s, err := distributed.NewTCPStore(ranks.Soon(t), "127.0.0.1:0", distributed.IsMaster(true))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Requests are rejected before they are sent if the server would close the connection for them.
func TestTCPStoreLimits(t *testing.T) {
	s := tcpStore(t)
	p, err := distributed.NewPrefixStore("prefix", s)
	require.NoError(t, err)
	defer p.Close()
	again, err := p.Clone()
	require.NoError(t, err)
	defer again.Close()
	key := func(n int) string { return strings.Repeat("k", n) }
	const longest, most = 8191, 8 << 20
	for name, store := range map[string]struct {
		s    *distributed.Store
		less int
	}{"the store": {s, 0}, "with a prefix": {p, len("prefix/")}, "another connection": {again, len("prefix/")}} {
		t.Run(name, func(t *testing.T) {
			s, long, bad := store.s, key(longest-store.less), key(longest-store.less+1)
			require.NoError(t, s.Set(long, []byte("v")))
			_, got := s.Get(ranks.Soon(t), bad)
			_, checked := s.Check("a", bad)
			_, added := s.Add(bad, 1)
			_, compared := s.CompareSet(bad, nil, nil)
			_, deleted := s.DeleteKey(bad)
			_, _, popped := s.QueuePop(bad)
			_, length := s.QueueLen(bad)
			for i, err := range []error{
				s.Set(bad, nil), got, checked, added, compared, deleted, s.Append(bad, nil), s.Wait(ranks.Soon(t), bad),
				s.QueuePush(bad, nil), popped, length,
			} {
				require.ErrorIs(t, err, torch.ErrValue, "call %d", i)
			}
			large := make([]byte, most+1)
			_, want := s.CompareSet("k", large, nil)
			_, set := s.CompareSet("k", nil, large)
			for i, err := range []error{s.Set("k", large), s.Append("k", large), s.QueuePush("k", large), want, set} {
				require.ErrorIs(t, err, torch.ErrValue, "value %d", i)
				require.ErrorContains(t, err, "8388609 bytes")
			}
			_, err := s.Check(make([]string, 128<<10+1)...)
			require.ErrorIs(t, err, torch.ErrValue)
			require.NoError(t, s.Set("large", large[:most]))
			value, err := s.Get(ranks.Soon(t), "large")
			require.NoError(t, err, "the connection is still there")
			assert.Len(t, value, most)
		})
	}
	h, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer h.Close()
	require.NoError(t, h.Set(key(longest+1), make([]byte, most+1)), "which has no server")
}

// Adding to a value that is not a number causes an error, and the store stays usable.
func TestAddToText(t *testing.T) {
	hash, err := distributed.NewHashStore()
	require.NoError(t, err)
	file, err := distributed.NewFileStore(filepath.Join(t.TempDir(), "store"), 0)
	require.NoError(t, err)
	tcp := tcpStore(t)
	prefixed, err := distributed.NewPrefixStore("p", tcp)
	require.NoError(t, err)
	for name, s := range map[string]*distributed.Store{"hash": hash, "file": file, "tcp": tcp, "prefix": prefixed} {
		t.Run(name, func(t *testing.T) {
			defer s.Close()
			for _, text := range []string{"text", "-", "+ 1", " ", "9223372036854775808", "\x001"} {
				require.NoError(t, s.Set("k", []byte(text)))
				_, err := s.Add("k", 1)
				require.ErrorIs(t, err, torch.ErrValue, "%q", text)
				assert.ErrorContains(t, err, `the value of "k" is`)
			}
			// Numbers are parsed as in C++.
			for text, want := range map[string]int64{
				"41": 42, " +41": 42, "-43": -42, "41st": 42,
				"9223372036854775806": 9223372036854775807,
			} {
				require.NoError(t, s.Set("k", []byte(text)))
				n, err := s.Add("k", 1)
				require.NoError(t, err, "%q", text)
				assert.Equal(t, want, n, "%q", text)
			}
			n, err := s.Add("new", 5)
			require.NoError(t, err)
			assert.Equal(t, int64(5), n)
			n, err = s.Add("new", -7)
			require.NoError(t, err)
			assert.Equal(t, int64(-2), n)
		})
	}
}

func TestAddressWithAZero(t *testing.T) {
	_, err := distributed.NewTCPStore(ranks.Soon(t), "127.0.0.1\x00.example:0", distributed.IsMaster(true))
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "address")
}

// An invalid file is detected immediately, whatever its contents.
func TestFileStoreOfGarbage(t *testing.T) {
	dir := t.TempDir()
	record := func(key, value string) string {
		return string([]byte{byte(len(key)), 0, 0, 0}) + key + string([]byte{byte(len(value)), 0, 0, 0}) + value
	}
	for name, content := range map[string]string{
		"a text":               "not a store, but a text that somebody has written",
		"zeros":                strings.Repeat("\x00", 64),
		"ones":                 strings.Repeat("\xff", 64),
		"short":                "\x01",
		"torn":                 record("/key", "value")[:10],
		"then a text":          record("/key", "value") + "text",
		"a key of its own":     record("key", "value"),
		"a counter of text":    record("refcount/", "many"),
		"a length of too much": "\x04\x00\x00\x00/key\xff\xff\xff\x7f",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			_, err := distributed.NewFileStore(path, 1)
			require.ErrorIs(t, err, distributed.ErrStore)
			assert.ErrorContains(t, err, "is not a store file")
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, content, string(left), "as it was")
		})
	}
	_, err := distributed.NewFileStore(dir, 1)
	require.ErrorIs(t, err, torch.ErrValue)
	for name, content := range map[string]string{
		"empty":      "",
		"of a store": record("refcount/", "1") + record("/key", "value") + record("-/key", ""),
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		s, err := distributed.NewFileStore(path, 0)
		require.NoError(t, err, name)
		require.NoError(t, s.Set("key", []byte("v")))
		require.NoError(t, s.Close())
		s, err = distributed.NewFileStore(path, 0) // the file has more records now
		require.NoError(t, err, name)
		require.NoError(t, s.Close())
	}
}

// Other users cannot read a new file of a store, and so cannot lock it.
func TestFileStoreIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s, err := distributed.NewFileStore(path, 0)
	require.NoError(t, err)
	require.NoError(t, s.Set("key", []byte("v")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077, "%v", info.Mode())
	require.NoError(t, s.Close())
}

// ListKeys also returns keys that are empty strings. A prefix store leaves out keys that do not
// have its prefix.
func TestListKeysWithEmptyOnes(t *testing.T) {
	hash, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer hash.Close()
	for name, s := range map[string]*distributed.Store{"hash": hash, "tcp": tcpStore(t)} {
		t.Run(name, func(t *testing.T) {
			outer, err := distributed.NewPrefixStore("a", s)
			require.NoError(t, err)
			defer outer.Close()
			inner, err := distributed.NewPrefixStore("b", outer)
			require.NoError(t, err)
			defer inner.Close()
			none, err := distributed.NewPrefixStore("", s)
			require.NoError(t, err)
			defer none.Close()
			for s, keys := range map[*distributed.Store][]string{
				s: {"", "k", "ab"}, outer: {"", "o"}, inner: {"", "i"},
				none: {"", "n"},
			} {
				for _, key := range keys {
					require.NoError(t, s.Set(key, []byte("v")))
				}
			}
			for s, want := range map[*distributed.Store][]string{
				outer: {"", "o", "b/", "b/i"}, inner: {"", "i"},
				none: {"", "n"},
			} {
				got, err := s.ListKeys()
				require.NoError(t, err)
				assert.ElementsMatch(t, want, got)
			}
			got, err := s.ListKeys()
			require.NoError(t, err)
			assert.Subset(t, got, []string{"", "k", "ab", "a/", "a/o", "a/b/", "a/b/i", "/", "/n"})
		})
	}
}

// Numbers of ranks that libtorch would truncate are rejected.
func TestTooManyRanks(t *testing.T) {
	world := 1<<32 + 1
	_, err := distributed.NewFileStore(filepath.Join(t.TempDir(), "store"), world)
	require.ErrorIs(t, err, torch.ErrValue)
	_, err = distributed.NewTCPStore(background, "127.0.0.1:0", distributed.IsMaster(true),
		distributed.WorldSize(world))
	require.ErrorIs(t, err, torch.ErrValue)
}

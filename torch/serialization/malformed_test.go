package serialization_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

type malformed struct{ name, kind, part string }

func malformedFiles(t testing.TB) []malformed {
	t.Helper()
	text, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)
	var out []malformed
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		out = append(out, malformed{f[0], f[1], f[2]})
	}
	return out
}

var kinds = map[string]error{
	"format": serialization.ErrFormat, "truncated": serialization.ErrTruncated,
	"unsupported": serialization.ErrUnsupported, "unsafe": serialization.ErrUnsafe,
	"device": torch.ErrDevice,
}

// Each damaged or harmful file is an error that says what is wrong, and nothing stays.
func TestMalformedFiles(t *testing.T) {
	files := malformedFiles(t)
	require.GreaterOrEqual(t, len(files), 100)
	for _, m := range files {
		t.Run(m.name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			path := filepath.Join("testdata", "malformed", m.name+".pt")
			info, err := os.Stat(path)
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := serialization.Load(path)
			runtime.ReadMemStats(&after)
			if m.name == "pickle_doubling" { // 2^60 lists, if each were another one
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Nil(t, v)
			fe := (*serialization.FileError)(nil)
			require.ErrorAs(t, err, &fe)
			assert.Equal(t, path, fe.Path)
			if m.kind != "" {
				require.ErrorIs(t, err, kinds[m.kind], err.Error())
			}
			assert.Contains(t, err.Error(), m.part)
			assert.Less(t, len(err.Error()), 1000)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20+200*info.Size()), "bytes of Go for a file of %d", info.Size())
			if errors.Is(err, serialization.ErrUnsafe) {
				r := (*serialization.RefusedError)(nil)
				require.ErrorAs(t, err, &r)
				assert.Positive(t, r.Offset)
			}
			// What Inspect says of it may be an error too, but nothing else.
			_, err = serialization.Inspect(path)
			if err != nil {
				require.ErrorAs(t, err, &fe)
			}
			// Nor do other options find more in it.
			opts := []serialization.LoadOption{serialization.Opaque(true), serialization.VerifyCRC32(false), serialization.Mmap(true)}
			for i := range opts {
				torch.Scope(func() {
					_, err := serialization.Load(path, opts[:i+1]...)
					if err != nil {
						require.ErrorAs(t, err, &fe)
					}
				})
			}
		})
	}
}
